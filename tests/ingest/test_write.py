"""What is written: every table, run by run in order, with the figures of each run beside it?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from ingest import write
from ingest.schema import Call, Run, Trace
from ingest.store import STORED, Store, read_manifest
from ingest.write import TABLES
from tests.logs import contents, load, node, rows, write_log
from tests.stores import store_of, tree

DRAWN = """
    root score=0.5 fate=expanded
      a score=0.25 fate=pruned
      b fate=unscored
      c score=0.75 fate=terminal
      m parent_ids=["root","a"] fate=open
"""


def totals(store: Store, *names: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = store.query(f"select {', '.join(names)} from runs order by run_id").to_pylist()
    return found


def test_the_files_are_small_groups_of_rows_in_zstd_that_keep_each_run_together(tmp_path: Path) -> None:
    store = store_of(tmp_path, tree(DRAWN, "b"), tree(DRAWN, "c"), tree(DRAWN, "a"))
    (batch,) = read_manifest(tmp_path).batches
    for name in TABLES:
        file = pq.ParquetFile(tmp_path / "data" / batch / f"{name}.parquet")
        assert set(file.schema_arrow.names) == set(STORED[name].names)
        assert {file.metadata.row_group(0).column(0).compression for _ in range(file.num_row_groups)} <= {"ZSTD"}
    assert store.query("select run_id from nodes")["run_id"].to_pylist() == ["a"] * 5 + ["b"] * 5 + ["c"] * 5
    assert store.query("select preorder from nodes")["preorder"].to_pylist() == [0, 1, 2, 3, 4] * 3


def test_the_totals_of_a_run_are_counted_from_its_rows(tmp_path: Path) -> None:
    calls = (
        Call(run_id="run", call_id="1", node_id="root", input_tokens=10, output_tokens=2, cached_tokens=4, cost=0.5, latency_ms=100),
        Call(run_id="run", call_id="2", node_id="a", input_tokens=5, latency_ms=50),
        Call(run_id="run", call_id="3"),
    )
    store = store_of(tmp_path, tree(DRAWN, calls=calls, selected_path=("root", "c")))
    counted = {"nodes": 5, "edges": 5, "roots": 1, "orphans": 0, "merged": 1, "max_depth": 1, "scored": 3}
    fates = {"expanded": 1, "pruned": 1, "unscored": 1, "terminal": 1, "open": 1}
    spent = {"calls": 3, "input_tokens": 15, "output_tokens": 2, "cached_tokens": 4, "cost": 0.5, "calls_with_cost": 1, "calls_with_tokens": 2}
    other = {"latency_ms": 150.0, "spend_from": "calls", "selected_score": 0.75, "problems": 0}
    assert totals(store, *counted, *fates, *spent, *other) == [counted | fates | spent | other]


def test_a_run_without_nodes_or_calls_has_zeros_for_counts_and_null_for_what_is_unknown(tmp_path: Path) -> None:
    counted = dict.fromkeys(("nodes", "edges", "roots", "orphans", "calls", "calls_with_cost", "scored", "problems"), 0)
    unknown = dict.fromkeys(("max_depth", "input_tokens", "cost", "latency_ms", "spend_from", "selected_score"))
    assert totals(store_of(tmp_path, Trace(Run(run_id="r"))), *counted, *unknown) == [counted | unknown]


def test_spend_that_is_only_reported_for_the_whole_run_says_so(tmp_path: Path) -> None:
    store = store_of(tmp_path, tree("root", reported_cost=1.5, reported_input_tokens=7), tree("root", "s", reported_tokens=9))
    assert totals(store, "cost", "input_tokens", "output_tokens", "calls", "spend_from") == [
        {"cost": 1.5, "input_tokens": 7, "output_tokens": None, "calls": 0, "spend_from": "run"},
        {"cost": None, "input_tokens": None, "output_tokens": None, "calls": 0, "spend_from": "run"},
    ]


def test_a_free_call_costs_nothing_and_an_unpriced_one_is_unknown(tmp_path: Path) -> None:
    free, unpriced = Call(run_id="run", call_id="1", cost=0.0), Call(run_id="s", call_id="1", input_tokens=3)
    store = store_of(tmp_path, tree("root", calls=(free,)), tree("root", "s", calls=(unpriced,)))
    assert totals(store, "cost", "calls_with_cost") == [{"cost": 0.0, "calls_with_cost": 1}, {"cost": None, "calls_with_cost": 0}]


def test_the_sums_over_calls_and_fates_are_the_totals(tmp_path: Path) -> None:
    calls = tuple(Call(run_id="run", call_id=str(i), node_id=name, input_tokens=i, cost=i / 8) for i, name in enumerate(("root", "a", "a", "gone")))
    store = store_of(tmp_path, tree(DRAWN, calls=calls))
    ((nodes, fates, tokens, summed, cost, paid),) = (
        tuple(row.values())
        for row in store.query(
            "select nodes, expanded + pruned + terminal + unscored + open as fates, input_tokens, (select sum(input_tokens) from calls) as summed, "
            "cost, (select sum(cost) from calls) as paid from runs"
        ).to_pylist()
    )
    assert (nodes, tokens, cost) == (fates, summed, paid) == (5, 6, 0.75)


def test_a_call_knows_the_depth_of_its_node_and_none_where_it_has_no_node(tmp_path: Path) -> None:
    calls = tuple(Call(run_id="run", call_id=name or "none", node_id=name) for name in ("root", "m", "gone", None))
    store = store_of(tmp_path, tree(DRAWN, calls=calls))
    depths = {row["call_id"]: row["depth"] for row in store.query("select call_id, depth from calls").to_pylist()}
    assert depths == {"root": 0, "m": 1, "gone": None, "none": None}


def test_many_small_runs_stay_in_the_order_of_their_log_and_say_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = (line for run in ("b", "c", "a") for line in (node("x", run=run, prompt="p"), node("y", "x", run, score=0.5)))
    log = write_log(tmp_path / "log.jsonl", *lines)
    stores = [tmp_path / name for name in ("few", "many", "large")]
    load(stores[0], log)
    monkeypatch.setattr(write, "SORTED_NODES", 3)
    load(stores[1], log)
    monkeypatch.setattr(write, "NODE_ROWS", 1)
    load(stores[2], log)
    assert [[run for (run,) in rows(store, "select run_id from nodes")] for store in stores] == [[*"aabbcc"], [*"bbccaa"], [*"aabbcc"]]
    assert contents(stores[0]) == contents(stores[1]) == contents(stores[2])

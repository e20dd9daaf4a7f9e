"""Filters, summary and columns of the run list."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from explorer import queries
from explorer.analysis import run_list
from ingest.schema import Call
from ingest.store import Store
from tests.stores import store_of, tree


@pytest.fixture
def store(tmp_path: Path) -> Store:
    paid = (Call(run_id="b", call_id="c", node_id="root", cost=0.5, input_tokens=3, output_tokens=4),)
    return store_of(
        tmp_path / "store",
        tree("root\n  x score=0.5", run_id="a", outcome="right", stop_reason="goal", question="Which prime?", selected_path=("root", "x")),
        tree("root", run_id="b", outcome="wrong", stop_reason="max_nodes", complete=False, calls=paid),
        tree("root", run_id="c", ended=False),
    )


def rows(store: Store) -> pa.Table:
    return queries.run(store, "run_list")


@pytest.mark.parametrize(
    ("filters", "left"),
    [
        ({}, ["b", "c", "a"]),
        ({"needle": "PRIME"}, ["a"]),
        ({"needle": "max_nodes"}, ["b"]),
        ({"outcomes": ["wrong", "unknown"]}, ["b", "c"]),
        ({"endings": ["not recorded"]}, ["c"]),
        ({"endings": ["goal", "max_nodes"], "outcomes": ["right"]}, ["a"]),
        ({"formats": ["no such format"]}, []),
    ],
)
def test_every_filter_must_hold(store: Store, filters: dict[str, Any], left: list[str]) -> None:
    asked: dict[str, Any] = {"needle": "", "outcomes": [], "endings": [], "formats": [], **filters}
    assert run_list.matching(rows(store), **asked)["run_id"].to_pylist() == left


def test_the_summary_counts_each_outcome_caps_and_runs_without_an_end(store: Store) -> None:
    assert [fact.text for fact in run_list.summary(rows(store))] == [
        "3 runs", "✗ 1 wrong", "? 1 unknown", "✓ 1 right", "a cap fired in 1", "stop reason not recorded in 1", "1 still running or died", "4 nodes",
    ]  # fmt: skip


def test_the_table_leaves_out_what_no_run_records_and_says_so(store: Store) -> None:
    runs = rows(store)
    table = run_list.for_reading(runs, queries.run(store, "run_sparklines"))
    assert "wall_clock" not in table.column_names
    assert table["stopped_by"].to_pylist() == ["cap fired: max nodes", "still running or died", "goal reached"]
    assert table["complete"].to_pylist() == ["cut off", None, None]
    assert table["spend_by_depth"].to_pylist() == [[0.5], None, None]
    assert run_list.remarks(runs, table) == ["Recorded by none of these runs, so not in the table: task, time."]


def test_an_empty_store_has_an_empty_list(tmp_path: Path) -> None:
    runs = rows(Store(tmp_path / "nothing"))
    assert run_list.summary(runs)[0].text == "0 runs"
    assert run_list.for_reading(runs, None).num_rows == 0

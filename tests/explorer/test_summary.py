"""The ``depths`` of ``show RUN --json``: nodes, scores, fates and spend of each depth."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.analysis import summary
from ingest.schema import Call
from ingest.store import Store
from tests.stores import store_of, tree

DRAWN = """
    root fate=expanded
      a score=0.25 fate=expanded
      b score=0.75 fate=pruned
      c fate=unscored
      d
"""
CALLS = (
    Call(run_id="run", call_id="1", node_id="root", role="proposer", input_tokens=100, output_tokens=20, cost=0.5),
    Call(run_id="run", call_id="2", node_id="a", role="evaluator", input_tokens=10, output_tokens=2, cost=0.25),
    Call(run_id="run", call_id="3", node_id="b", role="evaluator"),
    Call(run_id="run", call_id="4", role="tool", cost=1.0),
)


def test_a_run_that_is_not_there_has_no_depths(tmp_path: Path) -> None:
    assert summary.depths(Store(tmp_path / "nothing"), "run") == []


def test_a_single_node_without_calls_spent_nothing_known(tmp_path: Path) -> None:
    assert summary.depths(store_of(tmp_path, tree("root score=1 fate=terminal")), "run") == [
        {
            "depth": 0, "nodes": 1, "scored": 1, "score_min": 1.0, "score_mean": 1.0, "score_max": 1.0, "expanded": 0, "pruned": 0,
            "terminal": 1, "unscored": 0, "open": 0, "not_recorded": 0, "calls": None, "tokens": None,
            "cost": None, "calls_with_cost": None, "calls_with_tokens": None, "by_role": {},
        }
    ]  # fmt: skip


def test_worked_by_hand(tmp_path: Path) -> None:
    root, one = summary.depths(store_of(tmp_path, tree(DRAWN, calls=CALLS)), "run")
    assert (root["calls"], root["tokens"], root["cost"]) == (1, 120, 0.5)
    evaluator = {"calls": 2, "tokens": 12, "cost": 0.25, "calls_with_cost": 1, "calls_with_tokens": 1}
    assert one == {
        "depth": 1, "nodes": 4, "scored": 2, "score_min": 0.25, "score_mean": 0.5, "score_max": 0.75, "expanded": 1, "pruned": 1,
        "terminal": 0, "unscored": 1, "open": 0, "not_recorded": 1, **evaluator, "by_role": {"evaluator": evaluator},
    }  # fmt: skip


def test_identity_the_fates_of_a_depth_add_up_to_its_nodes_and_the_calls_to_all_calls(tmp_path: Path) -> None:
    store = store_of(tmp_path, tree(DRAWN, calls=CALLS))
    depths = summary.depths(store, "run")
    fates = ("expanded", "pruned", "terminal", "unscored", "open", "not_recorded")
    assert [sum(depth[fate] for fate in fates) for depth in depths] == [depth["nodes"] for depth in depths]
    assert sum(depth["calls"] for depth in depths) + summary.unplaced_spend(store, "run")["calls"] == len(CALLS)


def test_it_is_strict_json(tmp_path: Path) -> None:
    text = json.dumps(summary.depths(store_of(tmp_path, tree(DRAWN, calls=CALLS)), "run"))
    json.loads(text, parse_constant=lambda constant: pytest.fail(f"bare {constant}"))

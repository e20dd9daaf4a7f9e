"""Findings: each is a sentence with its number, said only where it is true, with the rows that it rests on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from explorer.analysis import findings
from explorer.analysis.findings import Finding, shortest_range
from ingest.schema import Call
from ingest.store import Store
from tests.stores import store_of, tree


def said(folder: Path, drawing: str, calls: tuple[Call, ...] = (), **run: Any) -> dict[str, Finding]:
    found = findings.of_run(store_of(folder, tree(drawing, calls=calls, **run)), "run")
    return {finding.rule: finding for finding in found}


def test_there_is_nothing_to_say_about_a_run_that_is_not_there_or_has_one_node(tmp_path: Path) -> None:
    assert findings.of_run(Store(tmp_path / "nothing"), "run") == ()
    assert said(tmp_path, "root score=1 fate=terminal") == {}


def test_a_tie_at_the_cut_is_named_with_its_depth(tmp_path: Path) -> None:
    drawn = "root fate=expanded\n  a score=3 fate=expanded\n  b score=3 fate=pruned\n  c score=1 fate=pruned"
    assert said(tmp_path, drawn, level_by_level=True)["ties at the cut"] == Finding(
        "ties at the cut", "depth 1: 2 of 3 candidates scored 3.0; arrival order chose the one kept", (1,)
    )


def test_a_chosen_node_that_others_outscored_is_named(tmp_path: Path) -> None:
    found = said(tmp_path, "root\n  a score=1 fate=terminal\n  b score=2 fate=terminal", selected_path=("root", "a"))
    assert found["passed over"] == Finding(
        "passed over",
        "at 1 of 2 steps of the selected path a rejected candidate scored higher; most at depth 1: "
        "ranked 2 of 2 scored; 1 rejected scored higher, the best 2.0 against 1.0",
        (1,),
        ("a",),
    )


def test_missing_rules_and_undecided_nodes_are_counted(tmp_path: Path) -> None:
    drawn = """
        root fate=expanded
          a fate=pruned
          b fate=pruned prune_rule=top
          c fate=unscored
          d fate=open
    """
    found = said(tmp_path, drawn)
    assert found["rule not recorded"].sentence == "the rule is not recorded for 1 of 2 pruned nodes"
    assert found["undecided"].sentence == "1 unscored and 1 left open, of 5 nodes"
    assert found["prune ratio"].sentence == "2 pruned and 1 expanded"


def test_the_depths_that_hold_most_of_the_spend_are_named_with_the_sum(tmp_path: Path) -> None:
    calls = tuple(Call(run_id="run", call_id=node, node_id=node, role="tool", cost=cost) for node, cost in (("root", 1.0), ("a", 1.0), ("b", 6.0)))
    found = said(tmp_path, "root\n  a\n    b", calls)
    assert found["bulk of the spend"] == Finding("bulk of the spend", "depth 2 holds 75% of the recorded spend ($6.00 of $8.00)", (2,))
    assert "lower bound" not in found


def test_a_sum_with_gaps_is_called_a_lower_bound(tmp_path: Path) -> None:
    calls = (
        Call(run_id="run", call_id="1", node_id="root", role="tool", cost=1.0),
        Call(run_id="run", call_id="2", node_id="root", role="tool"),
    )
    sentence = "every sum of cost is a lower bound: at least $1.00: cost recorded on 1 of 2 calls, 1 of 2 has no cost"
    assert said(tmp_path, "root\n  a", calls)["lower bound"].sentence == sentence


@pytest.mark.parametrize(
    ("by_depth", "wanted", "answer"),
    [
        ({}, 1, (0, 0, 0.0)),
        ({0: 4.0}, 3, (0, 0, 4.0)),
        ({0: 1.0, 1: 5.0, 2: 5.0, 3: 1.0}, 9, (1, 2, 10.0)),
        ({0: 5.0, 1: 1.0, 2: 5.0}, 5, (0, 0, 5.0)),
        ({0: 1.0, 7: 1.0}, 3, (0, 7, 2.0)),
        ({0: 0.0, 1: 0.0, 2: 8.0}, 6, (2, 2, 8.0)),
    ],
)
def test_the_shortest_range_of_depths(by_depth: dict[int, float], wanted: float, answer: tuple[int, int, float]) -> None:
    assert shortest_range(by_depth, wanted) == answer

"""The cut ledger: one row a decision, with what it kept, lost, tied, saved and killed."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from explorer.analysis import ledger
from explorer.analysis.ledger import Cut, Spend
from ingest.schema import Call, Truth
from ingest.store import Store
from tests.stores import store_of, tree

BEAM = """
    root fate=expanded
      kept score=0.5 fate=expanded
        end score=0.5 fate=terminal
      tied score=0.5 fate=pruned pruned_by=survived prune_rule=beam
      low score=0.1 fate=pruned pruned_by=survived prune_rule=beam
      twin score=0.5 fate=pruned pruned_by=distinct merged_into=kept
"""


def call(node: str, role: str, tokens: int, cost: float | None = None) -> Call:
    return Call(run_id="run", call_id=f"{node}/{role}", node_id=node, role=role, input_tokens=tokens, output_tokens=0, cost=cost)


def test_a_run_without_cuts_has_no_rows(tmp_path: Path) -> None:
    assert ledger.of_run(Store(tmp_path / "nothing"), "run") == ()
    assert ledger.of_run(store_of(tmp_path, tree("root score=1 fate=terminal")), "run") == ()


def test_a_beam_cut_worked_by_hand(tmp_path: Path) -> None:
    calls = (call("kept", "evaluator", 10), call("kept", "proposer", 100), call("end", "evaluator", 20), call("root", "proposer", 7))
    truth = (Truth(run_id="run", node_id="tied", viable=True, viable_by="label"), Truth(run_id="run", node_id="low", viable=False, viable_by="label"))
    drawn = dataclasses.replace(tree(BEAM, calls=calls), truth=truth)
    merge, prune = ledger.of_run(store_of(tmp_path, drawn), "run")
    assert prune == Cut(
        run_id="run", kind="prune", decision="children of root", basis="siblings", depth=1, rule="beam", kept=1, lost=2, kept_min=0.5, kept_max=0.5,
        lost_min=0.1, lost_max=0.5, tied_kept=1, tied_lost=1, viable_lost=1, viable_known=2,
        saved=Spend(calls=4.0, tokens=240.0, cost=None), lost_ids=("tied", "low"), viable_ids=("tied",),
    )  # fmt: skip
    assert (merge.kind, merge.lost_ids, merge.saved) == ("merge", ("twin",), Spend(None, None, None))


def test_a_cap_is_a_decision_against_all_that_was_open(tmp_path: Path) -> None:
    drawing = "root fate=expanded\n  a score=0.9 fate=open\n  b score=0.1 fate=open"
    (cut,) = ledger.of_run(store_of(tmp_path, tree(drawing, stop_reason="max_nodes")), "run")
    assert (cut.kind, cut.rule, cut.basis, cut.kept, cut.lost, cut.lost_max) == ("cap", "max_nodes", "end", 0, 2, 0.9)
    assert ledger.of_run(store_of(tmp_path / "goal", tree(drawing, stop_reason="goal")), "run") == ()


def test_a_rule_that_is_not_recorded_stays_a_class_of_its_own(tmp_path: Path) -> None:
    drawing = "root fate=expanded\n  a score=1 fate=pruned prune_rule=beam\n  b score=1 fate=pruned"
    assert [cut.rule for cut in ledger.of_run(store_of(tmp_path, tree(drawing)), "run")] == [None, "beam"]


def test_identity_every_pruned_node_stands_in_exactly_one_row(tmp_path: Path) -> None:
    rows = ledger.of_run(store_of(tmp_path, tree(BEAM, level_by_level=True)), "run")
    assert sorted(node for row in rows for node in row.lost_ids) == ["low", "tied", "twin"]

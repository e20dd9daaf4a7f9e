"""Selected path against what it beat: who competes, where the chosen one stands, and what the score alone would have said."""

from __future__ import annotations

from pathlib import Path

from explorer.analysis import path
from explorer.analysis.path import Step
from ingest.schema import Truth
from ingest.store import Store
from tests.stores import store_of, tree

BEAM = """
    root fate=expanded
      p score=5 fate=expanded
        a score=1 fate=terminal
        b score=2 fate=terminal
      q score=3 fate=expanded
        c score=2 fate=pruned pruned_by=survived
        d score=4 fate=pruned pruned_by=survived
"""


def test_a_run_without_a_selected_path_has_no_steps(tmp_path: Path) -> None:
    assert path.of_run(Store(tmp_path / "nothing"), "run") == ()
    assert path.of_run(store_of(tmp_path, tree(BEAM)), "run") == ()


def test_a_single_node_is_the_only_candidate(tmp_path: Path) -> None:
    (only,) = path.of_run(store_of(tmp_path, tree("root score=1 fate=terminal", selected_path=("root",))), "run")
    assert (only.candidates, only.rank, only.margin, only.higher, only.tied) == (1, 1, None, 0, 0)
    assert path.sentence(only) == "the only candidate"


def test_in_a_level_by_level_run_the_whole_level_competes(tmp_path: Path) -> None:
    *_, last = path.of_run(store_of(tmp_path, tree(BEAM, level_by_level=True, selected_path=("root", "p", "b"))), "run")
    assert last == Step(
        position=2, node_id="b", depth=2, step="b", score=2.0, fate="terminal", basis="depth", candidates=4, scored=4, rank=2,
        higher=1, tied=1, best_rejected="d", best_rejected_score=4.0, best_rejected_fate="pruned", margin=-2.0, kept=2, cut=2,
        cut_off=1.0, viable=None,
    )  # fmt: skip
    assert path.sentence(last) == "ranked 2 of 4 scored; 1 rejected scored higher, the best 4.0 against 2.0"


def test_otherwise_only_siblings_do(tmp_path: Path) -> None:
    *_, last = path.of_run(store_of(tmp_path, tree(BEAM, selected_path=("root", "p", "b"))), "run")
    assert (last.basis, last.candidates, last.rank, last.best_rejected, last.margin) == ("siblings", 2, 1, "a", 1.0)
    assert path.sentence(last) == "ranked 1 of 2 scored; 2.0 against 1.0 of the best rejected"


def test_a_recorded_decision_wins_over_both(tmp_path: Path) -> None:
    drawn = BEAM.replace("b score=2", "b score=2 decision_id=x").replace("c score=2", "c score=2 decision_id=x")
    *_, last = path.of_run(store_of(tmp_path, tree(drawn, level_by_level=True, selected_path=("root", "p", "b"))), "run")
    assert (last.basis, last.candidates, last.tied, last.margin) == ("decision", 2, 1, 0.0)
    assert path.sentence(last) == "ranked 1 of 2 scored; tied with 1 rejected at 2.0"


def test_of_equal_scores_the_one_that_arrived_first_ranks_first(tmp_path: Path) -> None:
    drawn = "root\n  late score=1 seq=9\n  early score=1 seq=3"
    *_, last = path.of_run(store_of(tmp_path, tree(drawn, selected_path=("root", "late"))), "run")
    assert (last.rank, last.best_rejected) == (2, "early")


def test_a_chosen_node_without_a_score_has_no_rank(tmp_path: Path) -> None:
    *_, last = path.of_run(store_of(tmp_path, tree("root\n  a\n  b score=1", selected_path=("root", "a"))), "run")
    assert (last.rank, last.margin, last.higher) == (None, None, 0)
    assert path.sentence(last) == "chosen without a score; 1 of 2 candidates have one"


def test_identity_kept_cut_and_the_rest_make_up_the_candidates(tmp_path: Path) -> None:
    for step in path.of_run(store_of(tmp_path, tree(BEAM, level_by_level=True, selected_path=("root", "p", "b"))), "run"):
        assert step.kept + step.cut == step.candidates
        assert step.higher + step.tied <= step.scored - 1 or step.scored == 0


def test_the_step_that_leaves_the_viable_path_is_the_first_known_to_be_lost_after_a_viable_one(tmp_path: Path) -> None:
    truth = tuple(
        Truth(run_id="run", node_id=node, viable=viable, viable_by=source)
        for node, viable, source in (
            ("root", True, "oracle"),
            ("p", False, "oracle"),
            ("p", True, "reviewer"),
            ("b", False, "oracle"),
        )
    )
    steps = path.of_run(store_of(tmp_path, tree(BEAM, truth=truth, selected_path=("root", "p", "b"))), "run")
    assert [step.viable for step in steps] == [True, False, False], "the stronger source wins"
    left = path.leaves_viable_at(steps)
    assert left is not None and left.node_id == "p"
    assert path.leaves_viable_at(steps[1:]) is None

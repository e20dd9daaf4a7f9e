"""The verdict, row by row of its table: a drawn search, what is true of its nodes, and what must be said about it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from explorer.analysis import attribution
from explorer.analysis.attribution import Marks, Verdict
from ingest.errors import TraceError
from ingest.schema import Call, Trace, Truth
from ingest.store import Store
from tests.stores import store_of, tree

Answer = tuple[str, str, str, str | None, str | None]


def true_of(trace: Trace, right: Iterable[str], every: bool = True) -> Trace:
    """The run with an oracle's word on its nodes: those named are viable, and with ``every`` all others are known not to be."""
    names = set(right)
    said = [
        Truth(run_id=trace.run.run_id, node_id=node.node_id, viable=node.node_id in names, viable_by="oracle", detail="exact")
        for node in trace.nodes
        if every or node.node_id in names
    ]
    return dataclasses.replace(trace, truth=tuple(said))


def why(folder: Path, drawing: str, *right: str, calls: tuple[Call, ...] = (), every: bool = True, marks: Marks | None = None, **run: Any) -> Verdict:
    """The verdict on a wrong run whose path to ``bad`` was selected, unless ``run`` says otherwise."""
    settings: dict[str, Any] = {"outcome": "wrong", "outcome_by": "check", "ended": True, "selected_path": ("root", "bad")} | run
    trace = true_of(tree(drawing, calls=calls, **settings), right, every)
    return attribution.of_run(store_of(folder, trace), "run", marks or Marks())


def judged(node: str, response: str, error: str | None = None, parsed: str | None = None) -> Call:
    return Call(run_id="run", call_id=f"{node}/judge", node_id=node, role="evaluator", response=response, error=error, parsed=parsed)


def told(verdict: Verdict) -> tuple[str, str | None, str | None, str | None, str | None]:
    return verdict.verdict, verdict.lost_at, verdict.mechanism, verdict.node_id, verdict.confidence


# generated


def test_where_the_cap_on_nodes_fired_a_missing_step_is_only_likely_to_be_a_fault_of_generation(tmp_path: Path) -> None:
    drawing = "root fate=expanded seq=0\n  bad score=1 fate=terminal seq=1\n  worse score=0 fate=pruned pruned_by=survived seq=2"
    verdict = why(tmp_path, drawing, "root", stop_reason="max_nodes", complete=False)
    assert told(verdict) == ("generation", "generated", "not_proposed", "root", "likely")
    assert verdict.missing == ("how many proposals were asked for: the cap on nodes fired at this expansion",)


def test_a_right_step_that_was_never_proposed_is_generation_at_its_parent(tmp_path: Path) -> None:
    verdict = why(tmp_path, "root fate=expanded\n  bad score=1 fate=terminal\n  worse score=0 fate=pruned pruned_by=survived", "root")
    assert told(verdict) == ("generation", "generated", "not_proposed", "root", "established")
    assert verdict.depth == 1, "the depth of the step that is missing"
    assert verdict.sentence == (
        'Run run is wrong. The right path was lost at depth 1 by generation: none of the 2 proposals at "root" leads to a right answer. '
        "(truth: oracle exact)"
    )
    assert verdict.flags == dict.fromkeys(verdict.flags, False) | {"reachable": True}


def test_children_without_a_label_leave_generation_open_and_are_named(tmp_path: Path) -> None:
    verdict = why(tmp_path, "root fate=expanded\n  bad score=1 fate=terminal\n  other score=0 fate=pruned", "root", every=False)
    assert told(verdict) == ("cannot_tell", None, None, "root", None)
    # the selected answer of a wrong run is known not to be right
    assert verdict.missing == ("truth of other",)
    assert verdict.flags["reachable"] is True and verdict.flags["generated"] is None


def test_a_reviewer_who_marks_none_of_the_children_right_closes_the_gap(tmp_path: Path) -> None:
    drawing = "root fate=expanded\n  bad score=1 fate=terminal\n  other score=0 fate=pruned"
    verdict = why(tmp_path, drawing, "root", every=False, marks=Marks(none_right={("run", "root")}))
    assert told(verdict) == ("generation", "generated", "not_proposed", "root", "established")


def test_a_reviewers_mark_on_a_pruned_sibling_turns_cannot_tell_into_a_verdict(tmp_path: Path) -> None:
    drawing = "root fate=expanded\n  bad score=1 fate=terminal\n  other score=0 fate=pruned pruned_by=survived"
    assert why(tmp_path / "before", drawing, every=False).missing == ("truth of a node: an oracle, a label, a known-good route or a reviewer's mark",)
    mark = Truth(run_id="run", node_id="other", viable=True, viable_by="reviewer", detail="ab")
    verdict = why(tmp_path / "after", drawing, every=False, marks=Marks(truth=(mark,)))
    assert told(verdict) == ("evaluation", "survived", "underscored", "other", "likely")
    assert "(truth: reviewer ab; " in verdict.sentence


def test_a_gap_in_the_request_indices_leaves_generation_open(tmp_path: Path) -> None:
    verdict = why(tmp_path, "root fate=expanded\n  bad score=1 fate=terminal request_index=0\n  worse score=0 request_index=2", "root")
    assert (verdict.verdict, verdict.lost_at, verdict.missing) == ("cannot_tell", None, ("proposals 1 are not in the log (request_index)",))


def test_a_proposer_that_listed_more_than_the_log_holds_leaves_generation_open(tmp_path: Path) -> None:
    call = Call(run_id="run", call_id="p", node_id="root", role="proposer", parsed='["bad", "worse"]')
    verdict = why(tmp_path, "root fate=expanded\n  bad score=1 fate=terminal", "root", calls=(call,))
    assert (verdict.verdict, verdict.missing) == ("cannot_tell", ("the proposer's answer holds 2 proposals and the log 1",))


def test_a_log_that_broke_off_leaves_generation_open(tmp_path: Path) -> None:
    verdict = why(tmp_path, "root fate=expanded\n  bad score=1 fate=terminal", "root", ended=False)
    assert (verdict.verdict, verdict.missing) == ("cannot_tell", ("the end of the log is missing",))


# distinct


DUPLICATE = """
    root fate=expanded
      bad score=1 fate=terminal state_key=k
      good score=2 fate=pruned pruned_by=distinct state_key=k
"""


def test_a_viable_state_joined_with_one_that_is_not_is_control_by_deduplication(tmp_path: Path) -> None:
    verdict = why(tmp_path, DUPLICATE, "root", "good")
    assert told(verdict) == ("control", "distinct", "deduplication", "good", "established")
    assert [row["node_id"] for row in verdict.evidence] == ["good", "bad"]
    assert verdict.flags["evaluated"] is False, "flags stay monotone although the node has a score"


def test_a_duplicate_of_which_no_copy_was_kept_is_control_by_deduplication(tmp_path: Path) -> None:
    verdict = why(tmp_path, DUPLICATE.replace("terminal state_key=k", "terminal"), "root", "good")
    assert told(verdict) == ("control", "distinct", "deduplication", "good", "established")


def test_a_duplicate_whose_representative_is_viable_lost_nothing_there(tmp_path: Path) -> None:
    drawing = """
        root fate=expanded
          twin score=1 fate=pruned pruned_by=survived prune_rule=beam
          good score=9 fate=pruned pruned_by=distinct merged_into=twin
          bad score=2 fate=terminal
    """
    verdict = why(tmp_path, drawing, "root", "good", "twin")
    assert told(verdict) == ("evaluation", "survived", "underscored", "twin", "likely")
    assert verdict.also_lost == ()


def test_a_duplicate_of_a_state_about_which_nothing_is_known_cannot_be_told(tmp_path: Path) -> None:
    drawing = DUPLICATE.replace("bad score=1 fate=terminal state_key=k", "other fate=expanded score=1 state_key=k\n        bad score=1 fate=terminal")
    verdict = why(tmp_path, drawing, "good", every=False)
    assert (verdict.verdict, verdict.lost_at) == ("cannot_tell", "distinct")


# evaluated


def test_a_step_that_the_evaluator_failed_to_score_is_evaluation(tmp_path: Path) -> None:
    drawing = "root fate=expanded\n  good fate=unscored\n  bad score=1 fate=terminal"
    verdict = why(tmp_path, drawing, "root", "good", calls=(judged("good", "HTTP 529", "overloaded"),))
    assert told(verdict) == ("evaluation", "evaluated", "unscored", "good", "established")
    assert "the evaluator failed (overloaded; HTTP 529)" in verdict.sentence


@pytest.mark.parametrize("raw", ['"great"', "NaN", '""'])
def test_an_answer_that_could_not_be_read_is_evaluation_and_never_a_zero(tmp_path: Path, raw: str) -> None:
    trace = tree("root fate=expanded\n  good fate=unscored\n  bad score=1 fate=terminal", outcome="wrong", selected_path=("root", "bad"))
    nodes = tuple(dataclasses.replace(node, score_raw=raw) if node.node_id == "good" else node for node in trace.nodes)
    store = store_of(tmp_path, true_of(dataclasses.replace(trace, nodes=nodes), ("root", "good")))
    assert told(attribution.of_run(store, "run")) == ("evaluation", "evaluated", "unscored", "good", "established")


def test_a_number_that_its_reader_could_not_take_for_a_score_is_no_fault_of_the_evaluator(tmp_path: Path) -> None:
    drawing = "root fate=expanded\n  good fate=open\n  bad score=1 fate=terminal"
    trace = tree(drawing, outcome="wrong", selected_path=("root", "bad"), warnings=("the direction of the score is contradicted",))
    nodes = tuple(dataclasses.replace(node, score_raw="0.29") if node.node_id == "good" else node for node in trace.nodes)
    verdict = attribution.of_run(store_of(tmp_path, true_of(dataclasses.replace(trace, nodes=nodes), ("root", "good"))), "run")
    assert told(verdict) == ("cannot_tell", "evaluated", "unscored", "good", None)
    assert "its logged score of 0.29 counts for nothing: the direction of the score is contradicted" in verdict.sentence


def test_a_step_that_was_not_scored_because_a_cap_fired_cannot_be_told_but_was_proposed(tmp_path: Path) -> None:
    drawing = "root fate=expanded\n  good fate=unscored\n  bad score=1 fate=terminal"
    verdict = why(tmp_path, drawing, "root", "good", stop_reason="max_nodes", budget_max_nodes=3)
    assert told(verdict) == ("cannot_tell", "evaluated", "cap", "good", None)
    assert "max_nodes (3 of 3)" in verdict.sentence and "not generation: it was proposed" in verdict.sentence


# survived


def test_a_step_blocked_by_a_check_that_was_wrong_is_evaluation(tmp_path: Path) -> None:
    drawing = "root fate=expanded\n  good score=9 violations=1 fate=pruned pruned_by=survived\n  bad score=1 fate=terminal"
    verdict = why(tmp_path, drawing, "root", "good")
    assert told(verdict) == ("evaluation", "survived", "blocked", "good", "established")


def test_a_step_rejected_at_the_action_boundary_is_control(tmp_path: Path) -> None:
    verdict = why(tmp_path, "root fate=expanded\n  good fate=pruned prune_rule=action_boundary\n  bad score=1 fate=terminal", "root", "good")
    assert told(verdict) == ("control", "survived", "boundary", "good", "established")


BEAM = """
    root fate=expanded
      good score={good} fate=pruned pruned_by=survived prune_rule=beam
      kept score={kept} fate=expanded
        bad score=1 fate=terminal
      third score={third} fate=pruned pruned_by=survived prune_rule=beam
"""


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ({"good": 0.2, "kept": 0.5, "third": 0.1}, ("evaluation", "survived", "underscored", "good", "likely")),
        ({"good": 0.5, "kept": 0.5, "third": 0.5}, ("evaluation", "survived", "not_discriminating", "good", "likely")),
        ({"good": 0.5, "kept": 0.5, "third": 0.1}, ("control", "survived", "tie_order", "good", "likely")),
        ({"good": 0.9, "kept": 0.5, "third": 0.1}, ("control", "survived", "pruning", "good", "likely")),
    ],
)
def test_a_pruned_step_is_compared_with_the_worst_one_kept(tmp_path: Path, scores: dict[str, float], expected: Answer) -> None:
    verdict = why(tmp_path, BEAM.format(**scores), "root", "good", selected_path=("root", "kept", "bad"))
    assert told(verdict) == expected
    assert verdict.depth == 1


def test_an_underscored_step_is_shown_with_both_scores_and_its_rank(tmp_path: Path) -> None:
    verdict = why(tmp_path, BEAM.format(good=0.2, kept=0.5, third=0.1), "root", "good", selected_path=("root", "kept", "bad"))
    assert verdict.sentence == (
        'Run run is wrong. The right path was lost at depth 1 by evaluation: "good" was proposed and scored 0.2, below 0.5 of the one kept; '
        "rank 2 of 3. (truth: oracle exact; competitors inferred: its siblings)"
    )
    lost, worst, cut = verdict.evidence
    assert (lost["node_id"], lost["score"], lost["rank"], worst["node_id"], worst["score"]) == ("good", 0.2, 2, "kept", 0.5)
    assert cut == {
        "what": "cut", "basis": "siblings", "candidates": 3, "scored": 3, "kept": 1, "cut_off": 0.5, "rank": 2, "tied_kept": 0, "tied_cut": 1,
        "rule": "beam",
    }  # fmt: skip


def test_a_tie_is_shown_with_how_many_stood_on_each_side(tmp_path: Path) -> None:
    verdict = why(tmp_path, BEAM.format(good=0.5, kept=0.5, third=0.1), "root", "good", selected_path=("root", "kept", "bad"))
    assert "2 of the 3 candidates scored 0.5 (1 kept, 1 cut) and the order decided" in verdict.sentence


def test_a_single_competitor_with_the_same_score_is_a_tie_not_a_flat_evaluator(tmp_path: Path) -> None:
    drawing = "root fate=expanded\n  bad score=0.5 fate=terminal\n  good score=0.5 fate=pruned pruned_by=survived"
    assert told(why(tmp_path, drawing, "root", "good")) == ("control", "survived", "tie_order", "good", "likely")


def test_a_step_below_a_recorded_threshold_with_nothing_kept_is_evaluation(tmp_path: Path) -> None:
    drawing = "root fate=expanded\n  good score=0.2 fate=pruned pruned_by=survived prune_rule=threshold"
    verdict = why(tmp_path, drawing, "root", "good", selected_path=(), protocol='{"threshold": 0.75}')
    assert told(verdict) == ("evaluation", "survived", "underscored", "good", "established")


def test_a_pruned_step_with_nothing_to_compare_it_with_cannot_be_told(tmp_path: Path) -> None:
    verdict = why(tmp_path, "root fate=expanded\n  good score=0.2 fate=pruned", "root", "good", selected_path=())
    assert (verdict.verdict, verdict.lost_at) == ("cannot_tell", "survived")


# completed


FRONTIER = """
    root fate=expanded expanded_seq=0
      good score={good} fate=open
      kept score={kept} fate=expanded expanded_seq=1
        bad score=1 fate=terminal
"""


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ({"good": 0.2, "kept": 0.5}, ("evaluation", "completed", "underscored", "good", "likely")),
        ({"good": 0.5, "kept": 0.5}, ("control", "completed", "allocation", "good", "likely")),
        ({"good": 0.9, "kept": 0.5}, ("control", "completed", "allocation", "good", "likely")),
    ],
)
def test_an_open_step_is_compared_with_what_was_expanded_instead(tmp_path: Path, scores: dict[str, float], expected: Answer) -> None:
    assert told(why(tmp_path, FRONTIER.format(**scores), "root", "good", selected_path=("root", "kept", "bad"))) == expected


def test_a_cousin_expanded_instead_counts_where_the_order_of_expansions_is_recorded(tmp_path: Path) -> None:
    drawing = """
        root fate=expanded expanded_seq=0
          left score=0.9 fate=expanded expanded_seq=1
            good score=0.8 fate=open
          right score=0.3 fate=expanded expanded_seq=2
            bad score=0.1 fate=terminal
    """
    verdict = why(tmp_path, drawing, "root", "left", "good", selected_path=("root", "right", "bad"))
    assert told(verdict) == ("control", "completed", "allocation", "good", "likely")


def test_an_open_step_after_which_nothing_was_expanded_is_control_by_termination_with_the_cap(tmp_path: Path) -> None:
    drawing = "root fate=expanded\n  good score=0.9 fate=open\n  bad score=0.5 fate=terminal"
    verdict = why(tmp_path, drawing, "root", "good", stop_reason="max_nodes", budget_max_nodes=3, complete=False)
    assert told(verdict) == ("control", "completed", "termination", "good", "established")
    assert "still open when the cap max_nodes (3 of 3) fired; the answer is the best so far" in verdict.sentence


# verified


@pytest.mark.parametrize(
    ("good", "bad", "third", "expected"),
    [
        (0.2, 0.5, 0.1, ("evaluation", "verified", "underscored", "good", "likely")),
        (0.5, 0.5, 0.5, ("evaluation", "verified", "not_discriminating", "good", "likely")),
        (0.5, 0.5, 0.1, ("control", "verified", "tie_order", "good", "likely")),
        (0.9, 0.5, 0.1, ("control", "verified", "selection", "good", "likely")),
    ],
)
def test_a_right_answer_that_was_not_selected_is_compared_with_the_selected_one(
    tmp_path: Path, good: float, bad: float, third: float, expected: Answer
) -> None:
    drawing = f"root fate=expanded\n  good score={good} fate=terminal\n  bad score={bad} fate=terminal\n  third score={third} fate=terminal"
    verdict = why(tmp_path, drawing, "root", "good")
    assert told(verdict) == expected
    assert verdict.flags["completed"] is True and verdict.flags["verified"] is False


# void evidence and misparsed scores


def test_a_score_that_contradicts_its_own_answer_is_evaluation_misparsed(tmp_path: Path) -> None:
    answers = (judged("good", "sound. score: 0.9"), judged("kept", "score: 0.5"))
    verdict = why(tmp_path, BEAM.format(good=0.2, kept=0.5, third=0.1), "root", "good", calls=answers, selected_path=("root", "kept", "bad"))
    assert told(verdict) == ("evaluation", "survived", "misparsed", "good", "established")
    assert 'the evaluator of "good" said 0.9, and 0.2 was recorded' in verdict.sentence
    assert verdict.evidence[0]["text"] == "sound. score: 0.9"


def test_scores_on_the_wrong_siblings_are_named(tmp_path: Path) -> None:
    answers = (judged("good", "score: 0.5"), judged("kept", "score: 0.2"), judged("third", "score: 0.1"))
    verdict = why(tmp_path, BEAM.format(good=0.2, kept=0.5, third=0.1), "root", "good", calls=answers, selected_path=("root", "kept", "bad"))
    assert told(verdict) == ("evaluation", "survived", "misparsed", "good", "established")
    assert "the scores are on the wrong siblings" in verdict.sentence


def test_a_scale_that_was_changed_on_purpose_contradicts_nothing(tmp_path: Path) -> None:
    answers = (judged("good", "score: 20"), judged("kept", "score: 50"), judged("third", "score: 10"))
    verdict = why(tmp_path, BEAM.format(good=-3, kept=-1, third=-4), "root", "good", calls=answers, selected_path=("root", "kept", "bad"))
    assert verdict.mechanism == "underscored"


def test_a_score_taken_where_another_branch_had_changed_the_environment_is_void(tmp_path: Path) -> None:
    drawing = """
        root fate=expanded env_checkpoint=c0
          bad score=0.5 fate=terminal resumed_from=c0 env_checkpoint=c1 action_effect=transformational
          good score=0.2 fate=pruned pruned_by=survived resumed_from=c1
    """
    verdict = why(tmp_path, drawing, "root", "good")
    assert told(verdict) == ("cannot_tell", "survived", "void", "good", None)
    assert "not generation: it was proposed" in verdict.sentence
    assert verdict.evidence[1]["text"] == "resumed from c1, although its parent left c0"


def test_a_judges_score_that_stands_as_a_verified_result_is_void(tmp_path: Path) -> None:
    drawing = "root fate=expanded\n  good score=0.2 fate=terminal\n  bad score=0.9 fate=terminal tier=judge score_source=verifier"
    verdict = why(tmp_path, drawing, "root", "good")
    assert told(verdict) == ("cannot_tell", "verified", "void", "good", None)


def test_an_outcome_that_rests_on_a_judge_alone_is_void(tmp_path: Path) -> None:
    verdict = why(tmp_path, "root fate=expanded\n  bad score=1 fate=terminal", every=False, outcome="right", outcome_by="judge gpt")
    assert (verdict.verdict, verdict.mechanism, verdict.missing) == ("cannot_tell", "void", ("a checked outcome",))


def test_a_log_that_ends_inside_the_decision_is_void(tmp_path: Path) -> None:
    verdict = why(tmp_path, "root fate=expanded\n  good score=0.2\n  bad score=0.9 fate=terminal", "root", "good", ended=False)
    assert told(verdict) == ("cannot_tell", None, "void", "good", None)
    assert verdict.missing == ("the end of the log",)


def test_scores_of_different_evaluators_are_not_compared(tmp_path: Path) -> None:
    drawing = "root fate=expanded\n  good score=0.2 evaluator=a fate=pruned\n  bad score=0.9 evaluator=b fate=terminal"
    verdict = why(tmp_path, drawing, "root", "good")
    assert (verdict.verdict, verdict.lost_at, verdict.mechanism) == ("cannot_tell", "survived", None)
    assert "evaluator: a, b" in verdict.sentence


def test_a_recorded_rank_decides_between_different_evaluators(tmp_path: Path) -> None:
    drawing = "root fate=expanded\n  good score=0.2 evaluator=a fate=pruned\n  bad score=0.9 evaluator=b fate=terminal"
    trace = tree(drawing, outcome="wrong", selected_path=("root", "bad"))
    ranks = {"good": '{"rank": 2}', "bad": '{"rank": 1}'}
    nodes = tuple(dataclasses.replace(node, extra=ranks.get(node.node_id)) for node in trace.nodes)
    store = store_of(tmp_path, true_of(dataclasses.replace(trace, nodes=nodes), ("root", "good")))
    assert attribution.of_run(store, "run").mechanism == "underscored"


# what cannot be told, and what was not lost


def test_a_run_without_an_outcome_and_without_truth_says_what_would_settle_it(tmp_path: Path) -> None:
    verdict = why(tmp_path, "root fate=expanded\n  bad score=1 fate=terminal", every=False, outcome="unknown", outcome_by=None)
    assert told(verdict) == ("cannot_tell", None, None, None, None)
    assert verdict.missing[0] == "outcome" and verdict.flags == dict.fromkeys(verdict.flags)


def test_a_wrong_run_of_which_no_node_is_known_says_what_would_settle_it(tmp_path: Path) -> None:
    verdict = why(tmp_path, "root fate=expanded\n  bad score=1 fate=terminal", every=False)
    assert told(verdict) == ("cannot_tell", None, None, None, None)


def test_a_task_that_cannot_be_solved_is_nobodys_fault(tmp_path: Path) -> None:
    verdict = why(tmp_path, "root fate=expanded\n  bad score=1 fate=terminal")
    assert told(verdict) == ("cannot_tell", "reachable", None, None, None)
    assert set(verdict.flags.values()) == {False}


def test_a_right_run_has_lost_nothing_and_shows_its_margins(tmp_path: Path) -> None:
    drawing = "root fate=expanded\n  good score=0.9 fate=terminal\n  bad score=0.5 fate=pruned pruned_by=survived"
    verdict = why(tmp_path, drawing, "root", "good", outcome="right", selected_path=("root", "good"))
    assert told(verdict) == ("none", None, None, None, None)
    assert [(row["node_id"], row["margin"], row["tied"]) for row in verdict.evidence] == [("good", 0.4, 0)]
    assert set(verdict.flags.values()) == {True}


def test_an_empty_store_has_no_verdicts_and_an_unknown_run_is_named(tmp_path: Path) -> None:
    store = Store(tmp_path / "nothing")
    assert list(attribution.of_runs(store)) == []
    with pytest.raises(TraceError, match="no run is called 'x'"):
        attribution.of_run(store, "x")


def test_a_single_node_that_is_right_and_selected_is_none(tmp_path: Path) -> None:
    assert why(tmp_path, "root score=1 fate=terminal", "root", outcome="unknown", outcome_by=None, selected_path=("root",)).verdict == "none"


# which loss, which competitors


def test_the_node_that_got_furthest_decides_and_the_others_stand_beneath(tmp_path: Path) -> None:
    drawing = """
        root fate=expanded
          early score=0.1 fate=pruned pruned_by=survived
          way score=0.9 fate=expanded
            late score=0.2 fate=pruned pruned_by=survived
            bad score=0.5 fate=terminal
    """
    verdict = why(tmp_path, drawing, "root", "early", "way", "late", selected_path=("root", "way", "bad"))
    assert (verdict.node_id, verdict.depth) == ("late", 2)
    assert [(row["node_id"], row["lost_at"], row["mechanism"]) for row in verdict.also_lost] == [("early", "survived", "underscored")]


LEVEL = """
    root fate=expanded
      a score=1 fate=expanded
        good score=0.2 fate=pruned pruned_by=survived{good}
      b score=1 fate=expanded
        bad score=0.5 fate=terminal{bad}
"""


def test_competitors_are_siblings_the_depth_or_the_recorded_decision(tmp_path: Path) -> None:
    path: dict[str, Any] = {"selected_path": ("root", "b", "bad")}
    right = ("root", "a", "good")
    assert why(tmp_path / "1", LEVEL.format(good="", bad=""), *right, **path).verdict == "cannot_tell", "no sibling was kept"
    level = why(tmp_path / "2", LEVEL.format(good="", bad=""), *right, level_by_level=True, **path)
    assert told(level) == ("evaluation", "survived", "underscored", "good", "likely")
    recorded = why(tmp_path / "3", LEVEL.format(good=" decision_id=x", bad=" decision_id=x"), *right, **path)
    assert told(recorded) == ("evaluation", "survived", "underscored", "good", "established")


def test_a_dropped_duplicate_competes_with_nobody(tmp_path: Path) -> None:
    drawing = BEAM.format(good=0.5, kept=0.5, third=0.1) + "      twin score=0 fate=pruned pruned_by=distinct merged_into=kept"
    assert why(tmp_path, drawing, "root", "good", selected_path=("root", "kept", "bad")).evidence[2]["candidates"] == 3

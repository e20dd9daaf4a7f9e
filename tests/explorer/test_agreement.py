"""Who agrees with whom: kappa by hand, its empty case, and what is listed as a disagreement."""

from __future__ import annotations

import math

import pytest

from explorer.analysis.agreement import Agreement, Disagreement, confusion, disagreements, kappa, pairs, said

REVIEWED = [("AB", "r1", "evaluation"), ("AB", "r2", "control"), ("AB", "r3", "not_lost"), ("CD", "r1", "evaluation"), ("CD", "r2", "unsure")]
COMPUTED = {"r1": "evaluation", "r2": "control", "r3": "none", "r4": "generation"}


def test_kappa_is_the_agreement_beyond_chance() -> None:
    # 50 proposals judged by two readers, the textbook case: 20 both yes, 15 both no, 5 and 10 apart: po 0.7, pe 0.5
    one = ["yes"] * 25 + ["no"] * 25
    other = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert kappa(one, other) == pytest.approx(0.4)


def test_kappa_of_one_and_the_same_is_one_and_of_opposites_is_minus_one() -> None:
    assert kappa(["a", "b"], ["a", "b"]) == 1
    assert kappa(["a", "b"], ["b", "a"]) == -1


@pytest.mark.parametrize("verdicts", [[], ["a"], ["a", "a", "a"]])
def test_kappa_is_undefined_without_runs_and_where_chance_alone_agrees(verdicts: list[str]) -> None:
    assert math.isnan(kappa(verdicts, verdicts))


def test_kappa_is_the_same_both_ways() -> None:
    one, other = ["a", "b", "a", "c"], ["a", "a", "b", "c"]
    assert kappa(one, other) == kappa(other, one)


def test_reviewers_are_compared_with_each_other_and_with_the_computed_verdict() -> None:
    found = {(a.one, a.other): (a.runs, a.agreed) for a in pairs(said(REVIEWED, COMPUTED))}
    assert found == {("computed", "AB"): (3, 3), ("computed", "CD"): (2, 1), ("AB", "CD"): (2, 1)}


def test_two_without_a_run_in_common_are_not_compared() -> None:
    assert pairs({"AB": {"r1": "control"}, "CD": {"r2": "control"}}) == ()
    (one,) = pairs({"AB": {"r1": "control"}, "CD": {"r1": "unsure"}})
    assert one == Agreement("AB", "CD", 1, 0, 0.0)


def test_a_computed_verdict_is_counted_against_each_reviewer_once_a_run() -> None:
    verdicts = said(REVIEWED, COMPUTED)
    matrix = confusion(verdicts)
    assert matrix == {("evaluation", "evaluation"): 2, ("control", "control"): 1, ("control", "unsure"): 1, ("not_lost", "not_lost"): 1}
    assert sum(matrix.values()) == len(REVIEWED)


def test_a_disagreement_names_all_who_judged_the_run() -> None:
    expected = Disagreement("r2", (("computed", "control"), ("AB", "control"), ("CD", "unsure")))
    assert disagreements(said(REVIEWED, COMPUTED)) == (expected,)


def test_nobody_reviewed() -> None:
    nothing = said([], COMPUTED)
    assert (pairs(nothing), confusion(nothing), disagreements(nothing)) == ((), {}, ())


def test_a_reviewer_who_is_called_computed_is_not_taken_for_the_computation() -> None:
    verdicts = said([("computed", "r1", "control")], COMPUTED)
    assert verdicts == {"computed": {"r1": "evaluation"}, "computed (a reviewer)": {"r1": "control"}}

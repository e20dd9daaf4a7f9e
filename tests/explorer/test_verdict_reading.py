"""How verdicts, suites and agreement are laid out: undefined is never 0, the many are cut with a word, filters let through what they say."""

from __future__ import annotations

import math
from typing import Any

import pytest

from explorer.analysis import agreement_reading, suite_reading, verdict_list, verdict_reading
from explorer.analysis.agreement import Agreement
from explorer.analysis.evaluator import Quality
from explorer.analysis.funnel import Lost, suite
from explorer.analysis.ledger import Cut, Spend
from explorer.analysis.stages import STAGES
from explorer.analysis.verdict import Verdict
from explorer.figures.evaluator import quality_by_depth, reliability_curve
from explorer.figures.funnel import stage_funnel
from explorer.figures.lost import lost_by_depth


def verdict(run_id: str = "r", **more: Any) -> Verdict:
    given = {
        "outcome": "wrong", "verdict": "control", "lost_at": "survived", "mechanism": "tie_order", "node_id": "n", "depth": 1, "confidence": "likely",
        "sentence": "", "evidence": (), "missing": (), "also_lost": (), "flags": dict.fromkeys(map(str, STAGES)),
    }  # fmt: skip
    return Verdict(run_id=run_id, **{**given, **more})


def cut(**more: Any) -> Cut:
    given = {
        "run_id": "r", "kind": "prune", "decision": "depth 1", "basis": "depth", "depth": 1, "rule": None, "kept": 1, "lost": 2, "kept_min": 0.5,
        "kept_max": 0.5, "lost_min": None, "lost_max": None, "tied_kept": 1, "tied_lost": 0, "viable_lost": 0, "viable_known": 0,
        "saved": Spend(None, None, None), "lost_ids": ("a", "b"), "viable_ids": (),
    }  # fmt: skip
    return Cut(**{**given, **more})


def test_the_decisive_node_is_one_click_away() -> None:
    assert [fact.pick for fact in verdict_reading.head(verdict())] == ["", "", "", "n", ""]
    labels = [verdict_reading.head(verdict(**more))[-2].label for more in ({"mechanism": "not_proposed"}, {"verdict": "cannot_tell"})]
    assert labels == ["open the parent that was expanded", "open the node in question"]


def test_a_missing_truth_opens_its_node_and_many_are_cut_with_a_word() -> None:
    nodes = [f"n{i}" for i in range(20)]
    found = verdict(missing=tuple(f"truth of {node}" for node in nodes), evidence=tuple({"what": "proposal", "node_id": node} for node in nodes))
    facts = verdict_reading.missing(found)
    assert [fact.pick for fact in facts] == [*nodes[:12], ""]
    assert facts[-1].text == "and 8 more"
    assert [fact.pick for fact in verdict_reading.missing(verdict(missing=("outcome",)))] == [""]


def test_evidence_keeps_every_field_of_a_row() -> None:
    rows = ({"what": "lost", "node_id": "n", "score": 0.2, "depth": 1}, {"what": "cut", "tied_kept": 3, "basis": "depth", "rule": None})
    table = verdict_reading.evidence(verdict(evidence=rows)).to_pylist()
    assert table == [
        {"what": "lost", "node_id": "n", "score": 0.2, "more": None},
        {"what": "cut", "node_id": None, "score": None, "more": "tied_kept 3, basis depth"},
    ]
    assert verdict_reading.evidence(verdict()).num_rows == 0


@pytest.mark.parametrize(
    ("filters", "runs"),
    [
        (([], [], None, ""), None),
        ((["generation"], [], None, ""), {"g"}),
        (([], ["tie_order"], None, ""), {"c1", "c2"}),
        (([], [], 1, ""), {"c1"}),
        (([], [], None, "2.control.tie_order"), {"c2"}),
        (([], [], None, "stage.survived"), {"c1", "c2"}),
        ((["generation"], ["tie_order"], None, ""), set()),
    ],
)
def test_every_filter_lets_through_what_it_says(filters: Any, runs: set[str] | None) -> None:
    listed = [
        verdict("c1"), verdict("c2", depth=2), verdict("g", verdict="generation", mechanism="not_proposed", depth=3, lost_at="generated"),
        verdict("u", verdict="cannot_tell", mechanism=None, depth=None, lost_at="survived"),
    ]  # fmt: skip
    assert verdict_list.matching(listed, *filters) == runs


def test_the_parts_of_the_chart_are_named_as_the_filter_reads_them() -> None:
    listed = [verdict("c1"), verdict("c2", depth=2), verdict("g", verdict="generation", mechanism="not_proposed", depth=1)]
    figure = lost_by_depth(suite(listed).lost, "light")
    keys = {data[0] for trace in figure.data for data in trace.customdata}
    assert {key: verdict_list.matching(listed, [], [], None, key) for key in keys} == {
        "1.control.tie_order": {"c1"}, "2.control.tie_order": {"c2"}, "1.generation.not_proposed": {"g"},
    }  # fmt: skip
    assert sum(sum(trace.y) for trace in figure.data) == len(listed)


def test_what_cannot_be_told_is_counted_below_the_chart_and_not_drawn() -> None:
    figure = lost_by_depth((Lost(1, "control", "pruning", ("a",)), Lost(None, "cannot_tell", None, ("b", "c"))), "dark")
    assert [list(trace.y) for trace in figure.data] == [[1]]
    assert figure.layout.xaxis.title.text == "depth at which the right path was lost (of 2 more runs the log cannot tell)"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_charts_of_nothing_say_so(theme: Any) -> None:
    for figure in (lost_by_depth((), theme), stage_funnel(suite([]), theme), quality_by_depth((), theme)):
        assert len(figure.data) == 0 and figure.layout.annotations[0].text
    assert len(reliability_curve((), theme).data) == 2


def test_the_funnel_draws_runs_that_passed_and_runs_that_were_lost() -> None:
    flags = {str(stage): place < 4 for place, stage in enumerate(STAGES)}
    whole = suite([verdict("a", flags=flags), verdict("b", verdict="none", lost_at=None, flags=dict.fromkeys(flags, True))])
    passed, lost = stage_funnel(whole, "light").data
    assert list(passed.x) == [2, 2, 2, 2, 1, 1, 1]
    assert list(lost.x) == [0, 0, 0, 0, 1, 0, 0]
    assert [data[0] for data in lost.customdata][4] == "stage.survived"


def test_an_undefined_share_is_undefined_and_not_zero() -> None:
    assert {(card.text, card.hint, card.missing) for card in suite_reading.cards(suite([]))} == {("undefined", "0 of 0 runs", True)}
    (row,) = suite_reading.by_protocol([suite([verdict()])]).to_pylist()
    assert (row["runs"], row["counted"], row["search gap"]) == (1, 0, None)


def test_the_ledger_puts_cuts_that_killed_a_viable_node_first() -> None:
    rows = suite_reading.cuts([cut(lost=9), cut(run_id="bad", viable_lost=1, viable_known=2, viable_ids=("b",))]).to_pylist()
    assert [(row["run"], row["node"], row["viable_lost"]) for row in rows] == [("bad", "b", 1), ("r", "a", 0)]
    assert (rows[0]["kept_scores"], rows[0]["lost_scores"]) == ("0.5", None)
    assert "saved_cost" not in rows[0], "what no cut records is no column of zeros"


def test_an_undefined_auc_or_kappa_is_null() -> None:
    quality = Quality(depth=None, viable=1, others=0, auc=math.nan, pairs=0, tied_pairs=0, kept_width=0, ranked=0)
    (row,) = suite_reading.qualities([quality]).to_pylist()
    assert (row["depth"], row["auc"], row["kept_share"]) == ("all", None, None)
    assert agreement_reading.pairs([Agreement("a", "b", 1, 1, math.nan)])["kappa"].to_pylist() == [None]


def test_the_matrix_has_a_column_for_every_verdict_and_its_cells_sum_to_the_reviews() -> None:
    counts = {("control", "control"): 2, ("control", "unsure"): 1, ("not_lost", "generation"): 1}
    rows = agreement_reading.matrix(counts).to_pylist()
    assert list(rows[0]) == [agreement_reading.CORNER, "generation", "evaluation", "control", "not lost", "unsure"]
    assert [list(row.values()) for row in rows] == [["control", 0, 0, 2, 0, 1], ["not lost", 1, 0, 0, 0, 0]]
    assert agreement_reading.matrix({}).num_rows == 0

"""The anytime curve: when the best answer changed, what was spent by then and after it, in one run and over many."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from explorer.analysis import anytime, anytime_reading, budget
from explorer.analysis.anytime import Part, Point, Waste
from explorer.analysis.budget import Amounts, Currency, RunBudget
from explorer.analysis.funnel import Share
from explorer.figures.anytime import best_so_far, right_by_spend
from ingest.pipeline import ingest
from ingest.schema import Call, Node, Run, Trace, Truth
from ingest.store import Store
from tests.logs import SHARED
from tests.stores import store_of, tree

BEGAN = datetime(2026, 1, 5, 9, tzinfo=UTC)
GPT4 = SHARED / "real_traces/tot-bfs/game24_gpt-4_0.7_propose1_value3_greedy5.json"
DRAWN = """
    root fate=expanded
      a score=0.4 fate=expanded
        a1 score=0.3 fate=terminal verified=false
        a2 score=0.9 fate=terminal verified=true
      b score=0.9 fate=open
"""


def at(second: float) -> datetime:
    return BEGAN + timedelta(seconds=second)


def asked(node: str | None, role: str, second: float | None = None, run: str = "run", **more: Any) -> Call:
    return Call(run_id=run, call_id=f"{node}/{role}", node_id=node, role=role, started_at=None if second is None else at(second), **more)


def run_of(folder: Path, *traces: Trace) -> RunBudget:
    (one,) = budget.of_runs(store_of(folder, *traces))
    return one


def changes(run: RunBudget) -> list[tuple[str, float | None, bool | None, bool | None]]:
    return [(step.node_id, step.score, step.finished, step.right) for step in run.steps]


# one run


def test_a_finished_answer_goes_before_an_unfinished_one_then_the_score_decides(tmp_path: Path) -> None:
    run = run_of(tmp_path, tree(DRAWN))
    assert changes(run) == [("a", 0.4, False, False), ("a1", 0.3, True, False), ("a2", 0.9, True, True)]
    assert [step.at for step in run.steps] == [Amounts(nodes=2), Amounts(nodes=3), Amounts(nodes=4)]
    assert {step.basis for step in run.steps} == {"order"}


def test_an_equal_score_later_is_no_change_and_unscored_ones_are_not_ranked(tmp_path: Path) -> None:
    run = run_of(tmp_path, tree("root fate=expanded\n  a score=0.5\n  b score=0.5\n  c fate=unscored\n  d score=0.6 fate=pruned pruned_by=distinct"))
    assert changes(run) == [("a", 0.5, None, None)]


def test_a_finished_answer_without_a_score_is_beaten_by_one_with_any(tmp_path: Path) -> None:
    run = run_of(tmp_path, tree("root fate=expanded\n  a fate=terminal\n  b fate=terminal score=-3\n  c fate=terminal"))
    assert changes(run) == [("a", None, True, None), ("b", -3.0, True, None)]


def test_a_run_of_one_unscored_node_has_no_curve_and_of_one_finished_node_a_point(tmp_path: Path) -> None:
    nothing = run_of(tmp_path / "a", tree("root"))
    assert nothing.steps == () and anytime.waste(nothing, Currency.NODES) is None
    single = run_of(tmp_path / "b", tree("root fate=terminal score=1"))
    assert anytime.waste(single, Currency.NODES) == Waste(run_id="run", last_change=1, whole=1)


def test_without_an_order_of_creation_nothing_is_rebuilt(tmp_path: Path) -> None:
    nodes = (Node(run_id="run", node_id="a", score=1.0), Node(run_id="run", node_id="b", score=2.0))
    assert run_of(tmp_path, Trace(Run(run_id="run"), nodes)).steps == ()


def test_calls_in_the_order_of_nodes_give_the_spend_by_then(tmp_path: Path) -> None:
    calls = (
        asked("root", "proposer", cost=1.0), asked("a", "evaluator", cost=0.25), asked("a", "proposer", cost=1.0),
        asked("a1", "evaluator", cost=0.25), asked("a2", "evaluator"), asked("b", "evaluator", cost=0.25),
    )  # fmt: skip
    run = run_of(tmp_path, tree(DRAWN, calls=calls))
    assert [(step.at.calls, step.at.cost_usd, step.at.tokens, step.at.seconds) for step in run.steps] == [
        (2, 1.25, None, None), (4, 2.5, None, None), (5, 2.5, None, None),
    ]  # fmt: skip
    assert anytime.waste(run, Currency.CALLS) == Waste(run_id="run", last_change=5, whole=6)


def test_a_call_that_names_no_node_leaves_the_order_of_spend_unknown(tmp_path: Path) -> None:
    run = run_of(tmp_path, tree(DRAWN, calls=(asked("a", "evaluator"), asked(None, "tool"))))
    assert [(step.at.calls, step.at.nodes) for step in run.steps] == [(None, 2), (None, 3), (None, 4)]


def test_times_of_calls_decide_where_all_have_one(tmp_path: Path) -> None:
    calls = (
        asked("root", "proposer", 0, latency_ms=1000, input_tokens=10, output_tokens=5),
        asked("b", "evaluator", 1, latency_ms=500), asked("a", "evaluator", 2, latency_ms=500),
    )  # fmt: skip
    drawn = f'root\n  a score=0.9 started_at="{at(1).isoformat()}"\n  b score=0.4 started_at="{at(1).isoformat()}"'
    parsed = tree(drawn, calls=calls, started_at=BEGAN, wall_clock_s=4.0)
    nodes = tuple(Node(run_id="run", node_id=n.node_id, parent_ids=n.parent_ids, seq=n.seq, score=n.score, started_at=at(1) if n.score else None)
                  for n in parsed.nodes)  # fmt: skip
    run = run_of(tmp_path, Trace(parsed.run, nodes, calls))
    assert [(step.node_id, step.basis, step.at) for step in run.steps] == [
        ("b", "times", Amounts(calls=2, tokens=15, seconds=1.5, nodes=3)),
        ("a", "times", Amounts(calls=3, tokens=15, seconds=2.5, nodes=3)),
    ]
    assert anytime.waste(run, Currency.SECONDS) == Waste(run_id="run", last_change=2.5, whole=4.0)


def test_the_runs_own_list_is_taken_as_it_is(tmp_path: Path) -> None:
    said = json.dumps([{"at_s": 1.0, "node_id": "b", "score": 0.9}, {"at_s": 2.0, "node_id": "a1", "score": 0.3}])
    second: dict[str, Any] = {"latency_ms": 1000}
    calls = (asked("root", "proposer", 0, **second), asked("a", "proposer", 1.0, **second), asked("a1", "evaluator", 2.0, latency_ms=10))
    run = run_of(tmp_path, tree(DRAWN, calls=calls, started_at=BEGAN, best_so_far=said, wall_clock_s=2.5))
    assert changes(run) == [("b", 0.9, False, False), ("a1", 0.3, True, False)]
    assert [(step.basis, step.at.calls, step.at.seconds) for step in run.steps] == [("recorded", 1, 1.0), ("recorded", 2, 2.0)]
    assert list(anytime_reading.run_notes(run)) == [
        "The score falls where a finished answer took the place of an unfinished candidate, or where the run itself preferred a lower one."
    ]


def test_what_is_known_of_a_finished_node_makes_its_change_right(tmp_path: Path) -> None:
    truth = (Truth(run_id="run", node_id="x", viable=True, viable_by="oracle"),)
    assert changes(run_of(tmp_path, tree("root fate=expanded\n  x score=1 fate=terminal", truth=truth))) == [("x", 1.0, True, True)]


@pytest.mark.parametrize(
    ("path", "value", "rivals"),
    [(("root", "a", "a2"), 0.6, 1), (("root", "a", "a1"), -0.6, 1), (("root", "b"), None, 0), (("root", "gone"), None, 0), (None, None, 0)],
)
def test_the_margin_at_the_stop_is_against_the_best_rival_of_its_kind(
    tmp_path: Path, path: tuple[str, ...] | None, value: float | None, rivals: int
) -> None:
    margin = run_of(tmp_path, tree(DRAWN, selected_path=path)).margin
    assert (margin.value if margin.value is None else round(margin.value, 9), margin.rivals) == (value, rivals)


def test_identity_spend_until_the_last_change_and_after_it_is_the_whole(tmp_path: Path) -> None:
    found = anytime.waste(run_of(tmp_path, tree(DRAWN)), Currency.NODES)
    assert found is not None and found.last_change + found.after == found.whole == 5 and math.isclose(found.share, 1 / 5)


# many runs


def ended(run_id: str, drawing: str) -> Trace:
    return tree(drawing, run_id=run_id)


RIGHT_AT_2 = "root fate=expanded\n  a fate=terminal score=1 verified=true\n  b fate=pruned score=0"
RIGHT_AT_3 = "root fate=expanded\n  a fate=terminal score=0.5 verified=false\n  b fate=terminal score=1 verified=true"
GIVEN_UP = "root fate=expanded\n  a fate=terminal score=0.5 verified=true\n  b fate=terminal score=1 verified=false\n  c fate=open"
UNKNOWN = "root fate=expanded\n  a fate=terminal score=1"


def test_the_share_of_right_runs_grows_with_spend_and_falls_where_an_answer_is_given_up(tmp_path: Path) -> None:
    traces = [ended("a", RIGHT_AT_2), ended("b", RIGHT_AT_3), ended("c", GIVEN_UP), ended("d", UNKNOWN)]
    runs = list(budget.of_runs(store_of(tmp_path, *traces)))
    curve = anytime.right_by_spend(runs, Currency.NODES)
    assert (curve.runs, curve.left_out, curve.rebuilt, curve.points) == (3, 1, 3, (Point(2, 2), Point(3, 2), Point(4, 2)))
    assert [curve.share_at(spend) for spend in (0, 1.9, 2, 100)] == [Share(0, 3), Share(0, 3), Share(2, 3), Share(2, 3)]
    assert anytime.parts(curve, 2) == (
        Part(spend_from=0, spend_to=2, right=Share(2, 3), gained=2), Part(spend_from=2, spend_to=4, right=Share(2, 3), gained=0),
    )  # fmt: skip
    assert sum(part.gained for part in anytime.parts(curve)) == curve.points[-1].right


def test_no_runs_or_none_that_counts_have_no_curve(tmp_path: Path) -> None:
    for runs in ([], list(budget.of_runs(store_of(tmp_path, ended("d", UNKNOWN))))):
        curve = anytime.right_by_spend(runs, Currency.NODES)
        assert (curve.runs, curve.points, anytime.parts(curve)) == (0, (), ())
        assert math.isnan(curve.share_at(3).value)
    assert math.isnan(anytime.waste_over([], Currency.CALLS).share)


def test_a_run_that_only_ever_held_unfinished_candidates_is_never_right(tmp_path: Path) -> None:
    runs = list(budget.of_runs(store_of(tmp_path, ended("a", "root fate=expanded\n  a score=1 fate=open"))))
    assert anytime.right_by_spend(runs, Currency.NODES).points == (Point(2, 0),)


def test_waste_is_added_up_over_the_runs_that_recorded_it(tmp_path: Path) -> None:
    runs = list(budget.of_runs(store_of(tmp_path, ended("a", RIGHT_AT_2), ended("c", GIVEN_UP))))
    over = anytime.waste_over(runs, Currency.NODES)  # 1 of 3 nodes after the last change, and 1 of 4
    assert (over.runs, over.after, over.whole, over.share) == (2, 2, 7, 2 / 7)
    assert math.isclose(over.median_share, (1 / 3 + 1 / 4) / 2)
    assert anytime.waste_over(runs, Currency.CALLS).runs == 0


def test_the_page_counts_in_what_most_runs_recorded(tmp_path: Path) -> None:
    paid = tree(RIGHT_AT_2, run_id="paid", calls=(asked("root", "proposer", run="paid"),))
    runs = list(budget.of_runs(store_of(tmp_path, paid, ended("b", RIGHT_AT_3))))
    assert anytime.currencies(runs) == (Currency.CALLS, Currency.NODES)
    assert (anytime.usual_currency(runs), anytime.usual_currency(runs[1:]), anytime.usual_currency([])) == ("nodes", "calls", "nodes")


def test_the_curves_draw_every_change_and_say_so_where_there_is_none(tmp_path: Path) -> None:
    run = run_of(tmp_path, tree(DRAWN))
    figure = best_so_far(run, Currency.NODES, "light")
    assert sorted(x for trace in figure.data[1:] for x in trace.x) == [2, 3, 4]
    assert "not recorded in calls" in best_so_far(run, Currency.CALLS, "dark").layout.annotations[0].text
    assert right_by_spend(anytime.right_by_spend([], Currency.NODES), "light").layout.annotations[0].text
    assert right_by_spend(anytime.right_by_spend([run], Currency.NODES), "light").data[-1].y[-1] == 1


def test_the_last_best_answer_that_is_rebuilt_for_the_gpt_4_log_is_the_one_each_run_selected(tmp_path: Path) -> None:
    if not GPT4.exists():
        pytest.skip("the shared real traces are not here")
    ingest(tmp_path / "store", [str(GPT4)])
    runs = list(budget.of_runs(Store(tmp_path / "store")))
    assert {anytime.agrees(run) for run in runs} == {True}
    curve = anytime.right_by_spend(runs, Currency.NODES)
    assert (curve.runs, curve.points[-1].right) == (100, 62)  # as many as ended right
    assert anytime.currencies(runs) == (Currency.NODES,)

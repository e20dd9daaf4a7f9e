"""Budgets: what levels cost, which cap fired, how deep right answers lie, and what a call budget affords. Unknown is never zero."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from explorer.analysis import budget, budget_document, budget_reading, caps, deepening, solution_depth
from explorer.analysis.budget import Amounts, Currency, RunBudget
from explorer.analysis.caps import Ending
from explorer.analysis.committed import Committed, committed_over
from explorer.analysis.deepening import LevelCost
from explorer.analysis.funnel import Share
from explorer.analysis.plan import AFFORDABLE, NOT_AFFORDABLE, Wish, plan
from explorer.analysis.solution_depth import DepthCap, depth_caps, percentile, right_depths
from explorer.commands import main
from explorer.figures.budget import deepening_costs, depth_of_answers, why_stopped
from ingest.pipeline import ingest
from ingest.schema import Call, Trace
from ingest.store import Store
from tests.logs import SHARED
from tests.stores import store_of, tree

SAMPLES = Path(__file__).parents[2] / "sample_traces/native/1"
GPT4 = SHARED / "real_traces/tot-bfs/game24_gpt-4_0.7_propose1_value3_greedy5.json"
BEAM = """
    root fate=expanded
      a score=0.9 fate=expanded
        a1 score=0.8 fate=terminal verified=true
        a2 score=0.2 fate=pruned
      b score=0.5 fate=expanded
        b1 score=0.6 fate=terminal verified=false
      c score=0.1 fate=pruned
"""


def call(node: str | None, role: str, number: int = 0, run: str = "run", **more: Any) -> Call:
    return Call(run_id=run, call_id=f"{node}/{role}/{number}", node_id=node, role=role, **more)


CALLS = (
    call("root", "proposer", cost=4.0, input_tokens=100, output_tokens=10),
    *(call(node, "evaluator", cost=1.0, input_tokens=10) for node in ("a", "b", "c")),
    call("a", "proposer", cost=2.0), call("b", "proposer", cost=2.0),
    *(call(node, "evaluator") for node in ("a1", "a2", "b1")),
)  # fmt: skip


def runs_of(folder: Path, *traces: Trace) -> list[RunBudget]:
    return list(budget.of_runs(store_of(folder, *traces)))


def beam(folder: Path, **run: Any) -> RunBudget:
    settings: dict[str, Any] = {"outcome": "right", "selected_path": ("root", "a", "a1"), "level_by_level": True} | run
    (one,) = runs_of(folder, tree(BEAM, calls=CALLS, **settings))
    return one


def chain(run_id: str, length: int, **run: Any) -> Trace:
    """One path of so many steps; its end is finished."""
    lines = [f"{'  ' * depth}n{depth} fate={'terminal' if depth == length else 'expanded'}" for depth in range(length + 1)]
    settings: dict[str, Any] = {"outcome": "right", "selected_path": tuple(f"n{depth}" for depth in range(length + 1))} | run
    return tree("\n".join(lines), run_id=run_id, **settings)


# levels


def test_a_level_costs_the_proposals_asked_above_it_and_the_judging_of_its_own_nodes(tmp_path: Path) -> None:
    run = beam(tmp_path)
    assert [(level.depth, level.nodes, level.expanded, level.children, level.requests) for level in run.levels] == [
        (0, 1, 1, 3, 0), (1, 3, 2, 3, 4), (2, 3, 0, 0, 5),
    ]  # fmt: skip
    assert [level.spent for level in run.levels] == [
        Amounts(calls=0, tokens=0, cost_usd=0, seconds=0, nodes=1),
        Amounts(calls=4, tokens=140, cost_usd=7.0, nodes=3),
        Amounts(calls=5, tokens=None, cost_usd=4.0, nodes=3),
    ]


def test_identity_the_levels_add_up_to_the_run(tmp_path: Path) -> None:
    run = beam(tmp_path)
    assert sum(level.spent.calls or 0 for level in run.levels) == run.spent.calls == 9
    assert sum(level.spent.nodes or 0 for level in run.levels) == run.spent.nodes == 7


def test_no_runs_leave_everything_unknown(tmp_path: Path) -> None:
    assert list(budget.of_runs(Store(tmp_path / "nothing"))) == []
    found = plan([], Wish(calls=100))
    assert (found.needed_depth, found.suggested_cap, found.affordable_depth, found.verdict) == (None, None, None, None)
    assert math.isnan(found.per_level.value) and math.isnan(found.nominal.calls_per_level)
    assert (caps.stops([]), caps.cut_off([]), deepening.repeated([])) == ((), Share(0, 0), ())
    assert deepening.deepening(deepening.level_costs([], Currency.CALLS), None) == ()


def test_a_run_of_one_node_has_no_level_to_pay_for(tmp_path: Path) -> None:
    (run,) = runs_of(tmp_path, tree("root fate=terminal verified=true", selected_path=("root",), outcome="right"))
    assert (run.width, run.right_selected, run.right_kept, run.finished_known) == (0, 0, 0, 1)
    assert plan([run], Wish(calls=10)).missing == ("a level below the root with calls, or expanded and scored nodes",)


def test_without_calls_expanded_and_scored_nodes_stand_for_them_and_it_is_said(tmp_path: Path) -> None:
    (run,) = runs_of(tmp_path, tree(BEAM))
    assert run.spent == Amounts(nodes=7) and all(level.spent.calls is None for level in run.levels)
    found = deepening.level_costs([run], Currency.CALLS)
    assert (found.basis, [level.mean for level in found.levels]) == ("derived", [0, 4, 5])
    assert deepening.level_costs([run], Currency.TOKENS).levels == ()
    assert "derived over 2 levels of 1 run" in [fact.hint for fact in budget_reading.plan_cards(plan([run], Wish()))]


def test_one_run_that_recorded_calls_keeps_derived_ones_out_of_the_mean(tmp_path: Path) -> None:
    runs = runs_of(tmp_path, tree(BEAM, calls=CALLS), chain("other", 3))
    assert deepening.calls_per_level(runs) == deepening.PerLevel("measured", 4.5, 2, 1)


# caps


def test_a_recorded_reason_counts_as_recorded(tmp_path: Path) -> None:
    assert caps.ending(beam(tmp_path, stop_reason="max_nodes", complete=False)) == Ending("max_nodes", False)


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"budget_max_calls": 9}, "call_budget"), ({"budget_max_calls": 10}, None), ({"budget_max_nodes": 7}, "max_nodes"),
        ({"budget_max_cost": 11.0}, "cost_budget"), ({"budget_max_tokens": 140}, "token_budget"),
        ({"budget_wall_clock_s": 5.0, "wall_clock_s": 5.5}, "wall_clock"), ({"budget_wall_clock_s": 5.0}, None),
    ],
)  # fmt: skip
def test_a_limit_that_was_used_up_is_inferred_where_no_reason_is_recorded(tmp_path: Path, limits: dict[str, Any], reason: str | None) -> None:
    assert caps.ending(beam(tmp_path, **limits)) == Ending(reason, reason is not None)


def test_the_depth_cap_is_inferred_only_where_it_left_something_open(tmp_path: Path) -> None:
    cut = tree("root fate=expanded\n  a fate=open", run_id="cut", budget_max_depth=1)
    whole = tree("root fate=expanded\n  a fate=terminal", run_id="whole", budget_max_depth=1)
    assert [caps.ending(run).reason for run in runs_of(tmp_path, cut, whole)] == ["max_depth", None]


def test_runs_that_are_cut_off_only_by_inference_are_counted_as_such(tmp_path: Path) -> None:
    said = tree(BEAM, run_id="said", complete=False, budget_max_nodes=7)
    guessed = tree(BEAM, run_id="guessed", budget_max_nodes=7)
    whole = tree(BEAM, run_id="whole", complete=True, budget_max_nodes=7)
    runs = runs_of(tmp_path, said, guessed, whole)
    assert (caps.cut_off(runs), caps.cut_off_inferred(runs)) == (Share(2, 3), 1)


def test_a_run_without_its_end_or_one_that_is_complete_has_no_inferred_cap(tmp_path: Path) -> None:
    running = tree(BEAM, run_id="running", ended=False, budget_max_nodes=7)
    complete = tree(BEAM, run_id="whole", complete=True, budget_max_nodes=7)
    assert {caps.ending(run) for run in runs_of(tmp_path, running, complete)} == {Ending(None, False)}


def test_shares_of_stop_reasons_are_of_the_runs_whose_reason_is_known(tmp_path: Path) -> None:
    traces = (
        chain("a", 1, stop_reason="max_nodes", outcome="wrong"), chain("b", 1, budget_max_nodes=2), chain("c", 1, stop_reason="goal"),
        chain("d", 1), chain("e", 1, stop_reason="unknown"),
    )  # fmt: skip
    runs = runs_of(tmp_path, *traces)
    found = caps.stops(runs)
    assert [(stop.reason, stop.recorded, stop.inferred, stop.share, stop.limited, stop.right) for stop in found] == [
        ("max_nodes", 1, 1, Share(2, 3), 1, Share(1, 2)),
        ("goal", 1, 0, Share(1, 3), None, Share(1, 1)),
        (None, 0, 0, Share(0, 0), None, Share(2, 2)),
    ]
    assert sum(len(stop.run_ids) for stop in found) == len(runs)
    assert caps.cut_off(runs) == Share(2, 3)


# depth of right answers


def test_the_nearest_rank_covers_at_least_the_share() -> None:
    assert [percentile([1, 2, 3, 4], share) for share in (0.01, 0.25, 0.26, 0.5, 0.75, 0.76, 1.0)] == [1, 1, 2, 2, 3, 4, 4]
    assert percentile(range(1, 21), 0.95) == 19
    assert percentile([], 0.5) is None


def test_selected_and_kept_answers_are_counted_apart(tmp_path: Path) -> None:
    missed = tree(BEAM, run_id="missed", outcome="wrong", selected_path=("root", "b", "b1"))
    runs = [*runs_of(tmp_path / "a", missed), beam(tmp_path / "b")]
    selected, kept = right_depths(runs, "selected"), right_depths(runs, "kept")
    assert (selected.depths, selected.of, kept.depths, kept.of) == ((2,), 1, (2, 2), 2)


def test_a_right_run_whose_answer_the_log_does_not_hold_has_no_depth(tmp_path: Path) -> None:
    (run,) = runs_of(tmp_path, chain("a", 2, selected_path=("n0", "n1", "gone")))
    found = right_depths([run], "selected")
    assert (found.depths, found.of, found.percentile(0.5)) == ((), 1, None)


def test_the_share_at_the_cap_is_of_right_answers_under_a_known_cap(tmp_path: Path) -> None:
    traces = (chain("a", 3, budget_max_depth=3), chain("b", 2, budget_max_depth=3), chain("c", 1))
    found = right_depths(runs_of(tmp_path, *traces), "selected")
    assert (found.depths, found.at_cap, found.caps_inferred) == ((1, 2, 3), Share(1, 2), 0)


def test_a_cap_is_inferred_where_all_runs_of_a_protocol_end_at_one_depth_level_by_level(tmp_path: Path) -> None:
    same = {"protocol": '{"x": 1}', "level_by_level": True}
    runs = runs_of(tmp_path, chain("a", 2, **same), chain("b", 2, **same), chain("c", 2, **same | {"protocol": '{"x": 2}'}))
    assert depth_caps(runs) == {"a": DepthCap(2, True), "b": DepthCap(2, True)}
    assert depth_caps(runs_of(tmp_path / "2", chain("a", 2, **same), chain("b", 3, **same))) == {}
    assert depth_caps(runs_of(tmp_path / "3", chain("a", 2, **same | {"level_by_level": False}), chain("b", 2, **same))) == {}


# needed against affordable


def test_the_affordable_depth_is_the_whole_levels_that_the_budget_pays_for(tmp_path: Path) -> None:
    run = beam(tmp_path)  # 9 calls over 2 levels: 4.5 each; widest level 2, 6 children of 3 expanded nodes: 2 × 2 = 4
    found = plan([run], Wish(calls=9))
    assert (found.per_level.value, found.affordable_depth, found.verdict) == (4.5, 2, AFFORDABLE)
    assert (found.nominal.width, found.nominal.branching, found.affordable_nominal) == (2, 2.0, 2)
    assert (found.needed_depth, found.suggested_cap) == (2, 3)


def test_one_call_less_is_not_affordable_with_branching_search(tmp_path: Path) -> None:
    run = beam(tmp_path)
    found = plan([run], Wish(calls=8))
    assert (found.affordable_depth, found.affordable_nominal, found.verdict) == (1, 2, NOT_AFFORDABLE)
    assert budget_reading.verdict(found).text == "not affordable with branching search: 8 calls pay for 1 level, 2 are needed"
    assert list(budget_reading.plan_notes(found)) == ["By width × branching it would be affordable: the levels differ from a full frontier."]


def test_the_smallest_recorded_budget_counts_and_the_others_are_named(tmp_path: Path) -> None:
    runs = [beam(tmp_path / "a", budget_max_calls=50), *runs_of(tmp_path / "b", chain("x", 2, budget_max_calls=20))]
    found = plan(runs, Wish())
    assert (found.calls, found.calls_from, found.calls_recorded, found.budgets) == (20, "recorded", 2, (20, 50))
    assert "20, 50" in next(budget_reading.plan_notes(found))


def test_without_a_budget_there_is_no_verdict_but_what_is_missing(tmp_path: Path) -> None:
    found = plan([beam(tmp_path)], Wish())
    assert (found.verdict, found.missing) == (None, ("a call budget: none is recorded, choose one",))


def test_percentile_and_margin_are_the_users(tmp_path: Path) -> None:
    runs = runs_of(tmp_path, chain("a", 1), chain("b", 2), chain("c", 5))
    assert [plan(runs, Wish(share=share, margin=2)).suggested_cap for share in (0.3, 0.6, 1.0)] == [3, 4, 7]


# deepening


def test_equal_levels_make_deepening_cost_what_the_rule_says() -> None:
    levels = tuple(LevelCost(depth, 12.0 if depth else 0.0, 1) for depth in range(6))
    rows = deepening.deepening(deepening.LevelCosts(Currency.CALLS, "measured", levels), 3)
    last = rows[-1]
    assert (last.depth, last.direct, last.from_one, last.ratio_from_one, last.rule_from_one) == (5, 60, 180, 3.0, 3.0)
    assert (last.from_median, last.ratio_from_median, last.rule_from_median) == (36 + 48 + 60, 2.4, 2.4)
    assert all(math.isclose(row.ratio_from_one, (row.depth + 1) / 2) for row in rows)
    assert [row.from_median for row in rows] == [None, None, 36, 84, 144]


def test_unequal_levels_are_measured_beside_the_rule(tmp_path: Path) -> None:
    first, second = deepening.deepening(deepening.level_costs([beam(tmp_path)], Currency.CALLS), 1)
    assert (first.direct, first.from_one, second.direct, second.from_one) == (4, 4, 9, 13)
    assert (second.ratio_from_one, second.rule_from_one) == (13 / 9, 1.5)


def test_levels_that_cost_nothing_have_no_ratio() -> None:
    levels = (LevelCost(0, 0.0, 1), LevelCost(1, 0.0, 1))
    (row,) = deepening.deepening(deepening.LevelCosts(Currency.COST, "measured", levels), None)
    assert math.isnan(row.ratio_from_one)


PASSES = """
    r1 pass=1 fate=expanded
      a1 pass=1 depth=1 fate=open
    r2 pass=2 fate=expanded
      a2 pass=2 depth=1 fate=expanded
        b2 pass=2 depth=2 fate=open
    r3 pass=3 fate=expanded
      a3 pass=3 depth=1 fate=expanded
        b3 pass=3 depth=2 fate=expanded
          c3 pass=3 depth=3 fate=terminal verified=true
""".replace("pass=", "pass_bound=")


def test_recorded_passes_give_the_measured_overhead_beside_the_rule(tmp_path: Path) -> None:
    asked = [f"{name}{bound}" for bound in (1, 2, 3) for name in "rab"[:bound]]
    (run,) = runs_of(tmp_path, tree(PASSES, calls=tuple(call(node, "proposer") for node in asked)))
    (found,) = deepening.repeated([run])
    assert (found.bounds, found.currency, found.spent, found.last, found.ratio, found.rule) == ((1, 2, 3), "calls", 6, 3, 2.0, 2.0)
    assert [level.spent.calls for level in run.levels] == [0, 1, 1, 1]  # of the last pass alone


def test_the_sample_that_deepens_spends_twice_what_its_last_pass_did(tmp_path: Path) -> None:
    log = SAMPLES / "right_by_deepening.jsonl"
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    bounds = {line["node_id"]: line["pass"] for line in lines if line["record"] == "node" and "pass" in line}
    calls = Counter(bounds[line["node_id"]] for line in lines if line["record"] == "call")
    ingest(tmp_path / "store", [str(log)])
    (found,) = deepening.repeated(list(budget.of_runs(Store(tmp_path / "store"))))
    assert (found.bounds, found.spent, found.last, found.rule) == ((1, 2, 3), calls.total(), calls[3], 2.0)
    assert found.ratio == calls.total() / calls[3]


def test_passes_without_calls_are_counted_in_nodes(tmp_path: Path) -> None:
    (found,) = deepening.repeated(runs_of(tmp_path, tree(PASSES)))
    assert (found.currency, found.spent, found.last) == ("nodes", 9, 4)


def test_a_single_pass_is_no_deepening(tmp_path: Path) -> None:
    assert deepening.repeated(runs_of(tmp_path, tree("root pass_bound=3 fate=terminal"))) == ()


# speculative against committed


def test_what_is_not_spent_on_the_selected_path_is_speculative(tmp_path: Path) -> None:
    run = beam(tmp_path)
    assert run.committed == Amounts(calls=4, tokens=120, cost_usd=7.0, nodes=3)  # root: 1, a: 2, a1: 1
    assert committed_over([run], Currency.CALLS) == Committed(1, 4, 5)
    assert committed_over([run], Currency.NODES) == Committed(1, 3, 4)


def test_without_a_selected_path_neither_is_known(tmp_path: Path) -> None:
    (run,) = runs_of(tmp_path, tree(BEAM, calls=CALLS))
    assert run.committed == Amounts() and committed_over([run], Currency.CALLS) == Committed(0, 0, 0)


# the command, the figures, and real logs


def small_store(folder: Path) -> Path:
    """A right run of nine calls, and one that a cap cut off."""
    cut = tree("root fate=expanded\n  a score=1 fate=open", run_id="cut", outcome="wrong", stop_reason="max_nodes", complete=False,
               budget_max_nodes=2, selected_path=("root", "a"), calls=(call("root", "proposer", run="cut"),))  # fmt: skip
    right = tree(BEAM, calls=CALLS, outcome="right", stop_reason="goal", complete=True, selected_path=("root", "a", "a1"), budget_max_depth=2)
    store_of(folder, cut, right)
    return folder


def test_the_command_gives_one_document_with_runs_suite_and_protocols(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["budget", "--store", str(small_store(tmp_path)), "--calls", "6", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["runs", "suite", "protocols", "same_tasks", "baselines"]
    cut, right = found["runs"]
    assert (cut["stop_reason"], cut["stop_inferred"], cut["cut_off"], cut["depth_cap"]) == ("max_nodes", False, True, None)
    assert (right["stop_reason"], right["cut_off"], right["depth_cap"], right["right_depth_selected"]) == ("goal", False, 2, 2)
    assert right["levels"][1] == {
        "depth": 1, "nodes": 3, "scored": 3, "expanded": 2, "children": 3, "requests": 4,
        "spent": {"calls": 4, "tokens": 140, "cost_usd": 7.0, "seconds": None, "nodes": 3},
    }  # fmt: skip
    suite = found["suite"]
    assert suite["cut_off"] == {"value": 0.5, "numerator": 1, "denominator": 2}
    assert suite["plan"]["per_level"] == {"basis": "measured", "value": 10 / 3, "levels": 3, "runs": 2}  # 10 calls over 3 levels of 2 runs
    assert (suite["plan"]["needed_depth"], suite["plan"]["affordable_depth"], suite["plan"]["verdict"]) == (2, 1, NOT_AFFORDABLE)
    assert [row["ratio_from_one"] for row in suite["deepening"]["calls"]] == [1.0, (2.5 + 7.5) / 7.5]


def test_the_command_speaks_of_the_runs_that_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["budget", "cut", "--store", str(small_store(tmp_path))]) == 0
    said = capsys.readouterr().out
    assert "cap fired: max nodes\ncut off: best so far\n" in said and "last change after: 1 call of 1 call" in said
    assert "missing: a right answer whose depth the log holds; a call budget: none is recorded, choose one" in said


def test_a_sample_adds_up_to_what_its_own_lines_say(tmp_path: Path) -> None:
    log = SAMPLES / "cut_off_by_max_nodes.jsonl"
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    calls = [line for line in lines if line["record"] == "call"]
    ingest(tmp_path / "store", [str(log)])
    (run,) = budget.of_runs(Store(tmp_path / "store"))
    by_level = Counter(line["node_id"].count(".") + (line["role"] == "proposer") for line in calls)
    assert {level.depth: level.spent.calls for level in run.levels if level.spent.calls} == by_level
    assert run.spent.cost_usd == pytest.approx(sum(line.get("cost") or 0 for line in calls))
    on_path = set(lines[-1]["selected_path"])
    assert run.committed.calls == sum(line["node_id"] in on_path for line in calls)
    assert (caps.ending(run), caps.is_cut_off(run)) == (Ending("max_nodes", False), True)


@pytest.mark.parametrize("wrong", [["--percentile", "0"], ["--percentile", "101"], ["--calls", "-1"], ["--margin", "x"]])
def test_a_wrong_choice_is_wrong_usage(tmp_path: Path, wrong: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["budget", "--store", str(tmp_path), *wrong])
    assert stopped.value.code == 2


def test_an_empty_store_says_how_to_fill_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["budget", "--store", str(tmp_path / "nothing")]) == 0
    assert "branchlight ingest LOGS" in capsys.readouterr().out


def test_the_figures_say_so_where_there_is_nothing_to_draw() -> None:
    empty, costs = right_depths([], "selected"), deepening.level_costs([], Currency.TOKENS)
    for figure in (depth_of_answers(empty, empty, [], "light"), why_stopped([], "dark"), deepening_costs([], costs, "light")):
        assert not figure.data and figure.layout.annotations[0].text


def test_every_run_stands_in_one_bar(tmp_path: Path) -> None:
    runs = runs_of(tmp_path, chain("a", 1, stop_reason="goal"), chain("b", 1, budget_max_nodes=2), chain("c", 2))
    drawn = why_stopped(caps.stops(runs), "light")
    assert sum(sum(trace.x) for trace in drawn.data) == 3
    depths = depth_of_answers(right_depths(runs, "selected"), right_depths(runs, "kept"), list(depth_caps(runs).values()), "light")
    assert sum(depths.data[0].y) == 3


def test_the_gpt_4_log_of_game_24_finds_all_its_right_answers_at_the_inferred_cap(tmp_path: Path) -> None:
    if not GPT4.exists():
        pytest.skip("the shared real traces are not here")
    ingest(tmp_path / "store", [str(GPT4)])
    runs = list(budget.of_runs(Store(tmp_path / "store")))
    selected, kept = right_depths(runs, "selected"), right_depths(runs, "kept")
    assert (selected.counts, selected.of, kept.counts, kept.of) == ({4: 62}, 62, {4: 69}, 100)
    assert (selected.at_cap, selected.caps_inferred) == (Share(62, 62), 62)
    assert [stop.reason for stop in caps.stops(runs)] == [None]  # why a run ended is not recorded, and a depth inferred from others is no reason
    raw = json.loads(GPT4.read_text("utf-8"))
    steps = [step for run in raw for step in run["steps"]]
    proposals = sum(len(step["ys"]) for step in steps)  # one a kept candidate: 1 + 5 + 5 + 5 in each run
    assert proposals == 1600 and Counter(len(run["steps"]) for run in raw) == {4: 100}
    scored = sum(level.scored for run in runs for level in run.levels)
    found = plan(runs, Wish(calls=60))
    assert found.per_level == deepening.PerLevel("derived", (proposals + scored) / 400, 400, 100)
    assert (found.needed_depth, found.affordable_depth, found.verdict) == (4, 2, NOT_AFFORDABLE)
    document = budget_document.document(runs, Wish())
    assert document["suite"]["waste"]["calls"]["after"] is None  # spend is recorded for the whole run only


def test_identity_percentiles_never_fall() -> None:
    values = [1, 1, 2, 5, 9]
    ranks = [percentile(values, share / 100) for share in range(1, 101)]
    assert ranks == sorted(ranks, key=lambda rank: rank or 0) and solution_depth.SHOWN == (0.5, 0.9, 0.95)

"""What a right answer costs by protocol, which protocols are dominated, and whether a search beats a plain baseline."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from explorer.analysis import budget, frontier, frontier_reading
from explorer.analysis.budget import Currency, RunBudget
from explorer.analysis.deciding import Decisions
from explorer.analysis.frontier import LEAF_LEVEL, PREFIX_LEVEL, SEQUENTIAL, Mean
from explorer.analysis.funnel import Share
from explorer.figures.frontier import quality_and_spend
from ingest.schema import Call, Run, Trace
from tests.stores import store_of, tree

CHAIN = "root fate=expanded\n  a fate=expanded\n    b fate=terminal"
SAMPLES = "root fate=expanded\n  a fate=expanded\n    a1 fate=terminal\n  b fate=terminal"
BEAM = "root fate=expanded\n  a fate=expanded\n    a1 fate=terminal\n    a2 fate=pruned\n  b fate=pruned"
CUT_EARLY = "root fate=expanded\n  a fate=expanded\n    a1 fate=terminal\n  b fate=pruned"


def trial(run_id: str, protocol: str, outcome: str, cost: float, task: str = "t", drawing: str = BEAM, **run: Any) -> Trace:
    call = Call(run_id=run_id, call_id="c", node_id="root", role="proposer", cost=cost)
    return tree(drawing, run_id=run_id, calls=(call,), outcome=outcome, task_id=task, protocol=f'{{"name": "{protocol}"}}', **run)


def of(folder: Path, *traces: Trace) -> list[RunBudget]:
    return list(budget.of_runs(store_of(folder, *traces)))


def name(runs: list[RunBudget], run_id: str) -> str | None:
    return next(run.fingerprint for run in runs if run.run_id == run_id)


@pytest.mark.parametrize(
    ("drawing", "regime"),
    [("root fate=terminal", SEQUENTIAL), (CHAIN, SEQUENTIAL), (SAMPLES, LEAF_LEVEL), (BEAM, PREFIX_LEVEL), (CUT_EARLY, PREFIX_LEVEL)],
)
def test_the_regime_is_read_from_the_shape(tmp_path: Path, drawing: str, regime: str) -> None:
    (run,) = of(tmp_path, tree(drawing))
    assert frontier.regime(run) == regime


def test_answers_without_a_common_root_are_leaf_level_and_no_nodes_have_no_regime(tmp_path: Path) -> None:
    side_by_side = tree("a fate=terminal", run_id="many")
    other = tree("b fate=terminal", run_id="many")
    runs = of(tmp_path, Trace(side_by_side.run, side_by_side.nodes + other.nodes), Trace(Run(run_id="none")))
    assert [frontier.regime(run) for run in runs] == [LEAF_LEVEL, None]


def test_no_runs_have_no_protocols() -> None:
    assert frontier.protocols([]) == () and frontier.dominated([], Currency.COST) == frozenset() and frontier.same_tasks([])
    assert quality_and_spend((), frozenset(), True, Currency.COST, "light").layout.annotations[0].text


def test_a_right_run_costs_what_all_runs_of_known_outcome_spent_for_each(tmp_path: Path) -> None:
    runs = of(tmp_path, trial("a", "p", "right", 1.0), trial("b", "p", "wrong", 2.0), trial("c", "p", "right", 3.0), trial("d", "p", "unknown", 50.0))
    (found,) = frontier.protocols(runs)
    assert (found.right, found.spent[Currency.COST], found.per_right[Currency.COST]) == (Share(2, 3), Mean(14.0, 4), Mean(3.0, 3))
    assert found.spent[Currency.TOKENS] == Mean(None, 0)


def test_without_a_right_run_the_price_is_undefined_not_zero(tmp_path: Path) -> None:
    (found,) = frontier.protocols(of(tmp_path, trial("a", "p", "wrong", 1.0)))
    price = found.per_right[Currency.COST]
    assert price.value is not None and math.isnan(price.value) and price.runs == 1


def test_a_verified_success_needs_a_check_of_the_selected_node(tmp_path: Path) -> None:
    checked = BEAM.replace("a1 fate=terminal", "a1 fate=terminal verified=true")
    runs = of(tmp_path, trial("a", "p", "right", 1.0, drawing=checked, selected_path=("root", "a", "a1")),
              trial("b", "p", "right", 3.0, selected_path=("root", "a", "a1")))  # fmt: skip
    (found,) = frontier.protocols(runs)
    assert (found.right, found.verified, found.per_verified[Currency.COST], found.checked) == (Share(2, 2), Share(1, 1), Mean(1.0, 1), Share(1, 2))


def test_a_protocol_that_costs_more_and_is_right_less_often_is_dominated(tmp_path: Path) -> None:
    runs = of(tmp_path, trial("a", "cheap", "right", 1.0), trial("b", "dear", "wrong", 2.0), trial("c", "dearer", "right", 3.0))
    assert frontier.dominated(runs, Currency.COST) == {name(runs, "b"), name(runs, "c")}
    assert frontier.dominated(runs, Currency.CALLS) == {name(runs, "b")}  # one call each
    assert frontier.dominated(runs, Currency.TOKENS) == frozenset()


def test_another_task_dominates_nothing(tmp_path: Path) -> None:
    runs = of(tmp_path, trial("a", "p", "right", 1.0, task="easy"), trial("b", "q", "wrong", 2.0, task="hard"))
    assert frontier.dominated(runs, Currency.COST) == frozenset() and not frontier.same_tasks(runs)
    assert next(frontier_reading.notes(runs)).startswith("The protocols did not run the same tasks")


def test_a_protocol_is_compared_on_its_own_tasks(tmp_path: Path) -> None:
    wide = (trial("a", "wide", "right", 1.0, task="x"), trial("b", "wide", "wrong", 9.0, task="y"))
    runs = of(tmp_path, *wide, trial("c", "narrow", "wrong", 2.0, task="x"))
    assert frontier.dominated(runs, Currency.COST) == {name(runs, "c")}


def test_a_search_is_held_against_simpler_ways_on_the_tasks_of_both(tmp_path: Path) -> None:
    searches = [trial(task, "search", outcome, 1.0, task) for task, outcome in (("x", "right"), ("y", "wrong"), ("z", "right"))]
    chains = [trial(f"chain {task}", "chain", outcome, 0.1, task, CHAIN) for task, outcome in (("x", "wrong"), ("y", "right"))]
    runs = of(tmp_path, *searches, *chains)
    (found,) = frontier.against_baselines(runs)
    assert (found.regime, found.tasks, found.search_right, found.baseline_right, found.beats) == (SEQUENTIAL, 2, Share(1, 2), Share(1, 2), False)
    assert "search has not beaten the baseline, 1 of 2 right against 1 of 2 on 2 tasks" in frontier_reading.baseline_words(found).text


def test_of_many_comparisons_the_first_are_shown_and_the_others_counted(tmp_path: Path) -> None:
    searches = [trial(f"s{i}", f"s{i}", "right", 1.0) for i in range(10)]
    runs = of(tmp_path, *searches, trial("d", "chain", "wrong", 0.1, drawing=CHAIN))
    shown = frontier_reading.baselines(list(frontier.against_baselines(runs)))
    assert (len(shown), shown[-1].text) == (5, "and 6 more: branchlight budget --json lists them")


def test_a_decision_that_keeps_the_first_ones_proposed_was_not_changed_by_scores(tmp_path: Path) -> None:
    drawn = "root\n  a score=0 fate={}\n  b score=1 fate={}\n  c fate=unscored\n  d fate=pruned pruned_by=distinct"
    judge = Call(run_id="x", call_id="e", node_id="a", role="evaluator")
    second = tree(drawn.format("pruned pruned_by=survived", "terminal"), run_id="x", calls=(judge,))
    first = tree(drawn.format("terminal", "pruned pruned_by=survived"), run_id="y")
    runs = of(tmp_path, second, first, tree("root\n  a fate=terminal", run_id="z"))
    assert [run.decisions for run in runs] == [Decisions(1, 1), Decisions(1, 0), Decisions(0, 0)]
    (found,) = frontier.protocols(runs)
    assert (found.decisions_changed, found.evaluations_per_change, found.evaluations_per_score) == (Share(1, 2), 1.0, 0.5)


def test_the_table_keeps_undefined_apart_from_not_recorded(tmp_path: Path) -> None:
    runs = of(tmp_path, trial("a", "p", "wrong", 1.0))
    (row,) = frontier_reading.protocols(frontier.protocols(runs), frozenset(), Currency.COST).to_pylist()
    assert math.isnan(row["cost_usd_per_right_run"]) and row["spend_known"] == "1 of 1"
    (row,) = frontier_reading.protocols(frontier.protocols(runs), frozenset(), Currency.TOKENS).to_pylist()
    assert row["tokens_per_right_run"] is None and row["spend_known"] == "0 of 1"


def test_every_protocol_of_known_outcome_and_spend_is_one_point(tmp_path: Path) -> None:
    runs = of(tmp_path, trial("a", "p", "right", 1.0), trial("b", "q", "wrong", 20.0), trial("c", "r", "unknown", 5.0))
    found = frontier.protocols(runs)
    figure = quality_and_spend(found, frontier.dominated(runs, Currency.COST), False, Currency.COST, "dark")
    assert sorted(x for trace in figure.data for x in trace.x) == [1.0, 20.0]
    assert [trace.name for trace in figure.data] == ["not dominated", "dominated"]

"""Spend by depth and role: every sum with the calls it rests on, unknown never zero, nothing drawn that the log does not say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from explorer.analysis import spend
from explorer.analysis.spend import Amount, Reported, RunSpend, Unfollowed, Unit
from explorer.figures.spend import spend_by_depth
from ingest.pipeline import ingest
from ingest.schema import Call
from ingest.store import Store
from tests.stores import store_of, tree

CASES = Path(__file__).parents[3] / "shared/cases"
DRAWN = """
    root fate=expanded
      a fate=terminal
      b fate=pruned pruned_by=survived
      c fate=pruned pruned_by=distinct
      d fate=open
"""


def call(node: str | None, role: str, cost: float | None = None, **more: object) -> Call:
    name = f"{node}/{role}/{cost}/{more}"
    return Call(run_id="run", call_id=name, node_id=node, role=role, cost=cost, **more)  # type: ignore[arg-type]  # any field of Call


CALLS = (
    call("root", "proposer", 4.0, input_tokens=100, output_tokens=10, cached_tokens=90),
    call("a", "evaluator", 1.0, latency_ms=500),
    call("b", "evaluator", 2.0),
    call("c", "evaluator", 1.0),
    call("d", "evaluator", 2.0),
)


def spent(folder: Path, calls: tuple[Call, ...] = CALLS, **run: Any) -> RunSpend:
    return spend.of_run(store_of(folder, tree(DRAWN, calls=calls, **run)), "run")


def test_a_run_that_is_not_there_spent_nothing_known(tmp_path: Path) -> None:
    empty = spend.of_run(Store(tmp_path / "nothing"), "run")
    assert empty == RunSpend((), (), None)
    assert spend.total(empty.by_depth, Unit.USD) == Amount(None, 0, 0)
    assert spend.unfollowed(empty.by_fate, Unit.USD) == Unfollowed(None, None, None, None)
    assert spend.notes(empty, Unit.USD) == ("cost not recorded",)


def test_one_call_is_its_own_sum(tmp_path: Path) -> None:
    (only,) = spent(tmp_path, (call("root", "proposer", 0.25),)).by_depth
    assert (only.depth, only.role, only.calls, only.cost, only.tokens) == (
        0,
        "proposer",
        1,
        Amount(0.25, 1, 1),
        Amount(None, 0, 1),
    )


def test_worked_by_hand(tmp_path: Path) -> None:
    whole = spent(tmp_path, selected_path=("root", "a"))
    assert [(p.depth, p.role, p.cost.value) for p in whole.by_depth] == [(0, "proposer", 4.0), (1, "evaluator", 6.0)]
    assert spend.total(whole.by_depth, Unit.USD) == Amount(10.0, 5, 5)
    assert spend.total(whole.by_depth, Unit.TOKENS) == Amount(110, 1, 5), "cached tokens are part of the input"
    assert spend.total(whole.by_depth, Unit.SECONDS) == Amount(0.5, 1, 5)
    assert spend.total(whole.by_depth, Unit.CALLS) == Amount(5, 5, 5)
    assert spend.unfollowed(whole.by_fate, Unit.USD) == Unfollowed(off_path=0.5, pruned=0.2, duplicate=0.1, open=0.2)


@pytest.mark.parametrize("unit", Unit)
def test_identity_depths_and_fates_add_up_to_the_same_sum(tmp_path: Path, unit: Unit) -> None:
    whole = spent(tmp_path, selected_path=("root", "a"))
    assert spend.total(whole.by_depth, unit) == spend.total(whole.by_fate, unit)


def test_without_a_selected_path_nothing_is_off_it(tmp_path: Path) -> None:
    shares = spend.unfollowed(spent(tmp_path).by_fate, Unit.USD)
    assert (shares.off_path, shares.pruned) == (None, 0.2)


def test_a_call_that_names_no_node_is_in_the_sum_and_in_no_bar(tmp_path: Path) -> None:
    whole = spent(tmp_path, (*CALLS, call(None, "tool", 1.0)))
    assert spend.total(whole.by_depth, Unit.USD).value == 11.0
    figure = spend_by_depth(whole, Unit.USD, "light")
    assert sum(sum(trace.y) for trace in figure.data) == 10.0
    assert "in no bar, because the calls name no node of the log: $1.00: cost recorded on 1 of 1 call" in spend.notes(whole, Unit.USD)


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        (Amount(2.51, 140, 140), "$2.51: cost recorded on 140 of 140 calls"),
        (Amount(0.5, 120, 140), "at least $0.50: cost recorded on 120 of 140 calls, 20 of 140 have no cost"),
        (Amount(0.5, 1, 2), "at least $0.50: cost recorded on 1 of 2 calls, 1 of 2 has no cost"),
        (Amount(None, 0, 3), "cost not recorded on any of 3 calls"),
        (Amount(0.0, 2, 2), "$0: cost recorded on 2 of 2 calls"),
        (Amount(None, 0, 0), "cost not recorded"),
    ],
)
def test_a_sum_is_never_said_without_what_it_leaves_out(amount: Amount, said: str) -> None:
    assert spend.statement(amount, Unit.USD) == said


def test_a_run_that_is_only_counted_as_a_whole_is_a_sentence_and_no_bar(tmp_path: Path) -> None:
    whole = spent(tmp_path, (), reported_cost=1.27, reported_tokens=32_000)
    assert whole.reported == Reported(1.27, 32_000, None)
    figure = spend_by_depth(whole, Unit.USD, "light")
    assert len(figure.data) == 0
    said = "$1.27, 32k tokens in all. The log records spend for the whole run only, so it can't be split by depth or role."
    assert figure.layout.annotations[0].text == said
    assert spend.notes(whole, Unit.USD) == (said,)


def test_a_depth_with_unknown_costs_says_so_above_its_bar(tmp_path: Path) -> None:
    whole = spent(tmp_path, (call("root", "proposer", 1.0), call("a", "evaluator"), call("b", "evaluator", 1.0)))
    texts = [note.text for note in spend_by_depth(whole, Unit.USD, "dark").layout.annotations]
    assert texts == ["50%", "1 of 2<br>not known<br>50%"]


def test_a_unit_that_no_call_recorded_is_a_sentence(tmp_path: Path) -> None:
    figure = spend_by_depth(spent(tmp_path, (call("a", "tool", 1.0),)), Unit.TOKENS, "light")
    assert figure.layout.annotations[0].text == "tokens by depth: not recorded"


@pytest.mark.skipif(not CASES.exists(), reason="the cases are not on this machine")
def test_an_unknown_cost_is_not_zero_and_a_free_call_is(tmp_path: Path) -> None:
    folder = CASES / "c13-unknown-cost-is-not-zero"
    ingest(tmp_path, [str(folder / "nodes.ndjson"), str(folder / "runs.ndjson")])
    whole = spend.of_run(Store(tmp_path), "r-cost")
    by_depth = [(p.depth, p.cost.value, p.calls - p.cost.recorded) for p in whole.by_depth]
    assert by_depth == [(0, 0.004, 0), (1, 0.008, 1), (2, 0.0, 1)]
    said = spend.notes(whole, Unit.USD)
    assert said[:2] == ("at least $0.0120: cost recorded on 3 of 5 calls, 2 of 5 have no cost", "2 of 5 nodes have no cost")


@pytest.mark.skipif(not CASES.exists(), reason="the cases are not on this machine")
def test_a_negative_cost_is_named_beside_the_sum_and_not_in_it(tmp_path: Path) -> None:
    ingest(tmp_path, [str(CASES / "c19-hierarchy-chart-not-blank" / "nodes.ndjson")])
    whole = spend.of_run(Store(tmp_path), "r-ice")
    assert spend.total(whole.by_depth, Unit.USD).value == 6.75
    said = spend.notes(whole, Unit.USD)
    assert "2 of 8 nodes have no cost" in said
    assert any(sentence.startswith("in no sum: ") and "cost is -1.0" in sentence for sentence in said)

"""Does the loop keep its promises, whatever the world, the policies and the caps?"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.replay import methods
from explorer.replay.allocation import BestFirst
from explorer.replay.caps import Caps
from explorer.replay.journal import Recording
from explorer.replay.loop import Asked, Result, Workers, search
from explorer.replay.node import Evaluated, Expanded, Proposal, SearchNode, Spend
from explorer.replay.policies import Majority, Policies, better_evidence
from ingest.errors import TraceError
from ingest.recorder import Recorder
from ingest.schema import Fate, Stage, StopReason
from tests.explorer.replay.setups import Setup, setups, state
from tests.explorer.replay.worlds import MOST, NOON, Clock, Drawn, World, noon

CAPS = {StopReason.MAX_NODES, StopReason.CALL_BUDGET, StopReason.TOKEN_BUDGET, StopReason.COST_BUDGET, StopReason.WALL_CLOCK, StopReason.MAX_DEPTH}
LIVING = (Fate.EXPANDED, Fate.TERMINAL)
some = settings(max_examples=150, deadline=None)


def counted(calls: Sequence[Any], name: str) -> list[float]:
    """What each call costs as a cap counts it: as recorded, else the most that was known."""
    spent = [getattr(Spend.of([call]), name) for call in calls]
    return [getattr(MOST, name) if one is None else one for one in spent]


@some
@given(setups)
def test_no_cap_is_ever_exceeded(setup: Setup) -> None:
    result, world, watch = setup.run()
    caps = setup.caps
    assert caps.max_nodes is None or len(result.tree.nodes) <= caps.max_nodes
    assert caps.max_calls is None or len(world.asked) <= caps.max_calls
    assert caps.max_depth is None or result.depth_reached <= caps.max_depth
    assert len(watch.calls) == len(world.asked) == result.spent.calls
    for name, cap in (("tokens", caps.max_tokens), ("cost", caps.max_cost)):
        if cap is not None and setup.world.known_costs:
            assert sum(counted(watch.calls, name)) <= cap


@some
@given(setups)
def test_a_call_of_unknown_cost_goes_over_a_cap_by_its_own_size_at_most(setup: Setup) -> None:
    _, _, watch = replace(setup, world=replace(setup.world, known_costs=False)).run()
    for name, cap in (("tokens", setup.caps.max_tokens), ("cost", setup.caps.max_cost)):
        if cap is not None and watch.calls:
            assert sum(getattr(Spend.of([call]), name) or 0 for call in watch.calls[:-1]) < cap


@some
@given(setups)
def test_nothing_is_asked_once_the_time_is_over(setup: Setup) -> None:
    moments: list[float] = []
    clock = Clock()

    @dataclass(frozen=True)
    class Timed(World):
        def call(self, role: str, node: SearchNode) -> Any:
            moments.append((clock.now - NOON).total_seconds())
            return super().call(role, node)

    world = Timed(setup.world.seed, setup.world.states, setup.world.gives, setup.world.known_costs, setup.world.faults, clock)
    result = search(world.proposal(0), Policies(world, world, **setup.policies), setup.caps, clock=clock)
    limit = setup.caps.wall_clock_s
    assert limit is None or all(moment < limit for moment in moments)
    assert result.stop_reason is not StopReason.WALL_CLOCK or (limit is not None and (clock.now - NOON).total_seconds() >= limit)


@some
@given(setups)
def test_no_terminal_node_is_expanded_and_no_node_twice(setup: Setup) -> None:
    _, world, _ = setup.run()
    expanded = [node for role, node in world.asked if role == "proposer"]
    assert not any(node.terminal for node in expanded)
    assert len(expanded) == len({node.node_id for node in expanded})
    assert sorted(node.expanded_seq for node in expanded if node.expanded_seq is not None) == list(range(len(expanded)))


@some
@given(setups)
def test_every_node_gets_one_fate_and_a_pruned_one_its_stage_rule_and_reason(setup: Setup) -> None:
    result, world, watch = setup.run()
    asked = {node.node_id for role, node in world.asked if role == "proposer"}
    assert watch.fates == Counter({node.node_id: 1 for node in result.tree.nodes})
    for node in result.tree.nodes:
        assert (node.fate is Fate.EXPANDED) == (node.node_id in asked)
        assert (node.fate is Fate.PRUNED) == (node.prune_rule is not None) == (node.pruned_by is not None)
        assert node.fate not in (Fate.PRUNED, Fate.UNSCORED) or node.prune_reason or node.error
        assert (node.pruned_by is Stage.DISTINCT) == (node.merged_into is not None)
        assert node.fate is not Fate.UNSCORED or node.score is None
    assert {node.node_id for node in result.tree.finished} == {node.node_id for node in result.tree.nodes if node.fate is Fate.TERMINAL}


@some
@given(setups)
def test_of_equal_states_one_lives_and_it_is_the_one_with_the_better_evidence(setup: Setup) -> None:
    result, _, _ = replace(setup, policies={**setup.policies, "state_key": state}, caps=Caps(max_depth=setup.caps.max_depth, max_nodes=60)).run()
    tree = result.tree
    living = [node.state for node in [*tree.frontier, *tree.too_deep, *(one for one in tree.nodes if one.fate in LIVING)]]
    assert len(living) == len(set(living))
    for node in tree.nodes:
        if (other := node.merged_into) is not None:
            assert other is not node and other.state == node.state
            assert other.fate in LIVING or not better_evidence(node, other)


@some
@given(setups)
def test_every_exit_has_a_name_and_the_name_is_true(setup: Setup) -> None:
    result, _, watch = setup.run()
    tree, caps, reason = result.tree, setup.caps, result.stop_reason
    assert result.complete == (reason not in CAPS)
    spent = {name: sum(counted(watch.calls, name)) if setup.world.known_costs else getattr(result.spent, name) or 0 for name in ("tokens", "cost")}
    size = {name: getattr(MOST, name) if setup.world.known_costs else 0 for name in ("tokens", "cost")}
    told: dict[StopReason, Callable[[], object]] = {
        StopReason.GOAL: lambda: any(node.verified for node in tree.finished),
        StopReason.POLICY_STOP: lambda: tree.finished,
        StopReason.FRONTIER_EXHAUSTED: lambda: not tree.frontier and not tree.too_deep,
        StopReason.MAX_DEPTH: lambda: not tree.frontier and tree.too_deep,
        StopReason.MAX_NODES: lambda: len(tree.nodes) == caps.max_nodes,
        StopReason.CALL_BUDGET: lambda: result.spent.calls == caps.max_calls,
        StopReason.TOKEN_BUDGET: lambda: caps.max_tokens is not None and spent["tokens"] + size["tokens"] >= caps.max_tokens,
        StopReason.COST_BUDGET: lambda: caps.max_cost is not None and spent["cost"] + size["cost"] >= caps.max_cost,
        StopReason.WALL_CLOCK: lambda: caps.wall_clock_s is not None,
    }
    if setup.world.known_costs or result.spent.tokens is not None:  # else the loop knows more about the spend than the total says
        assert told[reason]()
    assert watch.ends == 1


@some
@given(setups)
def test_an_id_is_the_parents_id_and_the_index_of_the_request(setup: Setup) -> None:
    result, _, _ = setup.run()
    assert result.tree.root.node_id == "0"
    born: Counter[str] = Counter()
    for node in result.tree.nodes[1:]:
        parent = node.parents[0]
        assert (node.node_id, node.depth) == (f"{parent.node_id}.{node.request_index}", parent.depth + 1)
        assert node.request_index == born[parent.node_id]
        born[parent.node_id] += 1
    assert [node.seq for node in result.tree.nodes] == list(range(len(result.tree.nodes)))


@some
@given(setups)
def test_the_answer_is_the_best_so_far_labelled_partial_unless_it_is_finished(setup: Setup) -> None:
    result, _, _ = setup.run()
    tree, selected = result.tree, result.selected
    assert selected in tree.nodes and selected.path[0] is tree.root
    assert result.partial == (not selected.terminal)
    assert selected.terminal or not tree.finished
    assert not any(node.verified for node in tree.finished) or selected.verified or isinstance(setup.policies["choose"], Majority)
    assert result.depth_reached == max(node.depth for node in tree.nodes)
    assert result.best_so_far[0]["node_id"] == "0"
    assert [one["calls"] for one in result.best_so_far] == sorted(one["calls"] for one in result.best_so_far)


@some
@given(setups)
def test_a_cap_in_the_middle_of_a_level_leaves_what_was_not_scored_unranked(setup: Setup) -> None:
    result, world, _ = setup.run()
    if result.stop_reason in CAPS - {StopReason.MAX_DEPTH}:
        judged = {node.node_id for role, node in world.asked if role == "evaluator"}
        last = [node for node in result.tree.nodes if node.turn == result.tree.turns and node.parents]
        for node in last:
            if node.node_id not in judged and world.wants(node) and node.prune_rule != "width":
                assert (node.fate, node.rank) == (Fate.UNSCORED, None)
                assert node.prune_reason == f"the cap {result.stop_reason} fired before it was scored"
            elif not node.terminal:
                assert node.rank is None


@dataclass(frozen=True, slots=True)
class Shuffled(Workers):
    """Carries out the calls of a batch in an order of its own."""

    seed: int = 0

    def run(self, asks: Sequence[Callable[[], Asked]]) -> list[Asked]:
        order = list(range(len(asks)))
        random.Random(self.seed).shuffle(order)
        found = {at: asks[at]() for at in order}
        return [found[at] for at in range(len(asks))]


def recorded(setup: Setup, workers: Workers, folder: str, name: str, sleeps: bool = False) -> tuple[list[Any], bytes]:
    """Every node in full, and the log."""
    world = replace(setup.world, asked=[], sleeps=sleeps)
    path = Path(folder) / name
    with Recorder(path, clock=noon) as recorder:
        journal = Recording(recorder.run("r"), lambda node: {"outcome": "unknown"}, noon)
        result = search(world.proposal(0), Policies(world, world, **setup.policies), setup.caps, journal, workers=workers, clock=noon)
    return [result.stop_reason, result.selected.node_id, result.spent, *map(told, result.tree.nodes)], path.read_bytes()


def told(node: SearchNode) -> tuple[Any, ...]:
    """Everything that the search knows about a node, as plain values."""
    parents, merged = [one.node_id for one in node.parents], node.merged_into.node_id if node.merged_into else None
    return (
        node.node_id, node.depth, node.seq, parents, node.decision_id, node.turn, node.rank, node.score, node.fate, node.pruned_by,
        node.prune_rule, node.prune_reason, merged, node.expanded_seq, node.error, node.path_spend, node.visits, node.value_sum,
    )  # fmt: skip


@some
@given(setups, st.integers(0, 99))
def test_the_order_in_which_answers_arrive_changes_neither_tree_nor_log(setup: Setup, seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        first = recorded(setup, Shuffled(3, seed), folder, "a")
        second = recorded(setup, Shuffled(3, seed + 1), folder, "b")
    assert first == second


@settings(max_examples=20, deadline=None)
@given(setups)
def test_threads_change_neither_tree_nor_log(setup: Setup) -> None:
    with tempfile.TemporaryDirectory() as folder:
        first = recorded(setup, Workers(3), folder, "a", sleeps=True)
        second = recorded(setup, Shuffled(3), folder, "b")
    assert first == second


@some
@given(setups)
def test_without_caps_on_time_tokens_and_nodes_the_tree_is_the_same_however_many_calls_are_out_at_once(setup: Setup) -> None:
    caps = Caps(max_depth=4, max_calls=setup.caps.max_calls)
    world = replace(setup.world, gives=min(setup.world.gives, 2))
    trees = [list(map(told, replace(setup, caps=caps, world=world, at_once=at_once).run()[0].tree.nodes)) for at_once in (1, 4)]
    assert trees[0] == trees[1]


WORLD = Drawn({"root": "a b", "a": "c", "b": "d"}, {"a": 0.9, "c": 0.4, "b": 0.6, "d": 0.9}, answers="c d!")


def run(world: Drawn, caps: Caps | None = None, **others: Any) -> Result:
    return search(Proposal(None, "root"), methods.beam(world, world, **{"beam_width": 2, **others}), caps)


def test_a_beam_of_two_by_hand() -> None:
    world = Drawn({"root": "a b c", "a": "d e", "c": "f"}, {"a": 0.5, "b": 0.2, "c": 0.7, "d": 0.1, "e": 0.9, "f": 0.8}, answers="d e! f")
    result = run(world)
    assert world.asked == ["root", "c", "a"]
    assert [(node.state, str(node.fate), node.rank, node.decision_id) for node in result.tree.nodes] == [
        ("root", "expanded", None, None), ("a", "expanded", 1, "depth 1"), ("b", "pruned", 2, "depth 1"), ("c", "expanded", 0, "depth 1"),
        ("f", "terminal", 1, "depth 2"), ("d", "pruned", 2, "depth 2"), ("e", "terminal", 0, "depth 2"),
    ]  # fmt: skip
    assert result.tree.nodes[2].prune_reason == "score 0.2 is rank 3 of 3; 2 are kept, down to 0.5"
    assert (result.selected.state, result.stop_reason, result.complete, result.partial) == ("e", StopReason.GOAL, True, False)
    assert result.spent == Spend(9, None, None)
    assert [node.path_spend.calls for node in result.tree.nodes] == [0, 2, 2, 2, 4, 4, 4]


def test_a_budget_that_ends_between_two_candidates_of_a_level_ranks_none_of_them_and_answers_with_what_it_had() -> None:
    result = run(WORLD, Caps(max_calls=2))
    assert (result.stop_reason, result.complete, result.partial, result.depth_reached) == (StopReason.CALL_BUDGET, False, True, 1)
    assert result.selected.state == "root"
    assert [(node.state, str(node.fate), node.rank) for node in result.tree.nodes] == [
        ("root", "expanded", None), ("a", "open", None), ("b", "unscored", None),
    ]  # fmt: skip
    assert result.tree.nodes[2].prune_reason == "the cap call_budget fired before it was scored"


def test_an_answer_that_was_scored_before_the_cap_fired_is_one_all_the_same() -> None:
    result = run(WORLD, Caps(max_calls=6))
    assert (result.selected.state, result.partial, result.complete, result.stop_reason) == ("c", False, False, StopReason.CALL_BUDGET)


def test_so_is_one_that_nobody_wanted_to_score() -> None:
    class Trusting(Drawn):
        def wants(self, node: SearchNode) -> bool:
            return not node.terminal

    world = Trusting({"root": "a b c"}, answers="b")
    result = run(world, Caps(max_calls=2))
    assert [(node.state, str(node.fate)) for node in result.tree.nodes[1:]] == [("a", "open"), ("b", "terminal"), ("c", "unscored")]
    assert (result.selected.state, result.partial, result.complete) == ("b", False, False)


def test_but_not_if_it_breaks_a_constraint() -> None:
    class Breaking(Drawn):
        def evaluate(self, node: SearchNode) -> Evaluated:
            return replace(super().evaluate(node), violations=int(node.state == "c"))

    result = run(Breaking(WORLD.children, WORLD.scores, WORLD.answers), Caps(max_calls=6))
    assert (result.selected.state, result.partial) == ("a", True)
    assert [node.prune_rule for node in result.tree.nodes if node.state == "c"] == ["constraint"]


@pytest.mark.parametrize(
    ("caps", "reason"),
    [
        (Caps(max_nodes=1), StopReason.MAX_NODES),
        (Caps(max_calls=0), StopReason.CALL_BUDGET),
        (Caps(max_tokens=0, max_calls=0), StopReason.CALL_BUDGET),
        (Caps(wall_clock_s=0), StopReason.WALL_CLOCK),
        (Caps(max_depth=0), StopReason.MAX_DEPTH),
    ],
)
def test_caps_that_allow_nothing_still_answer_with_the_root(caps: Caps, reason: StopReason) -> None:
    result = run(WORLD, caps)
    assert (result.selected.node_id, result.partial, result.complete, result.stop_reason, result.depth_reached) == ("0", True, False, reason, 0)
    assert [node.fate for node in result.tree.nodes] == [Fate.OPEN]


def test_a_root_that_is_an_answer_is_the_answer() -> None:
    world = Drawn({})
    result = search(Proposal(None, "root", terminal=True), methods.best_first(world, world))
    assert (result.selected.node_id, result.partial, result.complete, result.stop_reason) == ("0", False, True, StopReason.FRONTIER_EXHAUSTED)
    assert world.asked == [] and result.tree.nodes[0].fate is Fate.TERMINAL


def test_an_expansion_that_gives_nothing_ends_with_the_root_as_a_partial_answer() -> None:
    result = run(Drawn({}))
    assert (result.selected.node_id, result.partial, result.stop_reason) == ("0", True, StopReason.FRONTIER_EXHAUSTED)


def test_an_evaluator_that_always_fails_leaves_every_candidate_unscored_with_its_error() -> None:
    class Failing(Drawn):
        def evaluate(self, node: SearchNode) -> Evaluated:
            return Evaluated(None, [{"role": "evaluator", "error": "no answer"}], error="no answer within 3 s")

    result = run(Failing(WORLD.children))
    assert (result.selected.node_id, result.partial, result.stop_reason) == ("0", True, StopReason.FRONTIER_EXHAUSTED)
    assert [(node.fate, node.error) for node in result.tree.nodes[1:]] == [(Fate.UNSCORED, "no answer within 3 s")] * 2


@pytest.mark.parametrize("score", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("method", [methods.best_first, methods.mcts])
def test_a_score_that_is_no_number_is_none_and_counts_for_nobody(score: float, method: Callable[..., Policies]) -> None:
    world = Drawn({"root": "a b"}, {"a": score, "b": 0.25})
    result = search(Proposal(None, "root"), method(world, world))
    root, useless, good = result.tree.nodes
    assert (useless.fate, useless.score, useless.error) == (Fate.UNSCORED, None, f"the evaluator gave no usable score: {score}")
    assert (good.fate, root.value_sum) == (Fate.EXPANDED, 0.25 if method is methods.mcts else 0.0)


def test_more_proposals_than_were_asked_for_are_kept_on_record_as_pruned() -> None:
    result = run(Drawn({"root": "a b c"}), Caps(max_depth=1), width=2)
    assert [(node.state, str(node.fate), node.prune_rule, node.prune_reason) for node in result.tree.nodes[2:]] == [
        ("b", "open", None, None), ("c", "pruned", "width", "proposal 3 of 3; 2 were asked for"),
    ]  # fmt: skip


def test_an_expansion_that_a_record_does_not_hold_lies_beyond_the_horizon_and_stays_open() -> None:
    class Recorded(Drawn):
        def expand(self, node: SearchNode, width: int) -> Expanded:
            return replace(super().expand(node, width), known=node.state == "root")

    result = run(Recorded({"root": "a b"}))
    assert [(node.state, node.fate) for node in result.tree.beyond] == [("a", Fate.OPEN), ("b", Fate.OPEN)]


def test_a_policy_that_asks_for_no_children_is_refused_by_the_node() -> None:
    class Nothing(BestFirst):
        def width_for(self, node: SearchNode) -> int:
            return 0

    with pytest.raises(TraceError, match="the width for node 0 is 0, expected 1 or more"):
        search(Proposal(None, "root"), replace(methods.best_first(WORLD, WORLD), allocation=Nothing(1)))


def test_less_than_one_call_at_once_is_refused() -> None:
    with pytest.raises(TraceError, match="the number of calls at once is 0, expected 1 or more"):
        Workers(0)

"""On whom is the next unit spent? Each allocation policy followed by hand through a small world."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from explorer.replay import methods
from explorer.replay.allocation import BestFirst, Chains, DepthFirst, LevelByLevel, Uct, Unresolved
from explorer.replay.caps import Caps
from explorer.replay.endings import Exhaustion
from explorer.replay.loop import Result, search
from explorer.replay.node import Proposal, Tree
from explorer.replay.policies import ByChance, Policies
from explorer.replay.pruning import KeepAll
from ingest.errors import TraceError
from tests.explorer.replay.worlds import Drawn, judged

CHILDREN = {"root": "a b c", "a": "d e", "b": "f", "c": "g"}
SCORES = {"a": 0.9, "b": 0.8, "c": 0.5, "d": 0.6, "e": 0.1, "f": 0.7, "g": 0.2}


def order_of(method: Callable[..., Policies], world: Drawn, **others: object) -> list[str]:
    """States in the order in which they were expanded."""
    search(Proposal(None, "root"), method(world, world, **others))
    return world.asked


def test_breadth_first_expands_level_after_level_the_best_first() -> None:
    assert order_of(methods.breadth_first, Drawn(CHILDREN, SCORES)) == ["root", "a", "b", "c", "f", "d", "g", "e"]


def test_best_first_expands_the_best_of_all_that_wait() -> None:
    assert order_of(methods.best_first, Drawn(CHILDREN, SCORES)) == ["root", "a", "b", "f", "d", "c", "g", "e"]


def test_depth_first_goes_down_the_best_child_and_back_to_the_next_where_a_branch_ends() -> None:
    assert order_of(methods.depth_first, Drawn(CHILDREN, SCORES)) == ["root", "a", "d", "e", "b", "f", "c", "g"]


def test_depth_first_does_not_go_back_to_a_child_under_the_threshold() -> None:
    assert order_of(methods.depth_first, Drawn(CHILDREN, SCORES), threshold=0.5) == ["root", "a", "d", "b", "f", "c"]


def test_best_first_takes_equal_ones_in_the_order_that_the_tie_break_gave_them() -> None:
    children = {"root": "a b c d"}
    assert order_of(methods.best_first, Drawn(children)) == ["root", "a", "b", "c", "d"]
    drawn = order_of(methods.best_first, Drawn(children), order=ByChance(3))
    assert drawn[1:] != ["a", "b", "c", "d"] and sorted(drawn[1:]) == ["a", "b", "c", "d"]


def test_uct_by_hand_goes_down_by_mean_value_and_exploration_bonus() -> None:
    # Turn 1 makes a (0.9) and b (0.5): root 2 visits, sum 1.4. Bounds: a 0.9 + c, b 0.5 + c with the same bonus c, so a.
    # Turn 2 makes d (0.1) and e (0.0) below a: root 4 visits, a 3 visits with sum 1.0, b 1 visit.
    #   a: 1.0/3 + sqrt(2) * sqrt(ln 4 / 3) = 0.333 + 0.961 = 1.295;  b: 0.5 + sqrt(2) * sqrt(ln 4 / 1) = 0.5 + 1.665 = 2.165, so b.
    # Turn 3 makes f (0.9) below b: root 5 visits, b 2 visits with sum 1.4, a 3 visits with sum 1.0.
    #   a: 0.333 + sqrt(2) * sqrt(ln 5 / 3) = 1.369;  b: 0.7 + sqrt(2) * sqrt(ln 5 / 2) = 1.969, so b, and f below it.
    world = Drawn({"root": "a b", "a": "d e", "b": "f"}, {"a": 0.9, "b": 0.5, "d": 0.1, "e": 0.0, "f": 0.9})
    result = search(Proposal(None, "root"), methods.mcts(world, world), Caps(max_nodes=7, max_calls=9))
    assert world.asked == ["root", "a", "b", "f"]
    root, a, b = result.tree.nodes[:3]
    assert (root.visits, a.visits, b.visits) == (5, 3, 2)
    assert [round(node.value_sum, 9) for node in (root, a, b)] == [2.4, 1.0, 1.4]


def test_uct_stays_with_a_lead_that_outweighs_the_bonus_and_takes_equal_bounds_in_order_of_creation() -> None:
    # After a (0.9) and b (0.1), and d and e (0.9 each) below a:
    #   a: 2.7/3 + sqrt(2) * sqrt(ln 4 / 3) = 0.9 + 0.961 = 1.861;  b: 0.1 + 1.665 = 1.765, so a, and of its equal children d.
    world = Drawn({"root": "a b", "a": "d e"}, {"a": 0.9, "b": 0.1, "d": 0.9, "e": 0.9})
    assert order_of(methods.mcts, world)[:3] == ["root", "a", "d"]


def test_uct_without_exploration_is_greedy_by_mean_value() -> None:
    world = Drawn({"root": "a b", "a": "d", "d": "x"}, {"a": 0.9, "b": 0.5, "d": 0.8, "x": 0.1})
    assert order_of(methods.mcts, world, exploration=0) == ["root", "a", "d", "x", "b"]


def test_uct_visits_before_its_siblings_what_was_never_visited() -> None:
    class Unasked(Drawn):
        def wants(self, node: object) -> bool:
            return getattr(node, "state", None) != "b"

    assert order_of(methods.mcts, Unasked({"root": "a b"}, {"a": 0.9}))[:2] == ["root", "b"]


def test_chains_branch_at_the_root_alone_and_do_not_compete() -> None:
    world = Drawn({"root": "a b c", "a": "d e", "b": "f g"}, {"d": 0.2, "f": 0.6}, answers="d f")
    result = search(Proposal(None, "root"), methods.best_of(world, world, count=2))
    rules = {node.state: node.prune_rule for node in result.tree.nodes}
    assert rules == {"root": None, "a": None, "b": None, "c": "width", "d": None, "e": "width", "f": None, "g": "width"}
    assert (result.selected.state, world.asked) == ("f", ["root", "a", "b"])


def unresolved(floor: int = 1) -> Result:
    world = Drawn({"root": "a b", "a": "d e f", "b": "g h i"}, {}, unsure={"a": 0.9, "b": 0.2})
    allocation = Unresolved(LevelByLevel(2), extra=1, threshold=0.5, floor=floor)
    return search(Proposal(None, "root"), Policies(world, world, allocation, KeepAll(), Exhaustion()), Caps(max_depth=2))


def test_an_unsure_decision_gets_more_children_and_a_settled_one_no_fewer_than_the_floor() -> None:
    asked_too_much = {floor: [node.state for node in unresolved(floor).tree.nodes if node.prune_rule == "width"] for floor in (1, 3)}
    assert asked_too_much == {1: ["i"], 3: []}


def test_an_empty_frontier_gives_nobody_a_turn() -> None:
    for allocation in (LevelByLevel(1), BestFirst(1), DepthFirst(1), Uct(1), Chains(1), Unresolved(BestFirst(1), 1, 0.5)):
        assert list(allocation.turn(Tree(nodes=[judged("0", None)]))) == []


@pytest.mark.parametrize("make", [LevelByLevel, BestFirst, DepthFirst, Uct])
@pytest.mark.parametrize("width", [0, -1])
def test_an_expansion_of_no_width_is_refused(make: Callable[[int], object], width: int) -> None:
    with pytest.raises(TraceError, match=f"the width of an expansion is {width}, expected 1 or more"):
        make(width)


def test_no_chains_less_than_no_extra_width_and_no_floor_are_refused() -> None:
    with pytest.raises(TraceError, match="the number of chains is 0, expected 1 or more"):
        Chains(0)
    with pytest.raises(TraceError, match=r"extra width -1 over an uncertainty of .*: a width from 0 up and a number are needed"):
        Unresolved(BestFirst(1), -1, 0.5)
    with pytest.raises(TraceError, match="the floor of exploration is 0, expected 1 or more"):
        Unresolved(BestFirst(1), 1, 0.5, 0)
    with pytest.raises(TraceError, match="extra width 1 over an uncertainty of nan: a width from 0 up and a number are needed"):
        Unresolved(BestFirst(1), 1, math.nan)


@pytest.mark.parametrize("exploration", [-1.0, math.nan, math.inf])
def test_a_weight_of_exploration_that_is_no_number_from_0_up_is_refused(exploration: float) -> None:
    with pytest.raises(TraceError, match=f"the weight of exploration is {exploration}, expected a number from 0 up"):
        Uct(1, exploration)

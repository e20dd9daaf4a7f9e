"""Is what a search knows about its states kept right: what calls cost, what is better, and what waits in which order?"""

from __future__ import annotations

import math
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.replay.node import Frontier, SearchNode, Spend, rank_key
from explorer.replay.policies import by_order
from tests.explorer.replay.worlds import judged


def test_no_call_costs_nothing() -> None:
    assert Spend.of([]) == Spend(0, 0, 0.0)


def test_a_figure_that_one_call_did_not_record_is_not_known_in_the_sum() -> None:
    paid = {"input_tokens": 3, "output_tokens": 4, "cost": 0.5}
    assert Spend.of([paid, {"input_tokens": 2, "cost": 0.25}]) == Spend(2, 9, 0.75)
    assert Spend.of([paid, {"input_tokens": 2}]) == Spend(2, 9, None)
    assert Spend.of([paid, {}]) == Spend(2, None, None)


def test_a_broken_constraint_is_behind_every_score_and_no_score_behind_every_number() -> None:
    best, worst, none, blocked = judged("a", 0.9), judged("b", -5.0), judged("c", None), judged("d", 1.0, violations=1)
    assert [rank_key(node) for node in (best, worst, none, blocked)] == [(True, 0.9), (True, -5.0), (True, -math.inf), (False, 1.0)]
    for order in permutations([best, worst, none, blocked]):
        assert sorted(order, key=rank_key, reverse=True) == [best, worst, none, blocked]


def test_an_empty_frontier_has_no_best_and_no_latest() -> None:
    frontier = Frontier()
    assert (frontier.best(), frontier.latest(), len(frontier), list(frontier)) == (None, None, 0, [])


def kept(frontier: Frontier, name: str, score: float | None, turn: int) -> SearchNode:
    node = judged(name, score)
    node.turn = turn
    frontier.add(node)
    return node


def test_the_best_is_the_highest_score_and_of_equals_the_one_kept_first() -> None:
    frontier = Frontier()
    a, b, c = (kept(frontier, name, score, turn) for name, score, turn in (("a", 0.5, 1), ("b", 0.5, 2), ("c", None, 3)))
    found = []
    while (best := frontier.best()) is not None:
        found.append(best)
        frontier.discard(best)
    assert found == [a, b, c]


def test_the_latest_is_the_first_of_the_latest_turn_and_then_what_earlier_turns_left() -> None:
    frontier = Frontier()
    a, b = kept(frontier, "a", 0.9, 1), kept(frontier, "b", 0.5, 1)
    frontier.discard(a)
    c, d = kept(frontier, "c", 0.1, 2), kept(frontier, "d", 0.1, 2)
    found = []
    while (latest := frontier.latest()) is not None:
        found.append(latest)
        frontier.discard(latest)
    assert found == [c, d, b]


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from([None, 0.25, 0.5]), st.booleans()), max_size=30))
def test_the_frontier_finds_what_a_look_at_all_its_nodes_finds(steps: list[tuple[float | None, bool]]) -> None:
    frontier, plain = Frontier(), list[SearchNode]()
    for number, (score, takes) in enumerate(steps):
        node = judged(str(number), score, seq=number)
        node.turn = number // 3
        frontier.add(node)
        plain.append(node)
        if takes:
            frontier.discard(plain.pop(number * 7 % len(plain)))
        latest = [one for one in plain if one.turn == max(other.turn for other in plain)]
        assert list(frontier) == plain and len(frontier) == len(plain)
        assert frontier.best() is next(iter(by_order(plain)), None)
        assert frontier.latest() is next(iter(latest), None)


def test_a_node_that_left_the_frontier_is_not_in_it_and_may_be_taken_out_again() -> None:
    frontier = Frontier()
    node = kept(frontier, "a", 0.5, 0)
    assert node in frontier
    frontier.discard(node)
    frontier.discard(node)
    assert node not in frontier and not frontier


def test_the_path_runs_from_the_root_by_primary_parents() -> None:
    root = judged("0", None)
    child = judged("0.0", 0.5, root)
    leaf = judged("0.0.0", 0.5, child)
    leaf.parents.append(root)
    assert leaf.path == [root, child, leaf] and root.path == [root]


@pytest.mark.parametrize("field", ["score", "verified"])
def test_what_nobody_was_asked_is_not_known(field: str) -> None:
    node = judged("a", 0.5)
    node.evaluated = None
    assert getattr(node, field) is None

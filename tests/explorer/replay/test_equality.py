"""Which of two equal states goes on? Cases by hand; the loop's properties say it for all."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pytest

from explorer.replay import methods
from explorer.replay.caps import Caps
from explorer.replay.loop import search
from explorer.replay.node import Expanded, Proposal, SearchNode
from tests.explorer.replay.worlds import Drawn


def first_letter(node: SearchNode) -> Hashable:
    return str(node.state)[0]


def merged(world: Drawn, **others: Any) -> dict[str, tuple[str | None, str | None]]:
    """Of each state that was dropped: into which it was merged, and the reason."""
    result = search(Proposal(None, "root"), methods.beam(world, world, beam_width=9, state_key=first_letter, **others), Caps(max_depth=3))
    return {n.state: (n.merged_into.state, n.prune_reason) for n in result.tree.nodes if n.merged_into is not None}


def test_a_later_equal_state_with_better_evidence_takes_the_place_of_the_first() -> None:
    world = Drawn({"root": "a1 a2 b"}, {"a1": 0.4, "a2": 0.6})
    assert merged(world) == {"a1": ("a2", "the same state was reached with better evidence, as 0.1")}
    assert world.asked == ["root", "a2", "b"]


def test_an_equal_state_with_no_better_evidence_is_dropped() -> None:
    assert merged(Drawn({"root": "a1 a2"})) == {"a2": ("a1", "the same state came before, with evidence as good, as 0.0")}


def test_a_state_that_was_expanded_stays_whatever_comes_later() -> None:
    world = Drawn({"root": "a1 b", "b": "a2"}, {"a1": 0.4, "a2": 0.9})
    assert merged(world) == {"a2": ("a1", "the same state was expanded before, as 0.0")}


def test_an_answer_that_was_finished_stays_whatever_comes_later() -> None:
    world = Drawn({"root": "b a1", "b": "a2"}, {"a1": 0.4, "a2": 0.9}, answers="a1 a2")
    assert merged(world) == {"a2": ("a1", "the same state was finished before, as 0.1")}


def test_a_better_twin_takes_the_place_of_one_that_waits_in_the_frontier() -> None:
    world = Drawn({"root": "b a1", "b": "a2"}, {"b": 0.9, "a1": 0.1, "a2": 0.8})
    result = search(Proposal(None, "root"), methods.best_first(world, world, state_key=first_letter))
    assert [n.state for n in result.tree.nodes if n.merged_into] == ["a1"]
    assert world.asked == ["root", "b", "a2"]


def test_a_better_twin_takes_the_place_of_one_that_lies_at_the_depth_cap() -> None:
    world = Drawn({"root": "b c", "b": "a1", "c": "a2"}, {"b": 0.9, "a1": 0.1, "a2": 0.8})
    result = search(Proposal(None, "root"), methods.best_first(world, world, state_key=first_letter), Caps(max_depth=2))
    assert [n.state for n in result.tree.too_deep] == ["a2"]


def test_a_better_twin_takes_the_place_of_one_that_was_pruned_and_that_one_keeps_its_rule() -> None:
    world = Drawn({"root": "b a1", "b": "a2"}, {"b": 0.9, "a1": 0.1, "a2": 0.8})
    result = search(Proposal(None, "root"), methods.beam(world, world, beam_width=1, state_key=first_letter))
    assert [(n.state, n.prune_rule) for n in result.tree.nodes if n.prune_rule] == [("a1", "beam_width")]
    assert world.asked == ["root", "b", "a2"]


@pytest.mark.parametrize(("joins", "expected"), [(True, [["root"], ["root", "b"]]), (False, [["root"], ["root"]])])
def test_the_parents_of_a_dropped_state_are_joined_to_the_one_that_stands_for_it(joins: bool, expected: list[list[str]]) -> None:
    world = Drawn({"root": "b a1", "b": "a2"}, {"b": 0.9})
    result = search(Proposal(None, "root"), methods.best_first(world, world, state_key=first_letter, joins=joins))
    assert [[parent.state for parent in n.parents] for n in result.tree.nodes if n.state in ("b", "a1")] == expected


def test_a_state_equal_to_its_own_ancestor_is_merged_without_a_circle() -> None:
    world = Drawn({"root": "a1", "a1": "b", "b": "a2 r"})
    result = search(Proposal(None, "root"), methods.best_first(world, world, state_key=first_letter, joins=True))
    assert {n.state: n.merged_into.state for n in result.tree.nodes if n.merged_into} == {"a2": "a1", "r": "root"}
    assert [[parent.state for parent in n.parents] for n in result.tree.nodes] == [[], ["root"], ["a1"], ["b"], ["b"]]


def test_no_joins_of_any_world_close_a_circle() -> None:
    class Graph(Drawn):
        def expand(self, node: SearchNode, width: int) -> Expanded:
            return Expanded([Proposal(None, str(int(node.state) * factor % 7 + 1)) for factor in (2, 3)])

    world = Graph({})
    result = search(Proposal(None, "1"), methods.best_first(world, world, state_key=first_letter, joins=True))
    place: dict[str, int] = {}

    def depth(node: SearchNode, below: frozenset[str]) -> int:
        assert node.node_id not in below
        if node.node_id not in place:
            place[node.node_id] = 1 + max((depth(parent, below | {node.node_id}) for parent in node.parents), default=0)
        return place[node.node_id]

    assert max(depth(node, frozenset()) for node in result.tree.nodes) >= 3
    assert any(len(node.parents) > 1 for node in result.tree.nodes)


def test_without_a_key_no_two_states_are_equal() -> None:
    world = Drawn({"root": "a a"})
    result = search(Proposal(None, "root"), methods.best_first(world, world))
    assert [n.merged_into for n in result.tree.nodes] == [None] * 3

"""How do settings become policies? The objects that a recorded policy names, over the nodes of its record."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

from explorer.replay.allocation import BestFirst, Chains, DepthFirst, LevelByLevel, Uct, Unresolved
from explorer.replay.endings import Exhaustion, Goal, Settled
from explorer.replay.methods import ALL
from explorer.replay.node import SearchNode, Tree
from explorer.replay.policies import (
    Allocation,
    ByChance,
    Choice,
    Evaluation,
    Expansion,
    Majority,
    Ordering,
    Policies,
    Pruning,
    StateKey,
    Termination,
    best,
    by_order,
    diverse,
    verified_only,
)  # fmt: skip
from explorer.replay.pruning import BeamWidth, Constraints, InOrder, KeepAll, PerParent, Threshold
from explorer.replay.record import Record
from explorer.replay.recorded import place_of
from explorer.replay.settings import Settings


def policies(record: Record, settings: Settings, expansion: Expansion, evaluation: Evaluation) -> Policies:
    """One way to search this record."""
    return Policies(
        expansion, evaluation, allocation(settings), pruning(settings), termination(settings), _state_key(record, settings),
        joins=settings.joins, order=order(settings), choose=_choice(record, settings),
    )  # fmt: skip


def allocation(settings: Settings) -> Allocation:
    """On whom the next unit is spent, and how much."""
    width = settings.width or ALL
    base: Allocation
    match settings.search:
        case "best_first":
            base = BestFirst(width)
        case "depth_first":
            base = DepthFirst(width)
        case "mcts":
            base = Uct(width) if settings.exploration is None else Uct(width, settings.exploration)
        case "best_of":
            base = Chains(settings.count or 1)
        case _:
            base = LevelByLevel(width)
    if settings.extra_width is None:
        return base
    return Unresolved(base, settings.extra_width, settings.uncertainty_threshold or 0.0, settings.width_floor or 1)


def pruning(settings: Settings) -> Pruning:
    """The rules by which nodes are cut, in their order."""
    return InOrder(tuple(_rules(settings))) if settings.pruning else KeepAll()


def _rules(settings: Settings) -> Iterator[Pruning]:
    for rule in settings.pruning:
        if rule == "constraint":
            yield Constraints()
        elif rule == "threshold" and settings.threshold is not None:
            yield Threshold(settings.threshold)
        elif rule == "per_parent" and settings.per_parent is not None:
            yield PerParent(settings.per_parent)
        elif rule == "beam_width" and settings.beam_width is not None:
            yield BeamWidth(settings.beam_width)


def termination(settings: Settings) -> Termination:
    """What ends the search beside its caps and its frontier."""
    if settings.termination == "settled":
        return Settled(settings.settled_margin or 0.0, settings.settled_turns or 1)
    return Goal() if settings.termination == "goal" else Exhaustion()


def order(settings: Settings) -> Ordering:
    """Which of two equal scores comes first."""
    if settings.tie_break.startswith("random:"):
        return ByChance(int(settings.tie_break.removeprefix("random:")))
    return diverse if settings.tie_break == "diverse" else by_order


def _state_key(record: Record, settings: Settings) -> StateKey | None:
    """The recorded key of a node; one without a key is equal to no other."""
    if settings.dedup == "off":
        return None
    nodes = record.search.nodes
    named: Mapping[int, str] | None = None if settings.dedup in ("on", "state_key") else record.keys.get(settings.dedup, {})

    def key(node: SearchNode) -> Hashable:
        i = place_of(record, node)
        found = None if i is None else nodes[i].state_key if named is None else named.get(i)
        return (node.node_id,) if found is None else found

    return key


def _choice(record: Record, settings: Settings) -> Choice:
    if settings.select == "majority":
        nodes = record.search.nodes
        return Majority(lambda node: nodes[node.state].state_key or nodes[node.state].step)
    if settings.select == "best":
        return best
    if settings == record.settings:
        return verified_only

    def passed(tree: Tree, order: Ordering) -> SearchNode | None:
        return next(iter(order(node for node in tree.finished if record.right(node.state))), None)

    return passed

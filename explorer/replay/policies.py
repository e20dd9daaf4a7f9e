"""What can be swapped in a search? Five policies, the equality of states, how equal scores are ordered, and the final choice.

Each policy is a small object; any object with these methods serves. ``methods.py`` puts them together into the searches
that have names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple, Protocol, TypeAlias

from explorer.replay.node import Evaluated, Expanded, SearchNode, Spend, Tree, rank_key
from ingest.errors import TraceError
from ingest.schema import StopReason

StateKey: TypeAlias = Callable[[SearchNode], Hashable]
Preference: TypeAlias = Callable[[SearchNode, SearchNode], bool]
Ordering: TypeAlias = Callable[[Iterable[SearchNode]], list[SearchNode]]
Choice: TypeAlias = Callable[[Tree, Ordering], SearchNode | None]
_SEQ = attrgetter("seq")


class Cut(NamedTuple):
    """One node that pruning removes, always with a rule and a reason."""

    node: SearchNode
    rule: str
    reason: str


class Expansion(Protocol):
    """Asks for children."""

    def most(self, node: SearchNode, width: int) -> Spend:
        """What asking may cost at most; ``UNKNOWN_CALL`` where nobody knows. The search holds it to the caps."""
        ...

    def expand(self, node: SearchNode, width: int) -> Expanded:
        """At most ``width`` children. An environment is resumed from the node's own checkpoint, in isolation. May run in a thread."""
        ...


class Evaluation(Protocol):
    """Judges unfinished states, and checks finished ones."""

    def wants(self, node: SearchNode) -> bool:
        """Whether this node is judged at all; one that is not has no score and is no failure."""
        ...

    def most(self, node: SearchNode) -> Spend:
        """What judging may cost at most."""
        ...

    def evaluate(self, node: SearchNode) -> Evaluated:
        """The node's evaluation; a call that failed is an ``error`` and no score. May run in a thread."""
        ...


class Allocation(Protocol):
    """Decides on whom the next unit is spent, and how much."""

    def turn(self, tree: Tree) -> Sequence[SearchNode]:
        """Nodes of the frontier to expand now; their children are ranked together. Empty: the frontier is exhausted."""
        ...

    def width_for(self, node: SearchNode) -> int:
        """How many children to ask for."""
        ...

    def decision(self, turn: Sequence[SearchNode]) -> str:
        """Names the set of candidates that the children of this turn compete in."""
        ...

    def learn(self, children: Sequence[SearchNode]) -> None:
        """The children of a finished turn, judged."""
        ...


class Pruning(Protocol):
    """Decides what is not continued."""

    def keep(self, ranked: Sequence[SearchNode], frontier: Collection[SearchNode]) -> Sequence[Cut]:
        """What is cut: of the candidates of this turn, best first, and of what waits in the frontier."""
        ...


class Termination(Protocol):
    """Decides when the search is settled."""

    def should_stop(self, tree: Tree) -> StopReason | None:
        """Asked after each turn; None goes on."""
        ...


def by_order(nodes: Iterable[SearchNode]) -> list[SearchNode]:
    """Best first; equal scores in order of creation."""
    return sorted(sorted(nodes, key=_SEQ), key=rank_key, reverse=True)


@dataclass(frozen=True, slots=True)
class ByChance:
    """Best first; equal scores in an order that depends on nothing but the seed and the node ids."""

    seed: int

    def __call__(self, nodes: Iterable[SearchNode]) -> list[SearchNode]:
        return sorted(sorted(nodes, key=self._draw), key=rank_key, reverse=True)

    def _draw(self, node: SearchNode) -> bytes:
        return hashlib.sha256(f"{self.seed}\n{node.node_id}".encode()).digest()


def diverse(nodes: Iterable[SearchNode]) -> list[SearchNode]:
    """Best first; among equal scores those whose parent has had the fewest places so far, then order of creation."""
    taken: dict[str | None, int] = {}
    placed: list[SearchNode] = []
    waiting = by_order(nodes)
    start = 0
    while start < len(waiting):
        end = start
        while end < len(waiting) and rank_key(waiting[end]) == rank_key(waiting[start]):
            end += 1
        placed += _in_turns(waiting[start:end], taken)
        start = end
    return placed


def better_evidence(new: SearchNode, old: SearchNode) -> bool:
    """Of two equal states the one with the better score, then the one that was cheaper to reach; else the first one."""
    if rank_key(new) != rank_key(old):
        return rank_key(new) > rank_key(old)
    ours, theirs = new.path_spend, old.path_spend
    if ours.cost is not None and theirs.cost is not None and ours.cost != theirs.cost:
        return ours.cost < theirs.cost
    return ours.calls < theirs.calls


def best(tree: Tree, order: Ordering) -> SearchNode | None:
    """The best finished node: one that passed its check before all others, then by score. None where none is finished."""
    passed = [node for node in tree.finished if node.verified]
    return next(iter(order(passed or tree.finished)), None)


def verified_only(tree: Tree, order: Ordering) -> SearchNode | None:
    """The best finished node that passed its check; None where none did."""
    return next(iter(order(node for node in tree.finished if node.verified)), None)


@dataclass(frozen=True, slots=True)
class Majority:
    """The answer that most finished nodes give, and of these the best scored node; equal counts by the better node."""

    answer_of: Callable[[SearchNode], Hashable]

    def __call__(self, tree: Tree, order: Ordering) -> SearchNode | None:
        ranked = order(tree.finished)
        votes: dict[Hashable, int] = {}
        for node in ranked:
            votes[self.answer_of(node)] = votes.get(self.answer_of(node), 0) + 1
        return max(ranked, key=lambda node: votes[self.answer_of(node)], default=None)


@dataclass(frozen=True, slots=True)
class Policies:
    """One way to search."""

    expansion: Expansion
    evaluation: Evaluation
    allocation: Allocation
    pruning: Pruning
    termination: Termination
    state_key: StateKey | None = None
    """Equal keys are equal states; it must hold every difference that can matter to the future. None: no two states are equal."""
    prefer_equivalent: Preference = better_evidence
    """Whether the new one of two equal states stands for both."""
    joins: bool = False
    """Record the parents of a dropped equal state as further parents of the node that stands for it."""
    order: Ordering = by_order
    choose: Choice = best


def at_least_one(what: str, count: int) -> None:
    """Raises TraceError where a policy is asked for with nothing to do."""
    if count < 1:
        raise TraceError(f"{what} is {count}, expected 1 or more")


def _in_turns(tied: list[SearchNode], taken: dict[str | None, int]) -> list[SearchNode]:
    """Equal candidates, the next one always of a parent that was served least."""
    queues: dict[str | None, list[SearchNode]] = {}
    for node in reversed(tied):
        queues.setdefault(node.parent.node_id if node.parent else None, []).append(node)
    placed = []
    while queues:
        parent = min(queues, key=lambda name: (taken.get(name, 0), queues[name][-1].seq))
        placed.append(queues[parent].pop())
        taken[parent] = taken.get(parent, 0) + 1
        if not queues[parent]:
            del queues[parent]
    return placed

"""What is believed about each node, once the stronger source has won and truth has spread to the ancestors?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

SOURCES = ("environment", "oracle", "label", "reviewer", "cross_run")
"""Strongest first; a source outside this list counts as the weakest."""
_RANK = {source: rank for rank, source in enumerate(SOURCES)}


@dataclass(frozen=True, slots=True)
class Statement:
    """What one source says about one node."""

    viable: bool
    viable_by: str
    detail: str | None = None
    """The oracle's name, the reviewer, the run or the check behind it."""


@dataclass(frozen=True, slots=True)
class Belief:
    """What counts for one node."""

    viable: bool | None
    """None: sources of equal strength contradict each other."""
    viable_by: str
    detail: str | None
    through: int | None = None
    """The viable node below from which it follows; None where the node itself was judged."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Sources that disagree about one node; all that they say is kept, what counts stands in the belief."""

    node: int
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Beliefs:
    """What counts for the nodes of one run; a node about which nothing is known is not in it."""

    of: Mapping[int, Belief]
    conflicts: tuple[Conflict, ...]

    def viable(self, node: int) -> bool | None:
        """True, false, or None where it is not known."""
        belief = self.of.get(node)
        return belief.viable if belief else None


def rank(source: str) -> int:
    """Strength of a source, 0 for the strongest."""
    return _RANK.get(source, len(SOURCES))


def believe(said: Mapping[int, Sequence[Statement]], parents: Callable[[int], Iterable[int]]) -> Beliefs:
    """The stronger source wins at each node; a true node makes all its ancestors true, through every parent, unless a stronger source says no.

    Args:
        said: statements by node. Nodes are numbers, the places in the run.
        parents: all parents of a node.

    False is never spread. Sources of one strength that disagree about a node leave it unknown, unless something below it is true.
    """
    beliefs = _all_own(said)
    by_rank: dict[int, list[int]] = {}
    for node, belief in beliefs.items():
        if belief.viable:
            by_rank.setdefault(rank(belief.viable_by), []).append(node)
    derived: dict[int, Belief] = {}
    for strength in sorted(by_rank):
        for seed in sorted(by_rank[strength]):
            _spread(seed, strength, beliefs, derived, parents)
    return Beliefs(beliefs, _conflicts(said, derived))


def _spread(seed: int, strength: int, beliefs: dict[int, Belief], derived: dict[int, Belief], parents: Callable[[int], Iterable[int]]) -> None:
    start = beliefs[seed]
    waiting = [seed]
    while waiting:
        for parent in parents(waiting.pop()):
            known = beliefs.get(parent)
            follows = derived.get(parent)
            if follows is not None:
                continue
            belief = Belief(True, start.viable_by, start.detail, seed)
            derived[parent] = belief
            if known is None or (not known.viable and rank(known.viable_by) >= strength):
                beliefs[parent] = belief
            elif not known.viable:
                continue  # a stronger source says no: nothing above follows from what lies below it
            waiting.append(parent)


def _all_own(said: Mapping[int, Sequence[Statement]]) -> dict[int, Belief]:
    """What each node's own statements come to. Nodes that share one sequence of statements share one belief: there are millions of nodes."""
    shared = {id(statements): _own(statements) for statements in _distinct(said)}
    return dict(zip(said, map(shared.__getitem__, map(id, said.values())), strict=True))


def _distinct(said: Mapping[int, Sequence[Statement]]) -> list[Sequence[Statement]]:
    """Every sequence of statements once, however many nodes share it."""
    return list(dict(zip(map(id, said.values()), said.values(), strict=True)).values())


def _own(statements: Sequence[Statement]) -> Belief:
    strongest = min(rank(one.viable_by) for one in statements)
    heard = [one for one in statements if rank(one.viable_by) == strongest]
    first = min(heard, key=lambda one: one.detail or "")
    agreed = {one.viable for one in heard}
    return Belief(first.viable if len(agreed) == 1 else None, first.viable_by, first.detail)


def _conflicts(said: Mapping[int, Sequence[Statement]], derived: Mapping[int, Belief]) -> tuple[Conflict, ...]:
    found = []
    several = [node for node, statements in said.items() if len(statements) > 1]
    for node in sorted({*several, *(derived.keys() & said.keys())}):
        statements = tuple(said[node])
        follows = derived.get(node)
        if follows is not None and not any(one.viable for one in statements):
            statements = (*statements, Statement(True, follows.viable_by, "a node below it is viable"))
        if len({one.viable for one in statements}) > 1:
            found.append(Conflict(node, statements))
    return tuple(found)

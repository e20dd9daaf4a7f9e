"""On whom is the next unit spent? Allocation policies: level by level, best first, depth first, UCT, chains, wider where unsure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from explorer.replay.node import SearchNode, Tree
from explorer.replay.policies import Allocation, at_least_one, by_order


@dataclass(frozen=True, slots=True)
class LevelByLevel:
    """Everything in the frontier at once, each node as wide: the children of one level compete."""

    width: int

    def __post_init__(self) -> None:
        at_least_one("the width of an expansion", self.width)

    def turn(self, tree: Tree) -> Sequence[SearchNode]:
        return list(tree.frontier)

    def width_for(self, node: SearchNode) -> int:
        return self.width

    def decision(self, turn: Sequence[SearchNode]) -> str:
        return f"depth {turn[0].depth + 1}"

    def learn(self, children: Sequence[SearchNode]) -> None:
        """Nothing to learn."""


@dataclass(frozen=True, slots=True)
class BestFirst:
    """The best node of the whole frontier, wherever it lies; all that wait compete."""

    width: int

    def __post_init__(self) -> None:
        at_least_one("the width of an expansion", self.width)

    def turn(self, tree: Tree) -> Sequence[SearchNode]:
        return by_order(tree.frontier)[:1]

    def width_for(self, node: SearchNode) -> int:
        return self.width

    def decision(self, turn: Sequence[SearchNode]) -> str:
        return "frontier"

    def learn(self, children: Sequence[SearchNode]) -> None:
        """Nothing to learn."""


@dataclass(frozen=True, slots=True)
class DepthFirst:
    """The best child of the node expanded last; where a branch ends, back to the next one: siblings compete."""

    width: int

    def __post_init__(self) -> None:
        at_least_one("the width of an expansion", self.width)

    def turn(self, tree: Tree) -> Sequence[SearchNode]:
        last = len(tree.frontier) - 1  # kept in order: the children of the latest expansion stand last, the best of them first
        while last > 0 and tree.frontier[last - 1].turn == tree.frontier[last].turn:
            last -= 1
        return tree.frontier[last : last + 1] if tree.frontier else []

    def width_for(self, node: SearchNode) -> int:
        return self.width

    def decision(self, turn: Sequence[SearchNode]) -> str:
        return f"children of {turn[0].node_id}"

    def learn(self, children: Sequence[SearchNode]) -> None:
        """Nothing to learn."""


@dataclass(frozen=True, slots=True)
class Uct:
    """MCTS: from the root down by mean value and an exploration bonus, to a node not expanded yet (UCB1 applied to trees).

    A node that was never visited goes before its siblings. The score of each new child is what its visit found.
    """

    width: int
    exploration: float = math.sqrt(2)

    def __post_init__(self) -> None:
        at_least_one("the width of an expansion", self.width)

    def turn(self, tree: Tree) -> Sequence[SearchNode]:
        waiting = set(tree.frontier)
        if not waiting:
            return []
        below: dict[SearchNode, list[SearchNode]] = {}
        for node in tree.frontier:
            while node.parent is not None and node not in below.setdefault(node.parent, []):
                below[node.parent].append(node)
                node = node.parent
        node = tree.root
        while node not in waiting:
            node = max(by_order(below[node]), key=self._bound)
        return [node]

    def width_for(self, node: SearchNode) -> int:
        return self.width

    def decision(self, turn: Sequence[SearchNode]) -> str:
        return "frontier"

    def learn(self, children: Sequence[SearchNode]) -> None:
        for child in children:
            for node in child.path:
                node.visits += 1
                node.value_sum += child.score or 0.0

    def _bound(self, node: SearchNode) -> float:
        if not node.visits or node.parent is None:
            return math.inf
        return node.value_sum / node.visits + self.exploration * math.sqrt(math.log(node.parent.visits) / node.visits)


@dataclass(frozen=True, slots=True)
class Chains:
    """The root as wide as there are chains, every other node one child: complete answers that do not compete on the way."""

    count: int

    def __post_init__(self) -> None:
        at_least_one("the number of chains", self.count)

    def turn(self, tree: Tree) -> Sequence[SearchNode]:
        return list(tree.frontier)

    def width_for(self, node: SearchNode) -> int:
        return 1 if node.parents else self.count

    def decision(self, turn: Sequence[SearchNode]) -> str:
        return f"depth {turn[0].depth + 1}"

    def learn(self, children: Sequence[SearchNode]) -> None:
        """Nothing to learn."""


@dataclass(frozen=True, slots=True)
class Unresolved:
    """Another allocation, but wider under a node whose evaluation was uncertain, and never under ``floor`` children."""

    base: Allocation
    extra: int
    threshold: float
    floor: int = 1

    def turn(self, tree: Tree) -> Sequence[SearchNode]:
        return self.base.turn(tree)

    def width_for(self, node: SearchNode) -> int:
        unsure = node.evaluated is not None and (node.evaluated.uncertainty or 0.0) > self.threshold
        return max(self.floor, self.base.width_for(node) + (self.extra if unsure else 0))

    def decision(self, turn: Sequence[SearchNode]) -> str:
        return self.base.decision(turn)

    def learn(self, children: Sequence[SearchNode]) -> None:
        self.base.learn(children)

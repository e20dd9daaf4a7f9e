"""On whom is the next unit spent? Allocation policies: level by level, best first, depth first, UCT, chains, wider where unsure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from explorer.replay.node import SearchNode, Tree, rank_key
from explorer.replay.policies import Allocation, at_least_one
from ingest.errors import TraceError
from ingest.schema import Fate


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
    """The best node of the whole frontier, wherever it lies, of equals the one that was kept first; all that wait compete."""

    width: int

    def __post_init__(self) -> None:
        at_least_one("the width of an expansion", self.width)

    def turn(self, tree: Tree) -> Sequence[SearchNode]:
        best = tree.frontier.best()
        return [best] if best else []

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
        latest = tree.frontier.latest()
        return [latest] if latest else []

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
        if not 0 <= self.exploration < math.inf:
            raise TraceError(f"the weight of exploration is {self.exploration}, expected a number from 0 up")

    def turn(self, tree: Tree) -> Sequence[SearchNode]:
        node = tree.root
        while tree.frontier and node not in tree.frontier:
            live = [child for child in node.children if child in tree.frontier or (child.fate is Fate.EXPANDED and not child.exhausted)]
            node.exhausted = not live
            node = max(live, key=self._rank) if live else tree.root
        return [node] if tree.frontier else []

    def width_for(self, node: SearchNode) -> int:
        return self.width

    def decision(self, turn: Sequence[SearchNode]) -> str:
        return "frontier"

    def learn(self, children: Sequence[SearchNode]) -> None:
        for child in children:
            for node in child.path:
                node.visits += 1
                node.value_sum += child.score or 0.0

    def _rank(self, node: SearchNode) -> tuple[float, tuple[bool, float], int]:
        return (self._bound(node), rank_key(node), -node.seq)

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

    def __post_init__(self) -> None:
        at_least_one("the floor of exploration", self.floor)
        if self.extra < 0 or math.isnan(self.threshold):
            raise TraceError(f"extra width {self.extra} over an uncertainty of {self.threshold}: a width from 0 up and a number are needed")

    def turn(self, tree: Tree) -> Sequence[SearchNode]:
        return self.base.turn(tree)

    def width_for(self, node: SearchNode) -> int:
        unsure = node.evaluated is not None and (node.evaluated.uncertainty or 0.0) > self.threshold
        return max(self.floor, self.base.width_for(node) + (self.extra if unsure else 0))

    def decision(self, turn: Sequence[SearchNode]) -> str:
        return self.base.decision(turn)

    def learn(self, children: Sequence[SearchNode]) -> None:
        self.base.learn(children)

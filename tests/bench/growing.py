"""Does a search of ten times the nodes take ten times the time? Best-first and depth-first over a tree, a chain and a star.

    python -m tests.bench.growing      (also part of python -m tests.bench)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from explorer.replay import methods
from explorer.replay.caps import Caps
from explorer.replay.loop import search
from explorer.replay.node import Evaluated, Expanded, Proposal, SearchNode, Spend
from explorer.replay.policies import Policies
from tests.bench.measure import Line

FEW, MANY = 2_000, 20_000


@dataclass(frozen=True)
class Wide:
    """A tree without end: every state has so many children, or only the root has."""

    children: int
    only_root: bool = False

    def most(self, node: SearchNode, width: int = 1) -> Spend:
        return Spend(1, 0, 0.0)

    def wants(self, node: SearchNode) -> bool:
        return True

    def expand(self, node: SearchNode, width: int) -> Expanded:
        count = 0 if self.only_root and node.parents else self.children
        return Expanded([Proposal(None, (node.state * 31 + index * 7919 + 1) % 1_000_003) for index in range(count)])

    def evaluate(self, node: SearchNode) -> Evaluated:
        return Evaluated((node.state % 997) / 997)


def seconds(method: Callable[..., Policies], shape: str, nodes: int) -> float:
    """Processor time of a search that ends at this many nodes."""
    world = {"threes": Wide(3), "chain": Wide(1), "star": Wide(nodes - 1, only_root=True)}[shape]
    began = time.process_time()
    result = search(Proposal(None, 1), method(world, world), Caps(max_nodes=nodes))
    assert len(result.tree.nodes) == nodes
    return time.process_time() - began


def lines() -> Iterator[Line]:
    """Time a node in the larger search against the smaller one, whose best of three counts."""
    for method in (methods.best_first, methods.depth_first):
        for shape in ("threes", "chain", "star"):
            each = seconds(method, shape, MANY) / MANY
            before = min(seconds(method, shape, FEW) for _ in range(3)) / FEW
            yield Line(f"{method.__name__} over a {shape}: a node of {MANY:,} against {FEW:,}", each / before, "x", 4, f"{each * 1e6:.0f} us a node")


if __name__ == "__main__":
    for line in lines():
        print(line)

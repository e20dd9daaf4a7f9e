"""What would a search answer if it were stopped now? At any time the best complete answer, else the best partial one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from explorer.replay.caps import Meter
from explorer.replay.node import SearchNode, rank_key


class BestSoFar:
    """The best node, and when it became that; deepening passes share one."""

    def __init__(self, meter: Meter) -> None:
        self.meter = meter
        self.entries: list[dict[str, Any]] = []
        """at_s, node_id, score, and the calls made until then."""
        self._node: SearchNode | None = None

    @property
    def node(self) -> SearchNode:
        """The best node; there is one as soon as there is a root."""
        if self._node is None:
            raise LookupError("the search has no root yet")
        return self._node

    def note(self, nodes: Iterable[SearchNode]) -> None:
        """Nodes that were kept."""
        for node in nodes:
            if self._node is None or worth(node) > worth(self._node):
                self._node = node
                spent = self.meter.spent.calls
                self.entries.append({"at_s": self.meter.elapsed_s, "node_id": node.node_id, "score": node.score, "calls": spent})


def worth(node: SearchNode) -> tuple[bool, bool, bool, int, float]:
    """A finished answer before a partial one, one that passed its check first, none with a broken constraint, the deeper partial one, the score."""
    unblocked, score = rank_key(node)
    return (node.terminal, bool(node.verified), unblocked, 0 if node.terminal else node.depth, score)

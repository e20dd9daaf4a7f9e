"""When is a search settled? Termination policies: an answer passed its check, the ranking stays as it is, or never."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.replay.node import SearchNode, Tree
from explorer.replay.policies import by_order
from ingest.schema import StopReason


@dataclass(frozen=True, slots=True)
class Goal:
    """An answer that was kept passed its check."""

    def should_stop(self, tree: Tree) -> StopReason | None:
        return StopReason.GOAL if any(node.verified for node in tree.finished) else None


@dataclass(frozen=True, slots=True)
class Exhaustion:
    """Only the frontier or a cap ends the search."""

    def should_stop(self, tree: Tree) -> StopReason | None:
        return None


@dataclass(frozen=True, slots=True)
class Settled:
    """An answer passed its check, or a finished answer leads all that wait by ``margin`` and has done so for ``turns`` decisions."""

    margin: float
    turns: int

    def should_stop(self, tree: Tree) -> StopReason | None:
        if any(node.verified for node in tree.finished):
            return StopReason.GOAL
        leader = next(iter(by_order(tree.finished)), None)
        if leader is None or leader.score is None or tree.turns - leader.turn < self.turns:
            return None
        return StopReason.POLICY_STOP if leader.score - self._best(tree.frontier) >= self.margin else None

    def _best(self, waiting: Sequence[SearchNode]) -> float:
        return max((node.score for node in waiting if node.score is not None), default=float("-inf"))

"""When is a search settled? Termination policies: an answer passed its check, the ranking stays as it is, or never."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import takewhile

from explorer.replay.node import Tree
from explorer.replay.policies import by_order
from ingest.errors import TraceError
from ingest.schema import StopReason


@dataclass(frozen=True, slots=True)
class Goal:
    """An answer that was kept passed its check."""

    def should_stop(self, tree: Tree) -> StopReason | None:
        return StopReason.GOAL if _passed(tree) else None


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

    def __post_init__(self) -> None:
        if math.isnan(self.margin) or self.turns < 0:
            raise TraceError(f"a lead of {self.margin} over {self.turns} decisions was asked for, expected a number and 0 or more")

    def should_stop(self, tree: Tree) -> StopReason | None:
        if _passed(tree):
            return StopReason.GOAL
        leader = next(iter(by_order(tree.finished)), None)
        if leader is None or leader.score is None or tree.turns - leader.turn < self.turns:
            return None
        rival = tree.frontier.best()
        return StopReason.POLICY_STOP if rival is None or rival.score is None or leader.score - rival.score >= self.margin else None


def _passed(tree: Tree) -> bool:
    """Whether an answer of this turn passed its check: it was asked after each of the others, too."""
    return any(node.verified for node in takewhile(lambda node: node.turn == tree.turns, reversed(tree.finished)))

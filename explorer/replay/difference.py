"""Which nodes does another policy treat otherwise than the record did: kept where they were cut, cut where they were kept, never made?"""

from __future__ import annotations

from dataclasses import dataclass

from explorer.replay.what_if import KEPT, Replay
from ingest.schema import Fate

NOT_MADE = "not made"
"""In place of a fate: the policy never got to the node."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One node whose fate is another one now."""

    node_id: str
    depth: int
    step: str | None
    score: float | None
    viable: bool | None
    """Whether a right answer can still be reached from it; None where that is not known."""
    recorded: str | None
    """Its fate in the record."""
    now: str
    """Its fate under the policy, or ``not made``."""
    reason: str | None
    """Why it is pruned now; None where it is not."""
    was_kept: bool
    is_kept: bool

    @property
    def kept(self) -> bool:
        """Kept now, and not in the record."""
        return self.is_kept and not self.was_kept

    @property
    def cut(self) -> bool:
        """Kept in the record, and not now."""
        return self.was_kept and not self.is_kept


def differences(again: Replay) -> tuple[Difference, ...]:
    """All nodes of the record whose fate differs, in preorder; empty for a run's own policy."""
    found = []
    for node in again.record.search.nodes:
        made = again.at.get(node.preorder)
        now = NOT_MADE if made is None else str(made.fate)
        if now != node.fate:
            reason = made.prune_reason if made is not None and made.fate is Fate.PRUNED else None
            viable = again.record.known.beliefs.viable(node.preorder)
            is_kept = made is not None and made.fate in KEPT
            found.append(Difference(node.node_id, node.depth, node.step, node.score, viable, node.fate, now, reason, node.kept, is_kept))
    return tuple(found)

"""How far did each viable node get, and at which stage was the path through it lost?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from explorer.analysis.known import Known, representative
from explorer.analysis.search import Candidate, Search
from ingest.schema import Fate, Stage

STAGES: tuple[Stage, ...] = tuple(Stage)
"""In the order in which they are passed."""
_ORDER = {stage: place for place, stage in enumerate(STAGES)}
_BOUNDARY = ("boundary", "unauthori", "not authori", "permission", "precondition", "rejected at prepare")
_CONSTRAINT = ("constraint", "violation", "blocked")


@dataclass(frozen=True, slots=True)
class Loss:
    """Where the path through one viable node ended."""

    node: int | None
    """The node that was lost; for ``generated`` the viable parent of which no viable child is in the log. None: the run has no root to expand."""
    stage: Stage
    """The first stage that fails."""
    depth: int
    """Depth at which the path was lost; for ``generated`` one below the parent."""
    doubt: str | None = None
    """What the log lacks to be sure that this stage failed; None where it is sure."""


def losses(known: Known) -> tuple[Loss, ...]:
    """Where each viable node that leads to no other viable node was lost, the one that got furthest first; empty where nothing was.

    Furthest: greatest depth, then latest stage, then best score; of equals the one whose step comes first in the alphabet.
    """
    search = known.search
    found = [loss for i in known.viable_nodes() if (loss := loss_of(known, i)) is not None]
    return tuple(sorted(found, key=lambda loss: _furthest(search, loss)))


def loss_of(known: Known, i: int) -> Loss | None:
    """Where the path through one viable node was lost at this node; None where it goes on, or ended right and selected."""
    search, node = known.search, known.search.nodes[i]
    if node.pruned_at == Stage.DISTINCT:
        return _merged_away(known, i)
    if node.went_on:
        return _not_generated(known, i)
    if not evaluated(search, node):
        return Loss(i, Stage.EVALUATED, node.depth)
    if (stage := node.pruned_at) is not None:
        late = Stage(stage) if stage in (Stage.COMPLETED, Stage.VERIFIED) else Stage.SURVIVED
        return Loss(i, late, node.depth)
    if node.fate == Fate.TERMINAL or node.verified:
        return None if is_selected(search, i) else Loss(i, Stage.VERIFIED, node.depth)
    doubt = None if node.fate == Fate.OPEN else "fate"
    return Loss(i, Stage.COMPLETED if doubt is None else Stage.SURVIVED, node.depth, doubt)


def reached_the_answer(known: Known) -> bool:
    """Whether the selected answer is a right terminal node."""
    search = known.search
    end = search.selected[-1] if search.selected else None
    return end is not None and known.beliefs.viable(end) is True and (search.nodes[end].fate == Fate.TERMINAL or search.nodes[end].verified is True)


def is_selected(search: Search, i: int) -> bool:
    """Whether the node is the run's selected answer."""
    return bool(search.selected) and search.selected is not None and search.selected[-1] == i


def evaluated(search: Search, node: Candidate) -> bool:
    """Whether it carries a usable score. Where nothing failed and no candidate of the run was scored, a finished node is not held up by that."""
    if node.score is not None or (node.pruned_at == Stage.SURVIVED and removed_by_check(node)):
        return True
    if node.fate == Fate.UNSCORED or node.error is not None:
        return False
    return node.fate == Fate.TERMINAL and (all(other.score is None for other in search.nodes) or is_selected(search, node.preorder))


def removed_by_check(node: Candidate) -> str | None:
    """What kind of check removed a pruned node: ``constraint``, ``boundary`` (of the action), or None where the log names neither."""
    words = f"{node.prune_rule or ''} {node.prune_reason or ''}".lower()
    if any(word in words for word in _BOUNDARY):
        return "boundary"
    return "constraint" if (node.violations or 0) > 0 or any(word in words for word in _CONSTRAINT) else None


def flags(stage: Stage | None, doubt: bool = False) -> dict[str, bool | None]:
    """All seven stages: those before ``stage`` hold, it and those after it do not; all hold where nothing was lost.

    With ``doubt`` it is not known (None) whether the stage and those after it hold.
    """
    lost = len(STAGES) if stage is None else _ORDER[stage]
    return {str(name): True if place < lost else (None if doubt else False) for name, place in _ORDER.items()}


def unknown_flags() -> dict[str, bool | None]:
    """Nothing is known about any stage."""
    return dict.fromkeys(map(str, STAGES))


def order(stage: Stage) -> int:
    """The place of a stage, 0 for reachable."""
    return _ORDER[stage]


def wrong_order(labels: dict[str, Any]) -> tuple[Stage, Stage] | None:
    """The first stage that holds although an earlier one does not, with that earlier one; None for labels in order."""
    lost: Stage | None = None
    for stage in STAGES:
        held = labels.get(stage)
        if held and lost is not None:
            return stage, lost
        if held is False and lost is None:
            lost = stage
    return None


def imported(stage_labels: str | None) -> dict[str, Any] | None:
    """The seven stage labels that a log brings with it, under their own names or in an object ``flags`` or ``stages``; None where it has none."""
    if stage_labels is None:
        return None
    said = json.loads(stage_labels)
    for place in (said, said.get("flags"), said.get("stages")):
        if isinstance(place, dict) and isinstance(place.get("reachable"), bool):
            return {stage: place[stage] for stage in map(str, STAGES) if isinstance(place.get(stage), bool)}
    return None


def unsolvable(known: Known) -> bool:
    """Whether the root of the task is known not to be viable. Samples that stand side by side have no common root in the log."""
    roots = known.search.roots
    return len(roots) == 1 and known.search.nodes[roots[0]].went_on and known.beliefs.viable(roots[0]) is False


def _merged_away(known: Known, i: int) -> Loss | None:
    """A dropped duplicate is no loss where the node that stands for it is viable."""
    other = representative(known.search, i)
    if other is not None and other != i and known.beliefs.viable(other):
        return None
    return Loss(i, Stage.DISTINCT, known.search.nodes[i].depth)


def _not_generated(known: Known, i: int) -> Loss | None:
    if any(known.beliefs.viable(child) for child in known.search.children(i)):
        return None
    doubt = None if known.complete_at(i) else "labels"
    return Loss(i, Stage.GENERATED, known.search.nodes[i].depth + 1, doubt)


def _furthest(search: Search, loss: Loss) -> tuple[float, ...] | tuple[Any, ...]:
    node = search.nodes[loss.node] if loss.node is not None else None
    score = node.score if node is not None and node.score is not None else float("-inf")
    return (-loss.depth, -_ORDER[loss.stage], -score, (node.step or "") if node else "", (node.state_key or "") if node else "")

"""How often did scoring change what was kept, against keeping the first ones proposed? What evaluation buys is measured in such decisions."""

from __future__ import annotations

from dataclasses import dataclass

from explorer.analysis.competitors import decision_of
from explorer.analysis.search import Candidate, Search
from ingest.schema import Stage


@dataclass(frozen=True, slots=True)
class Decisions:
    """Decisions of one run in which some candidates were kept and others pruned for their rank or score."""

    made: int
    changed: int
    """Those that kept other candidates than the first ones in order of creation, as many as were kept."""


def decisions(search: Search) -> Decisions:
    """Over the recorded decisions, else over the depths or siblings that they are inferred from; none made: 0 of 0."""
    groups: dict[tuple[str, str], list[Candidate]] = {}
    for node in search.nodes:
        if node.parent_preorder is not None and (node.kept or node.pruned_at == Stage.SURVIVED):
            basis, decision = decision_of(search, node)
            groups.setdefault((basis, decision), []).append(node)
    changed = [_was_changed(members) for members in groups.values() if len({node.kept for node in members}) == 2]
    return Decisions(len(changed), sum(changed))


def _was_changed(candidates: list[Candidate]) -> bool:
    ordered = sorted(candidates, key=lambda node: (node.seq is None, node.seq or 0, node.preorder))
    width = sum(node.kept for node in candidates)
    return not all(node.kept for node in ordered[:width])

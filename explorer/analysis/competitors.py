"""Who competed with a node when the search decided, and how did it stand among them?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from explorer.analysis.search import Candidate, Search
from ingest.schema import Fate, Stage

BASIS_WORDS = {
    "decision": "competitors recorded",
    "depth": "competitors inferred from the depth",
    "siblings": "competitors inferred: its siblings",
    "final": "competitors inferred: the finished candidates",
    "frontier": "competitors inferred: what was expanded instead",
}


@dataclass(frozen=True)
class Field:
    """A node and the candidates that it was ranked with. Duplicates that were dropped were ranked with nobody."""

    node: Candidate
    others: tuple[Candidate, ...]
    basis: str
    """decision (recorded), or inferred: depth, siblings, final, frontier."""

    @property
    def recorded(self) -> bool:
        return self.basis == "decision"

    @property
    def scored(self) -> tuple[Candidate, ...]:
        """The others that carry a score."""
        return tuple(other for other in self.others if other.score is not None)

    @property
    def kept(self) -> tuple[Candidate, ...]:
        """The others that were kept and carry a score."""
        return tuple(other for other in self.scored if other.kept)

    @property
    def worst_kept(self) -> Candidate | None:
        """The lowest scored one that was kept; None where none with a score was."""
        return min(self.kept, key=lambda other: (other.score or 0.0, other.step or ""), default=None)

    @property
    def rank(self) -> int | None:
        """1 for the best score; equal scores share the better rank. None without a score."""
        if self.node.score is None:
            return None
        return 1 + sum(other.score > self.node.score for other in self.scored if other.score is not None)

    @property
    def tied_kept(self) -> int:
        """Others with the node's score that were kept."""
        return sum(other.score == self.node.score for other in self.kept)

    @property
    def tied_cut(self) -> int:
        """Candidates with the node's score that were not kept, itself included unless it was."""
        return sum(other.score == self.node.score for other in self.scored if not other.kept) + (not self.node.kept)

    @property
    def all_alike(self) -> bool:
        """Whether more than one other carries a score and all of them, and the node, have one and the same."""
        values = {other.score for other in self.scored}
        return len(self.scored) > 1 and values == {self.node.score}


def field_of(search: Search, i: int) -> Field:
    """The candidates ranked in the same decision: by the recorded decision, else the depth in a level-by-level run, else the siblings."""
    node = search.nodes[i]
    if node.decision_id is not None:
        return _field(search, i, search.decisions[node.decision_id], "decision")
    if search.run["level_by_level"]:
        return _field(search, i, search.levels[node.depth, node.pass_bound], "depth")
    return _field(search, i, _siblings(search, i), "siblings")


def decision_of(search: Search, node: Candidate) -> tuple[str, str]:
    """The decision in which a node was ranked: on what that rests, and a name that its competitors share."""
    if node.decision_id is not None:
        return "decision", node.decision_id
    if search.run["level_by_level"]:
        return "depth", f"depth {node.depth}" + (f", pass {node.pass_bound}" if node.pass_bound is not None else "")
    parents = search.ids(search.parents(node.preorder))
    return "siblings", f"children of {', '.join(parents)}" if parents else "roots"


def final_field(search: Search, i: int) -> Field:
    """The finished candidates among which the answer was chosen."""
    node = search.nodes[i]
    end = search.selected[-1] if search.selected else None
    ends = [other.preorder for other in search.nodes if other.fate == Fate.TERMINAL or other.verified is not None or other.preorder == end]
    together = node.decision_id is not None and end is not None and search.nodes[end].decision_id == node.decision_id
    return _field(search, i, ends, "decision" if together else "final")


def expanded_instead(search: Search, i: int) -> tuple[Field, str | None]:
    """The competitors that were expanded after the node was there to be expanded, and what the log lacks to tell; None where it lacks nothing.

    In a search without recorded decisions and levels every other branch competes, where the order of expansions is recorded.
    """
    field = field_of(search, i)
    expanded = [other for other in field.others if other.went_on]
    since = _available(search, i)
    if field.basis == "siblings" and since is not None:
        others = [other for other in search.nodes if other.went_on and other.expanded_seq is not None and other.expanded_seq > since]
        above = _above(search, i)
        instead = [other for other in others if other.preorder not in above]
        if instead:
            return Field(field.node, tuple(instead), "frontier"), None
    later = [other for other in expanded if _after(other, since, field, search)]
    missing = "expanded_seq" if any(_unclear(other, since, field) for other in expanded) else None
    return Field(field.node, tuple(later), field.basis), missing


def incomparable(field: Field) -> list[str]:
    """Why the scores of a decision say nothing beside each other: evaluators or tiers that differ within it, in words; empty where they do."""
    scored = [one for one in (field.node, *field.scored) if one.score is not None]
    found = []
    for name in ("evaluator", "tier", "score_source"):
        values = sorted({str(value) for one in scored if (value := getattr(one, name)) is not None})
        if len(values) > 1:
            found.append(f"{name}: {', '.join(values)}")
    return found


def recorded_rank(node: Candidate) -> float | None:
    """The rank that the log itself gives the node, 1 for the best; None where it gives none."""
    said = json.loads(node.remarks) if node.remarks else {}
    rank = said.get("rank") if isinstance(said, dict) else None
    return float(rank) if isinstance(rank, (int, float)) and not isinstance(rank, bool) else None


def _field(search: Search, i: int, places: Sequence[int], basis: str) -> Field:
    others = (search.nodes[k] for k in places if k != i)
    return Field(search.nodes[i], tuple(other for other in others if other.pruned_at != Stage.DISTINCT), basis)


def _siblings(search: Search, i: int) -> list[int]:
    parents = search.parents(i)
    return sorted({child for parent in parents for child in search.children(parent)}) if parents else search.roots


def _available(search: Search, i: int) -> int | None:
    """Place in the order of expansions after which the node could be expanded: that of its parent; None where it is not recorded."""
    recorded = [seq for parent in search.parents(i) if (seq := search.nodes[parent].expanded_seq) is not None]
    return min(recorded) if recorded else None


def _after(other: Candidate, since: int | None, field: Field, search: Search) -> bool:
    """Whether the other was expanded once the node was there. Candidates of one decision or level are all there before one is expanded."""
    if since is not None and other.expanded_seq is not None:
        return other.expanded_seq > since
    if field.basis in ("decision", "depth"):
        return True
    return field.node.seq is not None and any((search.nodes[child].seq or 0) > field.node.seq for child in search.children(other.preorder))


def _unclear(other: Candidate, since: int | None, field: Field) -> bool:
    recorded = since is not None and other.expanded_seq is not None
    return not recorded and field.basis not in ("decision", "depth") and field.node.seq is None


def _above(search: Search, i: int) -> set[int]:
    found: set[int] = set()
    waiting = list(search.parents(i))
    while waiting:
        parent = waiting.pop()
        if parent not in found:
            found.add(parent)
            waiting += search.parents(parent)
    return found

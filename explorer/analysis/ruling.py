"""What does the log say about one loss: generation, evaluation, control, or not enough to tell? The row of the verdict table that applies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from explorer.analysis.search import Candidate, Search
from explorer.wording import CAPS, number

Kind = Literal["generation", "evaluation", "control", "cannot_tell", "none"]
ESTABLISHED, LIKELY = "established", "likely"


@dataclass(frozen=True)
class Ruling:
    """Which part of the search lost a path, how, and what that rests on."""

    verdict: Kind
    mechanism: str | None
    words: str
    """What follows "the right path was lost … by control:"."""
    confidence: str | None = None
    """established, likely, or None for cannot_tell."""
    evidence: tuple[dict[str, Any], ...] = ()
    missing: tuple[str, ...] = ()
    """Fields or truths that the log lacks to tell, or to be sure."""
    basis: str | None = None
    """How the competitors were found, in words; None where none were compared."""


@dataclass(frozen=True)
class Said:
    """What the log holds beside the nodes, for those that a ruling looks at, by place in preorder."""

    evaluations: Mapping[int, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    """Rows of the query ``evaluations_said``."""
    proposals: Mapping[int, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    """Rows of the query ``proposals_of``."""
    mentions: Sequence[Mapping[str, Any]] = ()
    """Rows of the query ``mentions``: where the words of a missing step occur all the same."""


def unknown(words: str, missing: Sequence[str], evidence: Sequence[dict[str, Any]] = (), mechanism: str | None = None) -> Ruling:
    """A ruling that the log cannot support one."""
    return Ruling("cannot_tell", mechanism, words, None, tuple(evidence), tuple(missing))


def row(what: str, node: Candidate, **more: Any) -> dict[str, Any]:
    """One row of evidence about a node."""
    return {"what": what, "node_id": node.node_id, "depth": node.depth, "step": node.step, "score": node.score, "fate": node.fate, **more}


def quoted(node: Candidate) -> str:
    """A node by its step, or by its id where no text was kept."""
    text = " ".join((node.step or "").split())
    if not text:
        return f"node {node.node_id}"
    return f'"{text}"' if len(text) <= 120 else f'"{text[:119]}…"'


def cap_words(search: Search) -> str | None:
    """The cap that fired, with what was used of it where that is recorded; None where none fired or none is named."""
    stop = search.run["stop_reason"]
    if stop not in CAPS:
        return None
    limit = search.run["budgets"][stop]
    measured = {"max_nodes": "nodes", "max_depth": "max_depth", "wall_clock": "wall_clock_s", "call_budget": "calls"}
    amount = search.run[measured[stop]] if stop in measured else None
    of = f" ({number(amount)} of {number(limit)})" if limit is not None and amount is not None else ""
    return f"{stop}{of}"

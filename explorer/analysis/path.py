"""What did the selected path beat at each step, by how much, and would the score alone have chosen it?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import pyarrow as pa

from explorer import queries
from explorer.analysis.scores import score_text
from ingest.store import Store

BASIS_WORDS = {
    "decision": "the recorded decision",
    "depth": "the whole level (inferred: the run is level by level)",
    "siblings": "its siblings (inferred: no decision is recorded)",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One node of the selected path and the whole set that it competed with."""

    position: int
    node_id: str
    depth: int
    step: str | None
    score: float | None
    fate: str | None
    basis: str
    """What the competitors were taken from: decision (recorded), depth or siblings (inferred)."""
    candidates: int
    """Competitors, the chosen one included."""
    scored: int
    rank: int | None
    """By score, then by arrival; None where the chosen one has no score."""
    higher: int
    """Rejected ones that scored strictly higher."""
    tied: int
    """Rejected ones with the same score."""
    best_rejected: str | None
    best_rejected_score: float | None
    best_rejected_fate: str | None
    margin: float | None
    """Score of the chosen one less that of the best rejected one: negative where the score spoke for another."""
    kept: int
    cut: int
    cut_off: float | None
    """Score of the worst one kept."""
    viable: bool | None
    """Could a right answer still be reached from the chosen node? None: not known."""


def of_run(store: Store, run_id: str) -> tuple[Step, ...]:
    """The selected path of one run, root first; empty where the log names none."""
    return steps(queries.run(store, "path_steps", run_id=run_id))


def steps(table: pa.Table) -> tuple[Step, ...]:
    """The rows of the query ``path_steps`` as records, in their order."""
    return tuple(Step(**row) for row in table.to_pylist())


def leaves_viable_at(path: tuple[Step, ...]) -> Step | None:
    """The first step known to be lost whose step before was known to be viable; None where the truth does not show one."""
    return next((after for before, after in pairwise(path) if before.viable and after.viable is False), None)


def sentence(step: Step) -> str:
    """How the chosen node stood among its competitors, in words."""
    if step.candidates == 1:
        return "the only candidate"
    if step.rank is None:
        return f"chosen without a score; {step.scored} of {step.candidates} candidates have one"
    stood = f"ranked {step.rank} of {step.scored} scored"
    if step.best_rejected_score is None:
        return f"{stood}; no rejected candidate has a score"
    if step.higher:
        return f"{stood}; {step.higher} rejected scored higher, the best {score_text(step.best_rejected_score)} against {_own(step)}"
    if step.tied:
        return f"{stood}; tied with {step.tied} rejected at {_own(step)}"
    return f"{stood}; {_own(step)} against {score_text(step.best_rejected_score)} of the best rejected"


def _own(step: Step) -> str:
    return score_text(step.score)

"""How well does the evaluator tell the candidates of one depth apart, and did scores or something else decide the cut?"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from explorer import queries
from ingest.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class DepthScores:
    """The scores of one depth of one run. Statistics are None where no candidate has a score."""

    depth: int
    candidates: int
    scored: int
    unscored: int
    distinct: int
    min: float | None
    q1: float | None
    median: float | None
    q3: float | None
    max: float | None
    mean: float | None
    stdev: float | None
    """Sample standard deviation; None below two scores."""
    mode: float | None
    mode_nodes: int
    top_ties: float | None
    """Share of the scored candidates that equal the best, in [0, 1]."""
    kept: int
    """Expanded or terminal."""
    cut: int
    """Pruned at the stage ``survived``; duplicates are not among them."""
    decisions: int
    undecided: int
    """Decisions whose worst kept score stands on both sides of the cut."""
    cut_score: float | None
    tied: int
    tied_kept: int
    tied_cut: int
    in_order: bool | None
    """Every tied candidate kept arrived before every tied one cut; None where nothing is tied at a cut."""
    histogram: tuple[int, ...]
    """Candidates in 20 equal bins of the run's whole scale."""

    @property
    def cut_ties(self) -> tuple[int, int]:
        """Candidates equal to the worst one kept: how many were kept, how many cut; (0, 0) where no cut goes through a tie."""
        return self.tied_kept, self.tied_cut

    @property
    def flat(self) -> bool:
        """The middle half of the scores is one value, and a cut goes through equal scores."""
        return self.q1 is not None and self.q1 == self.q3 and self.tied_kept > 0 and self.tied_cut > 0

    @property
    def mode_share(self) -> float | None:
        """Share of the scored candidates that have the most frequent score, in [0, 1]; None where none is scored."""
        return self.mode_nodes / self.scored if self.scored else None


def of_run(store: Store, run_id: str) -> tuple[DepthScores, ...]:
    """The depths of one run, from the root down; empty for a run without nodes."""
    return by_depth(queries.run(store, "scores_by_depth", run_id=run_id))


def by_depth(table: pa.Table) -> tuple[DepthScores, ...]:
    """The rows of the query ``scores_by_depth`` as records, in their order."""
    return tuple(DepthScores(**{**row, "histogram": tuple(row["histogram"])}) for row in table.to_pylist())


def tie_sentence(depth: DepthScores) -> str | None:
    """What decided where the score did not; None where no cut at this depth goes through equal scores."""
    if not depth.undecided:
        return None
    if depth.decisions > 1 or depth.cut_score is None:
        how = "in order of arrival" if depth.in_order else "not in order of arrival"
        return (
            f"in {depth.undecided} of {depth.decisions} decisions the cut went through equal scores: "
            f"{depth.tied_kept} kept and {depth.tied_cut} cut, {how}"
        )
    return cut_sentence(
        candidates=depth.candidates, score=depth.cut_score, tied=depth.tied, tied_kept=depth.tied_kept, tied_cut=depth.tied_cut,
        kept=depth.kept, in_order=bool(depth.in_order),
    )  # fmt: skip


def cut_sentence(*, candidates: int, score: float, tied: int, tied_kept: int, tied_cut: int, kept: int, in_order: bool) -> str:
    """One cut through equal scores, in words: "8 of 9 candidates scored 3.0; arrival order chose the 5 kept"."""
    scored = f"{tied} of {candidates} candidates scored {score_text(score)}"
    if not in_order:
        return f"{scored}; {tied_kept} of them kept and {tied_cut} cut, not in order of arrival"
    chose = "the one kept" if kept == 1 else f"the {kept} kept" if tied_kept == kept else f"{tied_kept} of the {kept} kept"
    return f"{scored}; arrival order chose {chose}"


def score_text(score: float | None) -> str:
    """A score as people compare it: at most six significant digits, a point always shown; a dash where there is none."""
    if score is None:
        return "–"
    text = f"{score:.6g}"
    return text if any(mark in text for mark in ".en") else f"{text}.0"

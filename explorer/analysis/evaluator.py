"""Does the evaluator tell viable candidates from the others? Where truth is known: AUC, share kept, reliability and ties, depth by depth."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from explorer.analysis import known
from explorer.analysis.competitors import decision_of, field_of
from explorer.analysis.known import NO_MARKS, Known, Marks
from ingest.schema import Stage
from ingest.store import Store

BINS = 10
"""Bins of the reliability curve, of equal width over [0, 1]."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One candidate with a score and a known truth."""

    run_id: str
    node_id: str
    depth: int
    evaluator: str | None
    score: float
    viable: bool
    within_width: bool | None
    """Whether its rank by score, ties at their best, is within the number that was kept. None: nobody competed with it, or nothing was kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """How well the scores of one depth, or of all, separate viable candidates from the others."""

    depth: int | None
    """None: all depths."""
    viable: int
    others: int
    auc: float
    """Probability that a viable candidate scores above another one, ties counted half; nan without both kinds. Within one depth only."""
    pairs: int
    """Pairs of a viable candidate and another one, of one run and depth."""
    tied_pairs: int
    """Those with equal scores, between which the evaluator did not tell."""
    kept_width: int
    """Viable candidates that were ranked within the kept width."""
    ranked: int
    """Viable candidates of which that is known."""

    @property
    def kept_share(self) -> float:
        """Viable candidates ranked within the kept width, in [0, 1]; nan for none."""
        return self.kept_width / self.ranked if self.ranked else math.nan

    @property
    def tied_share(self) -> float:
        """Pairs that the scores leave tied, in [0, 1]; nan for none."""
        return self.tied_pairs / self.pairs if self.pairs else math.nan


@dataclass(frozen=True, slots=True)
class Bin:
    """Scores of one range, and how many of them stood on viable candidates."""

    low: float
    high: float
    """Not included, but for the last bin."""
    nodes: int
    mean_score: float
    viable: int

    @property
    def share(self) -> float:
        """Viable among them, in [0, 1]."""
        return self.viable / self.nodes


def of_run(store: Store, run_id: str, marks: Marks = NO_MARKS) -> tuple[Judged, ...]:
    """The judged candidates of one run; empty where no scored one has a known truth."""
    return tuple(of_runs(store, [run_id], marks))


def of_runs(store: Store, run_ids: Sequence[str] | None = None, marks: Marks = NO_MARKS) -> Iterator[Judged]:
    """The judged candidates of these runs (None: of all), run by run."""
    for _, _, found in known.of_runs(store, run_ids, marks):
        for one in found:
            yield from judged(one)


def judged(one: Known) -> Iterator[Judged]:
    """Scored candidates whose truth is known, but for roots and dropped duplicates, which were ranked with nobody."""
    ranking = _Ranking(one)
    for i in sorted(one.beliefs.of):
        node, viable = one.search.nodes[i], one.beliefs.viable(i)
        if node.score is not None and viable is not None and node.parent_preorder is not None and node.pruned_at != Stage.DISTINCT:
            yield Judged(node.run_id, node.node_id, node.depth, node.evaluator, node.score, viable, ranking.within_width(i) if viable else None)


def by_depth(rows: Iterable[Judged]) -> tuple[Quality, ...]:
    """One Quality a depth, from the root down; empty for no rows."""
    depths: dict[int, list[Judged]] = {}
    for row in rows:
        depths.setdefault(row.depth, []).append(row)
    return tuple(quality(depths[depth], depth) for depth in sorted(depths))


def quality(rows: Sequence[Judged], depth: int | None = None) -> Quality:
    """All rows together: pairs are formed within a run and depth only, since scores of different states and tasks do not compete."""
    groups: dict[tuple[str, int, str | None], tuple[list[float], list[float]]] = {}
    for row in rows:
        groups.setdefault((row.run_id, row.depth, row.evaluator), ([], []))[0 if row.viable else 1].append(row.score)
    above = tied = pairs = 0
    for good, bad in groups.values():
        one = _compare(good, bad)
        above, tied, pairs = above + one[0], tied + one[1], pairs + len(good) * len(bad)
    ranked = [row.within_width for row in rows if row.viable and row.within_width is not None]
    return Quality(
        depth=depth, viable=sum(row.viable for row in rows), others=sum(not row.viable for row in rows),
        auc=(above + tied / 2) / pairs if pairs else math.nan, pairs=pairs, tied_pairs=tied, kept_width=sum(ranked), ranked=len(ranked),
    )  # fmt: skip


def auc(viable: Sequence[float], others: Sequence[float]) -> float:
    """Probability that a score of the first kind is above one of the second, ties counted half (Mann and Whitney 1947); nan without both."""
    if not viable or not others:
        return math.nan
    above, tied = _compare(viable, others)
    return (above + tied / 2) / (len(viable) * len(others))


def reliability(rows: Iterable[Judged]) -> tuple[Bin, ...] | None:
    """Share of viable candidates by score, over bins that hold any; None where a score lies outside [0, 1], so that it is no probability."""
    listed = list(rows)
    if any(not 0 <= row.score <= 1 for row in listed):
        return None
    bins: dict[int, list[Judged]] = {}
    for row in listed:
        bins.setdefault(min(int(row.score * BINS), BINS - 1), []).append(row)
    return tuple(
        Bin(at / BINS, (at + 1) / BINS, len(held), sum(row.score for row in held) / len(held), sum(row.viable for row in held))
        for at, held in sorted(bins.items())
    )


class _Ranking:
    """The scores of each decision of a search, sorted once, and how many of its candidates were kept."""

    def __init__(self, one: Known) -> None:
        self._search = one.search
        self._decisions: dict[object, tuple[list[float], int, int]] = {}

    def within_width(self, i: int) -> bool | None:
        node = self._search.nodes[i]
        key = decision_of(self._search, node)
        if key not in self._decisions:
            field = field_of(self._search, i)
            candidates = (field.node, *field.others)
            scores = sorted(other.score for other in candidates if other.score is not None)
            self._decisions[key] = scores, sum(other.kept for other in candidates), len(candidates)
        scores, width, candidates_count = self._decisions[key]
        if node.score is None or candidates_count < 2 or not width:
            return None
        return 1 + len(scores) - bisect_right(scores, node.score) <= width


def _compare(good: Sequence[float], bad: Sequence[float]) -> tuple[int, int]:
    """Pairs in which the good one is above, and pairs that are tied."""
    ordered = sorted(bad)
    below = [(bisect_left(ordered, score), bisect_right(ordered, score)) for score in good]
    return sum(left for left, _ in below), sum(right - left for left, right in below)

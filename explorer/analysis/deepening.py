"""What does a level cost, how deep does a call budget reach, and what would deepening step by step cost against going straight to a depth?

The figures are those of the question about bounding depth (seed 000): affordable depth = call budget ÷ calls per level, and the rule that
deepening to depth D costs (D + 1) / 2 times as much as one search to D where every level costs the same, as under a fixed beam.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from explorer.analysis.budget import Currency, Level, RunBudget


@dataclass(frozen=True, slots=True)
class LevelCost:
    """What one level cost on average."""

    depth: int
    mean: float
    runs: int
    """Runs that reached it and recorded what it cost: the mean is over these."""


@dataclass(frozen=True, slots=True)
class LevelCosts:
    """The levels from the root down, without a gap."""

    currency: Currency
    basis: str
    """measured; derived: no call is recorded, so each expanded and each scored node counts as one; empty without any."""
    levels: tuple[LevelCost, ...]


@dataclass(frozen=True, slots=True)
class PerLevel:
    """Calls for each level below the root."""

    basis: str
    """measured, derived (see LevelCosts), or nominal: width × branching."""
    value: float
    """nan where no level is recorded."""
    levels: int
    """Levels that were counted, each run's on its own."""
    runs: int


@dataclass(frozen=True, slots=True)
class Nominal:
    """The cost of a level by rule: as many calls as a full frontier has children."""

    width: float
    """Most nodes expanded at one depth, the median over the runs; nan for no runs."""
    branching: float
    """Children for each expanded node, over all runs; nan where none was expanded."""

    @property
    def calls_per_level(self) -> float:
        return self.width * self.branching


@dataclass(frozen=True, slots=True, kw_only=True)
class Deepening:
    """One target depth: a direct search against passes with a rising bound, each of which begins anew."""

    depth: int
    runs: int
    """Runs that reached it."""
    level: float
    """Mean cost of this level alone."""
    direct: float
    """Of all levels down to it, the root's own included."""
    from_one: float
    """Of passes with the bounds 1, 2, … up to this depth."""
    ratio_from_one: float
    """from_one ÷ direct; nan for 0 ÷ 0."""
    rule_from_one: float
    """(D + 1) / 2: what the ratio is where all levels cost the same."""
    from_median: float | None
    """Of passes from the median depth of right answers up; None where that is not known or deeper than this."""
    ratio_from_median: float | None
    rule_from_median: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated:
    """A run that deepened step by step, as it was recorded."""

    run_id: str
    bounds: tuple[int, ...]
    currency: Currency
    spent: float
    """In all passes."""
    last: float
    """In the last pass, which is what a direct search to its bound would have cost."""
    ratio: float
    """spent ÷ last; nan for 0 ÷ 0."""
    rule: float
    """The bounds added up ÷ the last bound: (D + 1) / 2 where they are 1, 2, … D."""


def level_costs(runs: Sequence[RunBudget], currency: Currency) -> LevelCosts:
    """The mean cost of each level over the runs that reached it and recorded it; no levels where none did."""
    basis = _basis(runs) if currency is Currency.CALLS else "measured"
    found: dict[int, list[float]] = {}
    for run in runs:
        for level in run.levels:
            amount = _cost(level, currency, basis)
            if amount is not None:
                found.setdefault(level.depth, []).append(amount)
    levels = []
    for depth in range(len(found)):
        if depth not in found:
            break
        levels.append(LevelCost(depth, statistics.fmean(found[depth]), len(found[depth])))
    return LevelCosts(currency, basis if levels else "", tuple(levels))


def calls_per_level(runs: Sequence[RunBudget]) -> PerLevel:
    """Calls of all levels below the root ÷ those levels: over runs that recorded calls, else derived from expanded and scored nodes."""
    basis = _basis(runs)
    counted = [(run.run_id, _cost(level, Currency.CALLS, basis)) for run in runs for level in run.levels if level.depth > 0]
    known = [(run_id, calls) for run_id, calls in counted if calls is not None]
    total = math.fsum(calls for _, calls in known)
    return PerLevel(basis, total / len(known) if known else math.nan, len(known), len({run_id for run_id, _ in known}))


def nominal(runs: Sequence[RunBudget]) -> Nominal:
    """Width and branching of the runs that expanded something."""
    grown = [run for run in runs if run.width]
    expanded = sum(level.expanded for run in grown for level in run.levels)
    children = sum(level.children for run in grown for level in run.levels)
    return Nominal(statistics.median(run.width for run in grown) if grown else math.nan, children / expanded if expanded else math.nan)


def affordable_depth(calls: float | None, per_level: float) -> int | None:
    """Whole levels that so many calls pay for; None where one of both is not known or a level costs nothing."""
    return math.floor(calls / per_level + 1e-9) if calls is not None and per_level > 0 else None


def deepening(costs: LevelCosts, median: int | None) -> tuple[Deepening, ...]:
    """One row a target depth, from 1 down; empty where no level below the root is known."""
    direct = list(accumulate(level.mean for level in costs.levels))
    passes = list(accumulate(direct[1:], initial=0.0))
    return tuple(_deepening(costs.levels[depth], direct[depth], passes, median) for depth in range(1, len(direct)))


def rule(first: int, last: int) -> float:
    """What passes with the bounds ``first`` … ``last`` cost against one search to ``last``, where all levels cost the same."""
    return (first + last) * (last - first + 1) / 2 / last


def repeated(runs: Sequence[RunBudget]) -> tuple[Repeated, ...]:
    """The runs that recorded several deepening passes, in calls where these are recorded, else in nodes."""
    return tuple(_repeated(run) for run in runs if run.passes)


def _deepening(level: LevelCost, direct: float, passes: Sequence[float], median: int | None) -> Deepening:
    """``passes`` holds at each bound what the passes up to it cost together."""
    depth, from_one = level.depth, passes[level.depth]
    reached = median is not None and 1 <= median <= depth
    from_median = from_one - passes[median - 1] if median is not None and reached else None
    return Deepening(
        depth=depth,
        runs=level.runs,
        level=level.mean,
        direct=direct,
        from_one=from_one,
        ratio_from_one=_ratio(from_one, direct),
        rule_from_one=rule(1, depth),
        from_median=from_median,
        ratio_from_median=_ratio(from_median, direct) if from_median is not None else None,
        rule_from_median=rule(median, depth) if median is not None and reached else None,
    )


def _repeated(run: RunBudget) -> Repeated:
    currency = Currency.CALLS if any(level.spent.calls for one in run.passes for level in one.levels) else Currency.NODES
    sums = [math.fsum(level.spent.of(currency) or 0 for level in one.levels) for one in run.passes]
    bounds = tuple(one.bound for one in run.passes)
    ratio = _ratio(math.fsum(sums), sums[-1])
    return Repeated(run_id=run.run_id, bounds=bounds, currency=currency, spent=math.fsum(sums), last=sums[-1], ratio=ratio,
                    rule=_ratio(sum(bounds), bounds[-1]))  # fmt: skip


def _basis(runs: Sequence[RunBudget]) -> str:
    return "measured" if any(run.calls_by_level for run in runs) else "derived"


def _cost(level: Level, currency: Currency, basis: str) -> float | None:
    return level.requests if basis == "derived" else level.spent.of(currency)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else math.nan

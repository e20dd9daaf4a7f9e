"""How good was the best answer so far, after how much spend, and what was spent after it stopped changing?"""

from __future__ import annotations

import math
import statistics
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from explorer.analysis.budget import Currency, RunBudget, Step
from explorer.analysis.funnel import Share

CURVE_POINTS = 240
"""Points of a curve over many runs; of more, evenly spaced ones are kept, the first and the last among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waste:
    """What one run spent after its best answer last changed."""

    run_id: str
    last_change: float
    """Spent until then."""
    whole: float
    """Spent in all."""

    @property
    def after(self) -> float:
        """Spent without any further change."""
        return self.whole - self.last_change

    @property
    def share(self) -> float:
        """after ÷ whole, in [0, 1]; nan for 0 ÷ 0."""
        return self.after / self.whole if self.whole else math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class WasteOver:
    """The same over many runs."""

    runs: int
    """Runs of which it is known."""
    after: float
    whole: float
    median_share: float
    """Over the runs with any spend; nan for none."""

    @property
    def share(self) -> float:
        """after ÷ whole, in [0, 1]; nan for 0 ÷ 0."""
        return self.after / self.whole if self.whole else math.nan


@dataclass(frozen=True, slots=True)
class Point:
    """So many runs hold a right answer once each was given this spend, or had ended before."""

    spend: float
    right: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Share of runs that are right, against the spend given to each."""

    currency: Currency
    runs: int
    """The denominator: runs whose changes and total are recorded in this currency, each best answer known to be right or not."""
    left_out: int
    """Other runs."""
    rebuilt: int
    """Runs whose changes were rebuilt, since they did not record them."""
    points: tuple[Point, ...]
    """Rising spend; the share is 0 before the first. The last is the greatest whole spend of a run. Empty for no runs."""

    def share_at(self, spend: float) -> Share:
        """The runs that are right after this spend."""
        place = bisect_right(self.points, spend, key=lambda point: point.spend)
        return Share(self.points[place - 1].right if place else 0, self.runs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one more part of the spend bought."""

    spend_from: float
    spend_to: float
    right: Share
    """Runs that are right at its end."""
    gained: int
    """Runs that became right in it, less those that gave a right answer up."""


def waste(run: RunBudget, currency: Currency) -> Waste | None:
    """None where the changes or the total are not recorded in this currency."""
    whole = run.spent.of(currency)
    last = run.steps[-1].at.of(currency) if run.steps else None
    return None if whole is None or last is None else Waste(run_id=run.run_id, last_change=last, whole=whole)


def waste_over(runs: Sequence[RunBudget], currency: Currency) -> WasteOver:
    """Over the runs of which it is known; for none, 0 of 0."""
    found = [one for run in runs if (one := waste(run, currency)) is not None]
    shares = [one.share for one in found if not math.isnan(one.share)]
    return WasteOver(
        runs=len(found),
        after=math.fsum(one.after for one in found),
        whole=math.fsum(one.whole for one in found),
        median_share=statistics.median(shares) if shares else math.nan,
    )


def usual_currency(runs: Sequence[RunBudget]) -> Currency:
    """The currency in which the changes of the most runs are recorded; of several, the first of calls, tokens, cost, seconds and nodes."""
    known = {currency: sum(waste(run, currency) is not None for run in runs) for currency in Currency}
    return max(Currency, key=known.__getitem__) if any(known.values()) else Currency.NODES


def agrees(run: RunBudget) -> bool | None:
    """Whether the last best answer is the one that the run selected; None where one of both is not recorded."""
    path = run.run["selected_path"]
    return run.steps[-1].node_id == path[-1] if run.steps and path else None


def right_by_spend(runs: Sequence[RunBudget], currency: Currency) -> Curve:
    """The curve over these runs; without points where none of them counts."""
    counted = counted_runs(runs, currency)
    changes = sorted(change for run in counted for change in _changes(run, currency))
    points: list[Point] = []
    right = 0
    for spend, change in changes:
        right += change
        if points and points[-1].spend == spend:
            points.pop()
        points.append(Point(spend, right))
    whole = max((run.spent.of(currency) or 0 for run in counted), default=0)
    if counted and (not points or points[-1].spend < whole):
        points.append(Point(whole, right))
    return Curve(
        currency=currency,
        runs=len(counted),
        left_out=len(runs) - len(counted),
        rebuilt=sum(run.steps[0].basis != "recorded" for run in counted),
        points=tuple(_thinned(points)),
    )


def counted_runs(runs: Sequence[RunBudget], currency: Currency) -> list[RunBudget]:
    """The runs that such a curve rests on."""
    return [run for run in runs if _counts(run, currency)]


def parts(curve: Curve, number: int = 10) -> tuple[Part, ...]:
    """The curve in equal parts of spend: what each more bought. Empty without points or spend."""
    whole = curve.points[-1].spend if curve.points else 0
    if not whole:
        return ()
    edges = [whole * place / number for place in range(number + 1)]
    shares = [Share(0, curve.runs), *(curve.share_at(edge) for edge in edges[1:])]
    return tuple(
        Part(spend_from=edges[i], spend_to=edges[i + 1], right=shares[i + 1], gained=shares[i + 1].numerator - shares[i].numerator)
        for i in range(number)
    )


def currencies(runs: Sequence[RunBudget]) -> tuple[Currency, ...]:
    """The currencies in which the changes of at least one of these runs are recorded."""
    return tuple(currency for currency in Currency if any(waste(run, currency) is not None for run in runs))


def _counts(run: RunBudget, currency: Currency) -> bool:
    known = all(step.at.of(currency) is not None and step.right is not None for step in run.steps)
    return bool(run.steps) and known and run.spent.of(currency) is not None


def _changes(run: RunBudget, currency: Currency) -> Iterator[tuple[float, int]]:
    """When the run began or ceased to hold a right answer: the spend, and +1 or −1."""
    was = False
    for step in run.steps:
        if step.right != was:
            yield _spend(step, currency), 1 if step.right else -1
            was = bool(step.right)


def _spend(step: Step, currency: Currency) -> float:
    spend = step.at.of(currency)
    assert spend is not None, "runs with a step of unknown spend are left out"
    return spend


def _thinned(points: Sequence[Point]) -> Iterator[Point]:
    every = max(1, -(-len(points) // CURVE_POINTS))
    return (point for place, point in enumerate(points) if place % every == 0 or place == len(points) - 1)

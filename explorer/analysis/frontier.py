"""What does a right answer cost under each protocol, which protocols give more for less, and does the search beat a plain baseline?"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from explorer.analysis.budget import Currency, RunBudget
from explorer.analysis.funnel import Share

SEQUENTIAL, LEAF_LEVEL, PREFIX_LEVEL = "sequential", "leaf-level", "prefix-level"
BASELINES = (SEQUENTIAL, LEAF_LEVEL)
PRICES = (Currency.COST, Currency.TOKENS, Currency.CALLS, Currency.SECONDS, Currency.NODES)
"""What a right answer is priced in: the first that is recorded."""

_OfTasks: TypeAlias = dict[str, list[tuple[bool, float]]]


@dataclass(frozen=True, slots=True)
class Mean:
    """Spend for a run, or for a success, and the runs that it rests on."""

    value: float | None
    """None where it is recorded of no run; nan where there is no success to divide by."""
    runs: int


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """The runs of one protocol fingerprint."""

    fingerprint: str | None
    regime: str | None
    """What most of its runs look like; None where none has a node."""
    runs: int
    tasks: int
    """Different tasks that are recorded."""
    right: Share
    """Of the runs with a known outcome."""
    verified: Share
    """Runs whose selected answer passed an external check at its node, of those where such a check is recorded."""
    spent: dict[Currency, Mean]
    """Mean spend of a run."""
    per_right: dict[Currency, Mean]
    """Spend of the runs with a known outcome and spend ÷ those that ended right."""
    per_verified: dict[Currency, Mean]
    """Likewise for verified ones."""
    evaluations_per_score: float | None
    """Calls of evaluators and verifiers for each scored node; None where no calls are recorded, nan without scores."""
    decisions_changed: Share
    """Decisions in which scoring kept others than the first ones proposed, of those that it made."""
    evaluations_per_change: float | None
    """Calls of evaluators and verifiers for each such decision; None where no calls are recorded, nan where it changed none."""
    evaluation_share: float
    """Of the calls, those of evaluators and verifiers; nan without any."""
    checked: Share
    """Finished nodes with an external check, at most all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """A search and a baseline on the tasks that both ran."""

    search: str
    baseline: str
    regime: str
    """The baseline's: sequential or leaf-level."""
    tasks: int
    search_right: Share
    baseline_right: Share

    @property
    def beats(self) -> bool:
        """Whether the search has the higher share."""
        return self.search_right.value > self.baseline_right.value


def regime(run: RunBudget) -> str | None:
    """From the shape of the tree: one chain; whole answers side by side; or prefixes between which was chosen. None without nodes.

    Whole answers side by side branch at the top alone, and none was pruned above the deepest depth.
    """
    row = run.row
    if not row["tops"]:
        return None
    if row["tops"] == 1 and not row["branching"]:
        return SEQUENTIAL
    at_the_top = row["branching"] == 0 or (row["tops"] == 1 and row["branching"] == row["branching_tops"])
    return LEAF_LEVEL if at_the_top and not row["early_cuts"] else PREFIX_LEVEL


def protocols(runs: Iterable[RunBudget]) -> tuple[Protocol, ...]:
    """One Protocol a fingerprint, in their order; runs without one come last. Empty for no runs."""
    groups: dict[str | None, list[RunBudget]] = {}
    for run in runs:
        groups.setdefault(run.fingerprint, []).append(run)
    return tuple(protocol(groups[name], name) for name in sorted(groups, key=lambda name: (name is None, name or "")))


def protocol(runs: Sequence[RunBudget], fingerprint: str | None) -> Protocol:
    """The figures of these runs."""
    known = [run for run in runs if run.is_right is not None]
    checks = {run.run_id: check for run in runs if (check := verified(run)) is not None}
    regimes = Counter(found for run in runs if (found := regime(run)) is not None)
    judged = [run for run in runs if run.row["evaluations"] is not None]
    evaluations = sum(run.row["evaluations"] for run in judged)
    calls = sum(run.run["calls"] for run in runs)
    finished = sum(run.row["finished"] for run in runs)
    return Protocol(
        fingerprint=fingerprint,
        regime=min(regimes, key=lambda name: (-regimes[name], name)) if regimes else None,
        runs=len(runs),
        tasks=len({run.run["task_id"] for run in runs} - {None}),
        right=Share(sum(run.is_right is True for run in known), len(known)),
        verified=Share(sum(checks.values()), len(checks)),
        spent={currency: _mean(runs, currency) for currency in Currency},
        per_right={currency: _per(known, currency, [run.is_right is True for run in known]) for currency in Currency},
        per_verified=_per_verified(runs, checks),
        evaluations_per_score=_ratio(evaluations, sum(run.row["scored"] for run in judged)) if judged else None,
        decisions_changed=Share(sum(run.decisions.changed for run in runs), sum(run.decisions.made for run in runs)),
        evaluations_per_change=_ratio(evaluations, sum(run.decisions.changed for run in judged)) if judged else None,
        evaluation_share=_ratio(evaluations, calls),
        checked=Share(min(sum(run.row["checked"] for run in runs), finished), finished),
    )


def verified(run: RunBudget) -> bool | None:
    """The external check of the last node of the selected path; None where none is recorded."""
    check: bool | None = run.row["path_verified"]
    return check


def dominated(runs: Sequence[RunBudget], currency: Currency) -> frozenset[str | None]:
    """The protocols that another one beats: right at least as often for no more, and better in one of both.

    They are compared on the tasks of the one that is beaten, all of which the other must have run with a known outcome and spend.
    """
    of = _by_task(runs, currency)
    ran: dict[str, list[str | None]] = {}
    for name, mine in of.items():
        for task in mine:
            ran.setdefault(task, []).append(name)
    averages: dict[tuple[str | None, frozenset[str]], tuple[float, float]] = {}

    def average(name: str | None, tasks: frozenset[str]) -> tuple[float, float]:
        if (name, tasks) not in averages:
            averages[name, tasks] = _averages(of[name], tasks)
        return averages[name, tasks]

    found = set()
    for name, mine in of.items():
        tasks = frozenset(mine)
        ours = average(name, tasks)
        rivals = (other for other in ran[next(iter(mine))] if other != name and tasks <= of[other].keys())
        if any(_beats(average(other, tasks), ours) for other in rivals):
            found.add(name)
    return frozenset(found)


def same_tasks(runs: Sequence[RunBudget]) -> bool:
    """Whether every protocol ran the same tasks, so that its share can be compared with the others."""
    tasks: dict[str | None, set[str | None]] = {}
    for run in runs:
        tasks.setdefault(run.fingerprint, set()).add(run.run["task_id"])
    return len({frozenset(one) for one in tasks.values()}) <= 1


def against_baselines(runs: Sequence[RunBudget]) -> Iterator[Against]:
    """Each prefix-level protocol against each simpler one on the tasks that both ran with a known outcome."""
    found = {one.fingerprint: one for one in protocols(runs) if one.fingerprint is not None}
    rights: dict[str, dict[str, list[bool]]] = {}
    for run in runs:
        if run.fingerprint is not None and run.is_right is not None and run.run["task_id"] is not None:
            rights.setdefault(run.fingerprint, {}).setdefault(run.run["task_id"], []).append(run.is_right)
    searches = [name for name in rights if found[name].regime == PREFIX_LEVEL]
    for baseline in (name for name in rights if found[name].regime in BASELINES):
        for search in searches:
            of_search, of_baseline = rights[search], rights[baseline]
            tasks = sorted(of_search.keys() & of_baseline.keys())
            if tasks:
                yield Against(search=search, baseline=baseline, regime=found[baseline].regime or "", tasks=len(tasks),
                              search_right=_right(of_search, tasks), baseline_right=_right(of_baseline, tasks))  # fmt: skip


def _by_task(runs: Sequence[RunBudget], currency: Currency) -> dict[str | None, _OfTasks]:
    """Outcome and spend of the runs of each protocol, by task; runs of which one of the three is not known are left out."""
    found: dict[str | None, _OfTasks] = {}
    for run in runs:
        task, spend = run.run["task_id"], run.spent.of(currency)
        if task is not None and spend is not None and run.is_right is not None:
            found.setdefault(run.fingerprint, {}).setdefault(task, []).append((run.is_right, spend))
    return found


def _beats(theirs: tuple[float, float], ours: tuple[float, float]) -> bool:
    return theirs[0] >= ours[0] and theirs[1] <= ours[1] and theirs != ours


def _averages(of_tasks: _OfTasks, tasks: Iterable[str]) -> tuple[float, float]:
    pairs = [pair for task in tasks for pair in of_tasks[task]]
    return statistics.fmean(right for right, _ in pairs), statistics.fmean(spend for _, spend in pairs)


def _right(of_tasks: dict[str, list[bool]], tasks: Sequence[str]) -> Share:
    outcomes = [right for task in tasks for right in of_tasks[task]]
    return Share(sum(outcomes), len(outcomes))


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def _mean(runs: Sequence[RunBudget], currency: Currency) -> Mean:
    known = [spend for run in runs if (spend := run.spent.of(currency)) is not None]
    return Mean(statistics.fmean(known) if known else None, len(known))


def _per_verified(runs: Sequence[RunBudget], checks: dict[str, bool]) -> dict[Currency, Mean]:
    known = [run for run in runs if run.run_id in checks]
    return {currency: _per(known, currency, [checks[run.run_id] for run in known]) for currency in Currency}


def _per(runs: Sequence[RunBudget], currency: Currency, succeeded: Sequence[bool]) -> Mean:
    known = [(spend, good) for run, good in zip(runs, succeeded, strict=True) if (spend := run.spent.of(currency)) is not None]
    if not known:
        return Mean(None, 0)
    successes = sum(good for _, good in known)
    return Mean(math.fsum(spend for spend, _ in known) / successes if successes else math.nan, len(known))

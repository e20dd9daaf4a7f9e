"""Which depth cap do these runs suggest, and can a call budget pay for the depth that right answers need?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from explorer.analysis import deepening
from explorer.analysis.budget import RunBudget
from explorer.analysis.deepening import Nominal, PerLevel
from explorer.analysis.solution_depth import Answers, right_depths

NOT_AFFORDABLE = "not affordable with branching search"
AFFORDABLE = "affordable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the user chose."""

    share: float = 0.95
    """The share of right answers that a depth must cover, in (0, 1]."""
    margin: int = 1
    """Levels added to that depth for the suggested cap."""
    calls: int | None = None
    """Calls that may be spent on one run; None: as the runs recorded."""
    answers: Answers = "selected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Needed against affordable."""

    wish: Wish
    right: int
    """Right answers that the needed depth rests on."""
    needed_depth: int | None
    """The smallest depth that covers the chosen share of them; None without any."""
    suggested_cap: int | None
    """needed_depth plus the margin."""
    calls: int | None
    """The call budget of one run: as chosen, else the smallest that a run recorded."""
    calls_from: str | None
    """chosen or recorded; None: neither."""
    calls_recorded: int
    """Runs that recorded a call budget."""
    budgets: tuple[int, ...]
    """The different call budgets that runs recorded, rising."""
    per_level: PerLevel
    nominal: Nominal
    affordable_depth: int | None
    """By the calls per level that were measured, or derived."""
    affordable_nominal: int | None
    """By width × branching."""
    verdict: str | None
    """affordable, or not affordable with branching search: affordable_depth against needed_depth; None where one of them is not known."""
    missing: tuple[str, ...]
    """What a verdict would need."""


def plan(runs: Sequence[RunBudget], wish: Wish) -> Plan:
    """The plan that these runs support; with none, everything is unknown."""
    found = right_depths(runs, wish.answers)
    needed = found.percentile(wish.share)
    recorded = sorted(run.run["budgets"]["call_budget"] for run in runs if run.run["budgets"]["call_budget"] is not None)
    calls = wish.calls if wish.calls is not None else next(iter(recorded), None)
    per_level, by_rule = deepening.calls_per_level(runs), deepening.nominal(runs)
    affordable = deepening.affordable_depth(calls, per_level.value)
    return Plan(
        wish=wish,
        right=len(found.depths),
        needed_depth=needed,
        suggested_cap=None if needed is None else needed + wish.margin,
        calls=calls,
        calls_from="chosen" if wish.calls is not None else "recorded" if recorded else None,
        calls_recorded=len(recorded),
        budgets=tuple(sorted(set(recorded))),
        per_level=per_level,
        nominal=by_rule,
        affordable_depth=affordable,
        affordable_nominal=deepening.affordable_depth(calls, by_rule.calls_per_level),
        verdict=None if affordable is None or needed is None else AFFORDABLE if affordable >= needed else NOT_AFFORDABLE,
        missing=tuple(_missing(needed, calls, per_level)),
    )


def _missing(needed: int | None, calls: int | None, per_level: PerLevel) -> Iterator[str]:
    if needed is None:
        yield "a right answer whose depth the log holds"
    if calls is None:
        yield "a call budget: none is recorded, choose one"
    if math.isnan(per_level.value) or not per_level.value:
        yield "a level below the root with calls, or expanded and scored nodes"

"""How far do runs get, from a task that can be solved to a verified answer, and what does the search lose on the way?

The five figures are those of "Trajectory search" (section 9): shares of the runs whose root is viable and whose seven stages are known.
A run about which the log cannot tell stays out of them and is counted beside them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from explorer.analysis.search import without_collector
from explorer.analysis.stages import STAGES
from explorer.analysis.verdict import INVALID_LABELS, Verdict
from ingest.schema import Stage

_Z = 1.959963984540054
"""Two-sided 95 % of the normal distribution."""


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    numerator: int
    denominator: int

    @property
    def value(self) -> float:
        """In [0, 1]; nan where nothing was counted."""
        return self.numerator / self.denominator if self.denominator else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval; (nan, nan) where nothing was counted."""
        return wilson(self.numerator, self.denominator)


@dataclass(frozen=True, slots=True)
class Reached:
    """Runs that got to one stage."""

    stage: str
    runs: int
    lost: int
    """Runs lost at this stage, having reached the one before."""
    run_ids: tuple[str, ...]
    """Those that were lost here."""


@dataclass(frozen=True, slots=True)
class Lost:
    """Runs with one verdict at one depth by one mechanism."""

    depth: int | None
    verdict: str
    mechanism: str | None
    run_ids: tuple[str, ...]

    @property
    def runs(self) -> int:
        return len(self.run_ids)


@dataclass(frozen=True, kw_only=True)
class Suite:
    """A set of runs."""

    fingerprint: str | None
    """The protocol that they share; None for a set that was not split, or where it is not recorded."""
    runs: int
    counted: int
    """Runs whose root is viable and whose stages are all known: the denominator."""
    left_out: tuple[str, ...]
    """Runs that are in no figure, because the log cannot tell."""
    not_solvable: tuple[str, ...]
    """Runs whose root is known not to be viable."""
    verdicts: dict[str, int]
    funnel: tuple[Reached, ...]
    oracle_generated_success: Share
    selected_success: Share
    search_gap: Share
    pruning_regret: Share
    allocation_regret: Share
    lost: tuple[Lost, ...]
    errors: tuple[str, ...]
    """Runs whose imported stage labels violate the order of the stages, in words."""


METRICS = ("oracle_generated_success", "selected_success", "search_gap", "pruning_regret", "allocation_regret")


def suite(verdicts: Iterable[Verdict], fingerprint: str | None = None) -> Suite:
    """The figures over these runs; with none, every share is 0 of 0."""
    with without_collector():
        listed = list(verdicts)
    trials = [v for v in listed if v.flags[Stage.REACHABLE] and None not in v.flags.values()]
    generated = [v for v in trials if v.flags[Stage.GENERATED]]
    verified = [v for v in trials if v.flags[Stage.VERIFIED]]
    unsolvable = tuple(v.run_id for v in listed if v.flags[Stage.REACHABLE] is False)
    counted = {v.run_id for v in trials}
    return Suite(
        fingerprint=fingerprint,
        runs=len(listed),
        counted=len(trials),
        left_out=tuple(v.run_id for v in listed if v.run_id not in counted and v.run_id not in unsolvable),
        not_solvable=unsolvable,
        verdicts=dict(sorted(Counter(v.verdict for v in listed).items())),
        funnel=_funnel(trials),
        oracle_generated_success=Share(len(generated), len(trials)),
        selected_success=Share(len(verified), len(trials)),
        search_gap=Share(len(generated) - len(verified), len(trials)),
        pruning_regret=Share(sum(first_failed(v) == Stage.SURVIVED for v in generated), len(generated)),
        allocation_regret=Share(sum(first_failed(v) == Stage.COMPLETED for v in generated), len(generated)),
        lost=_lost(listed),
        errors=tuple(f"{v.run_id}: {v.sentence}" for v in listed if v.mechanism == INVALID_LABELS),
    )


def by_fingerprint(verdicts: Iterable[Verdict]) -> tuple[Suite, ...]:
    """The same for each protocol on its own, in order of the fingerprints; runs without one come last."""
    groups: dict[str | None, list[Verdict]] = {}
    for one in verdicts:
        groups.setdefault(one.fingerprint, []).append(one)
    return tuple(suite(groups[name], name) for name in sorted(groups, key=lambda name: (name is None, name or "")))


def first_failed(verdict: Verdict) -> Stage | None:
    """The first stage that does not hold; None where all do or one before it is not known."""
    for stage in STAGES:
        if not verdict.flags[stage]:
            return stage if verdict.flags[stage] is False else None
    return None


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Wilson's score interval at 95 % for a share (Wilson 1927, without continuity correction); (nan, nan) for no trials."""
    if not trials:
        return math.nan, math.nan
    share, z2 = successes / trials, _Z * _Z
    middle = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    half = _Z * math.sqrt(share * (1 - share) / trials + z2 / (4 * trials * trials)) / (1 + z2 / trials)
    return 0.0 if successes == 0 else middle - half, 1.0 if successes == trials else middle + half  # exactly, whatever rounding did


def document(one: Suite) -> dict[str, object]:
    """As ``why --json`` prints it: undefined shares are nan, which becomes null."""
    found: dict[str, object] = {"fingerprint": one.fingerprint, "runs": one.runs, "counted": one.counted, "verdicts": one.verdicts}
    for name in METRICS:
        share: Share = getattr(one, name)
        low, high = share.interval
        found[name] = {"value": share.value, "numerator": share.numerator, "denominator": share.denominator, "low": low, "high": high}
    found["funnel"] = [{"stage": step.stage, "runs": step.runs, "lost": step.lost, "run_ids": step.run_ids} for step in one.funnel]
    found["lost"] = [{"depth": x.depth, "verdict": x.verdict, "mechanism": x.mechanism, "runs": x.runs, "run_ids": x.run_ids} for x in one.lost]
    return found | {"left_out": one.left_out, "not_solvable": one.not_solvable, "errors": one.errors}


def _funnel(trials: Sequence[Verdict]) -> tuple[Reached, ...]:
    steps = []
    for stage in STAGES:
        lost = tuple(v.run_id for v in trials if first_failed(v) == stage)
        steps.append(Reached(str(stage), sum(v.flags[stage] is True for v in trials), len(lost), lost))
    return tuple(steps)


def _lost(verdicts: Sequence[Verdict]) -> tuple[Lost, ...]:
    groups: dict[tuple[int | None, str, str | None], list[str]] = {}
    for v in verdicts:
        if v.verdict != "none":
            groups.setdefault((v.depth, v.verdict, v.mechanism), []).append(v.run_id)
    ordered = sorted(groups, key=lambda key: (key[0] is None, key[0] or 0, key[1], key[2] or ""))
    return tuple(Lost(*key, tuple(groups[key])) for key in ordered)

"""Why did runs stop: which cap cut how many of them off, and where is that only inferred?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.analysis.budget import RunBudget
from explorer.analysis.funnel import Share
from explorer.wording import CAPS
from ingest.schema import StopReason

_ORDER = tuple(StopReason)
_LIMITED = {
    StopReason.CALL_BUDGET: "calls", StopReason.TOKEN_BUDGET: "tokens", StopReason.MAX_NODES: "nodes", StopReason.COST_BUDGET: "cost_usd",
    StopReason.WALL_CLOCK: "seconds",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ending:
    """Why one run stopped."""

    reason: str | None
    """A stop reason; None: not known."""
    inferred: bool
    """The log names no reason, but the run had used up this limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """The runs that stopped for one reason."""

    reason: str | None
    """None: not recorded, and not to be inferred."""
    is_cap: bool
    recorded: int
    inferred: int
    share: Share
    """Recorded and inferred, of the runs of which the reason is known; 0 of 0 for the reason that is not known."""
    limited: int | None
    """Runs that recorded a limit of this kind; None where the reason is no cap."""
    right: Share
    """Of these runs, those with a known outcome that ended right."""
    run_ids: tuple[str, ...]


def ending(run: RunBudget) -> Ending:
    """As recorded; else the first limit that the run had used up. A run that is still running or died has none."""
    reason = run.run["stop_reason"]
    if reason is not None and reason != StopReason.UNKNOWN:
        return Ending(reason, False)
    if run.run["ended"] is False or run.run["complete"] is True:
        return Ending(None, False)
    used = _used_up(run)
    return Ending(used, used is not None)


def is_cut_off(run: RunBudget) -> bool | None:
    """Whether a cap cut the search off: as recorded, else by the cap that fired; None where the log does not tell."""
    if run.run["complete"] is not None:
        return not run.run["complete"]
    reason = ending(run).reason
    return None if reason is None or reason == StopReason.ERROR else reason in CAPS


def cut_off(runs: Sequence[RunBudget]) -> Share:
    """Runs that a cap cut off, of those of which that is known."""
    known = [cut for cut in map(is_cut_off, runs) if cut is not None]
    return Share(sum(known), len(known))


def cut_off_inferred(runs: Sequence[RunBudget]) -> int:
    """How many of the runs that were cut off are so only because a recorded limit was used up."""
    return sum(bool(is_cut_off(run)) and run.run["complete"] is None and ending(run).inferred for run in runs)


def stops(runs: Sequence[RunBudget]) -> tuple[Stop, ...]:
    """One Stop a reason that occurs, caps first; the runs of which nothing is known come last. Empty for no runs."""
    groups: dict[str | None, list[tuple[RunBudget, bool]]] = {}
    for run in runs:
        found = ending(run)
        groups.setdefault(found.reason, []).append((run, found.inferred))
    known = sum(len(members) for reason, members in groups.items() if reason is not None)
    return tuple(_stop(reason, groups[reason], known, runs) for reason in sorted(groups, key=_rank))


def _stop(reason: str | None, members: Sequence[tuple[RunBudget, bool]], known: int, runs: Sequence[RunBudget]) -> Stop:
    is_cap = reason in CAPS
    outcomes = [run.is_right for run, _ in members if run.is_right is not None]
    return Stop(
        reason=reason,
        is_cap=is_cap,
        recorded=sum(not inferred for _, inferred in members) if reason is not None else 0,
        inferred=sum(inferred for _, inferred in members),
        share=Share(len(members), known) if reason is not None else Share(0, 0),
        limited=sum(run.run["budgets"][reason] is not None for run in runs) if is_cap else None,
        right=Share(sum(outcomes), len(outcomes)),
        run_ids=tuple(run.run_id for run, _ in members),
    )


def _used_up(run: RunBudget) -> str | None:
    limits = run.run["budgets"]
    for reason, currency in _LIMITED.items():
        limit, spent = limits[reason], getattr(run.spent, currency)
        if limit is not None and spent is not None and spent >= limit:
            return reason
    depth, reached = limits["max_depth"], run.row["depth_reached"]
    if depth is not None and reached is not None and reached >= depth and run.row["open_deepest"]:
        return StopReason.MAX_DEPTH
    return None


def _rank(reason: str | None) -> tuple[bool, bool, int, str]:
    return reason is None, reason not in CAPS, _ORDER.index(StopReason(reason)) if reason in _ORDER else len(_ORDER), reason or ""

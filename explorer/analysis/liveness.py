"""Is a run that has no end still running? Told by when its log was last written to."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from explorer import wording
from explorer.analysis.fact import Fact

RUNNING_S = 120
"""A log that was written to within so many seconds is still being written; a model may take that long to answer."""
UNTOLD = "still running or died"
"""Where it is not known when the log was written."""


def is_running(written: datetime, now: datetime) -> bool:
    return (now - written).total_seconds() <= RUNNING_S


def word(written: datetime | None, now: datetime) -> str:
    """``running``, or since when nothing was written."""
    if written is None:
        return UNTOLD
    return "running" if is_running(written, now) else f"dead since {wording.minute(written)}"


def words(written: Mapping[str, datetime], now: datetime) -> dict[str, str]:
    """The same for each log by name."""
    return {source: word(at, now) for source, at in written.items()}


def badge(written: datetime | None, now: datetime | None = None) -> Fact:
    """The chip of a run that has no end."""
    hint = "The log has no end record for this run."
    if written is None or now is None:
        return Fact(text=UNTOLD, tone="orange", hint=hint)
    running = is_running(written, now)
    return Fact(text=word(written, now), tone="blue" if running else "orange", hint=f"{hint} It was last written to at {wording.moment(written)}.")


def counted(said: list[str]) -> list[Fact]:
    """How many runs without an end are running, are dead, or may be either: one chip each that is not empty."""
    running, untold = said.count("running"), said.count(UNTOLD)
    found: list[tuple[int, Fact]] = [
        (running, Fact(text=f"{running:,} running", tone="blue")),
        (len(said) - running - untold, Fact(text=f"{len(said) - running - untold:,} dead without an end", tone="orange")),
        (untold, Fact(text=f"{untold:,} {UNTOLD}", tone="orange")),
    ]
    return [fact for number, fact in found if number]

"""What time is it in a recorded search? Simulated time, which moves only by what a call is said to take: recording again gives the same bytes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

FIRST_START = datetime(2026, 1, 5, 9, tzinfo=UTC)


class Died(Exception):
    """The program stops in the middle, as planned for one sample: nothing more is written, not even the end."""


@dataclass(slots=True)
class Clock:
    """Simulated time, for one call after the other."""

    now: datetime
    dies_after: int | None = None
    """Number of calls after which the program dies, for the recording of a run without an end."""
    calls: int = 0

    def __call__(self) -> datetime:
        return self.now

    def call(self, milliseconds: float) -> dict[str, object]:
        """A call that takes this long is made now: its two fields of time. Raises Died where one more is too many."""
        if self.dies_after is not None and self.calls >= self.dies_after:
            raise Died
        self.calls += 1
        began = self.now
        self.now += timedelta(milliseconds=milliseconds)
        return {"started_at": began, "latency_ms": milliseconds}

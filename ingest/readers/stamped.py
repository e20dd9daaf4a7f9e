"""What does a text log of Python's ``logging`` hold? Records from one time stamp to the next; a record may span many lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from ingest.source import Source

ZONELESS = "times have no zone; they are read as UTC"
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),(\d{3}) - (?:(\S+) - )?(DEBUG|INFO|WARNING|ERROR|CRITICAL) - ")


@dataclass(frozen=True, slots=True)
class Record:
    """One record: the line that it begins on, its time, and what it says."""

    line: int
    stamp: str
    """As logged."""
    message: str

    @property
    def time(self) -> datetime | None:
        """In UTC, because such logs name no zone."""
        try:
            return datetime.strptime(self.stamp, "%Y-%m-%d %H:%M:%S,%f").replace(tzinfo=UTC)
        except ValueError:
            return None

    def after(self, start: str) -> str | None:
        """The message behind ``start``; None where it does not begin so."""
        return self.message[len(start) :].strip() if self.message.startswith(start) else None


def begins_with_a_stamp(head: str) -> bool:
    """Whether the first line that is not blank is a record of such a log."""
    return _STAMP.match(head.lstrip()) is not None


def records(source: Source) -> Iterator[Record]:
    """Every record in order; text before the first stamp is a record without one. Bytes that are not UTF-8 become U+FFFD."""
    line, stamp, parts = 1, "", []
    for number, raw in source.lines():
        text = raw.decode("utf-8", "replace").rstrip("\r\n")
        found = _STAMP.match(text)
        if found is None:
            parts.append(text)
            continue
        if parts:
            yield Record(line, stamp, "\n".join(parts))
        line, stamp, parts = number, f"{found[1]},{found[2]}", [text[found.end() :]]
    if parts:
        yield Record(line, stamp, "\n".join(parts))

"""How are logs followed while they are written? In a process of its own: look, take in what is new, make it visible, wait, look again.

    python -m ingest.watch      (started by explorer/following.py only, which says on stdin what to follow; the end of stdin ends it)

A native log that grew is read from where it was read to last (``ingest/live.py``); any other log that changed is loaded again as a whole once
it has stopped changing for a moment, and so is a native log that was cut or replaced. New files in a folder are found. The end of a line
that is not written yet is waited for.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import duckdb

from ingest import live, tail
from ingest.discover import discover
from ingest.errors import Problem, TraceError
from ingest.jobs import Following, can_grow, key_of
from ingest.live import Grown
from ingest.pipeline import ingest
from ingest.readers import native
from ingest.redact import Redactor, read_rules
from ingest.source import Source
from ingest.store import Entry, read_manifest
from ingest.tail import Lines

WAIT_S = 0.15
"""Between two looks at logs that are followed."""
SEARCH_S = 1.0
"""Between two looks for logs that are new or changed."""
SEARCH_REST = 5
"""A folder that takes long to walk is left alone for so many times as long."""
LONGEST_S = 30.0
"""It rests for as long as it worked, so that the pages get their turn, but never longer than this."""
PATIENCE_S = 5.0
"""A log that never stops changing is loaded again after so long."""
Stamp = tuple[int, int]
"""Size and time of change."""


@dataclass(slots=True)
class _Followed:
    source: Source
    lines: Lines
    mark: str
    stamp: Stamp


class Watch:
    """Follows what lies behind some paths; remembers how far each log was read."""

    def __init__(self, folder: Path, paths: Iterable[str], redactor: Redactor | None = None, payloads: str = "all") -> None:
        self.folder, self.paths, self.redactor, self.payloads = folder, [path for path in paths if path != "-"], redactor, payloads
        self._con = duckdb.connect(":memory:")
        self._followed: dict[str, _Followed] = {}
        self._seen: dict[str, Stamp] = {}
        """How the other files were when they were looked at last."""
        self._changing: dict[str, tuple[Stamp, float]] = {}
        """Of those that have changed: how they were at the last search, and since when they change."""
        self._at_once: set[str] = set()
        """Logs that have to be loaded as a whole."""
        self._search_at = 0.0

    def look(self) -> None:
        """Take in what was appended, and now and then what is new or changed. Raises TraceError when the store cannot be written."""
        self._take_in()
        if self._at_once or time.monotonic() >= self._search_at:
            self._search()

    def _take_in(self) -> None:
        """The new lines of every log that grew."""
        found = {key: _grown(self._con, key, one) for key, one in self._followed.items()}
        grown = [one for one in found.values() if isinstance(one, Grown)]
        self._at_once |= {key for key, one in found.items() if one == "other"}
        if grown:
            others = [
                Grown(one.source, key, one.lines, one.lines.end, 0, set(), one.stamp[1])
                for key, one in self._followed.items() if not isinstance(found[key], Grown) and key not in self._at_once
            ]  # fmt: skip
            try:
                self._at_once |= live.take_in(self.folder, grown, others, self.redactor, self.payloads)
            except BaseException:
                self._followed.clear()  # begin again with what the store knows
                raise
        for key in self._at_once & self._followed.keys():
            del self._followed[key]

    def _search(self) -> None:
        """Load what is new or changed, then follow every native log that can grow."""
        inside, started = self.folder.resolve(), time.monotonic()
        sources = [item for item in discover(self.paths) if not isinstance(item, Problem)]
        self._search_at = time.monotonic() + max(SEARCH_S, SEARCH_REST * (time.monotonic() - started))
        found = {key_of(item): item for item in sources if not item.path.resolve().is_relative_to(inside)}
        entries = self._entries()
        others = [key for key in found if key not in self._followed]
        whole = self._at_once & found.keys()
        self._at_once.clear()
        ready = whole | {key for key in others if key not in whole and self._is_ready(key, found[key], entries.get(key))}
        if ready:
            ingest(self.folder, self.paths, redactor=self.redactor, payloads=self.payloads, following=Following(ready, whole))
            entries = self._entries()
        for key in others:
            if key in entries and entries[key].format == native.NAME and can_grow(found[key]):
                self._follow(key, found[key], entries[key])

    def _entries(self) -> dict[str, Entry]:
        return {entry.key: entry for entry in read_manifest(self.folder).entries}

    def _is_ready(self, key: str, source: Source, entry: Entry | None) -> bool:
        """Whether a file is not as it was looked at last and can be loaded now: a native log at any time, others once they are quiet."""
        try:
            stamp = _stamp(source)
        except OSError:
            return False
        if entry is not None and (entry.bytes, entry.mtime_ns) == stamp:
            self._seen[key] = stamp
        if self._seen.get(key) == stamp:
            self._changing.pop(key, None)
            return False
        before, since = self._changing.get(key, (None, time.monotonic()))
        if before == stamp or time.monotonic() - since > PATIENCE_S or _is_native(source):
            self._seen[key] = stamp
            return True
        self._changing[key] = stamp, since
        return False

    def _follow(self, key: str, source: Source, entry: Entry) -> None:
        """From what the store holds of it on; one that was loaded with an unfinished line, or changed since, is loaded again first."""
        try:
            if not entry.mark and ((entry.bytes, entry.mtime_ns) != _stamp(source) or tail.whole_lines(source.path, entry.bytes) < entry.bytes):
                self._at_once.add(key)
                return
            known = entry.mark or tail.mark(source.path, entry.bytes)
            of_whom = Lines(source.path)
            of_whom.read(self._con, entry.bytes)
        except OSError:
            return
        self._followed[key] = _Followed(dataclasses.replace(source, label=entry.source), of_whom, known, (entry.bytes, 0))


def _grown(con: duckdb.DuckDBPyConnection, key: str, one: _Followed) -> Grown | Literal["same", "other"]:
    """What a log has grown by; "other" where it is another log now."""
    try:
        size, mtime_ns = _stamp(one.source)
        if (size, mtime_ns) == one.stamp:
            return "same"
        data = tail.appended(one.source.path, one.lines.end, one.mark)
        if data is None:
            return "other"
        one.stamp = size, mtime_ns
        if not data:
            return "same"
        before, first = one.lines.end, len(one.lines) + 1
        runs = one.lines.add(con, data)
        one.mark = tail.mark(one.source.path, one.lines.end)
    except OSError:  # it is gone; what was loaded of it stays
        return "same"
    if one.lines.end < size:  # an unfinished line, or more than one step takes
        one.stamp = one.lines.end, 0
    return Grown(one.source, key, one.lines, before, first, runs, mtime_ns)


def _stamp(source: Source) -> Stamp:
    infos = [path.stat() for path in source.files()]
    return sum(info.st_size for info in infos), max((info.st_mtime_ns for info in infos), default=0)


def _is_native(source: Source) -> bool:
    try:
        return can_grow(source) and native.sniff(source)
    except (TraceError, OSError):
        return False


def main() -> None:
    """Follow what stdin names until stdin ends. A store that cannot be written is said once, and tried again."""
    asked = json.loads(sys.stdin.readline())
    redactor = Redactor(read_rules(asked["redact"])) if asked["redact"] else None
    watch = Watch(Path(asked["store"]), asked["paths"], redactor, asked["payloads"])
    stop, said, took = threading.Event(), "", 0.0
    threading.Thread(target=_until_stdin_ends, args=(stop,), daemon=True).start()
    while not stop.wait(max(WAIT_S, min(took, LONGEST_S))):
        started = time.monotonic()
        try:
            watch.look()
        except TraceError as error:
            if str(error) != said:
                print(error, file=sys.stderr)
            said = str(error)
        took = time.monotonic() - started


def _until_stdin_ends(stop: threading.Event) -> None:
    sys.stdin.read()
    stop.set()


if __name__ == "__main__":
    main()

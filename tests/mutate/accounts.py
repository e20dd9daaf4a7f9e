"""Is everything that a mutated log still holds among the records, or named as a problem? Held against the log as it was before.

A record can be lost in three ways, and each leaves a trace that needs no knowledge of the format:

- where a line is a record, lines are more than records and problems;
- a text that the log still holds is in no record, though the reader kept texts at that place before;
- there are fewer nodes or runs than before and the change itself took none away, or not more of them though a record stands twice.

Each is a silent loss when nothing new was said. One problem covers the record that it names with everything that hangs in it; a run that is
refused as a whole needs one of its own. What a reader says in a run's ``warnings`` counts as said: the page shows it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import re
import sqlite3
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingest.errors import Problem, TraceError
from ingest.readers import Reader
from ingest.schema import Trace
from ingest.source import Source
from tests.mutate.changes import Change, out_of_wal_mode, places, syntax

SHORTEST = 6
"""Shorter texts are found by accident."""
SUPERSEDED = (".logs[].",)
"""Places where a log says the same again and again: llm-reasoners saves its tree after every iteration, and the last snapshot counts."""


@dataclass(frozen=True, slots=True)
class Account:
    """What a reader made of a log."""

    traces: tuple[Trace, ...]
    problems: tuple[Problem, ...]

    @property
    def runs(self) -> int:
        return len(self.traces)

    @property
    def nodes(self) -> int:
        return sum(len(trace.nodes) for trace in self.traces)

    def named(self, was: Account) -> int:
        """How much is said now that was not said before: new problems, and warnings that are new or say a larger number."""
        new = {(problem.where, problem.message) for problem in self.problems} - {(problem.where, problem.message) for problem in was.problems}
        return len(new) + len(self.warned() - was.warned())

    def warned(self) -> Counter[str]:
        """How often each thing is warned of, or how many times the warning itself says that it was found."""
        found = Counter[str]()
        for warning in (warning for trace in self.traces for warning in trace.run.warnings):
            found[re.sub(r"\d+", "#", warning)] += max(1, sum(map(int, re.findall(r"\d{1,9}", warning))))
        return found


def account(reader: Reader, path: Path) -> Account:
    """Everything that comes out; a log that cannot be read further is a problem like any other."""
    traces: list[Trace] = []
    problems: list[Problem] = []
    source = Source(path)
    try:
        reader.sniff(source)
        for item in reader.read(source):
            if isinstance(item, Trace):
                traces.append(item)
            else:
                problems.append(item)
    except TraceError as error:
        problems.append(Problem(error.message, error.where or source.name, error.hint, error.kind, rejected=True))
    return Account(tuple(traces), tuple(problems))


@dataclass(frozen=True, slots=True)
class Before:
    """The log as it was: what came out, where its texts were kept, and whether a line is a record."""

    account: Account
    unkept: frozenset[str]
    """Places, without positions in lists, whose texts are in no record."""
    texts: Counter[str]
    """How often each text stands in the log: of one that stands twice, the reader may have kept the one that was changed."""
    lines: str | None
    """"runs" or "nodes", where the file has as many lines as records."""


def before(reader: Reader, files: Mapping[str, bytes], path: Path) -> Before:
    found = account(reader, path)
    missing = frozenset(place for place, _ in _missing(files, found))
    lines = _lines(files)
    counted = [name for name in ("runs", "nodes") if lines and getattr(found, name) == lines]
    return Before(found, missing, _counted(files), counted[0] if counted else None)


def lost(was: Before, now: Account, change: Change, without: Account | None = None) -> list[str]:
    """What was lost in silence; empty as a rule. ``without``: what comes out when the record that stands twice does not stand there at all."""
    found = []
    named = now.named(was.account)
    emptied = change.takes and change.kind != "cut"  # what is left of the line may be a record of nothing
    if was.lines and (lines := _lines(change.files)) - emptied > getattr(now, was.lines) + named:
        found.append(f"{lines} lines, {getattr(now, was.lines)} {was.lines}, {named} problems")
    carried = was.account if without is None or without.named(was.account) else without
    if not change.takes and now.runs + named < was.account.runs + (carried.runs < was.account.runs):
        found.append(f"{was.account.runs} runs before, {now.runs} after, {named} problems")
    if not change.takes and not named and now.nodes < was.account.nodes + (carried.nodes < was.account.nodes):
        found.append(f"{was.account.nodes} nodes before, {now.nodes} after, no problem")
    gone = [] if named else [(place, text) for place, text in _missing(change.files, now) if place not in was.unkept]
    copies = was.texts - _counted(change.files) if gone else Counter[str]()
    return found + [f"{place}: {text[:40]!r}" for place, text in gone if text not in copies][:3]


def _lines(files: Mapping[str, bytes]) -> int:
    """Lines that hold something, of a log of lines; 0 of any other."""
    return sum(bool(line.strip()) for name, data in files.items() if syntax(name, data) == "lines" for line in data.split(b"\n"))


def _counted(files: Mapping[str, bytes]) -> Counter[str]:
    return Counter(text for name, data in files.items() for _, text in _of_file(name, data))


def _missing(files: Mapping[str, bytes], found: Account) -> Iterator[tuple[str, str]]:
    """Place and text of everything that the log holds and no record does."""
    texts = {text for trace in found.traces for record in (trace.run, *trace.nodes, *trace.calls, *trace.truth) for text in _of_record(record)}
    whole = "\n".join(texts)
    latest = {Path(name).name: (name, files[name]) for name in sorted(files, key=lambda name: (len(name), name))}
    for name, data in latest.values():  # a program that several checkpoints hold counts as it was saved last
        for place, text in _of_file(name, data):
            if len(text) >= SHORTEST and text not in texts and text not in whole and not place.startswith(SUPERSEDED):
                yield place, text


def _of_record(record: Any) -> Iterator[str]:
    for item in dataclasses.fields(record):
        value = getattr(record, item.name)
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, str):
                yield from (text for _, text in _texts(one))


def _of_file(name: str, data: bytes) -> Iterator[tuple[str, str]]:
    """Every text in a file, with its place. A file that cannot be read holds none that could be lost: that is a problem of its own."""
    kind = syntax(name, data)
    if kind == "document":
        yield from _texts(json.loads(data))
    elif kind == "text":
        yield from (("line", line.strip()) for line in data.decode("utf-8", "replace").splitlines())
    elif kind == "lines":
        for line in data.split(b"\n"):
            with contextlib.suppress(ValueError):
                yield from _texts(json.loads(line))
    elif kind == "zip":
        with contextlib.suppress(zipfile.BadZipFile, EOFError, ValueError), zipfile.ZipFile(io.BytesIO(data)) as packed:
            for member in packed.namelist():
                if not member.startswith("_journal"):  # copies of what the other members hold
                    yield from _of_file(member, packed.read(member))
    elif kind == "sqlite":
        yield from _of_database(data)


def _of_database(data: bytes) -> Iterator[tuple[str, str]]:
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(":memory:")) as base:
        base.text_factory = lambda raw: raw.decode("utf-8", "replace")
        base.deserialize(out_of_wal_mode(data))
        for (table,) in base.execute("select name from sqlite_master where type = 'table'").fetchall():
            cursor = base.execute(f"select * from {table}")
            names = [column[0] for column in cursor.description]
            for row in cursor:
                for name, value in zip(names, row, strict=True):
                    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
                    yield from ((f"{table}.{name}{place}", found) for place, found in _texts(text))


def _texts(value: Any, within: str = "") -> Iterator[tuple[str, str]]:
    """Texts of a JSON value with their places; a text that is itself JSON counts by what is in it."""
    for place, found in places(value):
        shown = within + "".join(f".{key}" if isinstance(key, str) else "[]" for key in place)
        if isinstance(found, str):
            inner = _inner(found)
            if inner is None:
                yield shown, found.strip()
            else:
                yield from _texts(inner, f"{shown}~")


def _inner(text: str) -> Sequence[Any] | dict[str, Any] | None:
    if text.lstrip()[:1] not in ("[", "{"):
        return None
    for read in (json.loads, lambda text: [json.loads(line) for line in text.splitlines()]):
        with contextlib.suppress(ValueError, RecursionError):
            inner = read(text)
            return inner if isinstance(inner, list | dict) else None
    return None

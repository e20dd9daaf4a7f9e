"""Which spans do the files of an OTLP log hold, and on which line? One document, one a line, or a folder of such files. For ``otlp_json`` only."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ingest.errors import Problem, TraceError
from ingest.readers import fields
from ingest.readers.fields import Malformed
from ingest.readers.otlp_spans import Found, spans_in
from ingest.source import Source

SPANS = "resourceSpans"
_SIGNALS = (SPANS, "resourceMetrics", "resourceLogs", "resourceProfiles")
"""What an exporter may write, each as the only member of a document."""
_BEGIN = re.compile(rf'\s*\{{\s*"({"|".join(_SIGNALS)})"\s*:')
_LEFT_ALONE = "{0} are no part of a trace and were left alone"


@dataclass(frozen=True, slots=True)
class Logged:
    """A span, or what stands in its place, with its file and line."""

    where: str
    line: int | None
    found: Found

    def problem(self, message: str | None = None) -> Problem:
        """That it could not be read, or the given message."""
        fault = self.found.span if isinstance(self.found.span, Malformed) else Malformed(self.found.path, "")
        return dataclasses.replace(Malformed(fault.path, message or fault.message).problem(self.where, self.found.raw), line=self.line)


def signal(source: Source) -> str | None:
    """What kind of data a file holds; None where it is not OTLP's JSON."""
    begun = _BEGIN.match(source.head())
    return _named(source.first_object()) or (begun[1] if begun else None)


def _named(document: object) -> str | None:
    return next((key for key in _SIGNALS if key in document), None) if isinstance(document, dict) else None


def files_of(path: Path) -> list[Path]:
    """What lies in a folder, in order of names; such a folder holds no other folders."""
    return sorted(child for child in path.iterdir() if not child.name.startswith("."))


def found_in(source: Source) -> Iterator[Problem | Logged]:
    """Every span with its file and line. Of a folder, a file that cannot be read is named and the others are read."""
    if not source.path.is_dir():
        yield from _of_file(source)
        return
    for path in files_of(source.path):
        file = Source(path, label=f"{source.name}/{path.name}")
        try:
            if (found := signal(file)) == SPANS:
                yield from _of_file(file)
            else:
                yield Problem(_LEFT_ALONE.format(found or "files of another kind"), file.name, kind="left_alone")
        except TraceError as error:
            yield Problem(error.message, error.where or file.name, error.hint, kind=error.kind, rejected=True)


def _of_file(file: Source) -> Iterator[Problem | Logged]:
    by_line = _named(file.first_object()) is not None
    for item in file.json_lines() if by_line else ((None, file.json()),):
        if isinstance(item, Problem):
            yield item
            continue
        line, document = item
        where = f"{file.name}:{line}" if line else file.name
        try:
            named = _named(document)
            if named is None:
                found = "an object without them" if isinstance(document, dict) else fields.kind_of(document)
                raise Malformed("$", f"{found} where {SPANS} were expected")
            if named != SPANS:
                yield Problem(_LEFT_ALONE.format(named), where, kind="left_alone", line=line)
                continue
            yield from (Logged(where, line, found) for found in spans_in(document))
        except Malformed as error:
            yield dataclasses.replace(error.problem(where, document), line=line)
        except RecursionError:
            yield Problem("a value is nested too deeply", where, kind="bad_record", line=line, rejected=True)

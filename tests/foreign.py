"""How do the tests of readers write a log of another program, read it, and hold the reader to what every reader owes?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ingest import columns
from ingest.errors import Problem
from ingest.readers import Reader
from ingest.schema import Trace
from ingest.source import Source
from tests.broken_json import broken
from tests.logs import PROJECT

SAMPLES = PROJECT / "sample_traces"


def write(folder: Path, content: Any) -> Source:
    """The value as the JSON document ``log.json``."""
    path = folder / "log.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return Source(path)


def one(reader: Any, source: Source) -> Trace:
    """The only run of a log without a problem."""
    (trace,) = reader.read(source)
    assert isinstance(trace, Trace)
    return trace


def split(reader: Any, source: Source) -> tuple[list[Problem], list[Trace]]:
    """What a reader says about a log: problems and runs."""
    found = list(reader.read(source))
    return [item for item in found if isinstance(item, Problem)], [item for item in found if isinstance(item, Trace)]


def said(reader: Any, source: Source) -> list[tuple[str, str]]:
    """Place within the file and message of every problem."""
    return [(problem.where.removeprefix(f"{source.name}").lstrip(": "), problem.message) for problem in split(reader, source)[0]]


def extra(record: Any) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(record.extra or "{}")
    return fields


def storable(trace: Trace) -> None:
    """Every value fits its column."""
    columns.table_of(trace.nodes, columns.NODES)
    columns.table_of(trace.calls, columns.CALLS)
    columns.table_of([trace.run], columns.RUNS)


def withstands_every_change(reader: Reader | Any, document: Any, folder: Path) -> None:
    """No missing or strange value breaks the reader or disappears without a record."""
    for content in broken(document):
        problems, traces = split(reader, write(folder, content))
        assert problems or traces
        assert all(problem.rejected or problem.kind == "empty" for problem in problems)
        for trace in traces:
            storable(trace)

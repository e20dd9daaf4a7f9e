"""How do the tests of a reader write a log of another program, read it, and try every way of breaking it?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ingest import columns
from ingest.errors import Problem
from ingest.schema import Trace
from ingest.source import Source
from tests.broken_json import broken

SAMPLES = Path(__file__).parents[1] / "sample_traces"


def document(folder: Path, content: Any, name: str = "log.json") -> Source:
    """A file that is one JSON document."""
    path = folder / name
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return Source(path)


def lines(folder: Path, *records: Any, name: str = "log.jsonl") -> Source:
    """A file with one JSON value a line; a text is written as it is."""
    path = folder / name
    made = (record if isinstance(record, str) else json.dumps(record, ensure_ascii=False) for record in records)
    path.write_text("".join(f"{line}\n" for line in made), encoding="utf-8")
    return Source(path)


def traces(reader: Any, source: Source) -> list[Trace]:
    """All runs of a log that has nothing wrong with it."""
    found = list(reader.read(source))
    assert [item for item in found if not isinstance(item, Trace)] == []
    return found


def one(reader: Any, source: Source) -> Trace:
    (trace,) = traces(reader, source)
    return trace


def problems(reader: Any, source: Source) -> list[tuple[str, str]]:
    """Where and what, of every Problem; the name of the file is left out."""
    found = [item for item in reader.read(source) if isinstance(item, Problem)]
    assert all(problem.rejected for problem in found)
    return [(problem.where.removeprefix(source.name).lstrip(": "), problem.message) for problem in found]


def extra(record: Any) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(record.extra or "{}")
    return fields


def never_breaks(reader: Any, folder: Path, content: Any, wrap: bool = False) -> None:
    """Every change of a single value still gives a run or a Problem, and what is read fits the columns. ``wrap``: as the line of a file."""
    for changed in broken(content):
        source = lines(folder, changed) if wrap else document(folder, changed)
        reader.sniff(source)
        found = list(reader.read(source))
        assert found
        assert all(item.rejected and item.where for item in found if isinstance(item, Problem))
        for trace in (item for item in found if isinstance(item, Trace)):
            columns.table_of(trace.nodes, columns.NODES)
            columns.table_of(trace.calls, columns.CALLS)
            columns.table_of(trace.truth, columns.TRUTH)
            columns.table_of([trace.run], columns.RUNS)

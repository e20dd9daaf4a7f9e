"""How does a document, or each of its lines, become runs, with every part that cannot be read named? For readers of whole JSON values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from ingest.errors import Problem
from ingest.readers import fields
from ingest.readers.fields import Malformed
from ingest.schema import Trace
from ingest.source import Source

_Part = TypeVar("_Part")


def one_run(
    source: Source,
    wanted: str,
    parts_of: Callable[[dict[str, Any]], Iterable[_Part | Problem]],
    trace_of: Callable[[dict[str, Any], list[_Part]], Trace],
) -> Iterator[Trace | Problem]:
    """A document that is one run: a Problem for every part that could not be read, then the run with the others."""
    document = source.json()
    try:
        if not isinstance(document, dict):
            raise Malformed("$", f"{fields.kind_of(document)} where {wanted} was expected")
        found = list(parts_of(document))
        yield from (part for part in found if isinstance(part, Problem))
        yield trace_of(document, [part for part in found if not isinstance(part, Problem)])
    except Malformed as error:
        yield error.problem(source.name, document)
    except RecursionError:
        yield _too_deep(f"{source.name}: $")


def one_list(
    source: Source, wanted: str, part_of: Callable[[int, dict[str, Any]], _Part], trace_of: Callable[[list[_Part]], Trace]
) -> Iterator[Trace | Problem]:
    """A list of objects that is one run: a Problem for every member that could not be read, then the run with the others."""
    members = source.json()
    if not isinstance(members, list) or not members:
        found = "an empty list" if isinstance(members, list) else fields.kind_of(members)
        yield Problem(f"{found} where {wanted} was expected", f"{source.name}: $", kind="bad_record", rejected=True)
        return
    parts: list[_Part] = []
    for at, member in enumerate(members):
        try:
            if not isinstance(member, dict):
                raise Malformed(f"$[{at}]", f"{fields.kind_of(member)} where an object was expected")
            parts.append(part_of(at, member))
        except Malformed as error:
            yield error.problem(source.name, member)
        except RecursionError:
            yield _too_deep(f"{source.name}: $[{at}]")
    if parts:
        yield trace_of(parts)


def run_a_line(source: Source, trace_of: Callable[[str, dict[str, Any]], Iterable[Trace | Problem]]) -> Iterator[Trace | Problem]:
    """Newline-delimited JSON where a line is a run: what ``trace_of`` makes of each line's place and object, or its Problem."""
    for item in source.json_lines():
        if isinstance(item, Problem):
            yield item
            continue
        line, record = item
        where = f"{source.name}:{line}"
        try:
            found = list(trace_of(where, record))
        except Malformed as error:
            found = [error.problem(where, record)]
        except RecursionError:
            found = [_too_deep(where)]
        yield from (replace(part, line=line) if isinstance(part, Problem) else part for part in found)


def run_an_item(source: Source, traces_of: Callable[[str, dict[str, Any]], Iterable[Trace | Problem]]) -> Iterator[Trace | Problem]:
    """A document that is a list of runs: what ``traces_of`` makes of each member's path and object, or its Problem."""
    records = source.json()
    if not isinstance(records, list) or not records:
        found = "an empty list" if isinstance(records, list) else fields.kind_of(records)
        yield Problem(f"{found} where a list of records was expected", f"{source.name}: $", kind="bad_record", rejected=True)
        return
    for at, record in enumerate(records):
        try:
            if not isinstance(record, dict):
                raise Malformed(f"$[{at}]", f"{fields.kind_of(record)} where a record was expected")
            yield from list(traces_of(f"$[{at}]", record))
        except Malformed as error:
            yield error.problem(source.name, record)
        except RecursionError:
            yield _too_deep(f"{source.name}: $[{at}]")


class Ids:
    """Run ids of one file: a name that comes again gets ``#2``, ``#3``, … Lives as long as the file is read."""

    def __init__(self) -> None:
        self._seen = Counter[str]()

    def of(self, name: str) -> str:
        self._seen[name] += 1
        return name if self._seen[name] == 1 else f"{name}#{self._seen[name]}"


def _too_deep(where: str) -> Problem:
    return Problem("a value is nested too deeply", where, "Flatten it; everything else in the file is read.", kind="bad_record", rejected=True)

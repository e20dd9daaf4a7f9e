"""Is every line of one of our own logs in the store, or named as a problem?"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ingest.jobs import Report
from ingest.store import Store

_TABLES = {"node_id": "nodes", "call_id": "calls", "run_id": "runs"}
_ID_OF = {"node": "node_id", "call": "call_id", "run": "run_id", "run_end": "run_id"}


def lost(log: bytes, store: Store, report: Report) -> list[str]:
    """What was lost in silence; empty as a rule. A line whose ids are in no table needs a problem; one that comes again is the same record."""
    known = {name: set(_rows(store, f"select run_id, {name} as id from {table}")) for name, table in _TABLES.items()}
    known["node_id"] |= set(_rows(store, "select run_id, node_id as id from calls"))
    absent = [number for number, line in enumerate(log.split(b"\n"), start=1) if line.strip() and not _is_there(line, known)]
    rejected = report.counts.get("rejected") or len(report.problems)
    return [f"{len(absent)} lines are in no table, {rejected} problems: {absent[:5]}"] if len(absent) > rejected else []


def renamed(files: Mapping[str, bytes], number: int) -> dict[str, bytes]:
    """The log with runs of its own, so that many mutated logs of one run can be loaded together."""
    return {name: re.sub(rb'("run_id": ?"[^"]*)"', rb'\1 %d"' % number, data) for name, data in files.items()}


def _is_there(line: bytes, known: dict[str, set[tuple[Any, ...]]]) -> bool:
    try:
        record = json.loads(line)
    except ValueError:
        return False
    if not isinstance(record, dict):
        return False
    kind = record.get("record")
    name = _ID_OF.get(kind, "") if isinstance(kind, str) else "node_id" if "node_id" in record else "run_id"
    if name == "call_id" and record.get(name) is None:  # it gets an id, so it is looked for by its node
        name = "node_id"
    return any((run, one) in known[name] for run in _shown(record.get("run_id")) for one in _shown(record.get(name))) if name else False


def _shown(value: Any) -> Iterator[str]:
    """An id as text, whatever type it has in the log."""
    yield value if isinstance(value, str) else json.dumps(value)
    yield json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    yield str(value)


def _rows(store: Store, sql: str) -> list[tuple[Any, Any]]:
    return [(row["run_id"], row["id"]) for row in store.query(sql).to_pylist()]

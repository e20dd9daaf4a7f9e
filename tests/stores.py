"""Stores for tests: traces in memory or drawn as text, put through the real write path."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path
from typing import Any

from ingest import commit
from ingest.check import check, make_unique
from ingest.fingerprint import fingerprint
from ingest.schema import Call, Node, Run, Trace, Truth
from ingest.shape import shape
from ingest.staging import Staging
from ingest.store import Entry, Store
from ingest.write import write


def store_of(folder: Path, *traces: Trace) -> Store:
    """A store in ``folder`` that holds exactly these runs."""
    with commit.writing(folder):
        aside = commit.workspace(folder)
        staging = Staging(aside)
        try:
            staging.add_traces([_named(trace) for trace in traces])
            make_unique(staging)
            shape(staging)
            check(staging)
            (aside / "out").mkdir()
            write(staging, aside / "out")
            commit.commit(folder, aside / "out", [Entry("drawn", "drawn", "drawn", "drawn", "", 0, 0, "", {"runs": len(traces)})], set(), set())
        finally:
            staging.close()
            shutil.rmtree(aside, ignore_errors=True)
    return Store(folder)


def tree(drawing: str, run_id: str = "run", calls: tuple[Call, ...] = (), truth: tuple[Truth, ...] = (), **run: Any) -> Trace:
    """A run drawn by indentation: ``name key=value …`` a line, values read as JSON where they are JSON.

    >>> [n.node_id for n in tree('root\\n  a score=0.5 fate=pruned').nodes]
    ['root', 'a']
    """
    nodes: list[Node] = []
    above: list[tuple[int, str]] = []
    children: dict[str, int] = {}
    for line in drawing.splitlines():
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        name, *settings = line.split()
        while above and above[-1][0] >= indent:
            above.pop()
        parent = above[-1][1] if above else None
        fields: dict[str, Any] = dict(_setting(item) for item in settings)
        if "parent_ids" in fields:
            fields["parent_ids"] = tuple(fields["parent_ids"])
        index = children.get(parent or "", 0)
        children[parent or ""] = index + 1
        defaults = {"parent_ids": (parent,) if parent else (), "depth": len(above), "request_index": index, "seq": len(nodes), "step": name}
        nodes.append(Node(run_id=run_id, node_id=name, **(defaults | fields)))
        above.append((indent, name))
    return Trace(Run(run_id=run_id, **run), tuple(nodes), calls, truth)


def _named(trace: Trace) -> Trace:
    run = dataclasses.replace(trace.run, source=trace.run.source or "drawn", fingerprint=fingerprint(trace.run.protocol))
    return dataclasses.replace(trace, run=run)


def _setting(item: str) -> tuple[str, Any]:
    key, _, value = item.partition("=")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value

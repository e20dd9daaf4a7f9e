"""What can be counted in any log, from its records alone and as real_traces/README.md counts? For the figures of each format."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from ingest.schema import Call, Fate, Node, Trace

Figures = Callable[[Sequence[Trace], Path], dict[str, Any]]
"""The figures of one file, from its runs; the file is also named, for the few figures that lie in raw texts."""


def all_nodes(traces: Sequence[Trace]) -> list[Node]:
    return [node for trace in traces for node in trace.nodes]


def all_calls(traces: Sequence[Trace]) -> list[Call]:
    return [call for trace in traces for call in trace.calls]


def depths(trace: Trace) -> dict[str, int]:
    """Parent links up to the top, in whatever order the nodes stand; a parent that is not in the log is no link."""
    ids = {node.node_id for node in trace.nodes}
    waiting = {node.node_id: [parent for parent in node.parent_ids if parent in ids] for node in trace.nodes}
    found: dict[str, int] = {}
    while waiting:
        ready = [name for name, parents in waiting.items() if not any(parent in waiting for parent in parents)]
        assert ready, "a cycle"
        found |= {name: max((found[parent] + 1 for parent in waiting[name]), default=0) for name in ready}
        for name in ready:
            del waiting[name]
    return found


def children(trace: Trace) -> dict[str, list[Node]]:
    below: defaultdict[str, list[Node]] = defaultdict(list)
    for node in trace.nodes:
        for parent in node.parent_ids:
            below[parent].append(node)
    return dict(below)


def extra(record: Any) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(record.extra) if record.extra else {}
    return fields


def spread(values: Sequence[float]) -> dict[str, float]:
    return {"n": len(values), "min": min(values), "mean": sum(values) / len(values), "max": max(values)}


def spread_per_depth(pairs: Iterable[tuple[int, float]]) -> dict[str, dict[str, float]]:
    values: defaultdict[int, list[float]] = defaultdict(list)
    for depth, value in pairs:
        values[depth].append(value)
    return {str(depth): spread(values[depth]) for depth in sorted(values)}


def counted(values: Iterable[Any]) -> dict[str, int]:
    return {str(value): count for value, count in Counter(values).items()}


def structure(traces: Sequence[Trace]) -> dict[str, Any]:
    """Counts that every format has, from parent links and fates."""
    by_depth = Counter(depth for trace in traces for depth in depths(trace).values())
    ids = [{node.node_id for node in trace.nodes} for trace in traces]
    links = [(parent in ids[i], parent) for i, trace in enumerate(traces) for node in trace.nodes for parent in node.parent_ids]
    below = [found for trace in traces for found in children(trace).values()]
    return {
        "runs": len({trace.run.run_id for trace in traces}),
        "nodes": sum(len(known) for known in ids),
        "edges": sum(known for known, _ in links),
        "orphans": sum(not known for known, _ in links),
        "orphan_parent_ids": sorted({parent for known, parent in links if not known}),
        "cycles": 0,  # depths() would have failed
        "roots": sum(not node.parent_ids for node in all_nodes(traces)),
        "max_depth": max(by_depth, default=0),
        "nodes_per_depth": {str(depth): by_depth[depth] for depth in sorted(by_depth)},
        "max_branching": max(map(len, below), default=0),
        "pruned": sum(node.fate == Fate.PRUNED for node in all_nodes(traces)),
    }


def levels(trace: Trace) -> list[list[Node]]:
    return [[node for node in trace.nodes if node.depth == depth] for depth in range(1, 1 + max(node.depth or 0 for node in trace.nodes))]


def repeats(texts: Sequence[Any]) -> int:
    return len(texts) - len(set(texts))

"""Which nodes stand in the parallel lists of a drawn tree (``tree_data.json``)? For ``ai_scientist_v2_journal`` only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ingest.errors import Problem
from ingest.readers import fields
from ingest.readers.fields import Malformed
from ingest.readers.journal_nodes import Entry, node_of
from ingest.schema import Fate, Node

_NOT_PARALLEL = ("edges", "completed_stages")
_NAMES = {"term_out": "_term_out", "metrics": "metric"}
"""What the journal calls the same field."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One position of the parallel lists, in the words of the journal, and every parent that an edge gives it."""

    entry: Entry
    parent_ids: tuple[str, ...]


def spots(document: dict[str, Any], source: str) -> Iterator[Spot | Problem]:
    """Every position. Raises Malformed where ``plan`` or ``edges`` is no list."""
    count = len(fields.list_at(document, "plan", "$"))
    parents: defaultdict[int, list[str]] = defaultdict(list)
    for at, pair in enumerate(fields.list_at(document, "edges", "$")):
        ends = [fields.whole(end) for end in pair] if isinstance(pair, list) and len(pair) == 2 else [None]
        if None in ends or not 0 <= (ends[1] or 0) < count:
            yield Malformed(f"$.edges[{at}]", f"not a pair of positions below {count}").problem(source, pair)
        elif str(ends[0]) not in parents[ends[1] or 0]:
            parents[ends[1] or 0].append(str(ends[0]))
    columns = parallel(document)
    for key, values in document.items():
        if isinstance(values, list) and key not in columns and key not in _NOT_PARALLEL:
            yield Malformed(f"$.{key}", f"{len(values)} entries for {count} nodes").problem(source, values)
    for at in range(count):
        raw = {_NAMES.get(key, key): values[at] for key, values in columns.items()}
        raw["metric"] = {"value": raw.get("metric")}
        yield Spot(Entry(str(at), next(iter(parents[at]), None), at, raw), tuple(parents[at]))


def parallel(document: dict[str, Any]) -> dict[str, list[Any]]:
    """The lists that have one entry a node."""
    plans = document.get("plan")
    lists = {key: value for key, value in document.items() if isinstance(value, list) and key not in _NOT_PARALLEL}
    return {key: value for key, value in lists.items() if isinstance(plans, list) and len(value) == len(plans)}


def spot_of(run_id: str, spot: Spot, has_children: bool) -> Node:
    """The node record. A metric without any number is what the program draws where nothing was measured."""
    node = node_of(run_id, spot.entry, {spot.entry.node_id} if has_children else ())
    fate = Fate.EXPANDED if has_children else Fate.OPEN if _measured(spot.entry.metric) else Fate.UNSCORED
    return replace(node, parent_ids=spot.parent_ids, fate=fate)


def _measured(metric: object) -> bool:
    rows = [row for name in fields.list_or_empty(metric, "metric_names") for row in fields.list_or_empty(name, "data")]
    return any(isinstance(row, dict) and fields.number(row.get("final_value")) is not None for row in rows)

"""Moatless (SWE-Search) trees: one JSON object, one run, nodes nested under ``root``, each with its ``node_id``.

Format: what ``SearchTree.persist`` of aorwall/moatless-tree-search writes. A node's score is ``reward.value``; ``value`` adds up
the rewards of everything below a node and ``visits`` counts them: both stand in ``extra`` with their quotient, never as score.
The search stops when the tree holds ``max_iterations`` nodes. A cost of 0 is what the program writes when it knows no price.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from ingest.errors import Problem
from ingest.readers import fields
from ingest.readers.fields import Malformed
from ingest.readers.moatless_tree_nodes import ROLES, Entry, calls_of, node_of
from ingest.schema import Call, Node, Role, Run, Trace
from ingest.source import Source

NAME = "moatless-tree"
PRODUCER = "Moatless tree search (SWE-Search), nested trees"
LOOKS_FOR = "a JSON object with max_iterations and a root that has node_id and children"
TELLS = {
    "generation": "yes",
    "evaluation": "yes",
    "control": "prune reasons, stop reason, selected path",
    "spend": "yes",
    "replay": "yes",
    "compare": "whether the answer is right",
}
_NOT_SETTINGS = ("root", "unique_id", "metadata", "repository")
_Place = tuple[Any, int] | None
"""Where a node stands: its parent's place and its position there; None for the root. Written out only when a message needs it."""


def sniff(source: Source) -> bool:
    """An object that has the cap of the search and a nested root; the flat lists of the same program have ``nodes`` instead."""
    head = source.head()
    nested = re.search(r'(?<!\\)"root"\s*:\s*\{', head) is not None
    return head.lstrip().startswith("{") and nested and {"max_iterations", "node_id"} <= fields.keys_in(head)


def read(source: Source) -> Iterator[Trace | Problem]:
    """A Problem for every node that could not be read, then the run."""
    document = source.json()
    try:
        if not isinstance(document, dict):
            raise Malformed("$", f"{fields.kind_of(document)} where an object with a root was expected")
        found = list(_entries(fields.object_at(document, "root", "$"), source.name))
        yield from (entry for entry in found if isinstance(entry, Problem))
        yield _trace(source.stem, document, [entry for entry in found if isinstance(entry, Entry)])
    except Malformed as error:
        yield error.problem(source.name, document)
    except RecursionError:
        yield Problem("a value is nested too deeply", f"{source.name}: $", kind="bad_record", rejected=True)


def _entries(root: dict[str, Any], source: str) -> Iterator[Entry | Problem]:
    """Every node, parents before children; what hangs below a node that cannot be read is kept and names its place as parent."""
    stack: list[tuple[Any, str | None, _Place]] = [(root, None, None)]
    seen: set[str] = set()
    while stack:
        raw, parent_id, place = stack.pop()
        node_id = raw.get("node_id") if isinstance(raw, dict) else None
        children = raw.get("children") if isinstance(raw, dict) else None
        wrong = _wrong(raw, seen)
        if wrong is not None:
            yield Malformed(_path(place), wrong).problem(source, raw)
        else:
            yield Entry(str(node_id), parent_id, place[1] if place else 0, raw)
        if children is not None and not isinstance(children, list):
            message = f"{fields.kind_of(children)} where a list was expected"
            yield Malformed(f"{_path(place)}.children", message).problem(source, children)
            continue
        here = f"missing at {_path(place)}" if wrong is not None and str(node_id) not in seen else str(node_id)
        seen.add(here)
        stack.extend(reversed([(child, here, (place, i)) for i, child in enumerate(children or ())]))


def _wrong(raw: object, seen: set[str]) -> str | None:
    if not isinstance(raw, dict):
        return f"{fields.kind_of(raw)} where a node was expected"
    node_id = raw.get("node_id")
    if isinstance(node_id, bool) or not isinstance(node_id, int | str):
        return f"node_id is {fields.kind_of(node_id)}, a number was expected"
    return f"node_id {node_id} stands in this file before" if str(node_id) in seen else None


def _path(place: _Place) -> str:
    parts = []
    while place is not None:
        place, position = place
        parts.append(f".children[{position}]")
    return "$.root" + "".join(reversed(parts))


def _trace(run_id: str, document: dict[str, Any], entries: Sequence[Entry]) -> Trace:
    root = fields.object_or_empty(document, "root")
    nodes = tuple(node_of(run_id, entry, seq) for entry, seq in zip(entries, _order(entries), strict=True))
    calls = tuple(call for entry in entries for call in calls_of(run_id, entry))
    logged = fields.json_text(fields.without(document, _NOT_SETTINGS))
    # response headers of the last call stand among the settings; they differ between runs of one protocol
    settings = json.loads(logged, object_hook=lambda d: {k: v for k, v in d.items() if k != "metadata" or v is None})
    shortened = {key: value for key, value in json.loads(logged).items() if value != settings.get(key)}
    return Trace(
        Run(
            run_id=run_id,
            task_id=fields.text(fields.object_or_empty(document, "metadata").get("instance_id")),
            question=fields.text(root.get("user_message")) or fields.text(root.get("message")),
            protocol=fields.json_text(settings, sort_keys=True) if settings else None,
            budget_max_depth=fields.whole(document.get("max_depth")),
            budget_max_nodes=fields.whole(document.get("max_iterations")),
            budget_max_cost=fields.number(document.get("max_cost")),
            level_by_level=False,
            source_format=NAME,
            warnings=tuple(_warnings(nodes, calls)),
            extra=fields.extra_text({key: document[key] for key in _NOT_SETTINGS[1:] if key in document} | shortened),
        ),
        nodes,
        calls,
    )


def _order(entries: Sequence[Entry]) -> Sequence[int]:
    """Place of each node in the order of creation: ids count up, so theirs where all are numbers, else the order in the file."""
    ids = [entry.raw["node_id"] for entry in entries]
    if not all(isinstance(node_id, int) for node_id in ids):
        return range(len(ids))
    rank = {node_id: place for place, node_id in enumerate(sorted(ids))}
    return [rank[node_id] for node_id in ids]


def _warnings(nodes: Sequence[Node], calls: Sequence[Call]) -> Iterator[str]:
    judged = {call.node_id for call in calls if call.role == Role.EVALUATOR}
    if nodes and not nodes[0].parent_ids and nodes[0].score is not None and nodes[0].node_id not in judged:
        yield "the root has a score although nothing evaluated it: an initial value of the program"
    unpriced = sum('"completion_cost"' in (call.extra or "") for call in calls)
    if unpriced:
        yield f"{unpriced} calls have tokens and a cost of 0, which is written when no price is known: their cost is not known"
    others = sorted({call.call_id.rsplit("/", 1)[-1] for call in calls} - set(ROLES))
    if others:
        yield f"calls of unknown purpose, counted as tool calls: {', '.join(others)}"

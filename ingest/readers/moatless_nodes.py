"""Moatless flat node lists: one JSON object, one run, ``nodes`` with ``node_id`` and ``parent_id``.

Format: the ``trajectory.json`` of the evaluations of aorwall/moatless-tools, late 2024. A completion stands up to three times in a node
(``completions``, ``observation``, ``output``): only ``completions`` is counted. Most runs are one chain.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from ingest.errors import Problem
from ingest.readers import fields
from ingest.readers.documents import one_run
from ingest.readers.fields import Malformed
from ingest.readers.moatless_tree_nodes import Entry, trace_of, wrong_node
from ingest.schema import Trace
from ingest.source import Source

NAME = "moatless-nodes"
PRODUCER = "Moatless tools, flat node lists"
LOOKS_FOR = "a JSON object with max_iterations and a list nodes of node_id and parent_id"
TELLS = {
    "generation": "yes",
    "evaluation": "scores and evaluator",
    "control": "prune reasons (duplicates are named), stop reason, selected path",
    "spend": "yes",
    "replay": "scores",
    "compare": "whether the answer is right",
}


def sniff(source: Source) -> bool:
    """An object that has the cap of the search and a flat list; the nested trees of the same program have ``root`` instead."""
    head = source.head()
    flat = re.search(r'(?<!\\)"nodes"\s*:\s*\[', head) is not None and re.search(r'(?<!\\)"root"\s*:\s*\{', head) is None
    return head.lstrip().startswith("{") and flat and {"max_iterations", "node_id"} <= fields.keys_in(head)


def read(source: Source) -> Iterator[Trace | Problem]:
    """A Problem for every node that could not be read, then the run."""
    yield from one_run(
        source,
        "an object with nodes",
        lambda document: _entries(fields.list_at(document, "nodes", "$"), source.name),
        lambda document, entries: trace_of(NAME, source.place, document, entries),
    )


def _entries(nodes: list[Any], source: str) -> Iterator[Entry | Problem]:
    """Every node in file order, which is the order of creation."""
    parents = {fields.text(raw.get("parent_id")) for raw in nodes if isinstance(raw, dict)}
    seen: set[str] = set()
    children = Counter[str | None]()
    for at, raw in enumerate(nodes):
        wrong = wrong_node(raw, seen)
        parent = raw.get("parent_id") if isinstance(raw, dict) else None
        if wrong is None and (isinstance(parent, bool) or not isinstance(parent, int | str | None)):
            wrong = f"parent_id is {fields.kind_of(parent)}, the node_id of a node was expected"
        if wrong is not None:
            yield Malformed(f"$.nodes[{at}]", wrong).problem(source, raw)
            continue
        node_id, parent_id = str(raw["node_id"]), fields.text(parent)
        seen.add(node_id)
        yield Entry(node_id, parent_id, children[parent_id], raw, node_id in parents)
        children[parent_id] += 1

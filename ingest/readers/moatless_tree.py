"""Moatless (SWE-Search) trees: one JSON object, one run, nodes nested under ``root``, each with its ``node_id``.

Format: what ``SearchTree.persist`` of aorwall/moatless-tree-search writes. A node's score is ``reward.value``; ``value`` adds up
the rewards of everything below a node and ``visits`` counts them: both stand in ``extra`` with their quotient, never as score.
The search stops when the tree holds ``max_iterations`` nodes. A cost of 0 is what the program writes when it knows no price.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest.errors import Problem
from ingest.readers import fields
from ingest.readers.fields import Malformed
from ingest.readers.moatless_tree_nodes import Entry, trace_of, wrong_node
from ingest.schema import Trace
from ingest.source import Source

NAME = "moatless-tree"
PRODUCER = "Moatless tree search (SWE-Search), nested trees"
LOOKS_FOR = "a JSON object with max_iterations and a root that has node_id and children"
TELLS = {
    "generation": "yes",
    "evaluation": "rewards of siblings that were never tried",
    "control": "prune reasons, stop reason, selected path",
    "spend": "yes",
    "replay": "rewards of siblings that were never tried",
    "compare": "whether the answer is right",
}
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
        yield trace_of(NAME, source.stem, document, [entry for entry in found if isinstance(entry, Entry)])
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
        wrong = wrong_node(raw, seen)
        if wrong is not None:
            yield Malformed(_path(place), wrong).problem(source, raw)
        else:
            yield Entry(str(node_id), parent_id, place[1] if place else 0, raw, bool(children))
        if children is not None and not isinstance(children, list):
            message = f"{fields.kind_of(children)} where a list was expected"
            yield Malformed(f"{_path(place)}.children", message).problem(source, children)
            continue
        here = f"missing at {_path(place)}" if wrong is not None and str(node_id) not in seen else str(node_id)
        seen.add(here)
        stack.extend(reversed([(child, here, (place, i)) for i, child in enumerate(children or ())]))


def _path(place: _Place) -> str:
    parts = []
    while place is not None:
        place, position = place
        parts.append(f".children[{position}]")
    return "$.root" + "".join(reversed(parts))

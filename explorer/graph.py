"""How do the nodes of a run hang together? A directed graph from the parent pointers, for what a tree cannot say: merged states.

Trees are walked by the store's interval labels, which is faster; this graph is for runs in which nodes have several parents, and for
whatever networkx can do with a run. Nothing here recurses: a chain of 100,000 nodes is a graph like any other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import networkx as nx
import pyarrow as pa

from explorer import queries
from ingest.store import Store


def of_run(store: Store, run_id: str) -> nx.DiGraph:
    """The graph of one run; empty for a run without nodes."""
    return graph(queries.run(store, "graph_nodes", run_id=run_id))


def graph(nodes: pa.Table) -> nx.DiGraph:
    """Nodes by id with every column as an attribute, edges from parent to child with ``position`` (0 for the primary parent).

    A parent that the log does not hold is a node with ``stub=True`` and no other attribute but its place; all others have ``stub=False``.
    A cycle is cut where the store cut it: the primary link of a node whose ``parent_preorder`` is null although its parent is there.
    """
    rows = nodes.to_pylist()
    found = nx.DiGraph()
    for row in rows:
        found.add_node(row["node_id"], stub=False, **{key: value for key, value in row.items() if key != "node_id"})
    known = {row["node_id"] for row in rows}
    for row in rows:
        for position, parent in enumerate(row["parent_ids"] or ()):
            if parent not in known:
                found.add_node(parent, stub=True)
            elif position == 0 and row["parent_preorder"] is None:
                continue
            if not found.has_edge(parent, row["node_id"]):
                found.add_edge(parent, row["node_id"], position=position)
    return found


def ancestors(of: nx.DiGraph, node_ids: Iterable[str]) -> frozenset[str]:
    """Every node from which one of these can be reached through any parent, themselves not included unless one lies above another.

    Stubs count: they are where the log was cut. Unknown ids are ignored.
    """
    waiting = deque(node_id for node_id in node_ids if node_id in of)
    above: set[str] = set()
    while waiting:
        for parent in of.predecessors(waiting.popleft()):
            if parent not in above:
                above.add(parent)
                waiting.append(parent)
    return frozenset(above)

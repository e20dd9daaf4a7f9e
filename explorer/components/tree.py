"""What does a search tree look like? Node-link, left to right: depth as columns, leaf order as rows, the step at its node."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from explorer.components.columns import BUDGET, CUT, Ints, Viable, encoded, first, fit_labels, ints, node_columns, versioned

LIMIT = 12_000
"""``$limit`` of ``tree_nodes.sql``: nodes of one drawing. Of a larger run it gives a third as many; the rest is counted."""
MAX_BYTES = 1_900_000
"""No message to the browser may pass 2 MB."""
_MOST_EXTRA_EDGES = 5_000


def tree_payload(nodes: pa.Table, selected_path: Sequence[str], key: str, viable: Viable | None = None) -> dict[str, Any]:
    """What the browser draws of ``tree_nodes.sql``: columns, one value a node, in preorder.

    ``parent_index`` is -1 for a top and where this drawing leaves the parent out; ``lo`` and ``hi`` are the first and last
    leaf row below a node; ``badge`` counts the nodes of its subtree that are not drawn. Beyond 5,000 nodes the drawing may take
    120 bytes a node, never more than MAX_BYTES: then the deepest nodes are left out.
    """
    nodes = shallowest(nodes, LIMIT)
    while True:
        payload = _columns(nodes, selected_path, viable)
        budget = min(MAX_BYTES, max(BUDGET, 120 * nodes.num_rows))
        payload = fit_labels(payload, budget)
        size = len(encoded(payload))
        if size <= MAX_BYTES:
            return versioned(payload, key)
        nodes = shallowest(nodes, int(nodes.num_rows * 0.9 * MAX_BYTES / size))


def draw_tree(
    payload: dict[str, Any],
    *,
    selected: str | None,
    color: str,
    height: int,
    key: str,
    lit: Collection[str] = (),
    lit_as: str = "found",
    on_choose: Callable[[str], None] | None = None,
) -> str | None:
    """Draw the tree; the node that the user chose since the last run of the page, else None.

    Args:
        color: ``fate`` or ``score``.
        height: most pixels that it may take; a low window or a small tree takes fewer.
        lit: nodes to mark, search hits for instance.
        lit_as: what the legend calls them.
        on_choose: called with the node before the page runs again, so that all of it can show the choice.
    """
    from explorer.components import mount  # payloads are made where there is no Streamlit

    settings = {"selected": selected, "color": color, "height": height, "lit": sorted(lit), "lit_as": lit_as}
    return mount.draw("tree", payload, settings, key=key, on_choose=on_choose)


def shallowest(nodes: pa.Table, most: int) -> pa.Table:
    """The ``most`` nodes nearest to the root, still in preorder."""
    if nodes.num_rows <= most:
        return nodes
    turn = np.lexsort((ints(nodes["preorder"]), ints(nodes["depth"])))[:most]
    return nodes.take(pa.array(np.sort(turn)))


def _columns(nodes: pa.Table, selected_path: Sequence[str], viable: Viable | None) -> dict[str, Any]:
    preorder, size = ints(nodes["preorder"]), ints(nodes["subtree_size"])
    parent = parent_rows(preorder, ints(nodes["parent_preorder"]))
    end = np.searchsorted(preorder, preorder + size)
    lo, hi = leaf_rows(parent, end)
    columns = node_columns(nodes, selected_path, viable)
    cut = (parent < 0) & pc.is_valid(nodes["parent_preorder"]).to_numpy()
    columns["flag"] = (np.array(columns["flag"], dtype=np.int64) | cut * CUT).tolist()
    layout = layout_depth(ints(nodes["depth"]), parent, end)
    if layout.tolist() != columns["depth"]:
        columns["column"] = layout.tolist()
    columns |= {
        "parent_index": parent.tolist(),
        "lo": lo.tolist(),
        "hi": hi.tolist(),
        "badge": hidden_below(nodes, parent, end).tolist(),
        "extra_edges": extra_edges(nodes),
        "missing_parent": missing_parents(nodes),
        "run_nodes": first(nodes, "run_nodes") or 0,
    }
    return columns


def parent_rows(preorder: Ints, parent_preorder: Ints) -> Ints:
    """Row of each node's parent in a table sorted by preorder; -1 where it has none there."""
    if not len(preorder):
        return preorder
    row = np.minimum(np.searchsorted(preorder, parent_preorder), len(preorder) - 1)
    return np.where(preorder[row] == parent_preorder, row, -1)


def leaf_rows(parent: Ints, end: Ints) -> tuple[Ints, Ints]:
    """First and last leaf below each row, counted from 0; ``end`` is the row behind its subtree. A leaf has both alike."""
    is_leaf = np.ones(len(parent), dtype=np.int64)
    is_leaf[parent[parent >= 0]] = 0
    before = np.concatenate(([0], np.cumsum(is_leaf)))
    # a childless row counts itself; a row that ends before it begins cannot occur, because a subtree holds its own node
    return before[: len(parent)], before[end] - 1


def layout_depth(depth: Ints, parent: Ints, end: Ints) -> Ints:
    """Column of each row: its top's logged depth and one more a link, so that a child always stands right of its parent."""
    rows = np.arange(len(parent))
    above = rows - np.searchsorted(np.sort(end), rows, side="right")
    top = np.maximum.accumulate(np.where(parent < 0, rows, 0)) if len(rows) else rows
    column: Ints = depth[top] + above - above[top]
    return column


def hidden_below(nodes: pa.Table, parent: Ints, end: Ints) -> Ints:
    """Nodes of each row's subtree that are not in the table, counted only where one of its own children is left out."""
    shown_children = np.bincount(parent[parent >= 0], minlength=len(parent))
    hidden = ints(nodes["subtree_size"]) - (end - np.arange(len(parent)))
    count: Ints = np.where(shown_children >= ints(nodes["n_children"], 0), 0, hidden)
    return count


def extra_edges(nodes: pa.Table) -> list[list[int]]:
    """Child row and parent row of every link to a further parent that is drawn, at most 5,000."""
    merged = pc.greater(pc.list_value_length(nodes["parent_ids"]), 1)
    rows = np.flatnonzero(pc.fill_null(merged, False).to_numpy())
    further = [(int(row), name) for row in rows[:_MOST_EXTRA_EDGES] for name in nodes["parent_ids"][int(row)].as_py()[1:]]
    names = pa.chunked_array([pa.array([name for _, name in further], pa.string())])
    index = ints(pc.index_in(names, value_set=nodes["node_id"]))
    pairs = [[row, int(at)] for (row, _), at in zip(further, index, strict=True) if at >= 0]
    return pairs[:_MOST_EXTRA_EDGES]


def missing_parents(nodes: pa.Table) -> list[list[Any]]:
    """Row and primary parent of every orphan, at most 2,000: the name that its log gives for a parent it never recorded."""
    named = pc.greater(pc.list_value_length(nodes["parent_ids"]), 0)
    orphan = pc.and_(pc.is_null(nodes["parent_preorder"]), pc.fill_null(named, False)).to_numpy()
    return [[int(row), nodes["parent_ids"][int(row)][0].as_py()] for row in np.flatnonzero(orphan)[:2_000]]

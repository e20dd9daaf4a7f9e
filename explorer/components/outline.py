"""What was each chosen step chosen from? The selected path as an indented list, with all that it beat, in a run of any size."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from explorer.components.columns import BUDGET, PER_NODE, Ints, Viable, first, fit_labels, ints, node_columns, versioned
from explorer.components.tree import parent_rows

LIMIT = 1_500
"""``$limit`` of ``outline_nodes.sql``: rows of one outline. A deeper run is shown around the inspected node."""
SIBLINGS = 40
"""``$siblings`` of ``outline_nodes.sql``: members of one family before the rest becomes a count."""
NODE, MORE, ABOVE = 0, 1, 2
"""Kinds of row: a node; a count of siblings that are left out; a count of levels above that are left out."""


def outline_payload(nodes: pa.Table, selected_path: Sequence[str], key: str, viable: Viable | None = None) -> dict[str, Any]:
    """What the browser draws of ``outline_nodes.sql``: columns, one value a row of the list, top to bottom.

    In each family the nodes that lead on come last, the selected path's after the inspected node's, so that the path is a
    staircase with its rivals on each step. A row of kind MORE or ABOVE carries a count in ``badge`` and the id of the
    parent. For a node ``badge`` counts what lies below it and is not listed.
    """
    columns = node_columns(nodes, selected_path, viable)
    parent = parent_rows(ints(nodes["preorder"]), ints(nodes["parent_preorder"]))
    rows = _listed(nodes, parent, set(selected_path))
    source = [row for _, row, _, _ in rows]
    payload = {name: [value[row] for row in source] if name in PER_NODE else value for name, value in columns.items()}
    place = {row: at for at, (kind, row, _, _) in enumerate(rows) if kind == NODE}
    payload |= {
        "kind": [kind for kind, _, _, _ in rows],
        "level": [level for _, _, level, _ in rows],
        "badge": [count for _, _, _, count in rows],
        "parent_index": [place.get(int(parent[row]), -1) if kind == NODE else -1 for kind, row, _, _ in rows],
        "run_nodes": first(nodes, "run_nodes") or 0,
    }
    above = nodes["parent_id"].to_pylist()
    for at, (kind, row, _, _) in enumerate(rows):
        if kind != NODE:
            payload["id"][at], payload["label"][at] = above[row], None
    return versioned(fit_labels(payload, BUDGET), key)


def draw_outline(
    payload: dict[str, Any],
    *,
    selected: str | None,
    color: str,
    height: int,
    key: str,
    lit: Collection[str] = (),
    on_choose: Callable[[str], None] | None = None,
) -> str | None:
    """Draw the outline; the node that the user chose since the last run of the page, else None.

    What is listed depends on the inspected node, so a page should take the choice from ``on_choose``, before it asks the store.
    The other arguments are those of ``draw_tree``.
    """
    from explorer.components import mount  # payloads are made where there is no Streamlit

    settings = {"selected": selected, "color": color, "height": height, "lit": sorted(lit)}
    return mount.draw("outline", payload, settings, key=key, on_choose=on_choose)


def _listed(nodes: pa.Table, parent: Ints, path: set[str]) -> list[tuple[int, int, int, int]]:
    """Kind, row of the table, level and count of each row of the list. At most a few thousand rows, so a loop is cheap."""
    n = nodes.num_rows
    preorder, size, depth = ints(nodes["preorder"]), ints(nodes["subtree_size"]), ints(nodes["depth"])
    family_size, parent_preorder = ints(nodes["family_size"]), ints(nodes["parent_preorder"])
    names, leads_on = nodes["node_id"].to_pylist(), nodes["leads_on"].to_numpy()
    path_rows = np.flatnonzero(np.fromiter((name in path for name in names), dtype=bool, count=n))
    # the next row of the path at or behind each row: a subtree that holds it leads to the path's end
    ahead = np.append(path_rows, n)[np.searchsorted(path_rows, np.arange(n))]
    end = np.searchsorted(preorder, preorder + size)
    rank = np.where(ahead < end, 2, np.where(leads_on, 1, 0))
    families: dict[int, list[int]] = {}
    for row in np.lexsort((np.arange(n), rank)).tolist():
        families.setdefault(int(parent[row]) if parent[row] >= 0 else -2 - int(parent_preorder[row]), []).append(row)
    listed: list[tuple[int, int, int, int]] = []
    pending: list[tuple[int, int, int, int]] = []
    for name in sorted((name for name in families if name < 0), key=lambda name: families[name][0], reverse=True):
        pending.extend(_family(families[name], int(depth[families[name][0]]), family_size, rank))
        if name < -1:
            pending.append((ABOVE, families[name][0], int(depth[families[name][0]]), int(depth[families[name][0]])))
    while pending:
        kind, row, level, count = pending.pop()
        below = families.get(row, []) if kind == NODE else []
        hidden = 0 if below or kind != NODE else int(size[row]) - 1
        listed.append((kind, row, level, count if kind != NODE else hidden))
        pending.extend(_family(below, level + 1, family_size, rank))
    return listed


def _family(rows: list[int], level: int, family_size: Ints, rank: Ints) -> list[tuple[int, int, int, int]]:
    """The rows of one family, last first: those that lead on behind the count of those that are left out."""
    if not rows:
        return []
    left_out = int(family_size[rows[0]]) - len(rows)
    plain = [(NODE, row, level, 0) for row in rows if not rank[row]]
    more = [(MORE, rows[0], level, left_out)] if left_out > 0 else []
    on = [(NODE, row, level, 0) for row in rows if rank[row]]
    return [*plain, *more, *on][::-1]


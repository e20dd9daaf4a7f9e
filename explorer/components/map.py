"""What is the shape of a run too large to draw node by node? A map of depth by leaf order, counted per cell in the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from explorer.components.columns import first, ints, rounded, score_range, versioned

MAX_COLUMNS = 110
"""``$max_columns`` of ``map_cells.sql``: beyond as many depths, several share a column."""
MAX_CELLS = 7_300
"""``$max_cells`` of ``map_cells.sql``: columns times rows. Cells that span rows come on top, so up to 11,000 are drawn."""
_COUNTS = ("row_from", "row_to", "nodes", "leaf_from", "leaf_to")


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a run that the map looks at; both ends belong to it."""

    leaf_from: int
    leaf_to: int
    depth_from: int
    depth_to: int


def query_parameters(part: Part | None) -> dict[str, int | None]:
    """All parameters of ``map_cells.sql`` but the run's; None for the part means the whole run."""
    limits: dict[str, int | None] = {"max_columns": MAX_COLUMNS, "max_cells": MAX_CELLS}
    ends: dict[str, int | None] = dict.fromkeys(("leaf_from", "leaf_to", "depth_from", "depth_to"))
    return limits | (ends if part is None else asdict(part))


def map_payload(cells: pa.Table, key: str) -> dict[str, Any]:
    """What the browser draws of ``map_cells.sql``: columns, one value a cell, tall cells of a column first.

    ``norm`` is in 0..255, ``pruned`` in percent of the nodes with a recorded fate; both are -1 where nothing was recorded.
    ``_node_id`` stays on the server: the browser names a cell.
    """
    payload: dict[str, Any] = {name: ints(cells[name]).tolist() for name in _COUNTS}
    names = ("map_columns", "map_rows", "run_nodes", "run_leaves", "run_max_depth")
    shared = first(cells, "map_columns") == MAX_COLUMNS  # else a column is one depth and need not say which
    payload |= {
        "column": ints(cells["map_column"]).tolist(),
        "best": rounded(cells["best"], 4),
        "norm": _scaled(cells["norm"], 255),
        "pruned": _scaled(cells["pruned_share"], 100),
        "on_path": ints(cells["on_path"].cast(pa.int8()), 0).tolist(),
        "label": [[at, label] for at, label in enumerate(cells["label"].to_pylist()) if label],
        "depth_from": ints(cells["depth_from"]).tolist() if shared else [],
        "depth_to": ints(cells["depth_to"]).tolist() if shared else [],
        "score_range": score_range(cells),
        "part": [first(cells, f"view_{end}") for end in ("leaf_from", "leaf_to", "depth_from", "depth_to")],
        "_node_id": cells["node_id"].to_pylist(),
    }
    return versioned(payload | {name: first(cells, name) or 0 for name in names}, key)


def part_of(key: str) -> Part | None:
    """The part that the map ``key`` was last zoomed to in this session; None for the whole run. Ask before the query."""
    trail = _trail(key)
    return Part(*trail[-1]) if trail else None


def draw_map(
    payload: dict[str, Any],
    *,
    selected: str | None,
    color: str,
    height: int,
    key: str,
    selected_at: tuple[int, int, int] | None = None,
    on_choose: Callable[[str], None] | None = None,
) -> str | None:
    """Draw the map; the node that the user chose since the last run of the page, else None.

    Args:
        selected: the inspected node, named in the map's description.
        color: ``score``: best score of a cell, fainter the more of it was pruned; ``fate``: share pruned alone.
        key: must name the run, because the part that is looked at is kept under it.
        selected_at: depth, first and last leaf of the inspected node, to mark where it lies.
    """
    import streamlit as st  # payloads are made where there is no Streamlit

    from explorer.components import mount

    def picked() -> None:
        cell, kept = mount.state(key, "cell"), st.session_state.get(f"{key}.cells")
        if isinstance(cell, list) and len(cell) == 3 and kept and kept[0] == cell[0]:
            mount.choose(key, kept[1][cell[1]], on_choose)

    def zoomed() -> None:
        part = mount.state(key, "part")
        st.session_state[f"{key}.trail"] = part[0] if isinstance(part, list) and part else []

    st.session_state[f"{key}.cells"] = (payload["version"], payload["_node_id"])
    settings = {"selected": selected, "selected_at": selected_at, "color": color, "height": height, "trail": _trail(key)}
    mount.mount("map", payload, settings, key=key, events={"cell": picked, "part": zoomed})
    return mount.choice(key)


def _trail(key: str) -> list[list[int]]:
    """Parts that were zoomed into, the widest first. What a page sent that is not four whole numbers ends the trail."""
    import streamlit as st

    trail: list[list[int]] = []
    for part in st.session_state.get(f"{key}.trail") or []:
        if not (isinstance(part, list) and len(part) == 4 and all(isinstance(end, int) for end in part)):
            break
        trail.append(part)
    return trail


def _scaled(column: pa.ChunkedArray, top: int) -> list[int]:
    """A share in [0, 1] as a whole number in 0..top; -1 for null."""
    scaled: list[int] = ints(pc.round(pc.multiply(column.cast(pa.float64()), float(top)))).tolist()
    return scaled

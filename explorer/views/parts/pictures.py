"""Which drawing shows what was asked? Each is computed once for a state of the store and shared by all tabs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from explorer import queries, selection
from explorer.analysis.picture import RECORDED_RIVALS, RIVALS, default_rivals
from explorer.components.ladder import draw_ladder, ladder_payload
from explorer.components.map import Part, draw_map, map_payload, part_of, query_parameters
from explorer.components.outline import LIMIT as OUTLINE_ROWS
from explorer.components.outline import SIBLINGS, draw_outline, outline_payload
from explorer.components.tree import LIMIT as TREE_NODES
from explorer.components.tree import draw_tree, tree_payload
from explorer.views.parts.judged import UNKNOWN, OneRun

HEIGHT = 900
Row = Mapping[str, Any]


def show(view: str, head: Row, node: Row, color: str, lit: Sequence[str], known: OneRun | None) -> None:
    """Draw the run as ``view`` says; a chosen node goes into the address before the page runs again.

    ``known`` says which nodes are viable; None while that is being found out.
    """
    run_id, path = head["run_id"], tuple(head["selected_path"] or ())
    viable, truth = (known.viable, known.key) if known else (UNKNOWN, "")
    version, node_id = f"{selection.run_state(run_id)} {truth}", node["node_id"]
    common: dict[str, Any] = {"selected": node_id, "color": color, "height": HEIGHT, "on_choose": _choose}
    if view == "tree":
        draw_tree(_tree(version, run_id, path, viable), key="tree", lit=lit, **common)
    elif view == "path":
        draw_outline(_outline(version, run_id, node_id, path, viable), key="outline", lit=lit, **common)
    elif view == "map":
        key = f"map {run_id}"
        place = (node["depth"], node["lo"], node["hi"])
        draw_map(_map(version, run_id, part_of(key), key), key=key, selected_at=place, **common)
    elif view == "ladder":
        _ladder(version, head, node_id, viable)


def _ladder(version: str, head: Row, node_id: str, viable: Mapping[str, bool]) -> None:
    scope = rivals(head)
    picked = draw_ladder(_rungs(version, head["run_id"], scope, node_id, viable), selected=node_id, height=None, key="ladder")
    if picked is not None and picked != node_id:
        selection.write(node=picked)
        st.rerun(scope="fragment")


def rivals(head: Row) -> Any:
    """With whom the chosen nodes are compared in the ladder: what the address says."""
    return selection.choice("among", tuple(RECORDED_RIVALS if head["decisions"] else RIVALS), default_rivals(head["level_by_level"]))


def _choose(node_id: str) -> None:
    selection.write(node=node_id)


@st.cache_resource(max_entries=8, show_spinner=False)
def _tree(version: str, run_id: str, path: tuple[str, ...], _viable: Mapping[str, bool]) -> dict[str, Any]:  # noqa: ARG001 - the version is in the key
    nodes = queries.run(selection.store(), "tree_nodes", run_id=run_id, limit=TREE_NODES)
    return tree_payload(nodes, path, f"tree {run_id}", _viable)


@st.cache_resource(max_entries=32, show_spinner=False)
def _outline(
    version: str, run_id: str, node_id: str, path: tuple[str, ...], _viable: Mapping[str, bool]  # noqa: ARG001 - the version is in the key
) -> dict[str, Any]:
    nodes = queries.run(
        selection.store(), "outline_nodes", run_id=run_id, inspected=node_id, limit=OUTLINE_ROWS, siblings=SIBLINGS
    )
    return outline_payload(nodes, path, f"outline {run_id}", _viable)


@st.cache_resource(max_entries=32, show_spinner=False)
def _rungs(version: str, run_id: str, scope: Any, node_id: str, _viable: Mapping[str, bool]) -> dict[str, Any]:  # noqa: ARG001 - the version is in the key
    good = [name for name, is_viable in _viable.items() if is_viable]
    return ladder_payload(selection.store(), run_id, scope=scope, inspected=node_id, pinned=good, viable=_viable)


@st.cache_resource(max_entries=16, show_spinner=False)
def _map(version: str, run_id: str, part: Part | None, key: str) -> dict[str, Any]:  # noqa: ARG001 - the version is a part of the cache key
    return map_payload(queries.run(selection.store(), "map_cells", run_id=run_id, **query_parameters(part)), key)

"""What did the search look like? Five pictures of one run; choosing a node in any of them puts it into the address."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from explorer import queries, selection, widgets
from explorer.analysis import inspector
from explorer.analysis.picture import COLORS, RECORDED_RIVALS, RIVALS, VIEWS, default_view
from explorer.views.parts import node_table, pictures, switches
from explorer.views.parts.judged import OneRun

HITS = 200
"""Search hits that are listed and marked; the number of all of them is said."""


def show(head: Mapping[str, Any], node: Mapping[str, Any], known: OneRun | None) -> None:
    """The view switch, the search over step texts with its hits, and the chosen picture."""
    run_id = head["run_id"]
    view = selection.choice("view", tuple(VIEWS), default_view(head["nodes"]))
    color = selection.choice("color", tuple(COLORS), "score" if view == "map" else "fate")
    with st.container(horizontal=True, vertical_alignment="center"):
        switches.switch("view", VIEWS, view)
        if view in ("tree", "path", "map"):
            switches.switch("color", COLORS, color)
        if view == "ladder":
            switches.switch("among", RECORDED_RIVALS if head["decisions"] else RIVALS, pictures.rivals(head))
        needle = st.text_input(
            "Search the steps", placeholder="search steps, reasons, ids", live=True, label_visibility="collapsed", key="needle"
        )
    lit = _hits(run_id, needle.strip()) if needle and needle.strip() else []
    if view == "table":
        node_table.show(head)
    else:
        pictures.show(view, head, node, color, lit, known)


def first_node(run_id: str) -> str:
    """The node to show when the address names none."""
    rows = queries.run(selection.store(), "first_node", run_id=run_id)
    return str(rows["node_id"][0].as_py())


def _hits(run_id: str, needle: str) -> list[str]:
    """List the nodes that hold the needle; their ids, for the picture to mark."""
    found = queries.run(selection.store(), "search_steps", run_id=run_id, needle=needle, most=HITS).to_pylist()
    if not found:
        widgets.say(f"No step, observation, reason or id of this run holds “{needle}”.")
        return []
    shown = f", the first {len(found):,} are listed" if found[0]["hits"] > len(found) else ""
    widgets.say(f"{found[0]['hits']:,} found{shown}.")
    with st.container(height=min(180, 34 + 32 * len(found)), border=True):
        widgets.link_list(inspector.hits(found), key="hits", on_pick=lambda picked: selection.write(node=picked))
    return [row["node_id"] for row in found]

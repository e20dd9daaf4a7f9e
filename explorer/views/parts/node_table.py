"""What are the nodes, as a table? The same nodes in reading order, for those who cannot or would rather not read the drawing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from explorer import queries, selection, widgets

ROWS = 1_000
COLUMNS = {
    "node_id": st.column_config.TextColumn("node", width=120),
    "depth": st.column_config.NumberColumn("depth", width=60),
    "step": st.column_config.TextColumn("step", width=330),
    "score": st.column_config.NumberColumn("score", width=75),
    "fate": st.column_config.TextColumn("fate", width=85),
    "prune_rule": st.column_config.TextColumn("rule", width=110),
    "prune_reason": st.column_config.TextColumn("reason", width=260),
    "tier": st.column_config.TextColumn("tier", width=90),
    "children": st.column_config.NumberColumn("children", width=75),
    "subtree": st.column_config.NumberColumn("subtree", width=75),
    "parent_id": st.column_config.TextColumn("parent", width=120),
    "error": st.column_config.TextColumn("error", width=200),
}


def show(head: Mapping[str, Any]) -> None:
    """One page of the run's nodes in the order of the tree; a chosen row becomes the inspected node."""
    start = 0
    if head["nodes"] > ROWS:
        pages = -(-head["nodes"] // ROWS)
        with st.container(horizontal=True, vertical_alignment="center"):
            page = st.number_input("Page", 1, pages, key="node_page", width=150, label_visibility="collapsed")
            start = (int(page) - 1) * ROWS
            last = min(start + ROWS, head["nodes"])
            widgets.say(f"page of {pages:,}: nodes {start + 1:,} to {last:,} of {head['nodes']:,}, in the order of the tree")
    table = queries.run(selection.store(), "node_table", run_id=head["run_id"], start=start, rows=ROWS)

    def choose(row: int) -> None:
        selection.write(node=table["node_id"][row].as_py())

    height = widgets.height_of(table.num_rows)
    widgets.show_table(table, key=f"nodes_{start}", columns=COLUMNS, height=height, on_row=choose)

"""How does a chart reach the page? As it was computed, in the page's theme, with its rows one click away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go
import pyarrow as pa
import pyarrow.compute as pc
import streamlit as st

from explorer import widgets
from explorer.figures.palette import Theme


def theme() -> Theme:
    """Light or dark, as the reader's browser shows the page."""
    return "dark" if st.context.theme.type == "dark" else "light"


def chart(figure: go.Figure, *, key: str) -> None:
    """A chart to look at."""
    st.plotly_chart(figure, theme=None, key=key, config={"displaylogo": False})


def clickable(figure: go.Figure, *, key: str) -> str | None:
    """A chart whose points carry a node id as their first custom value; the id of the point that was clicked."""
    event = st.plotly_chart(figure, theme=None, key=key, on_select="rerun", selection_mode="points", config={"displaylogo": False})
    points = event["selection"]["points"]
    data = points[0].get("customdata") if points else None
    return str(data[0]) if data else None


def rows(table: pa.Table, *, key: str, missing: str, columns: Mapping[str, Any] | None = None) -> None:
    """The table that stands under a chart, folded; its rows are sent when the reader unfolds it. ``missing`` stands for null and for nan."""
    folded = st.expander(f"As a table ({table.num_rows:,} rows)", type="compact", key=f"{key}_folded", on_change="rerun")
    if folded.open:
        with folded:
            widgets.show_table(_without_nan(table), key=key, columns=columns, height=widgets.height_of(table.num_rows, 14), missing=missing)


def _without_nan(table: pa.Table) -> pa.Table:
    """An undefined figure as null, because the page would print it as NaN and mark it as an error."""
    columns = [pc.if_else(pc.is_nan(column), None, column) if pa.types.is_floating(column.type) else column for column in table.columns]
    return pa.table(columns, names=table.column_names)

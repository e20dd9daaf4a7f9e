"""Where do reviewers and the computation differ? Kappa, the matrix, the runs about which they disagree; a row opens its run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import streamlit as st

from explorer import selection, widgets
from explorer.analysis import agreement, agreement_reading
from explorer.analysis.agreement import Said

PAIRS = {"kappa": st.column_config.NumberColumn("Cohen's kappa", format="%.2f", help="1: always one verdict; 0: as chance would agree.")}
_CHOSEN = "verdicts_chosen"


def show(said: Said) -> None:
    """Pairs, matrix and disagreements; a sentence where there is nothing to compare yet."""
    counts = agreement.confusion(said)
    if not counts:
        widgets.say("No reviewer has recorded a verdict on a run of this store yet; marks on nodes are listed below.")
        return
    left, right = st.columns([45, 55], gap="large")
    with left:
        st.caption("Any two who judged a run in common. Kappa is undefined where chance alone would agree on every run.")
        found = agreement_reading.pairs(agreement.pairs(said))
        widgets.show_table(found, key="kappa", columns=PAIRS, height=widgets.height_of(found.num_rows, 8), missing="undefined")
    with right:
        st.caption("Computed (rows) against reviewed (columns), in reviews. *Not lost* stands for nothing lost, *unsure* for cannot tell.")
        matrix = agreement_reading.matrix(counts)
        widgets.show_table(matrix, key="confusion", height=widgets.height_of(matrix.num_rows))
    differ = agreement.disagreements(said)
    if not differ:
        widgets.say("Nobody disagrees about any run.")
        return
    st.caption("Runs about which verdicts differ. All are kept as they were said; none is averaged away.")
    open_row(agreement_reading.disagreements(differ), {"verdicts": st.column_config.TextColumn("who says what", width="large")}, key="disagreements")


def open_row(table: pa.Table, columns: Mapping[str, Any], key: str = "reviews") -> None:
    """A table about runs; choosing a row opens its run, at the row's node where it has one."""

    def choose(row: int) -> None:
        node = table["node"][row].as_py() if "node" in table.column_names else None
        st.session_state[_CHOSEN] = (table["run"][row].as_py(), node)

    widgets.show_table(table, key=key, columns=columns, height=widgets.height_of(table.num_rows, 14), missing="–", on_row=choose)
    if target := st.session_state.pop(_CHOSEN, None):
        selection.go("investigate", run=target[0], node=target[1])

"""What did reviewers say, do they agree with each other, and does the computed verdict agree with them?"""

from __future__ import annotations

import streamlit as st

from explorer import review_tables, reviews, selection, widgets
from explorer.analysis import agreement, agreement_reading
from explorer.views.parts import agreements, first_steps, judged, lost_bar

COLUMNS = {
    "reviewer": st.column_config.TextColumn("reviewer", width=80),
    "time": st.column_config.TextColumn("time (UTC)", width=140),
    "run": st.column_config.TextColumn("run", width=220),
    "about": st.column_config.TextColumn("what", width=80),
    "node": st.column_config.TextColumn("node", width=110),
    "said": st.column_config.TextColumn("said", width=150),
    "note": st.column_config.TextColumn("note", width=360),
    "run_is_here": st.column_config.TextColumn("run in the store", width=100),
}

if selection.store_is_empty():
    first_steps.show()
    st.stop()
said = judged.said()
for problem in said.problems:
    widgets.say(str(problem))
if not said.lines:
    st.subheader("Nobody has reviewed a run yet")
    st.markdown("Open a run: mark its steps beside the picture, and record at the foot of the page where you think the right path was lost.")
    selection.link("runs", "Choose a run")
    st.stop()

current = said.current
st.subheader("Do they agree?")
computed = lost_bar.verdicts()
if computed is not None:
    agreements.show(agreement.said(judged.verdicts_said(), {one.run_id: one.verdict for one in computed}))

st.subheader("What was said")
widgets.badge_line(agreement_reading.summary([reviews.document(line) for line in current]), key="verdicts_summary")
here = frozenset(selection.store().query("select run_id from runs")["run_id"].to_pylist())
table = review_tables.for_reading(current, here)
agreements.open_row(table, COLUMNS)
with st.container(horizontal=True):
    st.download_button("Export as CSV", review_tables.exported(current, "csv"), "reviews.csv", "text/csv", key="export_csv")
    st.download_button("Export as JSON", review_tables.exported(current, "json"), "reviews.json", "application/json", key="export_json")
    st.download_button("Export as Parquet", review_tables.exported(current, "parquet"), "reviews.parquet", key="export_parquet")

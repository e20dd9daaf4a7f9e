"""Which run should I look at first? The wrong ones stand on top; a row opens its run."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import streamlit as st

from explorer import queries, selection, widgets, wording
from explorer.analysis import run_list, verdict_list, verdict_reading
from explorer.analysis.verdict_list import MECHANISMS
from explorer.analysis.verdict_reading import KINDS
from explorer.views.parts import first_steps, judged, live, lost_bar
from ingest.readers import all_readers
from ingest.schema import StopReason

COLUMNS = {
    "open": st.column_config.ButtonColumn("", type="secondary", key="open_run", width=60, pinned=True),
    "outcome": st.column_config.TextColumn("outcome", width=84),
    "run": st.column_config.TextColumn("run", width=172),
    "task": st.column_config.TextColumn("task", width=98),
    "verdict": st.column_config.TextColumn("verdict", help="Which part of the search lost the right path.", width=90),
    "mechanism": st.column_config.TextColumn("mechanism", width=112),
    "lost_depth": st.column_config.TextColumn("lost at", help="Depth at which the right path was lost.", width=58),
    "reviewed": st.column_config.TextColumn("reviewed", width=130),
    "stopped_by": st.column_config.TextColumn("stopped by", width=130),
    "complete": st.column_config.TextColumn("complete", width=84),
    "nodes": st.column_config.NumberColumn("nodes", format="localized", width=60),
    "depth": st.column_config.NumberColumn("depth", width=54),
    "cost": st.column_config.NumberColumn("cost", format="$%.4f", width=84),
    "tokens": st.column_config.NumberColumn("tokens", format="compact", width=84),
    "score": st.column_config.NumberColumn("score", help="Score of the last node of the selected path.", width=84),
    "spend_by_depth": st.column_config.BarChartColumn("spend by depth", width=96, y_min=0),
    "best_by_depth": st.column_config.LineChartColumn("best by depth", help="Best score of each depth.", width=92),
    "wall_clock": st.column_config.NumberColumn("time", format="%.1f s", width=84),
    "problems": st.column_config.NumberColumn("problems", width=70),
    "format": st.column_config.TextColumn("log", width=64),
}
ENDINGS = (*(str(reason) for reason in StopReason), wording.NOT_RECORDED)
FORMATS = tuple(reader.NAME for reader in all_readers())

store = selection.store()
runs = queries.run(store, "run_list")
if not runs.num_rows:
    first_steps.show()
    st.stop()

found = lost_bar.verdicts()
part = lost_bar.show(found) if found is not None else ""
search, outcome, ending, source = st.columns([4, 2.6, 2.7, 2.7], vertical_alignment="center")
needle = search.text_input("Search", placeholder="run, task, question or file", live=True, label_visibility="collapsed", key="runs_search")
outcomes = outcome.pills("Outcome", run_list.OUTCOMES, selection_mode="multi", label_visibility="collapsed", key="runs_outcome")
endings = ending.multiselect("Stopped by", ENDINGS, placeholder="stopped by", label_visibility="collapsed", key="runs_ending")
formats = source.multiselect("Log format", FORMATS, placeholder="log format", label_visibility="collapsed", key="runs_format")
verdict, mechanism, depth = st.columns([4, 4, 2], vertical_alignment="center")
kinds = verdict.pills("Verdict", KINDS, selection_mode="multi", label_visibility="collapsed", key="runs_verdict", format_func=verdict_reading.word)
mechanisms = mechanism.multiselect("Mechanism", MECHANISMS, placeholder="mechanism", label_visibility="collapsed", key="runs_mechanism")
at_depth = depth.number_input("Lost at depth", 0, value=None, placeholder="lost at depth", label_visibility="collapsed", key="runs_depth")

chosen = run_list.matching(runs, needle or "", outcomes, endings, formats)
lost = verdict_list.matching(found or (), kinds, mechanisms, at_depth, part)
if lost is not None:
    chosen = chosen.filter(pc.is_in(chosen["run_id"], pa.array(sorted(lost), pa.string())))
unended = live.words(run_list.unended_logs(chosen))
widgets.badge_line(run_list.summary(chosen, unended), key="runs_summary")
if not chosen.num_rows:
    widgets.say("No run passes these filters.")
    st.stop()
small_charts = queries.run(store, "run_sparklines") if chosen.num_rows <= run_list.SPARKLINE_ROWS else None
table = run_list.for_reading(chosen, small_charts, unended)
if found is not None:
    table = verdict_list.beside(table, {one.run_id: one for one in found}, verdict_list.reviewed(judged.verdicts_said()))
widgets.show_table(table, key="runs_table", columns=COLUMNS, height=widgets.height_of(table.num_rows))
for remark in run_list.remarks(chosen, table):
    widgets.note(remark)
row = widgets.clicked_row("open_run")
if row is not None:
    selection.go("investigate", run=chosen["run_id"][row].as_py())

"""What was loaded, what was wrong with it, and what can these logs not tell?"""

from __future__ import annotations

import streamlit as st

from explorer import queries, selection, widgets
from explorer.analysis import ingested
from explorer.views.parts import first_steps
from ingest.readers import all_readers

SOURCES = {
    "source": st.column_config.TextColumn("log", width="large"),
    "format": st.column_config.TextColumn("format", width=120),
    "status": st.column_config.TextColumn("status", width=80),
    "bytes": st.column_config.NumberColumn("size", format="bytes", width=80),
    "max_depth": st.column_config.NumberColumn("greatest depth"),
    "rejected": st.column_config.NumberColumn("records left out"),
}
PROBLEMS = {
    "where": st.column_config.TextColumn("where", width=260),
    "message": st.column_config.TextColumn("what was wrong", width=420),
    "hint": st.column_config.TextColumn("what to do", width=300),
    "raw": st.column_config.TextColumn("rejected text", width=300),
    "rejected": st.column_config.CheckboxColumn("left out", width=70),
}

store = selection.store()
sources = queries.run(store, "sources")
if not sources.num_rows:
    first_steps.show()
    st.stop()

problems = queries.run(store, "problems")
widgets.badge_line(ingested.summary(sources, problems), key="data_summary")

st.subheader("Logs")
widgets.show_table(sources, key="sources", columns=SOURCES, height=widgets.height_of(sources.num_rows, 10))

st.subheader("Problems")
if problems.num_rows:
    st.markdown("Nothing is dropped in silence: each line stands for something that a log holds and that could not be taken as it is.")
    table = ingested.problems_for_reading(problems)
    widgets.show_table(table, key="problems", columns=PROBLEMS, height=widgets.height_of(table.num_rows, 12), missing="–")
else:
    st.markdown("None: every record of every log was taken.")

st.subheader("What these logs can tell")
st.markdown("By the format that wrote them. *yes*, or the fields that the format does not record.")
formats = tuple(sorted({name for name in sources["format"].to_pylist() if name is not None}))
widgets.show_table(ingested.tells({reader.NAME: reader.TELLS for reader in all_readers()}, formats), key="tells")

st.subheader("What was recorded")
st.markdown("How many of the records of each format hold the field. What is missing is shown as *not recorded*, never as zero.")
recorded = queries.run(store, "fields_recorded")
table = ingested.recorded_for_reading(recorded)
widgets.show_table(table, key="recorded", height=widgets.height_of(table.num_rows, 14))

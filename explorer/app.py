"""Which page does this address ask for? Streamlit runs this file for each visit; it declares the views and runs the chosen one."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from explorer import selection, widgets
from explorer.views.parts import live, ways_on
from ingest.errors import TraceError

st.set_page_config(page_title="branchlight", page_icon=str(Path(__file__).with_name("icon.svg")), layout="wide")
PAGES = {
    "runs": st.Page(selection.page_file("runs"), title="Runs", url_path="runs", default=True),
    "investigate": st.Page(selection.page_file("investigate"), title="Investigate", url_path="investigate"),
    "statistics": st.Page(selection.page_file("statistics"), title="Statistics", url_path="statistics"),
    "suite": st.Page(selection.page_file("suite"), title="Suite", url_path="suite"),
    "what_if": st.Page(selection.page_file("what_if"), title="What-if", url_path="what_if"),
    "budget": st.Page(selection.page_file("budget"), title="Budget", url_path="budget"),
    "verdicts": st.Page(selection.page_file("verdicts"), title="Verdicts", url_path="verdicts"),
    "data": st.Page(selection.page_file("data"), title="Data", url_path="data"),
}
page = st.navigation(list(PAGES.values()), position="hidden")
with st.container(horizontal=True, key="navigation"):
    for name, target in PAGES.items():  # links of our own: those of st.navigation drop the run from the address
        st.page_link(target, query_params=selection.kept(name))
live.follow(page.url_path or "runs")
try:
    selection.keep_run()
    page.run()
except selection.NotThere as missing:
    ways_on.show(missing)
except TraceError as error:
    widgets.say(str(error))

"""What can I do with an empty store? Load logs: what to type, and which formats are known."""

from __future__ import annotations

import pyarrow as pa
import streamlit as st

from explorer import widgets
from ingest.readers import all_readers


def show() -> None:
    """The page of an empty store."""
    st.subheader("Nothing is loaded yet")
    st.markdown("Point branchlight at a file or a folder of search logs. It finds out the format by itself and never writes to the logs.")
    st.code("branchlight open my_logs/", language=None)
    st.markdown("The samples that come with it show what there is to see:")
    st.code("branchlight open sample_traces/", language=None)
    st.markdown("**Formats it reads**")
    readers = all_readers()
    known = {"format": [reader.NAME for reader in readers], "written by": [reader.PRODUCER for reader in readers]}
    widgets.show_table(pa.table(known), key="known_formats")
    st.markdown("Another format? Write the native log from your own orchestrator: `ingest.recorder.Recorder` is one small class.")

"""Where did this run leave the right path? The search on the left, what the log says about one node on the right."""

from __future__ import annotations

import streamlit as st

from explorer import queries, selection, widgets
from explorer.analysis import run_head
from explorer.views.parts import inspector, search_picture

store = selection.store()
run_id = selection.current_run()
selection.current_node(run_id)  # an address with a node that is gone must say so before anything is drawn
head = queries.run(store, "run_head", run_id=run_id).to_pylist()[0]


@st.fragment
def both_panes() -> None:
    """Picture and inspector in one fragment: a click answers without running the rest of the page."""
    node_id = selection.current_node(run_id) or search_picture.first_node(run_id)
    node = queries.run(store, "node", run_id=run_id, node_id=node_id).to_pylist()[0]
    left, right = st.columns([64, 36], gap="medium")
    with left:
        search_picture.show(head, node)
    with right:
        inspector.show(head, node)


widgets.badge_line(run_head.badges(head), key="run_badges")
widgets.badge_line([*run_head.task(head), *run_head.warnings(head)], key="run_task")
if run_head.is_long(head):
    with st.expander("Question and answer", type="compact"):
        widgets.show_raw(head["question"], what="question")
        widgets.show_raw(head["answer"], what="answer")
if head["nodes"]:
    both_panes()
else:
    widgets.say("This run recorded no nodes, so there is no search to look at.")

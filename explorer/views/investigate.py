"""Where did this run leave the right path? The search on the left, what the log says about one node on the right."""

from __future__ import annotations

import streamlit as st

from explorer import queries, selection, widgets
from explorer.analysis import run_head
from explorer.views.parts import inspector, live, reviewing, search_picture, verdict_bar

store = selection.store()
run_id = selection.current_run()
selection.current_node(run_id)  # an address with a node that is gone must say so before anything is drawn
head = queries.run(store, "run_head", run_id=run_id).to_pylist()[0]


@st.fragment
def both_panes() -> None:
    """Verdict, picture and inspector in one fragment: a click or a mark answers without running the rest of the page."""
    known = verdict_bar.show(head)
    node_id = selection.current_node(run_id) or search_picture.first_node(run_id)
    node = queries.run(store, "node", run_id=run_id, node_id=node_id).to_pylist()[0]
    left, right = st.columns([64, 36], gap="medium")
    with left:
        search_picture.show(head, node, known)
    with right:
        inspector.show(head, node)


widgets.badge_line(run_head.badges(head, live.ending(head)), key="run_badges")
widgets.badge_line([*run_head.task(head), *run_head.warnings(head)], key="run_task")
if head["nodes"]:
    both_panes()
    reviewing.verdict_form(run_id, selection.current_node(run_id) or search_picture.first_node(run_id))
else:
    widgets.say("This run recorded no nodes, so there is no search to look at.")
if run_head.is_long(head):
    with st.expander("Question and answer in full", type="compact"):
        widgets.show_raw(head["question"], what="question")
        widgets.show_raw(head["answer"], what="answer")

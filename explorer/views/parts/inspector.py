"""What does the log say about this node? Everything recorded, texts verbatim, with links to its relatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from explorer import queries, reviews, selection, widgets
from explorer.analysis import inspector
from explorer.views.parts import judged, node_calls, reviewing

CHILDREN = 200
Row = Mapping[str, Any]


def show(head: Row, node: Row) -> None:
    """The inspector of one node, a row of ``node.sql``."""
    store, run_id, node_id = selection.store(), head["run_id"], node["node_id"]
    rank = queries.run(store, "node_rank", run_id=run_id, node_id=node_id).to_pylist()[0]
    parent_id = node["parent_ids"][0] if node["parent_ids"] else None
    calls = queries.run(store, "node_calls", run_id=run_id, node_id=node_id, parent_id=parent_id, most=node_calls.MOST).to_pylist()
    widgets.badge_line(inspector.head(node, head["selected_path"]), key="node_head")
    reviewing.marks(run_id, node_id)
    _said_of_node(run_id, node_id)
    widgets.show_raw(node["step"], what="step", raw_address=selection.raw_address(run_id, node_id, "step"))
    widgets.badge_line([*inspector.evaluation(node, rank, calls), *inspector.spend(calls)], key="node_facts")
    _pruning(node)
    _tabs(run_id, node, calls)
    _family(run_id, node_id)
    with st.expander("Link to this node", type="compact"):
        widgets.show_raw(selection.full_address("investigate", run=run_id, node=node_id), what="address")


def _said_of_node(run_id: str, node_id: str) -> None:
    if said := inspector.reviewed([reviews.document(line) for line in judged.said_about(run_id) if line.node_id == node_id]):
        widgets.badge_line(said, key="node_reviewed")


def _pruning(node: Row) -> None:
    rule, reason = inspector.verdict_of_pruning(node)
    if rule:
        widgets.badge_line(rule, key="node_pruning", on_pick=_open)
        widgets.show_raw(reason, what="reason for pruning")


def _tabs(run_id: str, node: Row, calls: Sequence[Row]) -> None:
    evaluator, proposer, state, record = st.tabs(["Evaluator", "Proposer", "State", "Record"], key="inspector_tab", on_change="rerun")
    if evaluator.open:
        with evaluator:
            node_calls.show(run_id, [call for call in calls if call["role"] in ("evaluator", "verifier")], "evaluator calls")
    if proposer.open:
        with proposer:
            node_calls.show(run_id, [call for call in calls if call["role"] not in ("evaluator", "verifier")], "proposer calls")
    if state.open:
        with state:
            for field in ("state", "observation"):
                widgets.heading(field)
                widgets.show_raw(node[field], what=field, raw_address=selection.raw_address(run_id, node["node_id"], field))
    if record.open:
        with record:
            table = inspector.record(node)
            widgets.show_table(table, key="node_record", height=widgets.height_of(table.num_rows))
            widgets.heading("fields of the log without a column")
            widgets.show_raw(node["extra"], what="further fields", raw_address=selection.raw_address(run_id, node["node_id"], "extra"))


def _family(run_id: str, node_id: str) -> None:
    family = queries.run(selection.store(), "node_family", run_id=run_id, node_id=node_id, children=CHILDREN).to_pylist()
    for relation in ("parent", "child"):
        if links := inspector.relatives(family, relation):
            with st.container(height=230 if len(links) > 7 else "content", border=False):
                widgets.link_list(links, key=f"node_{relation}", on_pick=_open)


def _open(node_id: str) -> None:
    selection.write(node=node_id)

"""Where was the right path lost? The computed verdict with its evidence, what is missing for one, and what reviewers say beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import streamlit as st

from explorer import judging, oracles, queries, reviews, selection, widgets
from explorer.analysis import verdict_reading
from explorer.analysis.verdict import Verdict
from explorer.views.parts import background, judged, node_calls
from explorer.views.parts.judged import OneRun
from ingest.errors import TraceError

COLUMNS = {
    "what": st.column_config.TextColumn("what", width=110),
    "node_id": st.column_config.TextColumn("node", width=110),
    "step": st.column_config.TextColumn("step", width=300),
    "score": st.column_config.NumberColumn("score", width=70),
    "rank": st.column_config.NumberColumn("rank", width=60),
    "text": st.column_config.TextColumn("in words", width=360),
    "more": st.column_config.TextColumn("more", width=360),
}
LARGE = 20_000
"""Nodes above which the picture does not wait for the verdict."""
WAIT_OF_LARGE_S = 0.1
Row = Mapping[str, Any]


def show(head: Row) -> OneRun | None:
    """The bar at the top of a run; what is known of its nodes, or None while it is being computed."""
    run_id = head["run_id"]
    nodes = head["nodes"] or 0
    wait_s = WAIT_OF_LARGE_S if nodes > LARGE else None
    found = background.answer(judged.of_run(run_id, nodes), "the verdict on this run", wait_s)
    reviewed = [reviews.document(line) for line in judged.said_about(run_id) if line.kind == "verdict"]
    if not found:
        return None
    verdict = found[0].verdict
    widgets.say(verdict.sentence)
    widgets.badge_line([*verdict_reading.head(verdict), *verdict_reading.missing(verdict)], key="verdict_head", on_pick=_open)
    if beside := [*verdict_reading.reviewed(reviewed), *verdict_reading.conflicts(verdict)]:
        widgets.link_list(beside, key="verdict_beside", on_pick=_open)
    if verdict.verdict == "cannot_tell":
        _settle(head)
    _why(run_id, verdict)
    return found[0]


def _why(run_id: str, verdict: Verdict) -> None:
    """What the verdict rests on, down to the evaluator's own words, and where else a right path of this run was lost."""
    more = len(verdict.also_lost)
    folded = st.expander(f"Why so? (and {more:,} more lost)" if more else "Why so?", type="compact", key="verdict_why", on_change="rerun")
    if not folded.open:
        return
    with folded:
        widgets.badge_line(verdict_reading.stages(verdict), key="verdict_stages")
        if verdict.evidence:
            _table(verdict_reading.evidence(verdict), "verdict_evidence")
        sides = verdict_reading.sides(verdict)
        for column, (what, node_id) in zip(st.columns(len(sides)) if sides else (), sides, strict=True):
            with column:
                widgets.heading(f"{node_id}: {what}")
                node_calls.show(run_id, _evaluations(run_id, node_id), f"evaluator's answers on {node_id}, {what}")
        if more:
            widgets.heading("Also lost, the furthest first")
            _table(verdict_reading.also_lost(verdict), "verdict_also")


def _settle(head: Row) -> None:
    """What would settle it, as a button where the product can do it itself."""
    if "game24" not in oracles.fitting(head["question"]) or _was_asked(head["run_id"]):
        widgets.note("What would settle it: mark a step as right or not right, beside the picture; the verdict changes at once.")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Judge this run with the oracle game24", key="settle", type="primary"):
            judge([head["run_id"]])
        widgets.note("It says of every node, exactly, whether 24 can still be reached. Or mark a step beside the picture as right or not right.")


def _was_asked(run_id: str) -> bool:
    sql = "select run_id from truth where run_id = $run_id and viable_by = 'oracle' limit 1"
    return bool(selection.store().query(sql, run_id=run_id).num_rows)


def judge(run_ids: list[str] | None) -> None:
    """Ask game24 about every node of these runs (None: of all) and run the page again with what it said."""
    with st.spinner("Asking the oracle about every node"):
        try:
            judging.judge(selection.store().folder, "game24", run_ids)
        except TraceError as error:
            widgets.say(str(error))
            return
    st.rerun()


def _evaluations(run_id: str, node_id: str) -> list[dict[str, Any]]:
    calls = queries.run(selection.store(), "node_calls", run_id=run_id, node_id=node_id, parent_id=None, most=node_calls.MOST).to_pylist()
    return [call for call in calls if call["role"] in ("evaluator", "verifier")]


def _table(rows: pa.Table, key: str) -> None:
    """Rows about nodes; choosing one opens its node."""

    def choose(row: int) -> None:
        if node_id := rows["node_id"][row].as_py():
            _open(node_id)

    widgets.show_table(rows, key=key, columns=COLUMNS, height=widgets.height_of(rows.num_rows, 8), missing="–", on_row=choose)


def _open(node_id: str) -> None:
    selection.write(node=node_id)

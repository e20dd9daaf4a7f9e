"""How does a reviewer mark a node or judge a run? What they say is written at once; the page then shows what follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from explorer import reviews, selection
from explorer.components.review import review_panel
from explorer.reviews import Review
from explorer.views.parts import charts, judged
from ingest.errors import TraceError
from ingest.store import Store

_SAID = ("id", "kind", "mark", "verdict", "better", "confidence", "note", "reviewer", "withdrawn")
"""What a browser may say; run, digest, time and the like are not its to choose."""
_RECORDED, _FAILED = "review_recorded", "review_failed"


def marks(run_id: str, node_id: str) -> None:
    """The marks, bookmark and note of one node."""
    about = [line for line in judged.said_about(run_id) if line.node_id == node_id and line.kind != "verdict"]
    _panel("marks", run_id, node_id, about)


def verdict_form(run_id: str, node_id: str) -> None:
    """The reviewer's own verdict on the run, at the foot of the window."""
    with st.bottom:
        _panel("verdict", run_id, node_id, [line for line in judged.said_about(run_id) if line.kind == "verdict"])


def record(store: Store, run_id: str, said: Mapping[str, Any]) -> Review:
    """Write what a browser said about a run. Raises TraceError when it names a node that the run has not, or may not be said."""
    node_id = said.get("node")
    if node_id is not None and not _has_node(store, run_id, node_id):
        raise TraceError(f"this run has no node named {node_id!r}")
    line = {name: said.get(name) for name in _SAID}
    if line["kind"] == "verdict":
        marked = (one for one in reviews.read(store.folder).current if one.kind == "mark" and one.run_id == run_id)
        line["evidence"] = sorted({one.node_id for one in marked if one.node_id and one.reviewer == line["reviewer"]} | ({node_id} - {None}))
    return reviews.add(store, {**line, "run_id": run_id, "node_id": node_id})


def _panel(role: Any, run_id: str, node_id: str, lines: list[Review]) -> None:
    shown = [{"kind": line.kind, "reviewer": line.reviewer, "mark": line.mark, "note": line.note} for line in lines]

    def take(said: Mapping[str, Any]) -> None:
        sent = str(said.get("id"))
        st.session_state[_RECORDED], st.session_state[_FAILED] = None, None
        try:
            record(selection.store(), run_id, said)
            st.session_state[_RECORDED] = sent
        except TraceError as error:
            st.session_state[_FAILED] = {"id": sent, "message": error.message}

    review_panel(
        role, run=run_id, node=node_id, lines=shown, recorded=st.session_state.get(_RECORDED), error=st.session_state.get(_FAILED),
        theme=charts.theme(), key=f"review_{role}", on_said=take,
    )  # fmt: skip


def _has_node(store: Store, run_id: str, node_id: Any) -> bool:
    sql = "select node_id from nodes where run_id = $run_id and node_id = $node_id limit 1"
    return isinstance(node_id, str) and bool(store.query(sql, run_id=run_id, node_id=node_id).num_rows)

"""What did each chosen node compete with, where was the cut, and what did the evaluator say? One column a depth, chosen outlined.

The payload is computed here and drawn by ``ladder.js``, in the browser as in the static report.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

from explorer import queries
from explorer.components import ladder_rows
from explorer.components.ladder_rows import Evaluation
from ingest.store import Store

Scope = Literal["level", "parent", "decision"]
TOP = 10
"""Candidates of a column that are always shown; beyond them the chosen, the inspected, the pinned and the two at the cut-off."""
PINNED = 20
ALL_COLUMNS = 30
"""Depths up to which every column is drawn."""
COLUMNS = 21
"""Columns around the inspected depth in a deeper run."""
_FOLDER = Path(__file__).parent
Rows = list[dict[str, Any]]


def ladder_payload(
    store: Store,
    run_id: str,
    *,
    scope: Scope = "level",
    inspected: str | None = None,
    pinned: Sequence[str] = (),
    viable: Mapping[str, bool] | None = None,
) -> dict[str, Any]:
    """Everything that the ladder of one run shows: plain JSON types, texts cut, at most 30 columns, far below 1 MB.

    Args:
        scope: who competes: the whole level, the children of the same parent, or the candidates of the recorded decision.
        inspected: shown in its column whatever its rank; in a deep run the columns lie around it.
        pinned: nodes that are shown whatever their rank, for instance known-good ones; the first 20 count.
        viable: what is known about nodes beyond the recorded truth; it wins over the store's.
    """
    anchors = columns_of(queries.run(store, "ladder_anchors", run_id=run_id, node_id=inspected).to_pylist(), scope)
    depth = _depth_of(store, run_id, inspected)
    shown = window(anchors, depth)
    ids = [anchor["node_id"] for anchor in shown]
    keep = [*([inspected] if inspected else []), *pinned][:PINNED]
    asked = {"run_id": run_id, "anchors": ids, "scope": scope}
    candidates = queries.run(store, "candidates_by_depth", **asked, pinned=keep, top=TOP).to_pylist()
    for row in candidates:
        row["viable"] = (viable or {}).get(row["node_id"], row["viable"])
    strip = queries.run(store, "candidate_strip", **asked).to_pylist()
    node_ids = [row["node_id"] for row in candidates]
    said = queries.run(store, "evaluations_of_nodes", run_id=run_id, node_ids=node_ids).to_pylist()
    return payload_of(shown, candidates, strip, said, scope=scope, hidden=(_hidden(anchors, shown)))


def payload_of(anchors: Rows, candidates: Rows, strip: Rows, said: Rows, *, scope: Scope, hidden: tuple[str, str]) -> dict[str, Any]:
    """The payload from the rows of the four queries; no columns where there are no candidates."""
    scale = _scale(strip)
    evaluations = ladder_rows.evaluations(said)
    columns = [
        _column(
            anchor,
            [row for row in candidates if row["column"] == anchor["depth"]],
            [row for row in strip if row["column"] == anchor["depth"]],
            evaluations,
            scale,
        )
        for anchor in anchors
    ]
    payload: dict[str, Any] = {
        "scope": scope,
        "before": hidden[0],
        "after": hidden[1],
        "scale": ladder_rows.scale_words(scale),
        "columns": [column for column in columns if column["rows"]],
    }
    payload["key"] = hashlib.sha256(json.dumps(payload, sort_keys=True).encode()).hexdigest()[:16]
    return payload


def columns_of(anchors: Rows, scope: Scope) -> Rows:
    """The depths worth a column: not that of a lone root, and where decisions are asked for none without one."""
    if scope == "decision":
        return [anchor for anchor in anchors if anchor["decided"]]
    return [anchor for anchor in anchors if anchor["depth"] > 0 or anchor["candidates"] > 1] or anchors


def window(anchors: Rows, depth: int | None) -> Rows:
    """All columns of a run that is not deep; of a deep one those around ``depth``, or its first ones."""
    if len(anchors) <= ALL_COLUMNS:
        return anchors
    at = next((i for i, anchor in enumerate(anchors) if depth is not None and anchor["depth"] >= depth), len(anchors) if depth else 0)
    start = max(0, min(at - COLUMNS // 2, len(anchors) - COLUMNS))
    return anchors[start : start + COLUMNS]


def draw_ladder(
    payload: Mapping[str, Any],
    *,
    selected: str | None,
    height: int | None,
    key: str,
    on_choose: Callable[[str], None] | None = None,
) -> str | None:
    """Show the ladder; the id of the node that was picked just now, else None.

    ``height`` in pixels; None fits it to the window. ``on_choose`` gets the pick before the page runs again. No pick is kept as
    state here: the address alone says what is selected.
    """
    import streamlit as st  # here, so that the payload and the report do without it

    def picked() -> None:
        chosen = (st.session_state.get(key) or {}).get("node")
        if on_choose is not None and isinstance(chosen, str):
            on_choose(chosen)

    data = {"ladder": dict(payload), "selected": selected, "height": height}
    result = _mounted()(key=key, data=data, on_node_change=picked, height="content")
    node = getattr(result, "node", None)
    return node if isinstance(node, str) else None


@cache
def assets() -> tuple[str, str]:
    """Style sheet and script, for the component and the static report."""
    return (_FOLDER / "ladder.css").read_text("utf-8"), (_FOLDER / "ladder.js").read_text("utf-8")


@cache
def _mounted() -> Any:
    import streamlit as st  # registered once a process, when the first ladder is drawn

    css, js = assets()
    return st.components.v2.component("branchlight_ladder", html='<div class="ladder-host"></div>', css=css, js=js)


def _column(
    anchor: dict[str, Any], rows: Rows, strip: Rows, evaluations: Mapping[str, Evaluation], scale: tuple[float, float] | None
) -> dict[str, Any]:
    if not rows:
        return {"rows": []}
    chosen = next((row for row in rows if row["chosen"]), None)
    return {
        "depth": anchor["depth"],
        "summary": ladder_rows.summary(rows[0], chosen, anchor["taken"]),
        "ties": ladder_rows.ties(rows[0]),
        "strip": ladder_rows.strip(strip, rows[0], chosen, scale),
        "rows": ladder_rows.rows(rows, evaluations, scale),
    }


def _scale(strip: Rows) -> tuple[float, float] | None:
    return (strip[0]["lowest"], strip[0]["highest"]) if strip else None


def _hidden(anchors: Rows, shown: Rows) -> tuple[str, str]:
    if len(shown) == len(anchors):
        return "", ""
    first, last = shown[0]["depth"], shown[-1]["depth"]
    before, after = [a["depth"] for a in anchors if a["depth"] < first], [a["depth"] for a in anchors if a["depth"] > last]
    return _depth_range(before), _depth_range(after)


def _depth_range(depths: list[int]) -> str:
    if not depths:
        return ""
    return f"depth {depths[0]:,}" if len(depths) == 1 else f"depths {depths[0]:,} to {depths[-1]:,}"


def _depth_of(store: Store, run_id: str, node_id: str | None) -> int | None:
    if node_id is None:
        return None
    sql = "select depth from nodes where run_id = $run_id and node_id = $node_id"
    found = store.query(sql, run_id=run_id, node_id=node_id)["depth"].to_pylist()
    return int(found[0]) if found else None

"""What is the whole text? The route ``/raw`` serves one text of the store as plain text, however long it is."""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from ingest.errors import TraceError
from ingest.store import Store

NODE_FIELDS = frozenset({"step", "state", "observation", "prune_reason", "error", "extra", "score_raw"})


def route(folder: Path) -> Route:
    """``/raw?run=…&node=…&field=…`` for a field of a node, ``/raw?run=…&text=…`` for a text by its hash."""

    def raw(request: Request) -> PlainTextResponse:
        asked = request.query_params
        try:
            text = _find(Store(folder), asked.get("run"), asked.get("node"), asked.get("field"), asked.get("text"))
        except TraceError as error:
            return PlainTextResponse(f"{error}\n", status_code=503)
        if text is None:
            return PlainTextResponse("This store holds no such text.\n", status_code=404)
        return PlainTextResponse(text)

    return Route("/raw", raw, methods=["GET"])


def _find(store: Store, run_id: str | None, node_id: str | None, field: str | None, text_hash: str | None) -> str | None:
    if run_id is None:
        return None
    if text_hash is not None:
        sql = "select text as body from texts where run_id = $run_id and hash = $hash limit 1"
        rows = store.query(sql, run_id=run_id, hash=text_hash).to_pylist()
    elif node_id is not None and field in NODE_FIELDS:
        sql = (
            "select step, state, observation, prune_reason, error, extra, score_raw from nodes "
            "where run_id = $run_id and node_id = $node_id limit 1"
        )
        rows = [{"body": row[field]} for row in store.query(sql, run_id=run_id, node_id=node_id).to_pylist()]
    else:
        return None
    return rows[0]["body"] if rows else None

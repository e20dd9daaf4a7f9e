"""LangGraph checkpoint databases: a thread is a run, a checkpoint is a node below the one before; a fork is two children of one checkpoint.

Format: the tables of LangGraph's SqliteSaver. ``step`` begins at -1. The checkpoints themselves are msgpack, which is not decoded: their sizes are
kept. ``update`` checkpoints are edits by hand.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import Any

from ingest.errors import Problem
from ingest.readers import fields, sqlite_file
from ingest.readers.documents import Ids
from ingest.schema import Node, Run, Trace
from ingest.source import Source

NAME = "langgraph-sqlite"
PRODUCER = "LangGraph checkpoint databases (SqliteSaver)"
LOOKS_FOR = "a SQLite database with the tables checkpoints and writes"
TELLS = {
    "generation": "prompts and responses (a fork shows alternatives)",
    "evaluation": "scores and evaluator",
    "control": "fates, prune reasons, selected path",
    "spend": "tokens, cost and calls",
    "replay": "prompts, responses and scores",
    "compare": "whether the answer is right, protocol",
}
_STRAY = """
select thread_id as thread, checkpoint_id as checkpoint, count(*) as writes from writes w where not exists (
    select 1 from checkpoints c where c.thread_id is w.thread_id and c.checkpoint_ns is w.checkpoint_ns and c.checkpoint_id is w.checkpoint_id)
group by w.thread_id, w.checkpoint_ns, w.checkpoint_id order by min(w.rowid)
"""


def sniff(source: Source) -> bool:
    """A SQLite database with the producer's tables."""
    return {"checkpoints", "writes"} <= (sqlite_file.tables(source) or set())


def read(source: Source) -> Iterator[Trace | Problem]:
    """One run for each thread and namespace, in the order of their first checkpoints."""
    ids = Ids()
    with sqlite_file.connected(source) as database:
        threads = database.execute("select thread_id, checkpoint_ns from checkpoints group by 1, 2 order by min(rowid)").fetchall()
        for thread, space in threads:
            yield from _thread(source, database, ids, thread, space)
        yield from (_stray(source, row) for row in sqlite_file.rows(database, _STRAY))
    if not threads:
        yield Problem("the database holds no checkpoint", source.name, "Nothing was recorded here.", kind="empty")


def _stray(source: Source, row: dict[str, Any]) -> Problem:
    named = f"{row['writes']} write(s) of checkpoint {row.get('checkpoint')!r}, which the table checkpoints does not hold"
    return Problem(named, f"{source.name}: thread {row.get('thread')}", "They are left out.", kind="bad_record", rejected=True)


def _thread(source: Source, database: sqlite3.Connection, ids: Ids, thread: Any, space: Any) -> Iterator[Trace | Problem]:
    name = str(thread) or "thread without a name"
    run_id = ids.of(f"{name}/{space}" if space else name)
    chosen = "where thread_id is ? and checkpoint_ns is ? order by rowid"
    writes: dict[Any, list[list[Any]]] = {}
    columns = "checkpoint_id, channel, type, length(value) as bytes"
    for row in sqlite_file.rows(database, f"select {columns} from writes {chosen}", thread, space):
        writes.setdefault(row.get("checkpoint_id"), []).append([_shown(row.get("channel")), _shown(row.get("type")), row.get("bytes")])
    nodes: dict[str, Node] = {}
    for seq, row in enumerate(
        sqlite_file.rows(database, f"select *, length(checkpoint) as checkpoint_bytes from checkpoints {chosen}", thread, space)
    ):
        node_id = _id(row.get("checkpoint_id"))
        if not node_id:
            yield Problem("a checkpoint without an id", f"{source.name}: thread {name}", kind="bad_record", rejected=True)
            continue
        if node_id in nodes:
            found = f"checkpoint {node_id} stands in this thread before"
            yield Problem(found, f"{source.name}: thread {name}", "The first one is read.", kind="bad_record", rejected=True)
            continue
        nodes[node_id] = _node(run_id, seq, node_id, row, writes.get(row["checkpoint_id"], []))
    yield Trace(Run(run_id=run_id, task_id=None, source_format=NAME, warnings=tuple(_warnings(nodes)), level_by_level=False), tuple(nodes.values()))


def _warnings(nodes: dict[str, Node]) -> Iterator[str]:
    yield "checkpoints are msgpack, which is not decoded: states and texts are not shown, their sizes are"
    edits = sum(node.action_kind == "update" for node in nodes.values())
    if edits:
        yield f"{edits} checkpoints are updates: edits by hand, not steps of the graph"


def _node(run_id: str, seq: int, node_id: str, row: dict[str, Any], writes: list[list[Any]]) -> Node:
    metadata = _json(row.get("metadata"))
    known = metadata if isinstance(metadata, dict) else {}
    parent = _id(row.get("parent_checkpoint_id"))
    taken = ("thread_id", "checkpoint_ns", "checkpoint_id", "parent_checkpoint_id", "checkpoint", "metadata")
    rest = {key: _shown(value) for key, value in fields.without(row, taken).items()}
    rest |= {"metadata": fields.without(known, ("writes", "source", "thread_id"))} if known else {"metadata": metadata}
    return Node(
        run_id=run_id,
        node_id=node_id,
        parent_ids=(parent,) if parent else (),
        seq=seq,
        env_checkpoint=node_id,
        step=fields.text(known.get("writes")),
        action_kind=fields.text(known.get("source")),
        extra=fields.extra_text(rest | ({"writes": writes} if writes else {})),
    )


def _id(value: Any) -> str | None:
    """An id as text; of a blob the digits."""
    return value.hex() if isinstance(value, bytes) else fields.text(value)


def _shown(value: Any) -> Any:
    """A blob as its size."""
    return f"{len(value)} bytes" if isinstance(value, bytes) else value


def _json(raw: Any) -> Any:
    """JSON in a blob or text; what is neither is shown as its size."""
    try:
        return json.loads(raw) if isinstance(raw, str | bytes) else raw
    except (ValueError, RecursionError):
        return raw if isinstance(raw, str) else f"{len(raw)} bytes that are no JSON"

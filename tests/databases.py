"""Which databases do the readers of SQLite files get to read? Small ones with the schemas of LangGraph and ShinkaEvolve, and made-up rows."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

_LANGGRAPH = """
create table checkpoints (thread_id text not null, checkpoint_ns text not null default '', checkpoint_id text not null, parent_checkpoint_id text,
    type text, checkpoint blob, metadata blob, primary key (thread_id, checkpoint_ns, checkpoint_id));
create table writes (thread_id text not null, checkpoint_ns text not null default '', checkpoint_id text not null, task_id text not null,
    idx integer not null, channel text not null, type text, value blob, primary key (thread_id, checkpoint_ns, checkpoint_id, task_id, idx));
"""
_SHINKA = """
create table programs (id text primary key, code text not null, language text not null, parent_id text, archive_inspiration_ids text,
    top_k_inspiration_ids text, generation integer not null, timestamp real not null, combined_score real, text_feedback text, correct boolean,
    metadata text, island_idx integer);
create table archive (program_id text primary key);
create table metadata_store (key text primary key, value text);
"""


def langgraph(path: Path) -> Path:
    """Two threads; the first has a fork, one branch of which is an edit by hand."""
    with closing(sqlite3.connect(path)) as database:
        database.executescript(_LANGGRAPH)
        for thread, name, parent, source, step, written in (
            ("t1", "c1", None, "input", -1, {"__start__": {"question": "Why?"}}),
            ("t1", "c2", "c1", "loop", 0, {"answer": {"text": "Because."}}),
            ("t2", "c1", None, "input", -1, None),
            ("t1", "c3", "c2", "loop", 1, None),
            ("t1", "c4", "c2", "update", 1, {"answer": {"text": "Therefore."}}),
        ):
            metadata = json.dumps({"source": source, "step": step, "writes": written, "thread_id": thread, "parents": {}}).encode()
            database.execute("insert into checkpoints values (?, '', ?, ?, 'msgpack', ?, ?)", (thread, name, parent, b"\x80\x01", metadata))
        database.execute("insert into writes values ('t1', '', 'c1', 'task', 0, 'answer', 'msgpack', ?)", (b"\x81\x82\x83",))
        database.commit()
        database.execute("vacuum")
    return path


def shinka(path: Path) -> Path:
    """Four programs: a seed, its child, a child with an inspiration, and one that failed."""
    with closing(sqlite3.connect(path)) as database:
        database.executescript(_SHINKA)
        for name, parent, inspired, generation, score, correct, metadata in (
            ("p0", None, [], 0, 1.0, 1, {"patch_name": "seed", "api_costs": 0.0}),
            ("p1", "p0", [], 1, 2.5, 1, {"patch_name": "faster", "api_costs": 0.25, "embed_cost": 0.01, "model_name": "toy"}),
            ("p2", "p1", ["p0"], 4, 3.0, 1, {"patch_name": "both", "api_costs": 0.5, "novelty_cost": 0.125}),
            ("p3", "p0", [], 2, 0.0, 0, {"patch_name": "broken"}),
        ):
            values = (name, f"# {name}", "python", parent, json.dumps(inspired), "[]", generation, 1.7e9 + generation, score, "ok", correct)
            database.execute("insert into programs values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)", (*values, json.dumps(metadata)))
        database.executemany("insert into archive values (?)", [("p1",), ("p2",)])
        database.executemany("insert into metadata_store values (?, ?)", [("best_program_id", "p2"), ("last_iteration", "4")])
        database.commit()
        database.execute("vacuum")
    return path

"""How do the tests of the ingest write a log, load it, and look at everything that came out?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ingest.jobs import Report
from ingest.pipeline import ingest
from ingest.store import Store
from ingest.write import TABLES

PROJECT = Path(__file__).parents[1]
SHARED = PROJECT.parent / "shared"
"""Cases and real traces; tests that need them are skipped where the folder is absent."""
_ORDER = {
    "runs": "run_id", "nodes": "run_id, preorder", "calls": "run_id, call_id", "texts": "run_id, hash",
    "truth": "run_id, node_id, viable_by", "problems": "source, line, path, kind, message",
}  # fmt: skip


def node(node_id: str, parent: str | None = None, run: str = "r", **fields: Any) -> dict[str, Any]:
    """A node line of a native log."""
    return {"record": "node", "run_id": run, "node_id": node_id, "parent_ids": [parent] if parent else [], **fields}


def write_log(path: Path, *records: Mapping[str, Any] | str) -> Path:
    """One line a record; a text is written as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (record if isinstance(record, str) else json.dumps(record, ensure_ascii=False) for record in records)
    path.write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass"))
    return path


def load(folder: Path, *paths: Path | str) -> list[Report]:
    return ingest(folder, [str(path) for path in paths])


def rows(folder: Path, sql: str, **parameters: Any) -> list[tuple[Any, ...]]:
    """The rows of one query over the store at ``folder``."""
    return [tuple(row.values()) for row in Store(folder).query(sql, **parameters).to_pylist()]


def contents(folder: Path, *without: str) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table in a fixed order, except the named columns."""
    store = Store(folder)
    found = {name: store.query(f"select * from {name} order by {_ORDER[name]}").to_pylist() for name in TABLES}
    return {name: [{key: value for key, value in row.items() if key not in without} for row in table] for name, table in found.items()}


def command(*arguments: Path | str, stdin: bytes = b"", **options: Any) -> subprocess.CompletedProcess[str]:
    """``branchlight …`` in a process of its own."""
    run = [sys.executable, "-m", "explorer", *map(str, arguments)]
    settings: dict[str, Any] = {"cwd": PROJECT, "env": os.environ | {"PYTHONPATH": str(PROJECT)}, **options}
    done = subprocess.run(run, input=stdin, capture_output=True, check=False, timeout=120, **settings)
    return subprocess.CompletedProcess(run, done.returncode, done.stdout.decode(), done.stderr.decode())

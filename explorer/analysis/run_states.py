"""Has anything changed that tells about this run? One short text a run, which stays the same while other runs grow."""

from __future__ import annotations

import hashlib
import json

from ingest.store import Store


def of_all(store: Store) -> dict[str, str]:
    """For each run what its rows, the runs of its task (a right one tells which states are good), the judged truth and the routes hang on."""
    homes, manifest = store.homes(), store.manifest
    judged = json.dumps([manifest.truth, manifest.routes], sort_keys=True)
    rows = store.query("select run_id, task_id from runs order by run_id").to_pylist()
    of_task: dict[str, list[str]] = {}
    for row in rows:
        if row["task_id"] is not None:
            of_task.setdefault(row["task_id"], []).append(homes.get(row["run_id"], ""))
    tasks = {task: _short(*batches) for task, batches in of_task.items()}
    return {row["run_id"]: _short(homes.get(row["run_id"], ""), tasks.get(row["task_id"], ""), judged) for row in rows}


def _short(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=8).hexdigest()

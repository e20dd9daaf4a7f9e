"""What must a store no longer hold? Whole runs, or only their prompts and responses; metadata and figures stay with the latter."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Collection
from pathlib import Path

from ingest import commit
from ingest.store import Manifest, read_manifest
from ingest.write import Drop

REVIEWS = "reviews"
"""The folder of the reviewers' files, one JSON object a line."""


def forget(folder: Path, runs: Collection[str]) -> list[str]:
    """Remove these runs from every file of the store; the ids of those that were there.

    Their logs are not touched: a log that changes later is read again, and its runs with it. Raises TraceError when the store cannot be
    written.
    """
    with commit.writing(folder):
        found = _rewrite(folder, Drop(runs=frozenset(runs)))
        manifest = read_manifest(folder)
        routes = tuple(route for route in manifest.routes if route.get("run_id") not in runs)
        truth = commit.truth_without(folder, manifest, set(runs))
        commit.publish(folder, dataclasses.replace(manifest, routes=routes, truth=truth))
        commit.remove_invisible(folder)
        for path in sorted((folder / REVIEWS).glob("*.jsonl")):
            _forget_reviews(path, runs)
    return found


def drop_texts(folder: Path, runs: Collection[str]) -> list[str]:
    """Remove the prompts and responses of these runs from every file; the ids of those that were there. Their hashes stay in ``calls``.

    ``extra`` goes with them: some formats keep whole conversations there. Steps, states and observations stay.
    """
    with commit.writing(folder):
        return _rewrite(folder, Drop(texts_of=frozenset(runs)))


def _forget_reviews(path: Path, runs: Collection[str]) -> None:
    """Take the lines about these runs out of one reviewer's file; one that grows meanwhile is read again."""
    while True:
        data = path.read_bytes()
        kept = [line for line in data.splitlines(keepends=True) if _run_of(line) not in runs]
        if b"".join(kept) == data:
            return
        aside = path.with_suffix(".new")
        aside.write_bytes(b"".join(kept))
        if path.stat().st_size == len(data):
            aside.replace(path)
            return


def _run_of(line: bytes) -> str | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found.get("run_id") if isinstance(found, dict) else None


def _rewrite(folder: Path, drop: Drop) -> list[str]:
    """Write the batches that hold any of the runs anew, and make them visible together."""
    manifest = read_manifest(folder)
    visible = dataclasses.replace(manifest, moved={run: batch for run, batch in manifest.moved.items() if run not in drop.runs})
    wanted = drop.runs | drop.texts_of
    found: set[str] = set()
    for batch in manifest.batches:
        here = commit.runs_in(folder, batch) & wanted
        if not here:
            continue
        found |= here
        truth = [manifest.truth] if manifest.truth else []
        new = commit.next_batch(Manifest(batches=(*manifest.batches, *visible.batches, *truth)))
        commit.merge(folder, [batch], new, drop)
        visible = visible.renamed([batch], new)
    commit.publish(folder, visible)
    commit.remove_invisible(folder)
    return sorted(found)

"""How does an ingest become visible? Written aside, moved in, and named by one rename: a reader sees all of it or none."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import re
import shutil
import sys
import time
import uuid
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ingest import moved
from ingest.columns import TRUTH
from ingest.errors import TraceError
from ingest.schema import SCHEMA_VERSION
from ingest.store import MANIFEST, Entry, Manifest, read_manifest
from ingest.write import TABLES, Drop, rewrite

COMPACT_ABOVE = 24
"""More batches than this are merged into one when the next ingest ends."""
_SMALL_BYTES = 64 << 20
_DISK_IS_FULL = re.compile("No space left on device|File too large|Disk quota exceeded|Read-only file system")
"""DuckDB has no error class of its own for this."""
_README = Path(__file__).with_name("tables") / "README.md"


@contextlib.contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Hold the store for writing. A second writer waits, with a message on stderr; the system frees the lock of a killed one.

    Raises TraceError when the folder cannot be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise _unwritable(folder, error) from None
    try:
        _acquire(lock, folder)
        os.ftruncate(lock, 0)
        os.pwrite(lock, str(os.getpid()).encode(), 0)
        read_manifest(folder)  # refuses a store of a newer version before anything is touched
        _sweep(folder)
        yield
    except OSError as error:
        raise _unwritable(folder, error) from error
    except duckdb.Error as error:
        if (full := _DISK_IS_FULL.search(str(error))) is None:
            raise
        raise _unwritable(folder, OSError(full[0].lower())) from error
    finally:
        os.close(lock)


def workspace(folder: Path) -> Path:
    """A new folder for an unfinished ingest, on the same file system; swept by the next writer if this one dies."""
    path = folder / "tmp" / uuid.uuid4().hex
    path.mkdir(parents=True)
    return path


def commit(folder: Path, written: Path, entries: Sequence[Entry], replaced: set[str], lost_runs: set[str]) -> None:
    """Make the Parquet files in ``written`` visible, in place of the sources with the keys ``replaced``.

    ``lost_runs`` are the runs of the replaced sources; they leave the batches that they were in. Call it while writing().
    """
    manifest = read_manifest(folder)
    old = [entry for entry in manifest.entries if entry.key in replaced]
    batch = next_batch(manifest)
    move_in(folder, written, batch)
    visible = dataclasses.replace(manifest, entries=tuple(entry for entry in manifest.entries if entry.key not in replaced))
    taken = {*manifest.batches, batch}
    for touched in sorted({name for entry in old for name in entry.batches}):
        if any(touched in entry.batches for entry in visible.entries):
            rest = next_batch(dataclasses.replace(manifest, batches=tuple(taken)))
            taken.add(rest)
            merge(folder, [touched], rest, Drop(frozenset(lost_runs), frozenset(entry.source for entry in old)))
            visible = visible.renamed([touched], rest)
        else:
            visible = dataclasses.replace(visible, batches=tuple(name for name in visible.batches if name != touched))
    visible = dataclasses.replace(
        visible,
        entries=(*visible.entries, *(dataclasses.replace(entry, batch=batch) for entry in entries)),
        batches=(*visible.batches, batch),
        moved=_still_moved(folder, visible, lost_runs),
    )
    publish(folder, dataclasses.replace(visible, truth=truth_without(folder, visible, lost_runs)))
    remove_invisible(folder)


def grow(folder: Path, written: Path, entries: Sequence[Entry], again: Collection[str]) -> None:
    """Make visible what was appended to these logs. The runs ``again`` are in the store already: from now on their new rows count alone.

    What was judged about them stays. Call it while writing().
    """
    manifest = read_manifest(folder)
    batch = next_batch(manifest)
    move_in(folder, written, batch)
    keys = {entry.key for entry in entries}
    grown = (dataclasses.replace(entry, also=(*entry.also, batch)) for entry in entries)
    kept = (entry for entry in manifest.entries if entry.key not in keys)
    homes = {**manifest.moved, **dict.fromkeys(again, batch)}
    publish(folder, dataclasses.replace(manifest, entries=(*kept, *grown), batches=(*manifest.batches, batch), moved=homes))


def compact(folder: Path) -> None:
    """Merge small batches into one when there are many. Call it while writing()."""
    manifest = read_manifest(folder)
    if len(manifest.batches) <= COMPACT_ABOVE:
        return
    small = [b for b in manifest.batches if sum(f.stat().st_size for f in (folder / "data" / b).iterdir()) < _SMALL_BYTES]
    if len(small) < 2:
        return
    batch = next_batch(manifest)
    merge(folder, small, batch, Drop())
    visible = manifest.renamed(small, batch)
    publish(folder, dataclasses.replace(visible, moved=_still_moved(folder, visible, ())))
    remove_invisible(folder)


def settle(folder: Path) -> None:
    """Rewrite every batch with rows that do not count any more. Call it while writing()."""
    manifest = read_manifest(folder)
    if not manifest.moved:
        return
    visible = manifest
    for touched in manifest.batches:
        if not any(manifest.moved.get(run, touched) != touched for run in runs_in(folder, touched)):
            continue
        rest = next_batch(dataclasses.replace(manifest, batches=(*manifest.batches, *visible.batches)))
        merge(folder, [touched], rest, Drop())
        visible = visible.renamed([touched], rest)
    publish(folder, dataclasses.replace(visible, moved={}))
    remove_invisible(folder)


def runs_in(folder: Path, batch: str) -> set[str]:
    """The runs that a batch has rows of, also those that do not count any more."""
    return set(pq.read_table(folder / "data" / batch / "runs.parquet", columns=["run_id"])["run_id"].to_pylist())


def _still_moved(folder: Path, manifest: Manifest, lost_runs: Collection[str]) -> dict[str, str]:
    """The runs that still have rows which do not count, once those of ``lost_runs`` are gone."""
    if not manifest.moved:
        return {}
    held = {batch: runs_in(folder, batch) for batch in manifest.batches}
    left = {run: home for run, home in manifest.moved.items() if run not in lost_runs}
    return {run: home for run, home in left.items() if any(run in runs for batch, runs in held.items() if batch != home)}


def read_truth(folder: Path, manifest: Manifest) -> pa.Table:
    """What was judged after the ingest; the truth that readers found is not part of it."""
    return pq.read_table(folder / "data" / manifest.truth / "truth.parquet", schema=TRUTH) if manifest.truth else TRUTH.empty_table()


def write_truth(folder: Path, manifest: Manifest, rows: pa.Table) -> str | None:
    """A new batch that holds only these rows of truth, not visible yet; None for no rows. Call it while writing()."""
    if not rows.num_rows:
        return None
    aside = workspace(folder)
    marked = rows.sort_by([("run_id", "ascending"), ("node_id", "ascending")]).replace_schema_metadata({"branchlight_schema": str(SCHEMA_VERSION)})
    pq.write_table(marked, aside / "truth.parquet", compression="zstd", row_group_size=32_768)
    batch = next_batch(manifest)
    move_in(folder, aside, batch)
    return batch


def truth_without(folder: Path, manifest: Manifest, lost_runs: set[str]) -> str | None:
    """The batch of truth once these runs are gone; the same one where it says nothing about them."""
    if not manifest.truth or not lost_runs:
        return manifest.truth
    rows = read_truth(folder, manifest)
    rest = rows.filter(pc.invert(pc.is_in(rows["run_id"], pa.array(sorted(lost_runs), pa.string()))))
    return manifest.truth if rest.num_rows == rows.num_rows else write_truth(folder, manifest, rest)


def _acquire(lock: int, folder: Path) -> None:
    try:
        import fcntl
    except ImportError:  # Windows: one writer at a time is then up to the user
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    except BlockingIOError:
        holder = os.pread(lock, 20, 0).decode() or "unknown"
    print(f"{folder}: another ingest (process {holder}) is writing to this store; waiting for it to end.", file=sys.stderr)
    while True:
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        time.sleep(0.1)


def merge(folder: Path, batches: list[str], into: str, drop: Drop) -> None:
    """Copy batches into a new one, which is not visible yet. Call it while writing()."""
    aside = workspace(folder)
    out = aside / "out"
    out.mkdir()
    homes = read_manifest(folder).moved
    sources = {name: moved.rows({batch: folder / "data" / batch / f"{name}.parquet" for batch in batches}, homes) for name in TABLES}
    with duckdb.connect(":memory:", config={"memory_limit": "1500MB"}) as con:
        con.execute("set temp_directory = $folder", {"folder": str(aside / "spill")})
        con.execute("set timezone = 'UTC'")
        rewrite(con, sources, out, drop)
    move_in(folder, out, into)
    shutil.rmtree(aside, ignore_errors=True)


def move_in(folder: Path, written: Path, batch: str) -> None:
    for file in written.iterdir():
        _sync(file)
    _sync(written)
    target = folder / "data" / batch
    target.parent.mkdir(exist_ok=True)
    written.rename(target)
    _sync(target.parent)


def publish(folder: Path, manifest: Manifest) -> None:
    document = {
        "schema_version": SCHEMA_VERSION,
        "batches": list(manifest.batches),
        "truth": manifest.truth,
        "routes": list(manifest.routes),
        "moved": dict(manifest.moved),
        "entries": [dataclasses.asdict(entry) for entry in sorted(manifest.entries, key=lambda e: e.key)],
    }
    if not (folder / "README.md").exists():
        shutil.copyfile(_README, folder / "README.md")
    aside = folder / f"{MANIFEST}.new"
    with aside.open("w", encoding="utf-8") as out:
        json.dump(document, out, indent=1)
        out.flush()
        os.fsync(out.fileno())
    aside.replace(folder / MANIFEST)
    _sync(folder)


def remove_invisible(folder: Path) -> None:
    """Take away batches that the manifest does not name. A reader that still holds the old manifest reads it again."""
    manifest = read_manifest(folder)
    visible = {*manifest.batches, manifest.truth}
    data = folder / "data"
    for path in data.iterdir() if data.exists() else ():
        if path.name not in visible:
            shutil.rmtree(path, ignore_errors=True)


def _sweep(folder: Path) -> None:
    shutil.rmtree(folder / "tmp", ignore_errors=True)
    remove_invisible(folder)


def next_batch(manifest: Manifest) -> str:
    return f"{max((int(name) for name in (*manifest.batches, manifest.truth or '0')), default=0) + 1:06d}"


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _unwritable(folder: Path, error: OSError) -> TraceError:
    reason = os.strerror(error.errno).lower() if error.errno else str(error)
    return TraceError(f"the store cannot be written: {reason}", str(folder), "Nothing that was visible is lost. Choose another folder with --store.")

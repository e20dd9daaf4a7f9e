"""What has been loaded? A folder of Parquet files, read through an in-memory DuckDB by any number of processes."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from ingest import columns, moved
from ingest.errors import TraceError
from ingest.schema import SCHEMA_VERSION
from ingest.write import TABLES

MANIFEST = "store.json"
_VIEWS = Path(__file__).with_name("tables")
_TOTALS_INT = "nodes edges roots orphans merged max_depth scored expanded pruned terminal unscored open calls".split()
_TOTALS = pa.schema(
    [(name, pa.int64()) for name in _TOTALS_INT]
    + [("input_tokens", pa.int64()), ("output_tokens", pa.int64()), ("cached_tokens", pa.int64()), ("cost", pa.float64())]
    + [("calls_with_cost", pa.int64()), ("calls_with_tokens", pa.int64()), ("latency_ms", pa.float64()), ("spend_from", pa.string())]
    + [("selected_score", pa.float64()), ("problems", pa.int64())]
)
STORED: dict[str, pa.Schema] = {
    "runs": pa.schema([*columns.RUNS, *_TOTALS]),
    "nodes": pa.schema([*columns.NODES, *columns.LABELS]),
    "calls": pa.schema([*(f for f in columns.CALLS if f.name not in ("prompt", "response")), pa.field("depth", pa.int64())]),
    "texts": columns.TEXTS,
    "truth": columns.TRUTH,
    "problems": columns.PROBLEMS,
}
"""Columns of each table on disk."""
_SOURCES = pa.schema(
    [(n, pa.string()) for n in ("source", "format", "status", "digest", "batch")]
    + [(n, pa.int64()) for n in ("bytes", "runs", "nodes", "edges", "roots", "orphans", "merged", "max_depth", "problems", "rejected")]
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One log that the store holds: what it was when it was read, and what came out of it."""

    key: str
    """Absolute path, with ``!member`` inside an archive."""
    source: str
    """As the user named it."""
    format: str
    group: str
    """Logs that share runs are read together and carry one group."""
    batch: str
    bytes: int
    mtime_ns: int
    digest: str
    counts: dict[str, int | None] = field(default_factory=dict)
    """runs, nodes, edges, roots, orphans, merged, max_depth, problems, rejected."""
    handling: str = "all"
    """Redaction and payload policy that it was loaded with."""
    also: tuple[str, ...] = ()
    """Batches with what was appended to it since, while it was followed."""
    mark: str = ""
    """Names the ``bytes`` that were read, where the log is followed: what begins otherwise is another log."""

    @property
    def batches(self) -> tuple[str, ...]:
        """Every batch that holds rows of it."""
        return tuple(dict.fromkeys((self.batch, *self.also)))


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is visible in a store. Replaced as a whole, by one rename."""

    entries: tuple[Entry, ...] = ()
    batches: tuple[str, ...] = ()
    truth: str | None = None
    """A batch that holds only truth.parquet: what was judged after the ingest. None: nothing was."""
    routes: tuple[dict[str, Any], ...] = ()
    """Known-good routes that were given beside the logs: run_id, task_id, route; see ``ingest/judgements.py``."""
    moved: Mapping[str, str] = field(default_factory=dict)
    """Runs that grew while their log was followed, and the batch in which their rows count; see ``ingest/moved.py``."""

    def renamed(self, old: Collection[str], new: str) -> Manifest:
        """The same with one batch in place of several."""

        def names(batches: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(dict.fromkeys(new if batch in old else batch for batch in batches))

        entries = (replace(entry, batch=names((entry.batch,))[0], also=names(entry.also)) for entry in self.entries)
        homes = {run: names((batch,))[0] for run, batch in self.moved.items()}
        return replace(self, entries=tuple(entries), batches=names(self.batches), moved=homes)


def read_manifest(folder: Path) -> Manifest:
    """The visible contents of a store; empty where there is none.

    Raises TraceError when the store was written by a newer version or its manifest is damaged.
    """
    path = folder / MANIFEST
    try:
        data = json.loads(path.read_text("utf-8"))
        version = int(data["schema_version"])
    except FileNotFoundError:
        return Manifest()
    except NotADirectoryError:
        raise TraceError("the store is not a folder", str(folder), "Name a folder with --store.") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _damaged(path, error) from None
    if version > SCHEMA_VERSION:
        raise TraceError(
            f"the store was written by a newer branchlight (schema {version}; this one knows {SCHEMA_VERSION})", str(folder),
            "Update branchlight, or load the logs into another store with --store.",
        )  # fmt: skip
    try:
        entries = tuple(Entry(**{**entry, "also": tuple(entry.get("also", ()))}) for entry in data["entries"])
        return Manifest(entries, tuple(data["batches"]), data.get("truth"), tuple(data.get("routes", ())), dict(data.get("moved", {})))
    except (KeyError, TypeError) as error:
        raise _damaged(path, error) from None


def _damaged(path: Path, error: Exception) -> TraceError:
    return TraceError(f"the store's manifest cannot be read: {error}", str(path), "Load the logs again into another store.")


class Store:
    """Reads a store. Safe from several threads; sees what a writer made visible since, at the next query."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        self._lock = threading.Lock()
        self._con = duckdb.connect(":memory:")
        for setting in ("timezone = 'UTC'", "enable_progress_bar = false", "parquet_metadata_cache = true"):
            self._con.execute(f"set {setting}")
        self._stamp: tuple[int, ...] | None = None
        self.manifest = Manifest()
        self._refresh()

    @property
    def version(self) -> str:
        """Changes whenever the visible contents change: a key for caches."""
        return "-".join(str(part) for part in self._refresh())

    @property
    def routes(self) -> tuple[dict[str, Any], ...]:
        """The known-good routes that were given for its runs and tasks."""
        self._refresh()
        return self.manifest.routes

    def homes(self) -> dict[str, str]:
        """The batch of every run: another one whenever the rows of the run were written anew."""
        for _ in range(3):
            stamp = self._refresh()
            visible = self.manifest
            files = {batch: self._file(batch, "runs") for batch in visible.batches}
            try:
                held = {batch: pq.read_table(file, columns=["run_id"])["run_id"].to_pylist() for batch, file in files.items()}
                return {run: batch for batch, runs in held.items() for run in runs if visible.moved.get(run, batch) == batch}
            except OSError:
                if stamp == self._refresh(force=True):
                    raise
        raise _rewritten(self.folder)

    def query(self, sql: str, **parameters: Any) -> pa.Table:
        """The result of one query; parameters are named, ``$run_id``. Raises duckdb.Error for a wrong query."""
        for _ in range(3):
            stamp = self._refresh()
            cursor = self._con.cursor()
            try:
                return cursor.sql(sql, params=parameters or None).to_arrow_table()
            except duckdb.IOException:
                if stamp == self._refresh(force=True):
                    raise
            finally:
                cursor.close()
        raise _rewritten(self.folder)

    def read_only_query(self, sql: str) -> pa.Table:
        """A query typed by a user: one SELECT over the views, which can neither write nor reach other files.

        Raises TraceError for anything else and for errors in the query.
        """
        stamp = self._refresh()
        try:
            statements = duckdb.extract_statements(sql)
            if len(statements) != 1 or statements[0].type not in (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN):
                raise TraceError("only one SELECT at a time is allowed here", hint="The store is read-only; views: " + ", ".join(view_names()))
            return self._without_files(sql)
        except (duckdb.Error, OSError) as error:
            if stamp != self._refresh(force=True):  # a writer replaced what was being read
                return self.read_only_query(sql)
            raise TraceError(f"the query failed: {error}", hint="Views: " + ", ".join(view_names())) from None

    def _without_files(self, sql: str) -> pa.Table:
        """The result of a query that may hold anything: a COPY inside a CTE is a SELECT to the parser, and EXPLAIN ANALYZE carries one out."""
        with duckdb.connect(":memory:") as con:
            con.execute("set timezone = 'UTC'")
            self._create_views(con, self._dataset)
            for setting in ("python_enable_replacements = false", "enable_external_access = false", "lock_configuration = true"):
                con.execute(f"set {setting}")
            return con.sql(sql).to_arrow_table()

    def _refresh(self, force: bool = False) -> tuple[int, ...]:
        with self._lock:
            try:
                info = (self.folder / MANIFEST).stat()
                stamp: tuple[int, ...] = (info.st_ino, info.st_mtime_ns, info.st_size)
            except (FileNotFoundError, NotADirectoryError):
                stamp = (0,)
            if stamp != self._stamp or force:
                self.manifest = read_manifest(self.folder)
                self._create_views(self._con, self._view)
                self._stamp = stamp
            return stamp

    def _create_views(self, con: duckdb.DuckDBPyConnection, table: Callable[[duckdb.DuckDBPyConnection, str], None]) -> None:
        con.execute("begin transaction")  # so that a query in another thread sees all views of one state
        for name in TABLES:
            table(con, name)
        for path in sorted(_VIEWS.glob("*.sql")):
            con.execute(f"create or replace view {path.stem} as {path.read_text('utf-8')}")
        con.execute(f"create or replace table sources ({columns.sql_columns(_SOURCES)})")
        rows = [
            {"source": e.source, "format": e.format, "digest": e.digest, "batch": e.batch, "bytes": e.bytes, **e.counts}
            | {"status": "rejected" if e.counts.get("rejected") and not e.counts.get("runs") else "loaded"}
            for e in self.manifest.entries
        ]
        con.register("arriving", pa.Table.from_pylist(rows, schema=_SOURCES))
        con.execute("insert into sources by name select * from arriving")
        con.execute("commit")
        con.unregister("arriving")

    def _file(self, batch: str, name: str) -> Path:
        return (self.folder / "data" / batch / f"{name}.parquet").resolve()

    def _judged(self, name: str) -> Path | None:
        return self._file(self.manifest.truth, name) if name == "truth" and self.manifest.truth else None

    def _view(self, con: duckdb.DuckDBPyConnection, name: str) -> None:
        """A table as a view that DuckDB reads itself."""
        names = ", ".join(f'"{n}"' for n in STORED[name].names)
        nothing = ", ".join(f"null::{kind}" for kind in _types(STORED[name]))
        files, judged = {batch: self._file(batch, name) for batch in self.manifest.batches}, self._judged(name)
        some, none = moved.rows(files, self.manifest.moved, judged), f"(select {nothing} where false) as t({names})"
        con.execute(f"create or replace view {name} as select {names} from {some if files or judged else none}")

    def _dataset(self, con: duckdb.DuckDBPyConnection, name: str) -> None:
        """A table that pyarrow reads, so that DuckDB itself need not touch any file."""
        from pyarrow import dataset  # here: it costs a fifth of a second, and only this command needs it

        selects, judged = [], self._judged(name)
        parts = moved.parts(self.manifest.batches, self.manifest.moved)
        listed = [([str(self._file(batch, name)) for batch in batches], gone) for batches, gone in parts]
        for number, (files, gone) in enumerate([*listed, ([str(judged)] if judged else [], [])]):
            part = f"{name}_{number}"
            con.register(part, dataset.dataset(files, schema=STORED[name], format="parquet") if files else STORED[name].empty_table())
            count = f" where run_id is null or run_id not in ({', '.join(map(moved.literal, gone))})" if gone else ""
            selects.append(f"select * from {part}{count}")
        con.execute(f"create view {name} as {' union all '.join(selects)}")


def _rewritten(folder: Path) -> TraceError:
    return TraceError("the store is being rewritten again and again", str(folder), "Try again in a moment.")


def view_names() -> list[str]:
    """Everything that can stand in a FROM clause."""
    return sorted([*TABLES, "sources", *(path.stem for path in _VIEWS.glob("*.sql"))])


def _types(schema: pa.Schema) -> list[str]:
    return [column.rsplit(" ", 1)[1] for column in columns.sql_columns(schema).split(", ")]

"""Where do records wait before they are written? In a DuckDB in memory that spills to the workspace of the ingest."""

from __future__ import annotations

import contextlib
import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import duckdb
import pyarrow as pa

from ingest import columns
from ingest.columns import sql_columns, table_of
from ingest.errors import Problem
from ingest.redact import Redactor
from ingest.schema import Trace

MEMORY_LIMIT = "680MB"
"""Keeps an ingest below 1 GB. Below 650 MB DuckDB stages logs with one thread only: it wants 4 MB a column and thread, of a quarter of this."""
_CALLS = pa.schema([f for f in columns.CALLS if f.name not in ("prompt", "response")])
KEY_COLUMNS = "ord piece run_id node_id parent_ids depth request_index seq score fate started_at ended_at misfit".split()
"""What labels, checks and counts need of a node."""


class Staging:
    """Tables ``s_runs, s_nodes, s_calls, s_texts, s_truth, s_problems`` with the columns of the store plus ``ord``.

    ``ord`` is the order of arrival. Nodes carry the ``piece`` that named them first: of a log that is read record by record the log, of a
    native log a staged part of it, whose rows are counted from ``first`` on. ``s_placed_nodes`` are the nodes with their ``source`` and, of
    native logs, the ``row`` that ingest/bulk.py turns into a line. Nothing here is visible to a reader of the store.
    """

    def __init__(self, folder: Path, redactor: Redactor | None = None, payloads: str = "all") -> None:
        """``redactor`` is applied to whatever arrives; ``payloads`` says whose texts are written: all | failed | sample:RATE | none."""
        self.folder, self.redactor, self.payloads = folder, redactor, payloads
        self.con = duckdb.connect(":memory:", config={"memory_limit": MEMORY_LIMIT})
        self.con.execute("set temp_directory = $folder", {"folder": str(folder / "spill")})
        self.con.execute("set timezone = 'UTC'")
        self.con.execute("set disable_parquet_prefetching = true")  # what is read was written a moment ago
        self.con.execute("set enable_progress_bar = true")  # counted for progress(), not printed
        self.con.execute("set enable_progress_bar_print = false")
        self._ord = 0
        self._pieces: dict[str, int] = {}
        self.text_queries = ["select run_id, hash, text, redacted, ord from s_texts"]
        """Where texts wait: the table, and Parquet files of the bulk path that are too large to copy twice."""
        self.node_rows = "s_nodes"
        """Where all columns of the nodes are: ``s_nodes`` holds only KEY_COLUMNS of the nodes of native logs."""
        self.calls_by_name = True
        """Whether calls may name their node only: those of native logs that stand in the line of their node know its ``node_ord``."""
        tables = {"runs": columns.RUNS, "nodes": columns.NODES, "calls": _CALLS, "texts": columns.TEXTS, "truth": columns.TRUTH}
        for name, schema in tables.items():
            self.con.execute(f"create table s_{name} ({sql_columns(schema)}, ord bigint)")
        self.con.execute("alter table s_nodes add column piece integer")
        self.con.execute("alter table s_calls add column node_ord bigint")
        for table in ("s_nodes", "s_calls"):  # whether a value of it did not fit, which only native logs can tell
            self.con.execute(f"alter table {table} add column misfit boolean")
        self.con.execute(f"create table s_problems ({sql_columns(columns.PROBLEMS)})")
        for column in ("piece", "row"):
            self.con.execute(f"alter table s_problems add column {column} bigint")
        self.con.execute("create table s_pieces (piece integer, source varchar, first bigint)")
        self.con.execute("create view s_placed_nodes as select n.*, p.source, n.ord - p.first as row from s_nodes n join s_pieces p using (piece)")

    def close(self) -> None:
        """Let go of the database file."""
        self.con.close()

    @contextlib.contextmanager
    def arriving(self, table: pa.Table) -> Iterator[None]:
        """``table`` under the name ``arriving``, for one statement."""
        self.con.register("arriving", table)
        try:
            yield
        finally:
            self.con.unregister("arriving")

    @contextlib.contextmanager
    def progress(self, tell: Callable[[str, int, int], None], what: str, total: int = 100) -> Iterator[None]:
        """While the work in the block runs, say four times a second how far DuckDB has come with its present statement, of ``total``."""
        done = threading.Event()

        def ask() -> None:
            while not done.wait(0.25):
                tell(what, round(max(0.0, min(100.0, self.con.query_progress())) / 100 * total), total)

        asking = threading.Thread(target=ask, daemon=True)
        asking.start()
        try:
            yield
        finally:
            done.set()
            asking.join()

    def next_ord(self, count: int) -> int:
        """Reserve ``count`` places in the order of arrival; returns the first."""
        first = self._ord
        self._ord += count
        return first

    def add_problems(self, problems: Iterable[Problem], source: str) -> None:
        """Keep what was wrong with a source."""
        rows = [
            {
                "source": source, "line": p.line, "path": p.where, "kind": p.kind, "message": p.message, "hint": p.hint,
                "run_id": p.run_id, "node_id": p.node_id, "raw": p.raw, "rejected": p.rejected,
            }
            for p in (problems if self.redactor is None else (self.redactor.problem(problem, source) for problem in problems))
        ]  # fmt: skip
        if rows:
            self._append("s_problems", pa.Table.from_pylist(rows, schema=columns.PROBLEMS))

    def add_traces(self, traces: Iterable[Trace]) -> None:
        """Append runs in the order given; texts move to ``s_texts``, once a run, under their sha256."""
        batch = list(traces if self.redactor is None else map(self.redactor.trace, traces))
        if not batch:
            return
        nodes = table_of((node for trace in batch for node in trace.nodes), columns.NODES)
        nodes = self._ordered(nodes)
        pieces = pa.array([self._piece(trace.run.source) for trace in batch for _ in trace.nodes], pa.int32())
        self._append("s_nodes", nodes.append_column("piece", pieces))
        calls = table_of((call for trace in batch for call in trace.calls), columns.CALLS)
        calls, texts = _split_texts(calls)
        self._append("s_calls", self._ordered(calls))
        self._append("s_texts", self._ordered(texts))
        self._append("s_runs", self._ordered(table_of((trace.run for trace in batch), columns.RUNS)))
        self._append("s_truth", self._ordered(table_of((row for trace in batch for row in trace.truth), columns.TRUTH)))

    def _piece(self, source: str | None) -> int:
        name = source or ""
        if name not in self._pieces:
            self._pieces[name] = len(self._pieces)
            self.con.execute("insert into s_pieces values ($piece, $source, null)", {"piece": self._pieces[name], "source": source})
        return self._pieces[name]

    def _ordered(self, table: pa.Table) -> pa.Table:
        first = self.next_ord(table.num_rows)
        return table.append_column("ord", pa.array(range(first, first + table.num_rows), pa.int64()))

    def _append(self, name: str, table: pa.Table) -> None:
        with self.arriving(table):
            self.con.execute(f"insert into {name} by name select * from arriving")


def text_hash(text: str) -> str:
    """sha256 of a text in UTF-8, as hex."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _split_texts(calls: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Calls with hashes in place of texts, and the distinct texts of each run in order of first use."""
    texts: dict[tuple[str, str], str] = {}
    run_ids = calls["run_id"].to_pylist()
    for name in ("prompt", "response"):
        hashes = calls[f"{name}_hash"].to_pylist()
        for row, text in enumerate(calls[name].to_pylist()):
            if text is not None:
                hashes[row] = text_hash(text)
                texts[run_ids[row], hashes[row]] = text
        index = calls.schema.get_field_index(f"{name}_hash")
        calls = calls.set_column(index, f"{name}_hash", pa.array(hashes, pa.string()))
    rows = [{"run_id": run_id, "hash": key, "text": text, "redacted": False} for (run_id, key), text in texts.items()]
    return calls.drop_columns(["prompt", "response"]), pa.Table.from_pylist(rows, schema=columns.TEXTS)

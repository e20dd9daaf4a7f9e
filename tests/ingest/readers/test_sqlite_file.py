"""Is a database read with its newest rows, and is nothing written beside it?"""

from __future__ import annotations

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ingest.errors import TraceError
from ingest.readers import sqlite_file
from ingest.source import Source
from tests.databases import langgraph


def test_a_database_on_disk_is_left_as_it_is_and_nothing_is_written_beside_it(tmp_path: Path) -> None:
    path = langgraph(tmp_path / "a.sqlite")
    before = path.read_bytes(), path.stat().st_mtime_ns
    with sqlite_file.connected(Source(path)) as database:
        assert len(list(sqlite_file.rows(database, "select * from checkpoints"))) == 5
        with pytest.raises(sqlite3.OperationalError):
            database.execute("delete from checkpoints")
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_database_on_a_read_only_disk_is_read(tmp_path: Path) -> None:
    path = langgraph(tmp_path / "a.sqlite")
    with closing(sqlite3.connect(path)) as database:
        database.execute("pragma journal_mode = wal")
    tmp_path.chmod(0o500)
    try:
        assert sqlite_file.tables(Source(path)) == frozenset({"checkpoints", "writes"})
    finally:
        tmp_path.chmod(0o700)


def test_rows_that_are_still_in_the_log_beside_the_database_are_read_without_touching_it(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("pragma journal_mode = wal")
        writer.execute("pragma wal_autocheckpoint = 0")
        writer.execute("create table t (a)")
        writer.executemany("insert into t values (?)", [(number,) for number in range(1000)])
        writer.commit()
        writer.execute("delete from t where a < 10")
        writer.commit()
        writer.execute("insert into t values (-1)")  # never committed
        before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
        with sqlite_file.connected(Source(path)) as database:
            assert database.execute("select count(*), min(a), max(a) from t").fetchone() == (990, 10, 999)
        assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    assert "a.sqlite-wal" in before


def test_a_compressed_database_is_read_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite.gz"
    path.write_bytes(gzip.compress(langgraph(tmp_path / "a.sqlite").read_bytes()))
    assert sqlite_file.tables(Source(path)) == frozenset({"checkpoints", "writes"})


def test_what_is_no_database_has_no_tables_and_a_damaged_one_is_an_error(tmp_path: Path) -> None:
    other, damaged = tmp_path / "a.txt", tmp_path / "b.sqlite"
    other.write_text("SQLite")
    damaged.write_bytes(langgraph(tmp_path / "a.sqlite").read_bytes()[:100] + b"\xff" * 5000)
    assert [sqlite_file.tables(Source(path)) for path in (other, damaged)] == [None, None]
    with pytest.raises(TraceError, match="the database cannot be read"), sqlite_file.connected(Source(damaged)) as database:
        sqlite_file.names(database)


def test_a_column_whose_name_is_damaged_is_an_error_of_the_file(tmp_path: Path) -> None:
    path = langgraph(tmp_path / "a.sqlite")
    path.write_bytes(path.read_bytes().replace(b"parent_checkpoint_id", b"parent_checkpoint_\xeb\x0c"))
    with pytest.raises(TraceError, match="the database cannot be read"), sqlite_file.connected(Source(path)) as database:
        list(sqlite_file.rows(database, "select * from checkpoints"))

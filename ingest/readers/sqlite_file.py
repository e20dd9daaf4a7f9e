"""How is a SQLite database read without touching it? For readers of databases.

A database on disk is opened with ``immutable=1``: no lock, no journal, nothing written beside it. Where a ``-wal`` file lies beside it, the pages
in there are newer; they are laid over a copy in memory. So are databases inside of archives or compressed files read.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ingest.errors import TraceError
from ingest.source import Source

_MAGIC = b"SQLite format 3\x00"
_WAL_HEADER, _FRAME_HEADER = 32, 24
_MODES = slice(18, 20)
"""Write and read version: 2 says that the newest pages may be in a ``-wal`` file, 1 that they are all here."""


def tables(source: Source) -> frozenset[str] | None:
    """Names of the tables; None where this is no SQLite database or its schema cannot be read. Never raises."""
    if not source.head().startswith(_MAGIC.decode()):
        return None
    try:
        with connected(source) as database:
            return names(database)
    except TraceError:
        return None


def names(database: sqlite3.Connection) -> frozenset[str]:
    """The tables of an open database."""
    return frozenset(str(name) for (name,) in database.execute("select name from sqlite_master where type = 'table'"))


@contextlib.contextmanager
def connected(source: Source) -> Iterator[sqlite3.Connection]:
    """The database, read-only. Raises TraceError when SQLite finds it damaged."""
    try:
        database = _connect(source)
        database.text_factory = lambda raw: raw.decode("utf-8", "replace")
        with contextlib.closing(database):
            yield database
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the names of columns are decoded by the library, whatever is in the file
        raise TraceError(f"the database cannot be read: {error}", source.name, "Was it copied while a program wrote to it?") from None


def rows(database: sqlite3.Connection, sql: str, *values: Any) -> Iterator[dict[str, Any]]:
    """Rows as objects, because the columns differ between versions of a program. Empty columns are left out."""
    cursor = database.execute(sql, values)
    names = [column[0] for column in cursor.description]
    for row in cursor:
        yield {name: value for name, value in zip(names, row, strict=True) if value is not None}


def _connect(source: Source) -> sqlite3.Connection:
    beside = Path(f"{source.path}-wal")
    wal = beside.read_bytes() if source.member is None and beside.is_file() else b""
    if source.member is None and not wal and _is_database(source.path):
        return sqlite3.connect(f"file:{quote(str(source.path.resolve()))}?immutable=1", uri=True)
    with source.open() as stream:
        data = bytearray(stream.read())
    _lay_over(data, wal)
    data[_MODES] = b"\x01\x01"
    database = sqlite3.connect(":memory:")
    database.deserialize(bytes(data))
    database.execute("pragma query_only = on")
    return database


def _is_database(path: Path) -> bool:
    """Whether the file itself is one, not compressed."""
    with path.open("rb") as stream:
        return stream.read(len(_MAGIC)) == _MAGIC


def _lay_over(data: bytearray, wal: bytes) -> None:
    """Write the pages of every finished transaction of the log over the database."""
    if len(wal) < _WAL_HEADER:
        return
    size, salt, at = int.from_bytes(wal[8:12], "big"), wal[16:24], _WAL_HEADER
    waiting: list[tuple[int, bytes]] = []
    while at + _FRAME_HEADER + size <= len(wal) and wal[at + 8 : at + 16] == salt and size:
        number, pages = (int.from_bytes(wal[at + start : at + start + 4], "big") for start in (0, 4))
        waiting.append((number, wal[at + _FRAME_HEADER : at + _FRAME_HEADER + size]))
        if pages:  # the last frame of a transaction says how large the database is after it
            data.extend(bytes(max(0, pages * size - len(data))))
            for place, page in waiting:
                data[(place - 1) * size : place * size] = page
            waiting = []
        at += _FRAME_HEADER + size

"""Which questions can be asked of a store? One SQL file each; its header says what one row and every column is."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from ingest.errors import TraceError
from ingest.store import Store

_FOLDER = Path(__file__).parent
_COLUMN = re.compile(r"^--   (\S[^ ]*(?:, \S[^ ]*)*)  +\S")


def run(store: Store, name: str, **params: Any) -> pa.Table:
    """The rows that ``<name>.sql`` answers for these named parameters.

    Raises TraceError when there is no such query.
    """
    return store.query(text(name), **params)


@cache
def text(name: str) -> str:
    """The query as it stands in its file. Raises TraceError when there is no such query."""
    if name not in names():
        raise TraceError(f"there is no query named '{name}'", hint=f"The queries are: {', '.join(names())}.")
    return (_FOLDER / f"{name}.sql").read_text("utf-8")


@cache
def names() -> tuple[str, ...]:
    """Every query, by name."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.sql")))


def columns_documented(name: str) -> tuple[str, ...]:
    """The columns that the header lists, in its order: lines of ``--``, three spaces, name or names, two spaces, meaning."""
    found: list[str] = []
    for line in text(name).splitlines():
        if not line.startswith("--"):
            break
        if match := _COLUMN.match(line):
            found.extend(match[1].split(", "))
    return tuple(found)

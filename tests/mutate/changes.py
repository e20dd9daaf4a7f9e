"""What can happen to a log between its writing and its reading? It is cut, a line stands twice, two change places, a type changes, a key goes."""

from __future__ import annotations

import contextlib
import io
import json
import random
import sqlite3
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from tests.broken_json import STRANGE

KINDS = ("cut", "twice", "swapped", "type", "key")
"""In a list inside of a document, a member takes the place of a line."""
Place = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """One mutated log."""

    kind: str
    where: str
    """The file, and the place in it, in words."""
    files: Mapping[str, bytes]
    takes: bool
    """Whether it takes records away by itself: then fewer of them come out without anything being lost."""
    without: Mapping[str, bytes] | None
    """Where something stands twice: the log in which it does not stand at all."""


def syntax(name: str, data: bytes) -> str:
    """sqlite | zip | lines | document | text."""
    if data.startswith(b"SQLite format 3\0"):
        return "sqlite"
    if data.startswith(b"PK"):
        return "zip"
    if name.endswith((".jsonl", ".ndjson")):
        return "lines"
    try:
        json.loads(data)
    except ValueError:
        return "text"
    return "document"


class _Done(NamedTuple):
    """One changed file, as in Change."""

    data: bytes
    where: str
    takes: bool = False
    without: bytes | None = None


def out_of_wal_mode(database: bytes) -> bytes:
    """The database as one that has no ``-wal`` file, so that it can be opened in memory."""
    return database[:18] + b"\x01\x01" + database[20:]


def change(files: Mapping[str, bytes], seed: str) -> Change:
    """One change of one file: the same for the same seed."""
    rng = random.Random(seed)
    name = rng.choice(sorted(files))
    kind = rng.choice(KINDS)
    done = _changed(name, files[name], kind, rng)
    without = None if done.without is None else {**files, name: done.without}
    return Change(kind, f"{name}: {done.where}", {**files, name: done.data}, done.takes, without)


def _changed(name: str, data: bytes, kind: str, rng: random.Random) -> _Done:
    if kind == "cut":
        at = rng.randrange(len(data) or 1)
        return _Done(data[:at], f"cut at byte {at}", takes=True)
    ways = {"sqlite": _in_database, "zip": _in_archive, "lines": _in_lines, "document": _in_document, "text": _in_text}
    return ways[syntax(name, data)](data, kind, rng)


def _in_document(data: bytes, kind: str, rng: random.Random) -> _Done:
    document = json.loads(data)
    if kind in ("twice", "swapped"):
        lists = [place for place, value in places(document) if isinstance(value, list) and len(value) > (kind == "swapped")]
        if lists:
            return _of_list(document, _shallow(lists, rng), kind, rng)
    place = _shallow([place for place, _ in places(document) if place], rng)
    if not place:
        return _Done(data, "nothing to change")
    old = _at(document, place)
    takes = isinstance(old, dict | list) or not isinstance(place[-1], str)
    if kind == "key":
        return _Done(_dumped(_with(document, place[:-1], lambda holder: _without(holder, place[-1]))), f"{_shown(place)} gone", takes)
    value = rng.choice(STRANGE)
    return _Done(_dumped(_with(document, place, lambda _: value)), f"{_shown(place)} is {json.dumps(value)}", takes)


def _of_list(document: Any, place: Place, kind: str, rng: random.Random) -> _Done:
    members = _at(document, place)
    one, other = rng.randrange(len(members)), rng.randrange(len(members))
    without = None
    if kind == "twice":
        changed, where = [*members[: one + 1], *members[one:]], f"{_shown(place)}[{one}] twice"
        without = _dumped(_with(document, place, lambda _: _without(members, one)))
    else:
        changed, where = _swapped(members, one, other), f"{_shown(place)}[{one}] and [{other}] swapped"
    return _Done(_dumped(_with(document, place, lambda _: changed)), where, without=without)


def _in_lines(data: bytes, kind: str, rng: random.Random) -> _Done:
    lines = data.splitlines(keepends=True)
    if kind in ("twice", "swapped"):
        return _of_lines(lines, kind, rng)
    at = rng.randrange(len(lines))
    done = _in_document(lines[at], kind, rng)
    return _Done(b"".join([*lines[:at], done.data.rstrip() + b"\n", *lines[at + 1 :]]), f"line {at + 1}, {done.where}", done.takes)


def _in_text(data: bytes, kind: str, rng: random.Random) -> _Done:
    """A word takes the place of a value or a key."""
    lines = data.splitlines(keepends=True)
    if kind in ("twice", "swapped"):
        return _of_lines(lines, kind, rng)
    at = rng.randrange(len(lines))
    words = lines[at].split(b" ")
    word = rng.randrange(len(words))
    words[word : word + 1] = [] if kind == "key" else [json.dumps(rng.choice(STRANGE)).encode()]
    return _Done(b"".join([*lines[:at], b" ".join(words), *lines[at + 1 :]]), f"line {at + 1}, word {word + 1}", takes=True)


def _of_lines(lines: list[bytes], kind: str, rng: random.Random) -> _Done:
    one, other = sorted(rng.randrange(len(lines)) for _ in range(2))
    if kind == "swapped":
        return _Done(b"".join(_swapped(lines, one, other)), f"lines {one + 1} and {other + 1} swapped")
    without = b"".join(_without(lines, one))
    return _Done(b"".join([*lines[: one + 1], *lines[one:]]), f"line {one + 1} twice", without=without)


def places(document: Any) -> Iterator[tuple[Place, Any]]:
    """Every place in a document with its value, outer ones first."""
    waiting: list[tuple[Place, Any]] = [((), document)]
    for place, value in waiting:
        yield place, value
        members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        waiting += [((*place, key), member) for key, member in members]


def _shallow(found: list[Place], rng: random.Random) -> Place:
    """Outer places more often: a document has many more messages than records."""
    return found[int(len(found) * rng.random() ** 2)] if found else ()


def _at(document: Any, place: Place) -> Any:
    for key in place:
        document = document[key]
    return document


def _with(document: Any, place: Place, how: Callable[[Any], Any]) -> Any:
    """The document with something else at one place; the rest is shared."""
    if not place:
        return how(document)
    copy = document.copy()
    copy[place[0]] = _with(document[place[0]], place[1:], how)
    return copy


def _without(holder: Any, key: Any) -> Any:
    copy = holder.copy()
    del copy[key]
    return copy


def _swapped(values: list[Any], one: int, other: int) -> list[Any]:
    copy = values.copy()
    copy[one], copy[other] = copy[other], copy[one]
    return copy


def _dumped(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _shown(place: Place) -> str:
    return "$" + "".join(f".{key}" if isinstance(key, str) else f"[{key}]" for key in place)


def _in_archive(data: bytes, kind: str, rng: random.Random) -> _Done:
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    name = rng.choice(sorted(members))
    done = _changed(name, members[name], kind, rng)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for member, content in (members | {name: done.data}).items():
            packed.writestr(zipfile.ZipInfo(member), content)
    return _Done(out.getvalue(), f"{name}: {done.where}", done.takes)


def _in_database(data: bytes, kind: str, rng: random.Random) -> _Done:
    """A row takes the place of a line, a cell that of a key or value; the table loses its keys, so that a row can stand twice."""
    with contextlib.closing(sqlite3.connect(":memory:")) as base:
        base.deserialize(out_of_wal_mode(data))
        names = [name for (name,) in base.execute("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")]
        filled = [name for name in names if base.execute(f"select count(*) from {name}").fetchone()[0]]
        if not filled:
            return _changed("", data, "cut", rng)
        table = rng.choice(filled)
        base.executescript(f"alter table {table} rename to keyed; create table {table} as select * from keyed; drop table keyed")
        rows = [row for (row,) in base.execute(f"select rowid from {table}")]
        row, column = rng.choice(rows), rng.choice([row[1] for row in base.execute(f"pragma table_info({table})")])
        value = None if kind == "key" else rng.choice((b"\xff", "x", -1.5, 10**18, "[]", ""))
        if kind == "twice":
            base.execute(f"insert into {table} select * from {table} where rowid = ?", (row,))
        elif kind == "swapped":
            base.execute(f"update {table} set rowid = ? where rowid = ?", (max(rows) + 1, row))
        else:
            base.execute(f"update {table} set {column} = ? where rowid = ?", (value, row))
        base.commit()
        changed = base.serialize()
        base.execute(f"delete from {table} where rowid = ?", (row,))
        base.commit()
        what = {"twice": "twice", "swapped": "last"}.get(kind, f"{column} is {value!r}")
        return _Done(changed, f"table {table}, row {row} {what}", without=base.serialize() if kind == "twice" else None)

"""Where can a secret stand in a log? In every text and every object of it: all at once, and one place after the other."""

from __future__ import annotations

import contextlib
import io
import json
import sqlite3
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.mutate.changes import out_of_wal_mode, places, syntax

EVERYWHERE = ""


@dataclass(frozen=True, slots=True)
class Planting:
    """The secret, and where it goes: at one place of the log (without positions in lists), or everywhere."""

    secret: str
    place: str = EVERYWHERE

    def files(self, files: Mapping[str, bytes]) -> dict[str, bytes]:
        """The log with the secret behind every text there, and as key and value of every object there."""
        return {name: self._planted(name, data) for name, data in files.items()}

    def _planted(self, name: str, data: bytes) -> bytes:
        kind = syntax(name, data)
        if kind == "document":
            return self._dumped(json.loads(data))
        if kind == "lines":
            return b"".join(self._line(line) for line in data.splitlines())
        if kind == "text":
            return b"".join(self._text_line(line) for line in data.splitlines())
        if kind == "sqlite":
            return self._database(data)
        out = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(data)) as packed, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as again:
            for member in packed.namelist():
                again.writestr(member, self._planted(member, packed.read(member)))
        return out.getvalue()

    def _line(self, line: bytes) -> bytes:
        try:
            return self._dumped(json.loads(line)) + b"\n"
        except ValueError:
            return line + self.secret.encode() + b"\n"

    def _text_line(self, line: bytes) -> bytes:
        here = self.place in (EVERYWHERE, first_word(line))
        return line + (b" " + self.secret.encode() if here else b"") + b"\n"

    def _dumped(self, document: Any) -> bytes:
        return json.dumps(self._value(document, "$"), ensure_ascii=False).encode("utf-8", "surrogatepass")

    def _value(self, value: Any, place: str) -> Any:
        here = self.place in (EVERYWHERE, place)
        if isinstance(value, str):
            inner = _object_in(value)
            if inner is not None:
                return json.dumps(self._value(inner, f"{place}~"), ensure_ascii=False)
            return f"{value} {self.secret}" if here else value
        if isinstance(value, dict):
            members = {key: self._value(item, f"{place}.{key}") for key, item in value.items()}
            return members | {f"key {self.secret}": self.secret} if here else members
        return [self._value(item, f"{place}[]") for item in value] if isinstance(value, list) else value

    def _database(self, data: bytes) -> bytes:
        with contextlib.closing(sqlite3.connect(":memory:")) as base:
            base.deserialize(out_of_wal_mode(data))
            for table, column in columns(base):
                for row, cell in base.execute(f"select rowid, {column} from {table}").fetchall():
                    text = _text_of(cell)
                    if text is not None:
                        planted = self._value(text, f"{table}.{column}")
                        base.execute(
                            f"update {table} set {column} = ? where rowid = ?", (planted.encode() if isinstance(cell, bytes) else planted, row)
                        )
            base.commit()
            return base.serialize()


def every_place(files: Mapping[str, bytes]) -> list[str]:
    """Every place of a log where a planting finds something to plant into."""
    return sorted({place for name, data in files.items() for place in _places(name, data)})


def _places(name: str, data: bytes) -> Iterator[str]:
    kind = syntax(name, data)
    if kind == "document":
        yield from _of_value(json.loads(data), "$")
    elif kind == "lines":
        for line in data.splitlines():
            with contextlib.suppress(ValueError):
                yield from _of_value(json.loads(line), "$")
    elif kind == "text":
        yield from map(first_word, data.splitlines())
    elif kind == "sqlite":
        with contextlib.closing(sqlite3.connect(":memory:")) as base:
            base.deserialize(out_of_wal_mode(data))
            for table, column in columns(base):
                for (cell,) in base.execute(f"select {column} from {table}"):
                    yield from _of_value(_text_of(cell), f"{table}.{column}")
    elif kind == "zip":
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            for member in packed.namelist():
                yield from _places(member, packed.read(member))


def _of_value(value: Any, start: str) -> Iterator[str]:
    for place, found in places(value):
        shown = start + "".join(f".{key}" if isinstance(key, str) else "[]" for key in place)
        inner = _object_in(found) if isinstance(found, str) else None
        if inner is not None:
            yield from _of_value(inner, f"{shown}~")
        elif isinstance(found, str | dict):
            yield shown


def columns(base: sqlite3.Connection) -> list[tuple[str, str]]:
    """Table and column of everything in a database."""
    tables = [name for (name,) in base.execute("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")]
    return [(table, row[1]) for table in tables for row in base.execute(f"pragma table_info({table})")]


def first_word(line: bytes) -> str:
    """What a line of a text log is about: its first word with letters and no digit."""
    return next((word.decode("utf-8", "replace") for word in line.split() if word.isalpha()), "other")


def _text_of(cell: Any) -> str | None:
    try:
        return cell.decode() if isinstance(cell, bytes) else cell if isinstance(cell, str) else None
    except UnicodeDecodeError:
        return None


def _object_in(text: str) -> Any:
    if text.lstrip()[:1] not in ("[", "{"):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict | list) else None

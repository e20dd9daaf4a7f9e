"""Which logs are mutated? The samples, and small slices of the real traces where these stand beside the project."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from pathlib import Path

from ingest.discover import discover
from ingest.readers import READERS
from ingest.source import Source
from tests.logs import PROJECT, SHARED
from tests.mutate.changes import syntax

SAMPLES, TRACES = PROJECT / "sample_traces", SHARED / "real_traces"
_LARGEST = 130_000
_LINES, _TEXT_LINES, _MEMBERS, _A_FORMAT = 3, 500, 8, 3
_COPIES = ("best_program", "best_program_info")
"""Copies of one program, which OpenEvolve writes beside all of them; they are not read."""


@dataclass(frozen=True, slots=True)
class Specimen:
    """One log as files in a folder of its own."""

    format: str
    name: str
    main: str
    """The file that is read; empty where the folder is the log."""
    files: dict[str, bytes]


def specimens(format_name: str, real: bool = True) -> list[Specimen]:
    """The samples of a format and its smallest real files, in turns."""
    both = zip_longest(_in(SAMPLES, format_name), _in(TRACES, format_name)[:_A_FORMAT] if real else ())
    return [specimen for pair in both for specimen in pair if specimen is not None]


@cache
def _in(root: Path, format_name: str) -> list[Specimen]:
    reader = next(reader for reader in READERS if reader.NAME == format_name)
    folder = root / format_name
    found = [item for item in discover([str(folder)]) if isinstance(item, Source)] if folder.is_dir() else []
    alone = [source for source in found if source.path.parent.name != "pops" and source.path.name != "run_log.txt"]  # read with EoH's samples
    made = [_specimen(format_name, root, source) for source in alone if reader.sniff(source)]
    small = [specimen for specimen in made if sum(map(len, specimen.files.values())) <= _LARGEST]
    return sorted(small, key=lambda specimen: (sum(map(len, specimen.files.values())), specimen.name))


def _specimen(format_name: str, root: Path, source: Source) -> Specimen:
    path = source.path
    home = path if path.is_dir() else path.parent
    beside = {file.relative_to(home).as_posix(): file.read_bytes() for file in sorted(home.rglob("*")) if file.is_file()}
    beside = {name: data for name, data in beside.items() if Path(name).stem not in _COPIES}
    main = "" if path.is_dir() else path.name
    whole = path.is_dir() or format_name == "eoh-samples"
    files = {f"{home.name}/{name}": data for name, data in beside.items() if whole or name == main}
    sliced = {name: _slice(name, data) for name, data in files.items()}
    return Specimen(format_name, path.relative_to(root.parent).as_posix(), f"{home.name}/{main}".rstrip("/"), sliced)


def _slice(name: str, data: bytes) -> bytes:
    """The first lines or members of what is larger than a mutation is worth."""
    if len(data) <= _LARGEST:
        return data
    kind = syntax(name, data)
    if kind in ("lines", "text"):
        return b"".join(data.splitlines(keepends=True)[: _LINES if kind == "lines" else _TEXT_LINES])
    if kind == "sqlite":
        return _first_threads(data)
    document = json.loads(data) if kind == "document" else None
    members = [list(_small(document))] if isinstance(document, list) else []
    return json.dumps(members[0]).encode() if members and members[0] else data


def _small(members: list[object]) -> Iterator[object]:
    size = 0
    for member in members[:_MEMBERS]:
        size += len(json.dumps(member))
        if size > _LARGEST:
            return
        yield member


def _first_threads(data: bytes) -> bytes:
    with contextlib.closing(sqlite3.connect(":memory:")) as base:
        base.deserialize(data)
        for table in ("checkpoints", "writes"):
            base.execute(f"delete from {table} where thread_id > (select min(thread_id) from checkpoints)")
        base.commit()
        base.execute("vacuum")
        return base.serialize()

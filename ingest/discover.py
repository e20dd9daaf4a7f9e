"""Which logs lie behind the paths that the user named? Files, globs, folders, zip archives and standard input."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from ingest import archive
from ingest.errors import Problem, TraceError
from ingest.readers import reads_folder
from ingest.source import STANDARD_INPUT, Source


def discover(paths: list[str]) -> Iterator[Source | Problem]:
    """Every file behind the given paths, globs, folders, zip archives and ``-`` (standard input), in a stable order."""
    for given in paths:
        if given == "-":
            yield Source(Path("-"), label=STANDARD_INPUT)
            continue
        path = Path(given)
        if path.is_dir():
            yield from _walk(path)
        elif path.exists():
            yield from _file(path)
        elif matches := sorted(Path().glob(given)) if not path.is_absolute() else sorted(Path("/").glob(given[1:])):
            for file in matches:
                yield from _file(file)
        else:
            yield Problem("no such file or folder", given, "Check the spelling of the path.", kind="missing", rejected=True)


def _walk(folder: Path) -> Iterator[Source | Problem]:
    """Every file in a folder and below it; a folder that is one log stands for all of its files."""
    files = sorted(p for p in folder.rglob("*") if p.is_file() and not _hidden(p.relative_to(folder)))
    if not files:
        yield Problem("the folder holds no file", str(folder), "Name a folder with log files.", kind="missing", rejected=True)
    is_log: dict[Path, bool] = {}
    for file in files:
        above = [place for place in reversed(file.parents) if place.is_relative_to(folder)]
        if any(is_log.get(place) for place in above):
            continue  # its folder stands for it
        for place in above:
            if place not in is_log:
                is_log[place] = reads_folder(place)
        log = next((place for place in above if is_log[place]), None)
        if log is not None:
            yield Source(log, walked=True)
        else:
            yield from _file(file, walked=True)


def spool_stdin(folder: Path, handling: str = "all") -> Source:
    """Standard input copied to a file in ``folder`` (it can be read only once), as a Source; to memory where it is to be redacted.

    Its name carries a digest: another log piped in later is another source.
    Raises TraceError where the system has no files in memory.
    """
    target = folder / "stdin"
    if handling.startswith("redact"):
        if not hasattr(os, "memfd_create"):
            raise TraceError("standard input cannot be redacted on this system", hint="Write it to a file and load that.")
        target = Path(f"/proc/self/fd/{os.memfd_create('stdin')}")
    state = hashlib.blake2b(digest_size=4)
    with target.open("wb") as out:
        while block := sys.stdin.buffer.read(1 << 20):
            out.write(block)
            state.update(block)
    return Source(target, label=f"{STANDARD_INPUT} {state.hexdigest()}")


def _file(path: Path, walked: bool = False) -> Iterator[Source]:
    members = archive.members(path)
    if not members or archive.is_one_log(members):
        yield Source(path, walked=walked)
        return
    for member in members:
        yield Source(path, member, walked=walked)


def _hidden(relative: Path) -> bool:
    return any(part.startswith(".") for part in relative.parts)

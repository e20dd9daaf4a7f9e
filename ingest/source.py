"""A raw log, opened once: where it is, how it is compressed and encoded, how it begins, and its lines by number."""

from __future__ import annotations

import codecs
import gzip
import io
import itertools
import json
import os
import struct
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from ingest import archive
from ingest.errors import Problem, TraceError

HEAD_BYTES = 65_536
RAW_LIMIT = 4_000
STANDARD_INPUT = "standard input"
_BAD_LINES_AT_MOST = 10
_T = TypeVar("_T")
_ZSTD, _GZIP = b"\x28\xb5\x2f\xfd", b"\x1f\x8b"


@dataclass(frozen=True)
class Source:
    """One log file, one member of a zip archive, or a folder that is one log. Reading never writes to it."""

    path: Path
    member: str | None = None
    label: str | None = None
    """How the user named it; messages and the store use this name."""
    walked: bool = False
    """Found by walking a folder, where many files are no logs."""
    limit: int | None = None
    """Bytes from its start that ``lines`` reads, where it is still being written; None: all."""
    _cache: dict[str, bytes] = field(default_factory=dict, repr=False, compare=False)

    @property
    def name(self) -> str:
        """As shown to the user: the path as given, with ``!member`` for a member of an archive."""
        base = self.label or str(self.path)
        return f"{base}!{self.member}" if self.member else base

    @property
    def stem(self) -> str:
        """File name without folders and without its last suffixes (``.json``, ``.jsonl.gz``, …): a part of invented run ids."""
        name = Path(self.member or self.path).name
        for suffix in (".gz", ".zst", ".json", ".jsonl", ".ndjson", ".eval", ".traj", ".log", ".sqlite", ".db"):
            name = name.removesuffix(suffix)
        return name

    @property
    def place(self) -> str:
        """Its folder and stem: where invented run ids begin when all logs of a program have one file name (``journal.json``)."""
        return self.within(1)

    def within(self, folders: int) -> str:
        """The stem after so many folders above it; standard input lies in none."""
        above = () if self.label == STANDARD_INPUT else Path(self.member or self.path.resolve()).parts[:-1]
        return "/".join([*(name for name in above[-folders:] if name != "/"), self.stem])

    def files(self) -> list[Path]:
        """The file itself, or every file of a folder that is one log, in a stable order."""
        if not self.path.is_dir():
            return [self.path]
        shown = (path for path in self.path.rglob("*") if not any(part.startswith(".") for part in path.relative_to(self.path).parts))
        return sorted(path for path in shown if path.is_file())

    def open(self) -> BinaryIO:
        """The decompressed bytes from the start. Raises TraceError when the file cannot be read."""
        try:
            raw: Any = self.path.open("rb") if self.member is None else archive.open_member(self.path, self.member)
        except (OSError, zipfile.BadZipFile, KeyError, ValueError, EOFError, struct.error) as error:
            raise TraceError(f"cannot be read: {_reason(error)}", self.name, "Check the path and its permissions.") from None
        except RuntimeError:  # packed by an unknown method, or with a password
            hint = "Pack the archive again with deflate and without a password."
            raise TraceError("cannot be read: packed in a way that is not known here", self.name, hint) from None
        buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw)
        start = buffered.peek(4)[:4]
        if start[:2] == _GZIP:
            return gzip.GzipFile(fileobj=buffered)  # type: ignore[return-value]
        if start == _ZSTD:
            return io.BufferedReader(_Zstd(buffered), 1 << 17)
        return buffered

    def members(self) -> tuple[Source, ...]:
        """What lies in an archive that is read as one log, in order of names; empty for every other file."""
        names = archive.members(self.path) if self.member is None else ()
        return tuple(Source(self.path, name, self.label, self.walked) for name in names) if archive.is_one_log(names) else ()

    def head(self) -> str:
        """The first 64 KiB as text, without a byte order mark; undecodable bytes become U+FFFD."""
        if "head" not in self._cache:
            with self._reading(), self.open() as stream:
                self._cache["head"] = stream.read(HEAD_BYTES)
        return self._cache["head"].removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")

    def first_object(self) -> dict[str, Any] | None:
        """The first line that is a JSON object, or None: what line-based readers look at to claim a file.

        A few bad lines before it are passed over: a log that was rotated or cut may begin in the middle of a line.
        """
        begun = [line for line in self.head().split("\n") if line.strip()]
        if len(begun) == 1 and begun[0].lstrip().startswith("{"):  # longer than the head
            begun = [line.decode("utf-8", "replace") for _, line in itertools.islice(self.lines(), 1)]
        for line in begun[:_BAD_LINES_AT_MOST]:
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                return value
        return None

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Physical lines with their numbers from 1, line ends included, the byte order mark removed."""
        left = self.limit
        with self._reading(), self.open() as stream:
            for number, line in enumerate(stream, start=1):
                if left is not None:
                    line, left = line[:left], left - len(line)
                if line:
                    yield number, line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
                if left is not None and left <= 0:
                    return

    def json_lines(self) -> Iterator[tuple[int, dict[str, Any]] | Problem]:
        """Each non-blank line as ``(line number, object)``, or the Problem that it is; never fewer items than lines."""
        for number, line in self.lines():
            if line.strip():
                yield parse_line(line, number, self.name)

    def json(self) -> Any:
        """The whole file as one JSON document; ``NaN`` and ``Infinity`` are accepted, depth is not limited.

        Raises TraceError with line and column when it is not JSON.
        """
        with self._reading(), self.open() as stream:
            data = stream.read()
        try:
            text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
        except UnicodeDecodeError as error:
            raise TraceError(
                f"byte {error.start} is not UTF-8", self.name, "Convert the file to UTF-8, for instance with iconv."
            ) from None
        try:
            return _with_deep_stack(lambda: json.loads(text))
        except json.JSONDecodeError as error:
            where = f"{self.name}:{error.lineno}"
            hint = "The file was probably cut while it was written." if error.pos >= len(text.rstrip()) else "Repair the file there."
            raise TraceError(f"not JSON: {error.msg} at column {error.colno}", where, hint) from None

    def _reading(self) -> _Reading:
        return _Reading(self.name)


class _Zstd(io.RawIOBase):
    """Zstandard frames as plain bytes. The library's own reader takes a frame that was cut for the end of the file; this one raises EOFError."""

    def __init__(self, packed: BinaryIO) -> None:
        import zstandard  # here, so that the recorder needs the standard library alone

        self._packed, self._begin = packed, zstandard.ZstdDecompressor().decompressobj
        self._frame = self._begin()
        self._between, self._waiting, self._plain = False, b"", memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._plain:
            data = self._waiting or self._packed.read(1 << 17)
            if not data:
                if self._between:
                    return 0
                raise EOFError("the compressed file ends in the middle")
            if self._between:
                self._frame = self._begin()
            self._plain = memoryview(self._frame.decompress(data))
            self._between, self._waiting = self._frame.eof, self._frame.unused_data if self._frame.eof else b""
        size = min(len(buffer), len(self._plain))
        buffer[:size], self._plain = self._plain[:size], self._plain[size:]
        return size

    def close(self) -> None:
        self._packed.close()
        super().close()


class _Reading:
    """Turns what decompressors raise in the middle of a file into a TraceError that names the file."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, TraceError) or error is None or isinstance(error, GeneratorExit):
            return
        if isinstance(error, (OSError, EOFError, zipfile.BadZipFile)) or type(error).__name__ in ("ZstdError", "error"):
            hint = "A compressed file that was cut? What was read before that point is kept where the format allows it."
            raise TraceError(f"cannot be read to its end: {_reason(error)}", self.name, hint) from None


def parse_line(line: bytes, number: int, name: str) -> tuple[int, dict[str, Any]] | Problem:
    """One line of newline-delimited JSON as ``(number, object)``, or the Problem that names file and line."""
    where = f"{name}:{number}"
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raw = line[:RAW_LIMIT].decode("utf-8", "replace")
        return _bad(f"byte {error.start} of the line is not UTF-8", where, number, raw, "Convert the file to UTF-8.")
    try:
        value = json.loads(text.strip())
    except json.JSONDecodeError as error:
        if not line.endswith(b"\n"):
            return Problem(
                "the last line is unfinished", where, "The run may still be writing, or died while it wrote. Load the file again later.",
                kind="torn_line", line=number, raw=text[:RAW_LIMIT], rejected=True,
            )  # fmt: skip
        return _bad(f"not JSON: {error.msg} at column {error.colno}", where, number, text, "Repair or delete the line.")
    except RecursionError:
        return _bad("the JSON is nested too deeply to be read", where, number, text, "Flatten the value.")
    if not isinstance(value, dict):
        return _bad(f"a JSON {type(value).__name__} where an object was expected", where, number, text, "One object a line.")
    return number, value


def _bad(message: str, where: str, number: int, raw: str, hint: str) -> Problem:
    return Problem(message, where, hint, kind="bad_line", line=number, raw=raw[:RAW_LIMIT], rejected=True)


def _reason(error: BaseException) -> str:
    return os.strerror(error.errno).lower() if isinstance(error, OSError) and error.errno else str(error) or type(error).__name__


def _with_deep_stack(work: Callable[[], _T]) -> _T:
    """Run ``work``; when it recurses too deeply, once more in a thread with a large stack."""
    try:
        return work()
    except RecursionError:
        pass
    results: list[_T] = []
    errors: list[BaseException] = []

    def attempt() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again below, in the caller's thread
            errors.append(error)

    limit, size = sys.getrecursionlimit(), threading.stack_size(512 << 20)
    sys.setrecursionlimit(1_000_000)
    try:
        thread = threading.Thread(target=attempt)
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(size)
    if errors:
        raise TraceError("the JSON is nested too deeply to be read") if isinstance(errors[0], RecursionError) else errors[0]
    return results[0]

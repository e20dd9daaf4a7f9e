"""What was appended to a log since it was last read, is it still the same log, and whose are its lines?"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Collection, Iterator
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

EDGE = 4_096
"""Bytes at either end of what was read by which a log is known again."""
STEP_BYTES = 32 << 20
"""About as much is taken in at a time."""
_BOM = b"\xef\xbb\xbf"
_UNFINISHED_BYTES = 16 << 20
_RUNS = "select try(json_extract_string(line, '$.run_id')) as run_id from arriving"


def whole_lines(path: Path, size: int) -> int:
    """How many of the first ``size`` bytes are lines that are complete.

    Those up to the last line end; all of them where the rest is a JSON object: a log need not end with a line end. Anything else after the
    last line end is still being written.
    """
    rest = b""
    with path.open("rb") as stream:
        at = size
        while at > 0 and b"\n" not in rest and len(rest) < _UNFINISHED_BYTES:
            begin = max(0, at - (1 << 16))
            stream.seek(begin)
            rest, at = stream.read(at - begin) + rest, begin
    after = rest.rpartition(b"\n")[2]
    return size if not after.strip() or _is_object(after) else size - len(after)


def mark(path: Path, size: int) -> str:
    """Names the first ``size`` bytes of a file by their two ends.

    The inode is no part of it: a log that a copy of it is synchronised to is still that log.
    """
    with path.open("rb") as stream:
        state = hashlib.blake2b(stream.read(min(size, EDGE)), digest_size=16)
        stream.seek(max(0, size - EDGE))
        state.update(stream.read(min(size, EDGE)))
    return f"{size}-{state.hexdigest()}"


def appended(path: Path, offset: int, known: str) -> bytes | None:
    """The complete lines behind ``offset``, about STEP_BYTES of them; None where what lies before is no longer what ``known`` names.

    Where the line before had no line end, the bytes begin with it. Raises OSError when the file cannot be read.
    """
    size = path.stat().st_size
    if size < offset or mark(path, offset) != known:
        return None
    if size == offset:
        return b""
    end = whole_lines(path, min(size, offset + STEP_BYTES))
    if end <= offset < size - STEP_BYTES:  # one line that is longer than a step
        end = whole_lines(path, size)
    with path.open("rb") as stream:
        stream.seek(max(0, offset - 1))
        before = stream.read(min(1, offset))
        data = stream.read(max(0, end - offset))
    unended = before not in (b"", b"\n")
    return None if unended and data and not data.startswith((b"\n", b"\r\n")) else data


class Lines:
    """Whose every line of one log is. It grows with the log; what it holds of a line are twelve bytes."""

    def __init__(self, path: Path) -> None:
        self.path, self.end = path, 0
        self._starts, self._runs = array("q"), array("i")
        self._number: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._starts)

    def read(self, con: duckdb.DuckDBPyConnection, size: int) -> None:
        """Take in everything up to ``size``."""
        with self.path.open("rb") as stream:
            stream.seek(self.end)
            rest = b""
            while self.end + len(rest) < size:
                block = stream.read(min(STEP_BYTES, size - self.end - len(rest)))
                if not block:
                    break
                rest += block
                whole = len(rest) if self.end + len(rest) == size else rest.rfind(b"\n") + 1
                self.add(con, rest[:whole])
                rest = rest[whole:]

    def add(self, con: duckdb.DuckDBPyConnection, data: bytes) -> set[str]:
        """Take in whole lines that follow; the runs that they name."""
        data = self._line_end_of_the_last(data)
        buffer = np.frombuffer(data, np.uint8)
        ends = np.flatnonzero(buffer == 10) + 1
        starts = np.concatenate([np.zeros(1, np.int64), ends[ends < len(data)]]) if data else np.empty(0, np.int64)
        names = _run_of_each(con, data, starts, first=not len(self)).combine_chunks().dictionary_encode()
        known = [self._number.setdefault(name, len(self._number)) for name in names.dictionary.to_pylist()]
        codes = np.array([*known, -1], np.int32)[names.indices.fill_null(len(known)).to_numpy()]
        self._starts.frombytes((starts + self.end).astype(np.int64).tobytes())
        self._runs.frombytes(codes.astype(np.int32).tobytes())
        self.end += len(data)
        return set(names.dictionary.to_pylist())

    def knows(self, run: str) -> bool:
        return run in self._number

    def of(self, runs: Collection[str], first: int, before: int | None = None) -> tuple[npt.NDArray[np.int64], Iterator[bytes]]:
        """The lines of these runs and every line from the ``first`` on, up to the one ``before`` which it ends.

        Their numbers, counted from 1, and their bytes as they stand in the log, neighbours in one piece, with a line end behind the last.
        """
        codes = np.array([self._number[run] for run in runs if run in self._number], np.int32)
        wanted = np.isin(np.frombuffer(self._runs, np.int32), codes)
        wanted[first - 1 :] = True
        rows = np.flatnonzero(wanted if before is None else wanted[: before - 1])
        return rows + 1, self._bytes(rows)

    def _bytes(self, rows: npt.NDArray[np.int64]) -> Iterator[bytes]:
        if not len(rows):
            return
        breaks = np.flatnonzero(np.diff(rows) > 1) + 1
        with self.path.open("rb") as stream:
            for part in np.split(rows, breaks):
                begin, last = self._starts[int(part[0])], int(part[-1]) + 1
                stream.seek(begin)
                piece = stream.read((self._starts[last] if last < len(self) else self.end) - begin)
                yield piece if piece.endswith(b"\n") else piece + b"\n"

    def _line_end_of_the_last(self, data: bytes) -> bytes:
        """``data`` without the line end that the line before it lacked until now."""
        for line_end in (b"\n", b"\r\n"):
            if len(self) and data.startswith(line_end) and self._is_unended():
                self.end += len(line_end)
                return data[len(line_end) :]
        return data

    def _is_unended(self) -> bool:
        with self.path.open("rb") as stream:
            stream.seek(self.end - 1)
            return stream.read(1) != b"\n"


def _run_of_each(con: duckdb.DuckDBPyConnection, data: bytes, starts: npt.NDArray[np.int64], first: bool) -> pa.ChunkedArray:
    """The run that each line names; null where it names none or is not JSON."""
    if first and data.startswith(_BOM):
        starts = np.concatenate([[len(_BOM)], starts[1:]])
    offsets = np.append(starts, len(data)).astype(np.int32)
    lines = pa.StringArray.from_buffers(len(starts), pa.py_buffer(offsets), pa.py_buffer(data))
    try:
        lines.validate(full=True)
    except pa.ArrowInvalid:  # some line is not UTF-8
        lines = pa.array([_decoded(data[begin:end]) for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)], pa.string())
    con.register("arriving", pa.table({"line": lines}))
    found: pa.ChunkedArray = con.sql(_RUNS).to_arrow_table()["run_id"]
    con.unregister("arriving")
    return found


def _decoded(line: bytes) -> str | None:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False

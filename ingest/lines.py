"""How do the lines of a native log become columns? DuckDB reads them in bulk; a piece that it refuses is judged line by line.

Both ways end in the same Parquet columns, one row a good line: every field of the native reader as text (``JSON_FIELDS`` as JSON text), the
parents as a list, hashes of prompt and response, and everything else as one JSON object, ``extra``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt

from ingest.errors import Problem, TraceError
from ingest.readers.native import ALIASES, JSON_FIELDS, TEXT_FIELDS
from ingest.redact import Redactor
from ingest.source import RAW_LIMIT, Source, parse_line
from ingest.staged import FLAT, SAID, logged_keys, staged_columns, text

PIECE_BYTES = 32 << 20
OBJECT_BYTES = 16 << 20
"""Lines above this are read in a piece of their own kind: DuckDB reserves memory by the largest line it may meet."""
STAGED_FORMAT = "format parquet, compression uncompressed, dictionary_size_limit 1, row_group_size 16384"
"""Read once and thrown away: what compression would save on disk costs more than it brings."""


@dataclass(slots=True)
class Piece:
    """A part of one log, staged as Parquet."""

    path: Path
    source: Source
    rows: int
    lines: npt.NDArray[np.int64] | None
    """Physical line number of each row; None for a whole file, whose non-blank lines are its rows."""


def pieces(
    con: duckdb.DuckDBPyConnection, source: Source, folder: Path, name: str, redactor: Redactor | None = None
) -> Iterator[Piece | Problem]:
    """Stage one log under ``folder``; yields its pieces, and a Problem for every line that was left out.

    With a redactor every line goes the careful way, and only clean lines are written.
    """
    whole = None if redactor else _whole_file(con, source, folder / f"{name}.parquet")
    if whole is not None:
        yield whole
        return
    for number, chunk in enumerate(_chunks(source), start=1):
        if isinstance(chunk, Problem):
            yield chunk
            continue
        first, lines = chunk
        target = folder / f"{name}-{number}.parquet"
        raw = folder / f"{name}-{number}.jsonl"
        if redactor is not None:
            yield from _carefully(con, source, first, lines, raw, target, redactor)
            raw.unlink()
            continue
        raw.write_bytes(b"".join(lines))
        numbers = np.flatnonzero([bool(line.strip()) for line in lines]) + first
        rows = _copy(con, raw, target, "none", max((len(line) for line in lines), default=0))
        if rows is not None and rows == len(numbers):
            yield Piece(target, source, rows, numbers)
        else:
            yield from _carefully(con, source, first, lines, raw, target)
        raw.unlink()


def physical_lines(piece: Piece) -> npt.NDArray[np.int64]:
    """Physical line number of each row of a piece."""
    if piece.lines is None:
        piece.lines = np.fromiter((number for number, line in piece.source.lines() if line.strip()), dtype=np.int64)
    return piece.lines


def _whole_file(con: duckdb.DuckDBPyConnection, source: Source, target: Path) -> Piece | None:
    """The file in one go, or None where it has to be looked at piece by piece."""
    if source.member is not None or _longer_than_its_limit(source):
        return None
    with source.path.open("rb") as stream:
        start = stream.read(4)
    compression = "gzip" if start[:2] == b"\x1f\x8b" else "zstd" if start == b"\x28\xb5\x2f\xfd" else "none"
    rows = _copy(con, source.path, target, compression, 0)
    return None if rows is None or _longer_than_its_limit(source) else Piece(target, source, rows, None)


def _longer_than_its_limit(source: Source) -> bool:
    """Whether more has been written than is to be read."""
    return source.limit is not None and source.path.stat().st_size != source.limit


def _chunks(source: Source) -> Iterator[tuple[int, list[bytes]] | Problem]:
    """Runs of whole lines of about PIECE_BYTES, each with the number of its first line; a Problem where the file cannot be read on."""
    lines: list[bytes] = []
    first, size = 1, 0
    broken: TraceError | None = None
    try:
        for number, line in source.lines():
            lines.append(line)
            size += len(line)
            if size >= PIECE_BYTES:
                yield first, lines
                lines, first, size = [], number + 1, 0
    except TraceError as error:
        broken = error
    if lines:
        yield first, lines
    if broken is not None:
        hint = "A compressed file that was cut? The lines before that point are loaded."
        yield Problem(broken.message, source.name, hint, kind="unreadable", rejected=True)


def _carefully(
    con: duckdb.DuckDBPyConnection, source: Source, first: int, lines: list[bytes], raw: Path, target: Path, redactor: Redactor | None = None
) -> Iterator[Piece | Problem]:
    """Line by line: the good ones are written again, clean if there is a redactor; the others are named."""
    good: list[bytes] = []
    numbers: list[int] = []
    for number, line in enumerate(lines, start=first):
        if not line.strip():
            continue
        parsed = parse_line(line, number, source.name)
        if not isinstance(parsed, Problem) and redactor is not None:
            parsed = _clean(redactor, source, number, parsed[1])
        if isinstance(parsed, Problem):
            if redactor is not None or not _duckdb_reads(con, line):
                yield parsed
                continue
            good.append(line.strip())
        else:
            if (parents := parsed[1].get("parent_ids")) is not None and not isinstance(parents, list):
                yield _not_a_list(source, number, parents)
                parsed[1]["parent_ids"] = [parents]
            good.append(_plain(parsed[1]))
        numbers.append(number)
    raw.write_bytes(b"\n".join(good) + b"\n")
    if good:
        rows = _copy(con, raw, target, "none", max(len(line) for line in good), must=True)
        if rows != len(good):
            raise AssertionError(f"{source.name}: {len(good)} good lines were written and {rows} read back")
        yield Piece(target, source, len(good), np.array(numbers, dtype=np.int64))


def _clean(redactor: Redactor, source: Source, number: int, line: dict[str, Any]) -> tuple[int, dict[str, Any]] | Problem:
    try:
        return number, redactor.value(line)
    except RecursionError:
        message = "the JSON is nested too deeply to be redacted"
        return Problem(message, f"{source.name}:{number}", "Flatten the value.", kind="bad_line", line=number, rejected=True)


def _not_a_list(source: Source, number: int, parents: object) -> Problem:
    found = json.dumps(parents, ensure_ascii=False)[:RAW_LIMIT]
    message = f"parent_ids is {found[:80]}, expected a list of node ids; it is taken as one id"
    return Problem(message, f"{source.name}:{number}", "Write a list, or use parent_id.", kind="type", line=number, raw=found)


def _plain(line: dict[str, Any]) -> bytes:
    """An object with known keys only, unknown ones under ``extra``, evaluations as a list of such objects: what DuckDB reads without doubt."""
    known = _folded(line, {*TEXT_FIELDS, *JSON_FIELDS, *ALIASES})
    if "evaluation" in known:
        listed = known["evaluation"] if isinstance(known["evaluation"], list) else [known["evaluation"]]
        known["evaluation"] = [_evaluation(one) for one in listed if one is not None]
        for flat in FLAT.keys() & known.keys():  # told twice: the second is kept with the rest
            known.setdefault("extra", {})[flat] = known.pop(flat)
        scores = [one["score"] for one in known["evaluation"] if one.get("score") is not None]
        if scores and "score" not in known and not isinstance(line["evaluation"], list):
            known["score"] = scores[0]
    text = json.dumps(known, ensure_ascii=False)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:  # half of a surrogate pair becomes U+FFFD, as in ingest/columns.py
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode("utf-8")


def _evaluation(said: Any) -> dict[str, Any]:
    """One inline evaluation as an object: a plain text is its response, any other plain value what was parsed."""
    if isinstance(said, dict):
        return _folded(said, {*SAID, "score"})
    return {"response": said} if isinstance(said, str) else {"parsed": json.dumps(said)}


def _folded(found: dict[str, Any], fields: set[str]) -> dict[str, Any]:
    known = {key: value for key, value in found.items() if key in fields and value is not None}
    unknown = {key: value for key, value in found.items() if key not in fields and key != "extra" and value is not None}
    own = found.get("extra")
    extra = {**(own if isinstance(own, dict) else {} if own is None else {"extra": own}), **unknown}
    known.pop("extra", None)
    return known | {"extra": extra} if extra else known


def _duckdb_reads(con: duckdb.DuckDBPyConnection, line: bytes) -> bool:
    """Whether DuckDB's more lenient parser (trailing comma, ``inf``) takes the line for an object."""
    try:
        text = line.decode("utf-8")
        return con.execute("select json_valid($t) and json_type($t) = 'OBJECT'", {"t": text}).fetchall() == [(True,)]
    except (UnicodeDecodeError, duckdb.Error):
        return False


def _copy(con: duckdb.DuckDBPyConnection, raw: Path, target: Path, compression: str, longest: int, must: bool = False) -> int | None:
    """Read ``raw`` with explicit types into ``target``; the number of rows, or None where any line is not plainly an object."""
    size = max(OBJECT_BYTES, 2 * longest)
    options = f"format = 'newline_delimited', compression = '{compression}', maximum_object_size = {size}"
    try:
        keys = logged_keys(con, raw, options)
        if not keys.usable and not must:
            return None
        types = ", ".join(f"{text(key)}: {text(kind)}" for key, kind in keys.types().items())
        query = f"select {staged_columns(keys)} from read_json({text(str(raw))}, columns = {{{types}}}, {options})"
        count = con.execute(f"copy ({query}) to {text(str(target))} ({STAGED_FORMAT})").fetchall()[0][0]
        # a line that says null is read as a row of nulls: such a row sends its piece the careful way
        nameless = 0 if must else con.execute(f"select count(*) from {text(str(target))} where run_id is null").fetchall()[0][0]
        return None if nameless else int(count)
    except (duckdb.InvalidInputException, duckdb.ConversionException, duckdb.IOException, duckdb.BinderException):
        if must:
            raise
        return None

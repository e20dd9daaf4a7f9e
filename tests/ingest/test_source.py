"""What can be a log? Any encoding of lines and folders that people have, opened once, with every line known by its physical number."""

from __future__ import annotations

import gzip
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from ingest.errors import Problem, TraceError
from ingest.source import RAW_LIMIT, Source, parse_line

TEXT = '{"a": 1}\n\n{"b": "ü"}\r\n{"c": 3}\n'
LINES = [(1, {"a": 1}), (3, {"b": "ü"}), (4, {"c": 3})]


def packed(folder: Path, kind: str, data: bytes) -> Source:
    """``data`` as a file of that kind."""
    path = folder / f"log.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("inner/log.jsonl", data)
        return Source(path, "inner/log.jsonl")
    path.write_bytes({"plain": data, "gz": gzip.compress(data), "zst": zstandard.compress(data)}[kind])
    return Source(path)


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"], ids=["without", "with_bom"])
@pytest.mark.parametrize("kind", ["plain", "gz", "zst", "zip"])
def test_lines_keep_their_numbers_however_they_are_packed(tmp_path: Path, kind: str, bom: bytes) -> None:
    source = packed(tmp_path, kind, bom + TEXT.encode())
    assert list(source.json_lines()) == LINES
    assert source.head() == TEXT
    assert source.first_object() == {"a": 1}


@pytest.mark.parametrize("join", [gzip.compress, zstandard.compress])
def test_compressed_files_put_behind_each_other_are_read_to_the_end(tmp_path: Path, join: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "log"
    path.write_bytes(join(b'{"a": 1}\n\n{"b": "') + join("ü".encode() + b'"}\r\n{"c": 3}\n'))
    assert list(Source(path).json_lines()) == LINES


@pytest.mark.parametrize("kind", ["gz", "zst", "zip"])
def test_a_compressed_file_that_was_cut_is_an_error_that_names_it(tmp_path: Path, kind: str) -> None:
    source = packed(tmp_path, kind, os.urandom(200_000))
    whole = source.path.read_bytes()
    source.path.write_bytes(whole[:100_000] + (whole[-150:] if kind == "zip" else b""))
    with pytest.raises(TraceError) as failure:
        list(source.lines())
    assert source.path.name in str(failure.value)
    assert "read" in failure.value.message


def test_a_head_of_64_kib_does_not_read_the_rest_and_forgives_a_cut_character(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"x" + "ü".encode() * 100_000)
    assert Source(path).head() == "x" + "ü" * 32_767 + "\ufffd"


@pytest.mark.parametrize("text", ["", "\n\n", "[1]\n", "not json\n", '"text"\n', "[" * 60_000])
def test_a_file_that_does_not_begin_with_an_object_has_no_first_object(tmp_path: Path, text: str) -> None:
    (tmp_path / "log").write_text(text)
    assert Source(tmp_path / "log").first_object() is None


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.ndjson", "a.jsonl.gz", "a.json.zst", "a"])
def test_the_stem_is_the_name_without_its_known_suffixes(name: str) -> None:
    assert Source(Path("/logs") / name).stem == "a"
    assert Source(Path("/logs/all.zip"), f"inner/{name}").stem == "a"


def test_a_missing_file_is_an_error_with_its_name_and_reason(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"gone\.jsonl: cannot be read: no such file or directory"):
        Source(tmp_path / "gone.jsonl").open()


@pytest.mark.parametrize(
    ("line", "kind", "message"),
    [
        (b'{"a": "\xff"}\n', "bad_line", "byte 7 of the line is not UTF-8"),
        (b'{"a": 1} and more\n', "bad_line", "not JSON: Extra data at column 10"),
        (b'{"a": "x\n', "bad_line", "not JSON: Unterminated string starting at at column 7"),
        (b'{"a": "x', "torn_line", "the last line is unfinished"),
        (b"[1, 2]\n", "bad_line", "a JSON list where an object was expected"),
        (b"null\n", "bad_line", "a JSON NoneType where an object was expected"),
        (b"[" * 200_000 + b"\n", "bad_line", "the JSON is nested too deeply to be read"),
    ],
)
def test_a_bad_line_is_named_by_file_and_line_and_kept(line: bytes, kind: str, message: str) -> None:
    problem = parse_line(line, 7, "run.jsonl")
    assert isinstance(problem, Problem)
    assert (problem.message, problem.where, problem.line, problem.kind, problem.rejected) == (message, "run.jsonl:7", 7, kind, True)
    assert problem.raw == line.decode("utf-8", "replace")[:RAW_LIMIT]


@pytest.mark.parametrize("line", [b'{"a": NaN}', b'  {"a": -Infinity}  \r\n', b'{"a": 123456789012345678901234567890}\n'])
def test_what_python_writes_is_read(line: bytes) -> None:
    assert not isinstance(parse_line(line, 1, "run.jsonl"), Problem)


def test_a_document_may_be_as_deep_as_it_likes(tmp_path: Path) -> None:
    (tmp_path / "deep.json").write_text("[" * 50_000 + "]" * 50_000)
    value = Source(tmp_path / "deep.json").json()
    depth = 0
    while value:
        (value,), depth = value, depth + 1
    assert depth == 49_999


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"a": 1,\n "b": }', r"log:2: not JSON: Expecting value at column 7\n  Repair"),
        (b'{"a": [1, 2', r"log:1: not JSON: Expecting ',' delimiter at column 12\n  The file was probably cut"),
        (b'{"a": "\xff"}', r"log: byte 7 is not UTF-8\n  Convert"),
    ],
)
def test_a_broken_document_is_an_error_with_line_column_and_advice(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "log").write_bytes(data)
    with pytest.raises(TraceError, match=message):
        Source(tmp_path / "log").json()


def test_a_member_that_is_gone_is_an_error_with_its_name(tmp_path: Path) -> None:
    source = packed(tmp_path, "zip", TEXT.encode())
    with pytest.raises(TraceError, match=r"log\.zip!gone: cannot be read"):
        Source(source.path, "gone").open()


def test_reading_a_log_leaves_its_folder_as_it_was(tmp_path: Path) -> None:
    source = packed(tmp_path, "gz", TEXT.encode())
    before = [(path, path.stat().st_mtime_ns, path.read_bytes()) for path in tmp_path.iterdir()]
    assert list(source.lines()) != []
    assert source.head() != ""
    assert [(path, path.stat().st_mtime_ns, path.read_bytes()) for path in tmp_path.iterdir()] == before

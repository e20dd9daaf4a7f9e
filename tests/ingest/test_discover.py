"""Which logs lie behind the paths that a user can name? In a stable order, hidden files left out, and a word where there is nothing."""

from __future__ import annotations

import gzip
import io
import json
import re
import sys
import zipfile
from pathlib import Path

import pytest

from ingest.discover import discover, spool_stdin
from ingest.errors import Problem
from ingest.source import Source

TEXT = '{"a": 1}\n\n{"b": "ü"}\r\n{"c": 3}\n'
LINES = [(1, {"a": 1}), (3, {"b": "ü"}), (4, {"c": 3})]


def names(folder: Path, *given: Path | str) -> list[str]:
    """What was found under ``folder``, or the messages where nothing was."""
    found = list(discover([str(path) for path in given]))
    return [item.message if isinstance(item, Problem) else item.name.removeprefix(f"{folder}/") for item in found]


def test_a_folder_gives_its_files_in_order_without_hidden_ones(tmp_path: Path) -> None:
    for name in ("b/2.json", "b/1.json", "a.jsonl", ".git/config", "b/.hidden"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}")
    (tmp_path / "empty").mkdir()
    assert names(tmp_path, tmp_path) == ["a.jsonl", "b/1.json", "b/2.json"]
    assert [item.walked for item in discover([str(tmp_path)]) if isinstance(item, Source)] == [True] * 3
    assert names(tmp_path, tmp_path / "b/2.json", tmp_path / "a.jsonl") == ["b/2.json", "a.jsonl"]
    assert names(tmp_path, tmp_path / "b" / "*.json") == ["b/1.json", "b/2.json"]
    assert names(tmp_path, tmp_path / "empty") == ["the folder holds no file"]
    assert names(tmp_path, tmp_path / "nothing*.json", "gone.jsonl") == ["no such file or folder"] * 2


def test_globs_may_be_relative_and_cross_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "x.jsonl").write_text("{}")
    monkeypatch.chdir(tmp_path)
    assert names(Path(), "**/*.jsonl") == ["deep/er/x.jsonl"]


def test_the_members_of_an_archive_are_sources_of_their_own(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "logs.zip", "w") as archive:
        for name in ("b.jsonl", "a/a.jsonl"):
            archive.writestr(name, json.dumps({"name": name}))
    found = [item for item in discover([str(tmp_path)]) if isinstance(item, Source)]
    assert [(item.name, item.first_object()) for item in found] == [
        (f"{tmp_path}/logs.zip!a/a.jsonl", {"name": "a/a.jsonl"}),
        (f"{tmp_path}/logs.zip!b.jsonl", {"name": "b.jsonl"}),
    ]


def test_what_only_looks_like_an_archive_is_a_plain_file(tmp_path: Path) -> None:
    path = tmp_path / "half.zip"
    path.write_bytes(b"PK\x03\x04 and nothing else")
    assert names(tmp_path, path) == ["half.zip"]


def test_standard_input_is_a_source_that_can_be_read_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(TEXT.encode()))))
    assert names(tmp_path, "-") == ["standard input"]
    source = spool_stdin(tmp_path)
    assert list(source.json_lines()) == LINES
    assert list(source.json_lines()) == LINES
    assert re.fullmatch(r"standard input [0-9a-f]{8}", source.name)  # two logs that are piped in are two sources


PROGRAM = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"


def test_a_folder_that_is_one_log_is_one_source_and_its_files_are_none(tmp_path: Path) -> None:
    programs = tmp_path / "logs" / "out" / "checkpoint_1" / "programs"
    programs.mkdir(parents=True)
    (programs / f"{PROGRAM}.json").write_text(f'{{"id": "{PROGRAM}", "code": ""}}')
    (tmp_path / "logs" / "z.jsonl").write_text("{}\n")
    for given in ("logs", "logs/out"):
        found = [item for item in discover([str(tmp_path / given)]) if isinstance(item, Source)]
        assert next((item.path, item.files()) for item in found) == (tmp_path / "logs" / "out", [programs / f"{PROGRAM}.json"])
        assert [item.path.name for item in found] == (["out", "z.jsonl"] if given == "logs" else ["out"])

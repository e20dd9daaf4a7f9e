"""Do all ways of reading a native log's lines give the same rows? Whole, piece by piece, and line by line; with the number of every line."""

from __future__ import annotations

import gzip
import json
import os
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ingest import lines
from ingest.readers.native import JSON_FIELDS, TEXT_FIELDS
from tests.logs import contents, load, node, rows, write_log

BAD = b'{"run_id": "r'
"""Half a line: a file that holds it is judged line by line."""

texts = st.text(max_size=12) | st.sampled_from(["", "null", "true", "1e10", "007", "2026-01-01", "ü\u2028\x85", "a\x00b", "'; \"", "\\"])
numbers = st.integers(-(10**30), 10**30) | st.integers(-5, 5) | st.floats() | st.floats(-9, 9)
scalars = st.none() | st.booleans() | numbers | texts
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=5)
ids = st.sampled_from(["n0", "n1", "n2", "n3", 0, 7, "07"])
evaluations = values | st.fixed_dictionaries({}, optional={"response": texts, "score": scalars, "input_tokens": scalars, "note": values})
SPECIAL: dict[str, st.SearchStrategy[Any]] = {
    "parent_ids": st.lists(ids, max_size=3) | st.lists(scalars, max_size=2) | values,
    "parent_id": ids | scalars,
    "evaluation": evaluations | st.lists(evaluations, max_size=3),
    "extra": st.dictionaries(texts, values, max_size=3) | values,
    "selected_path": st.lists(ids, max_size=3) | values,
    "protocol": st.dictionaries(texts, values, max_size=3),
    "started_at": st.sampled_from(["2026-03-01T10:00:00Z", "2026-03-01T12:00:05+02:00", "2026-03-01T10:00:00", 1.7e9, 1.7e12, "later"]),
}
NAMES = sorted((TEXT_FIELDS | JSON_FIELDS) - {"record", "run_id", "node_id"} | {"raw_response", "cost", "task_id", "outcome", "budget", "complete"})


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    """One line: mostly known fields, of any type."""
    kind = draw(st.sampled_from(["node", "node", "node", "node", "call", "run", "run_end", None]))
    line: dict[str, Any] = {"record": kind} if kind else {}
    line["run_id"] = draw(st.sampled_from(["r", "s", 1]))
    if kind in ("node", None) or draw(st.booleans()):
        line["node_id"] = draw(ids)
    for name in draw(st.lists(st.sampled_from(NAMES), max_size=8, unique=True)):
        line[name] = draw(SPECIAL.get(name, values))
    return line | draw(st.dictionaries(texts.map("x{}".format) | st.sampled_from(["usage", "Score"]), values, max_size=2))


def data_of(log: list[dict[str, Any]], ends: list[str]) -> bytes:
    """The records as lines with the given line ends, which may hold blank lines."""
    found = "".join(json.dumps(record, ensure_ascii=False) + ends[index % len(ends)] for index, record in enumerate(log))
    return found.encode("utf-8", "surrogatepass")


def three_ways(folder: Path, data: bytes) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Everything in the store after reading the same lines as a whole, piece by piece, and line by line."""
    (folder / "whole.jsonl").write_bytes(data)
    (folder / "careful.jsonl").write_bytes(data + BAD)
    with zipfile.ZipFile(folder / "pieces.zip", "w") as archive:
        archive.writestr("log", data)
    found = {}
    for way, name in (("whole", "whole.jsonl"), ("pieces", "pieces.zip"), ("careful", "careful.jsonl")):
        load(folder / way, folder / name)
        found[way] = contents(folder / way, "source", "path")
        for row in (*found[way]["nodes"], *found[way]["calls"], *found[way]["runs"]):
            row["extra"] = row["extra"] and json.loads(row["extra"])  # the order of its keys says nothing
        found[way]["problems"] = [row for row in found[way]["problems"] if row["kind"] != "torn_line"]
    return found


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, phases=[Phase.explicit, Phase.generate])
@given(st.lists(records(), min_size=5, max_size=25), st.lists(st.sampled_from(["\n", "\r\n", "\n\n", "\n \t\n"]), min_size=1, max_size=3))
def test_any_records_give_the_same_rows_whole_piece_by_piece_and_line_by_line(log: list[dict[str, Any]], ends: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = three_ways(Path(folder), data_of(log, ends))
    assert found["pieces"] == found["whole"]
    assert found["careful"] == found["whole"]


AS_LOGGED = [
    '"x":null', '"x":{"a":null,"b":1}', '"extra":{"a":null}', '"extra":{"a":null},"x":1', '"extra":5', '"extra":{}', '"extra":{},"x":1',
    '"extra":5,"x":1', '"extra":"t","x":1', '"extra":[1]', '"score":1e5', '"score":0.10', '"x":0.10', '"score":1E400', '"score":-0.0',
    '"score":123456789012345678901234567890', '"score":NaN', '"score":-Infinity', '"state":{"a":NaN}', '"state":{ "a" : 1 }',
    '"state":"text"', '"observation":{"b" : 1}', '"observation":[1, 2]', '"observation":1.50', '"step":"\\u00e9\\u2028"',
    '"step":"\\u0000x"', '"step":"\\ud83d\\ude00"', '"step":"a\\/b"', '"state":{"k":"\\u00e9\\/"}', '"a b":1,"c\'d":2,"e\\"f":3', '"ü":1',
    '"parent_ids":["p",null]', '"parent_ids":["p",1,true]', '"parent_ids":[["p"]]', '"parent_ids":[""]',
    '"parent_id":"p","parent_ids":["q"]', '"parent_id":0', '"parent_id":["p"]', '"parent_id":1.50',
    '"evaluation":{"response":"x","score":0.5}', '"evaluation":{"response":5,"score":"0.5"}', '"evaluation":"good"', '"evaluation":5',
    '"evaluation":[]', '"evaluation":[1,"a",null,{"response":"x"}]', '"evaluation":[{"response":"x"},{"response":"y","z":{"n":null}}]',
    '"evaluation":{}', '"evaluation":{"cost":1e-3,"it\'s":1}', '"evaluation":{"score":null},"score":0.3',
    '"score":0.3,"evaluation":{"score":0.4}', '"evaluation":{"response":"x"},"evaluator_raw_response":"y"',
    '"evaluator_raw_response":"r","evaluator_error":"e"', '"prompt":{"a": 1}', '"prompt":""', '"raw_response":"x","response":"y"',
    '"action":{"kind":"k","target":{"a":1},"effect":null,"more":1}', '"action":["x"]', '"started_at":true', '"terminal":"true"',
    '"verified":1', '"depth":1.0', '"depth":"1"', '"seq":9223372036854775808', '"pass":3,"pass_bound":4',
]  # fmt: skip
"""Members of a node line that only some parsers read alike; every one is legal JSON, or what Python writes in place of it."""


def test_what_parsers_read_differently_is_read_alike(tmp_path: Path) -> None:
    log = [f'{{"record":"node","run_id":"r","node_id":"n{number}",{members}}}' for number, members in enumerate(AS_LOGGED)]
    log.append('{"record":"run","run_id":"r","protocol":{"b":1,"a":null},"task_id":5,"x":null,"selected_path":["n0",1,null],"warnings":["w",1]}')
    log.append('{"record":"call","run_id":"r","node_id":"n0","call_id":5,"input_tokens":-1,"from_cache":"yes","parsed":{"a" : 1},"foo":1}')
    found = three_ways(tmp_path, "".join(f"{line}\n" for line in log).encode())
    different = {
        (way, table, name, str(row.get("node_id"))): (row[name], other[name])
        for way in ("pieces", "careful") for table in found["whole"]
        for row, other in zip(found["whole"][table], found[way][table], strict=True)
        for name in row if row[name] != other[name]
    }  # fmt: skip
    assert different == {}


@pytest.mark.parametrize(
    "members",
    ['"":1', '"Score":1,"score":2', '"x":1,"X":2', '"score":1,"score":2', '"evaluation":{"Response":"x","response":"y"}', '"evaluation":{"":1}',
     '"step":"\\ud83d"', '"parent_ids":"p"', '"parent_ids":{}', '"x":' + "[" * 900 + "]" * 900],
    ids=lambda members: members[:40],
)  # fmt: skip
def test_an_object_that_duckdb_stumbles_over_is_read_all_the_same(tmp_path: Path, members: str) -> None:
    path = write_log(tmp_path / "log", node("a"), f'{{"run_id": "r", "node_id": "b", {members}}}', node("c"))
    load(tmp_path / "store", path)
    assert rows(tmp_path / "store", "select node_id from nodes order by 1") == [("a",), ("b",), ("c",)]
    assert rows(tmp_path / "store", "select line from problems where rejected") == []


def test_more_unknown_keys_than_a_table_should_have_are_kept(tmp_path: Path) -> None:
    load(tmp_path / "store", write_log(tmp_path / "log", *(node(f"n{i}") | {f"key{i}": i} for i in range(300))))
    assert rows(tmp_path / "store", "select count(*), count(extra) from nodes") == [(300, 300)]
    assert rows(tmp_path / "store", "select extra from nodes where node_id = 'n299'") == [('{"key299":299}',)]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (b'{"run_id": "r", "node_id"', "not JSON: "),
        (b'{"run_id": "r", "node_id": "b"}{"run_id": "r", "node_id": "d"}', "not JSON: Extra data at column 32"),
        (b'{"run_id": "r", "node_id": "b"},', "not JSON: Extra data at column 32"),
        (b'[{"run_id": "r"}]', "a JSON list where an object was expected"),
        (b"null", "a JSON NoneType where an object was expected"),
        (b'{"run_id": "r", "step": "\xff"}', "byte 25 of the line is not UTF-8"),
        (b"\x00\x00\x00", "not JSON: Expecting value at column 1"),
        (b"{}", "the line has no run_id"),
        (b'{"run_id": null, "node_id": "b"}', "the line has no run_id"),
        (b'{"run_id": "r", "record": "node"}', "the line has no node_id"),
        (b'{"run_id": "r", "record": "remark"}', 'record is "remark", expected node, call, run or run_end'),
    ],
    ids=lambda value: value.decode("latin-1")[:30] if isinstance(value, bytes) else "",
)  # fmt: skip
def test_a_line_that_cannot_be_used_is_named_and_those_around_it_are_kept(tmp_path: Path, bad: bytes, message: str) -> None:
    good = [json.dumps(node(name)).encode() for name in ("a", "c")]
    (tmp_path / "log").write_bytes(good[0] + b"\n \r\n" + bad + b"\r\n" + good[1] + b"\n")
    load(tmp_path / "store", tmp_path / "log")
    assert rows(tmp_path / "store", "select node_id from nodes order by 1") == [("a",), ("c",)]
    ((line, path, rejected, found),) = rows(tmp_path / "store", "select line, path, rejected, message from problems")
    assert (line, path, rejected) == (3, f"{tmp_path}/log:3", True)
    assert found.startswith(message)


def test_an_unfinished_last_line_is_called_that_and_a_finished_one_without_line_end_is_read(tmp_path: Path) -> None:
    path = write_log(tmp_path / "log", node("a"))
    path.write_bytes(path.read_bytes() + BAD)
    load(tmp_path / "store", path)
    assert rows(tmp_path / "store", "select line, kind, raw from problems") == [(2, "torn_line", BAD.decode())]
    path.write_bytes(json.dumps(node("a")).encode())
    load(tmp_path / "store", path)
    assert rows(tmp_path / "store", "select (select count(*) from problems), (select count(*) from nodes)") == [(0, 1)]


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress], ids=["gz", "zst"])
def test_a_compressed_log_that_was_cut_keeps_what_can_be_read_and_does_not_stop_the_others(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    whole = pack(b"".join(json.dumps(node(f"n{i}", step=os.urandom(30).hex())).encode() + b"\n" for i in range(5_000)))
    (tmp_path / "cut").write_bytes(whole[: len(whole) // 2])
    cut, other = load(tmp_path / "store", tmp_path / "cut", write_log(tmp_path / "other", node("x", run="other")))
    assert (other.status, other.counts["nodes"]) == ("loaded", 1)
    assert cut.rejected
    assert str(cut.problems[-1]["message"]).startswith("cannot be read to its end")
    assert (cut.counts["nodes"] or 0) > 1_000


def test_a_log_of_several_pieces_keeps_its_line_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "PIECE_BYTES", 1_000)
    log = [node(f"n{i}", score="odd" if i == 77 else 0.5) for i in range(100)]
    load(tmp_path / "store", write_log(tmp_path / "log", *log[:50], "half a line {", *log[50:]))
    assert rows(tmp_path / "store", "select count(*) from nodes") == [(100,)]
    assert rows(tmp_path / "store", "select line, kind from problems order by line") == [(51, "bad_line"), (79, "score")]

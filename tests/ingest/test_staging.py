"""Do records in memory wait as they are: in order, with their texts apart, and nothing visible to a reader?"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.errors import Problem
from ingest.schema import Call, Node, Run, Trace, Truth
from ingest.staging import Staging, text_hash


@pytest.fixture
def staging(tmp_path: Path) -> Iterator[Staging]:
    waiting = Staging(tmp_path)
    yield waiting
    waiting.close()


def trace(run_id: str, *node_ids: str, calls: tuple[Call, ...] = ()) -> Trace:
    return Trace(Run(run_id=run_id, source=f"{run_id}.json"), tuple(Node(run_id=run_id, node_id=name) for name in node_ids), calls)


def test_nothing_staged_is_no_row_in_any_table(staging: Staging) -> None:
    staging.add_traces([])
    staging.add_problems([], "log")
    for name in ("runs", "nodes", "calls", "texts", "truth", "problems"):
        assert staging.con.execute(f"select count(*) from s_{name}").fetchall() == [(0,)]


def test_records_keep_the_order_in_which_they_came_and_nodes_know_their_source(staging: Staging) -> None:
    staging.add_traces([trace("b", "x", "a"), trace("a", "y")])
    staging.add_traces([trace("c", "z")])
    rows = staging.con.execute("select run_id, node_id, source from s_placed_nodes order by ord").fetchall()
    assert rows == [("b", "x", "b.json"), ("b", "a", "b.json"), ("a", "y", "a.json"), ("c", "z", "c.json")]
    assert staging.con.execute("select count(*) = count(distinct ord) from s_nodes").fetchall() == [(True,)]


def test_a_text_waits_once_a_run_under_its_hash_and_a_logged_hash_without_text_stays(staging: Staging) -> None:
    calls = (
        Call(run_id="r", call_id="1", prompt="p", response=""),
        Call(run_id="r", call_id="2", prompt="p", response=None, prompt_hash="logged", response_hash="logged"),
    )
    staging.add_traces([trace("r", calls=calls), trace("s", calls=(Call(run_id="s", call_id="1", prompt="p"),))])
    assert staging.con.execute("select call_id, prompt_hash, response_hash from s_calls order by ord").fetchall() == [
        ("1", text_hash("p"), text_hash("")), ("2", text_hash("p"), "logged"), ("1", text_hash("p"), None),
    ]  # fmt: skip
    assert staging.con.execute("select run_id, text, redacted from s_texts order by run_id, text").fetchall() == [
        ("r", "", False), ("r", "p", False), ("s", "p", False),
    ]  # fmt: skip


def test_the_hash_of_a_text_is_its_sha256_in_utf8() -> None:
    assert text_hash("ü\n") == hashlib.sha256(b"\xc3\xbc\n").hexdigest()
    assert len(text_hash("\ud83d")) == 64


def test_truth_and_problems_wait_beside_the_records(staging: Staging) -> None:
    said = (Truth(run_id="r", node_id="a", viable=False, viable_by="label"),)
    staging.add_traces([Trace(Run(run_id="r"), truth=said)])
    staging.add_problems([Problem("odd", "log:3", "Repair it.", "bad_line", 3, "r", "a", "raw", True)], "log")
    assert staging.con.execute("select node_id, viable, viable_by from s_truth").fetchall() == [("a", False, "label")]
    assert staging.con.execute("select * exclude (piece, row) from s_problems").fetchall() == [
        ("log", 3, "log:3", "bad_line", "odd", "Repair it.", "r", "a", "raw", True)
    ]

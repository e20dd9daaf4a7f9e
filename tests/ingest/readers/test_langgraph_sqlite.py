"""Are LangGraph databases read thread by thread, forks as forks, with what is packed left packed?"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from ingest.readers import langgraph_sqlite, shinka_sqlite
from ingest.schema import Trace
from ingest.source import Source
from tests.databases import langgraph
from tests.foreign import SAMPLES, extra, split, storable

SAMPLE = SAMPLES / "langgraph-sqlite" / "threads" / "forked.sqlite"


def traces(path: Path = SAMPLE) -> dict[str, Trace]:
    problems, found = split(langgraph_sqlite, Source(path))
    assert problems == []
    return {trace.run.run_id: trace for trace in found}


def test_the_sample_is_what_the_script_makes(tmp_path: Path) -> None:
    assert traces(langgraph(tmp_path / "forked.sqlite")) == traces()


def test_a_thread_is_a_run_and_a_fork_is_two_children_of_one_checkpoint() -> None:
    assert {run: [(node.node_id, node.parent_ids, node.action_kind, node.seq) for node in trace.nodes] for run, trace in traces().items()} == {
        "t1": [("c1", (), "input", 0), ("c2", ("c1",), "loop", 1), ("c3", ("c2",), "loop", 2), ("c4", ("c2",), "update", 3)],
        "t2": [("c1", (), "input", 0)],
    }


def test_a_step_is_what_was_written_and_the_checkpoint_can_be_resumed() -> None:
    node = traces()["t1"].nodes[1]
    assert (node.step, node.env_checkpoint, node.score, node.fate) == ('{"answer": {"text": "Because."}}', "c2", None, None)


def test_packed_values_are_shown_as_sizes_and_never_unpacked() -> None:
    node = traces()["t1"].nodes[0]
    assert extra(node) == {
        "type": "msgpack", "checkpoint_bytes": 2, "metadata": {"step": -1, "parents": {}}, "writes": [["answer", "msgpack", 3]],
    }  # fmt: skip


def test_edits_by_hand_are_named() -> None:
    assert "1 checkpoints are updates: edits by hand, not steps of the graph" in traces()["t1"].run.warnings
    assert len(traces()["t2"].run.warnings) == 1


def test_metadata_that_is_no_json_and_ids_that_are_numbers_are_read(tmp_path: Path) -> None:
    path = langgraph(tmp_path / "a.sqlite")
    with closing(sqlite3.connect(path)) as database:
        database.execute("update checkpoints set metadata = ? where checkpoint_id = 'c1'", (b"\xff\xfe",))
        database.execute("update checkpoints set metadata = '[1]' where checkpoint_id = 'c2'")
        database.commit()
    nodes = traces(path)["t1"].nodes
    assert [extra(node)["metadata"] for node in nodes[:2]] == ["2 bytes that are no JSON", [1]]
    for trace in traces(path).values():
        storable(trace)


def test_a_database_without_a_checkpoint_says_so(tmp_path: Path) -> None:
    ((problem,), found) = split(langgraph_sqlite, Source(changed(tmp_path, "delete from checkpoints", "delete from writes")))
    assert (problem.kind, problem.rejected, found) == ("empty", False, [])


def changed(folder: Path, *statements: str) -> Path:
    """The two threads, and what was done to them."""
    path = langgraph(folder / "a.sqlite")
    with closing(sqlite3.connect(path)) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()
    return path


def test_writes_of_a_checkpoint_that_is_not_there_are_named(tmp_path: Path) -> None:
    path = changed(tmp_path, "update writes set checkpoint_id = 'c9'")
    ((problem,), found) = split(langgraph_sqlite, Source(path))
    assert (problem.message, problem.where) == ("1 write(s) of checkpoint 'c9', which the table checkpoints does not hold", f"{path}: thread t1")
    assert (problem.rejected, len(found)) == (True, 2)


def test_a_checkpoint_that_stands_twice_is_read_once_and_named(tmp_path: Path) -> None:
    keyless = ("create table copies as select * from checkpoints", "drop table checkpoints", "alter table copies rename to checkpoints")
    path = changed(tmp_path, *keyless, "insert into checkpoints select * from checkpoints where checkpoint_id = 'c3'")
    ((problem,), found) = split(langgraph_sqlite, Source(path))
    assert (problem.message, problem.rejected) == ("checkpoint c3 stands in this thread before", True)
    assert [len(trace.nodes) for trace in found] == [4, 1]


def test_a_blob_where_a_name_was_expected_is_shown_as_its_size(tmp_path: Path) -> None:
    parent = "update checkpoints set parent_checkpoint_id = x'0aff' where checkpoint_id = 'c2'"
    nodes = traces(changed(tmp_path, "update writes set type = x'ff00'", "update checkpoints set type = x'ff'", parent))["t1"].nodes
    assert (extra(nodes[0])["type"], extra(nodes[0])["writes"], nodes[1].parent_ids) == ("1 bytes", [["answer", "2 bytes", 3]], ("0aff",))


def test_only_its_own_databases_are_claimed() -> None:
    other = Source(SAMPLES / "shinka-sqlite" / "evolution" / "four_programs.sqlite")
    assert [(langgraph_sqlite.sniff(source), shinka_sqlite.sniff(source)) for source in (Source(SAMPLE), other)] == [(True, False), (False, True)]

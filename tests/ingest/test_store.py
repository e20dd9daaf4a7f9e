"""What does a reader of a store see? Always one complete state, in documented columns, and never a way to change it."""

from __future__ import annotations

import json
import multiprocessing
import threading
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ingest.errors import TraceError
from ingest.schema import SCHEMA_VERSION
from ingest.store import MANIFEST, STORED, Store, read_manifest, view_names
from ingest.write import TABLES
from tests.logs import load, node, rows, write_log
from tests.stores import store_of, tree


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of one run with one merged node, one orphan and one call."""
    path = tmp_path_factory.mktemp("store")
    log = [node("a", prompt="p"), node("b", "a"), node("m", "a") | {"parent_ids": ["b", "a"]}, node("o", "gone")]
    load(path / "store", write_log(path / "log", *log))
    return path / "store"


@pytest.mark.parametrize("name", ["missing", "empty"])
def test_an_empty_or_missing_folder_is_a_store_without_rows(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    store = Store(tmp_path / name)
    for view in view_names():
        table = store.query(f"select * from {view}")
        assert (table.num_rows, table.num_columns > 1) == (0, True)
        assert store.read_only_query(f"select * from {view}").schema.names == table.schema.names
    assert not (tmp_path / "missing").exists()


def test_every_view_is_there_and_every_table_has_the_documented_columns(folder: Path) -> None:
    assert view_names() == sorted([*TABLES, "edges", "orphans", "roots", "sources"])
    for name in TABLES:
        assert Store(folder).query(f"select * from {name}").schema.names == STORED[name].names


def test_links_follow_from_the_parents(folder: Path) -> None:
    links = "select parent_id, child_id, position from edges order by child_id, position"
    assert rows(folder, links) == [("a", "b", 0), ("b", "m", 0), ("a", "m", 1)]
    assert rows(folder, "select node_id, parent_id from orphans") == [("o", "gone")]
    assert rows(folder, "select node_id from roots") == [("a",)]


def test_ancestors_and_subtrees_are_ranges(tmp_path: Path) -> None:
    store = store_of(tmp_path, tree("root\n  a\n    a1\n    a2\n      x\n  b"))
    pairs = "select o.node_id from nodes n join nodes o on {0} where n.node_id = $id order by o.preorder"
    inside = "o.preorder >= n.preorder and o.preorder < n.preorder + n.subtree_size"
    above = "o.preorder <= n.preorder and o.preorder + o.subtree_size > n.preorder"
    assert store.query(pairs.format(inside), id="a")["node_id"].to_pylist() == ["a", "a1", "a2", "x"]
    assert store.query(pairs.format(above), id="x")["node_id"].to_pylist() == ["root", "a", "a2", "x"]


def test_any_tool_can_read_the_files(folder: Path) -> None:
    with duckdb.connect(":memory:") as con:
        (count,) = con.execute(f"select count(*) from read_parquet('{folder}/data/*/nodes.parquet', union_by_name = true)").fetchall()[0]
        marks = f"select decode(key), decode(value) from parquet_kv_metadata('{folder}/data/*/*.parquet') where decode(key) like 'branch%'"
        meta = con.execute(marks).fetchall()
    assert count == 4
    assert meta == [("branchlight_schema", str(SCHEMA_VERSION))] * len(TABLES)
    assert "read_parquet('data/*/nodes.parquet'" in (folder / "README.md").read_text("utf-8")


def test_the_version_changes_with_the_contents_and_only_then(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    versions = [store.version, store.version]
    for content in ("a", "a", "b"):
        load(tmp_path / "store", write_log(tmp_path / "log", node(content)))
        versions += [store.version, Store(tmp_path / "store").version]
    assert [versions.index(version) for version in versions] == [0, 0, 2, 2, 2, 2, 6, 6]


def test_an_open_store_sees_what_a_writer_made_visible(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    for names in (["a"], ["a", "b"], ["c"]):
        load(tmp_path / "store", write_log(tmp_path / "log", *(node(name) for name in names)))
        assert store.query("select node_id from nodes order by 1")["node_id"].to_pylist() == names
        assert store.read_only_query("select count(*) as n from nodes").to_pylist() == [{"n": len(names)}]


def test_a_store_of_a_newer_version_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    load(tmp_path / "store", write_log(tmp_path / "log", node("a")))
    document = json.loads((tmp_path / "store" / MANIFEST).read_text("utf-8")) | {"schema_version": SCHEMA_VERSION + 1}
    (tmp_path / "store" / MANIFEST).write_text(json.dumps(document), "utf-8")
    before = {path: path.read_bytes() for path in (tmp_path / "store").rglob("*") if path.is_file() and path.name != "lock"}
    versions = rf"\(schema {SCHEMA_VERSION + 1}; this one knows {SCHEMA_VERSION}\)"
    message = rf"store: the store was written by a newer branchlight {versions}\n  Update branchlight"
    with pytest.raises(TraceError, match=message):
        Store(tmp_path / "store")
    with pytest.raises(TraceError, match=message):
        load(tmp_path / "store", write_log(tmp_path / "other", node("b")))
    assert {path: path.read_bytes() for path in before} == before


DAMAGED = ("", "{", "[]", "{}", '{"schema_version": 1}', '{"schema_version": "one"}', '{"schema_version": 1, "entries": [{}], "batches": []}')


@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_manifest_is_a_sentence_that_names_it(tmp_path: Path, text: str) -> None:
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(TraceError, match=r"store\.json: the store's manifest cannot be read"):
        read_manifest(tmp_path)


def test_a_file_in_place_of_a_store_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("no folder")
    with pytest.raises(TraceError, match="store: the store is not a folder"):
        Store(tmp_path / "store")


SELECTS = (
    "select 1", "select count(*) from nodes;", "from runs", "with n as (select * from nodes) select * from n", "table sources", "values (1)",
    "describe nodes", "summarize runs", "explain select * from nodes", "select node_id from nodes where score is null order by preorder limit 1",
)  # fmt: skip
REFUSED = (
    "copy (select 1) to '{0}/data/x.parquet'", "attach '{0}/x.db'", "insert into sources select * from sources", "pragma database_list",
    "select 1; select 2", "", "-- nothing", "drop view nodes", "create table t (a int)", "update nodes set score = 1", "delete from nodes",
    "set enable_external_access = true", "install httpfs", "load httpfs", "call pragma_version()", "export database '{0}/x'", "vacuum",
    "select * from read_csv('/etc/passwd')", "select * from read_text('/etc/passwd')", "select * from '/etc/passwd'", "select * from glob('/*')",
    "select * from read_blob('/proc/self/environ')", "select * from read_text('{0}/store.json')", "select * from parquet_metadata('/etc/passwd')",
    "select * from read_parquet('{0}/data/*/nodes.parquet')", "explain analyze copy (select 1) to '{0}/data/x.parquet'",
    "with x as (copy (select 1) to '{0}/data/x.parquet') select * from x",
    "select * from query('copy (select 1) to ''{0}/x''')", "select * from nowhere",
    "with x as (insert into nodes select * from nodes returning *) select * from x", "select * from REFUSED", "selec 1",
)  # fmt: skip


def test_one_select_over_the_views_is_answered(folder: Path) -> None:
    store = Store(folder)
    for sql in SELECTS:
        assert store.read_only_query(sql).num_columns > 0, sql
    everything = "select * from nodes order by node_id"
    assert store.read_only_query(everything).to_pylist() == store.query(everything).to_pylist()


@pytest.mark.parametrize("sql", REFUSED)
def test_anything_else_is_refused_and_changes_nothing(folder: Path, sql: str) -> None:
    before = sorted((path, path.stat().st_mtime_ns) for path in folder.rglob("*"))
    with pytest.raises(TraceError, match=r"views: |Views: "):
        Store(folder).read_only_query(sql.format(folder))
    assert sorted((path, path.stat().st_mtime_ns) for path in folder.rglob("*")) == before


STATES = {(1, 1, 1), (7, 7, 7), (40, 40, 40)}
COUNTS = "select (select count(*) from nodes) as a, (select sum(nodes) from runs) as b, (select sum(nodes) from sources) as c"


def watch(folder: Path, ready: Any, stop: Any, answers: Any) -> None:
    """Ask again and again until told to stop; report every different answer."""
    store = Store(folder)
    seen: set[Any] = set()
    while not stop.is_set():
        try:
            seen.add(tuple(store.query(COUNTS).to_pylist()[0].values()))
        except Exception as error:  # noqa: BLE001 - any exception is the answer that the test looks for
            seen.add(repr(error))
        ready.set()
    answers.put(seen)


@pytest.mark.parametrize("kind", ["processes", "threads"])
def test_two_readers_see_only_complete_states_while_a_writer_replaces_a_source(tmp_path: Path, kind: str) -> None:
    sizes = [size for size, *_ in sorted(STATES)]
    load(tmp_path / "store", write_log(tmp_path / "log", node("n0")))
    world: Any = multiprocessing.get_context("spawn")
    events = world if kind == "processes" else threading
    stop, answers, ready = events.Event(), world.Queue(), [events.Event() for _ in range(2)]
    make = world.Process if kind == "processes" else threading.Thread
    readers = [make(target=watch, args=(tmp_path / "store", ready[number], stop, answers)) for number in range(2)]
    for reader in readers:
        reader.start()
    for event in ready:
        assert event.wait(60)
    for size in (*sizes[1:], sizes[0]):
        load(tmp_path / "store", write_log(tmp_path / "log", *(node(f"n{number}") for number in range(size))))
    stop.set()
    seen = answers.get(timeout=60) | answers.get(timeout=60)
    for reader in readers:
        reader.join()
    assert seen <= STATES
    assert len(seen) > 1

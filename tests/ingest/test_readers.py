"""Does every reader keep its promises over every sample, and over every real trace that it reads?

Exactly one reader claims a file; it reads it to the end; the store gives the records back unchanged; a second ingest changes nothing.
"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ingest.discover import discover
from ingest.errors import Problem
from ingest.fingerprint import fingerprint
from ingest.jobs import Report
from ingest.readers import READERS, Reader, all_readers, claimed_by, find_reader, native
from ingest.schema import Call, Node, Run, Trace, Truth
from ingest.source import Source
from ingest.staging import text_hash
from ingest.store import Store
from tests.logs import PROJECT, SHARED, contents, load

SAMPLES = PROJECT / "sample_traces"
TRACES = SHARED / "real_traces"
NO_LOGS = {"README.md", "unknown_format.json", "empty.jsonl"}
BESIDE_LOGS = {"ABOUT.md", "PROVENANCE.json", "expected.json", "config.yaml", "results_v4__debug_trace.jsonl"}
"""Descriptions, and files of settings and events that a program writes beside its log."""


@cache
def claims(path: Path) -> list[str]:
    return [reader.NAME for reader in claimed_by(Source(path))]


def logs_in(folder: Path) -> list[Path]:
    """Every file, but a folder that is one log in place of its files."""
    return sorted({item.path for item in discover([str(folder)]) if isinstance(item, Source)})


def samples() -> list[Path]:
    return [path for path in logs_in(SAMPLES) if path.name not in NO_LOGS and not {"record", "__pycache__"} & set(path.parts)]


@cache
def real_traces() -> tuple[Path, ...]:
    return tuple(path for path in logs_in(TRACES) if claims(path))


def foreign() -> Iterator[Any]:
    """Every sample and real trace of another program's format."""
    for path in (*samples(), *real_traces()):
        if claims(path) != [native.NAME]:
            yield pytest.param(path, id=f"{path.parent.name}/{path.name}"[:60])


pytestmark = pytest.mark.xdist_group("readers")
each_foreign = pytest.mark.parametrize("path", list(foreign()))


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.NAME)
def test_a_reader_says_what_it_reads_and_what_its_logs_can_tell(reader: Reader) -> None:
    assert reader.NAME == reader.NAME.lower().replace("_", "-").replace(" ", "-")
    assert (reader.__doc__ or "").splitlines()[0].endswith((".", "?"))
    assert reader.PRODUCER
    assert reader.LOOKS_FOR
    assert reader.TELLS.keys() == {"generation", "evaluation", "control", "spend", "replay", "compare"}
    assert all(reader.TELLS.values())


def test_every_reader_has_samples_of_its_own_and_no_two_have_one_name() -> None:
    assert {reader.NAME for reader in READERS} == {path.relative_to(SAMPLES).parts[0] for path in samples()} - {"broken"}
    assert len({reader.NAME for reader in all_readers()}) == len(all_readers())


def test_every_sample_is_claimed_by_the_reader_whose_folder_it_lies_in() -> None:
    folders = {path: path.relative_to(SAMPLES).parts[0] for path in samples()}
    assert {path: claims(path) for path in folders} == {path: [native.NAME if name == "broken" else name] for path, name in folders.items()}


@pytest.mark.skipif(not TRACES.is_dir(), reason="the folder of real traces does not stand beside the project")
def test_every_real_trace_is_claimed_by_the_reader_of_its_folder_or_by_none() -> None:
    by_reader = {reader.NAME for reader in READERS}
    for path in logs_in(TRACES):
        folder = path.relative_to(TRACES).parts[0]
        if path.name not in BESIDE_LOGS:
            assert claims(path) == ([folder] if folder in by_reader else []), path


@cache
def items(path: Path) -> tuple[Trace | Problem, ...]:
    """What the reader of the file makes of it."""
    return tuple(find_reader(Source(path)).read(Source(path)))


@each_foreign
def test_it_reads_to_the_end_twice_alike_and_every_record_is_whole(path: Path) -> None:
    assert items(path) == tuple(find_reader(Source(path)).read(Source(path)))
    traces = [item for item in items(path) if isinstance(item, Trace)]
    assert items(path)
    assert [item for item in items(path) if isinstance(item, Problem) and not item.where] == []
    assert len({trace.run.run_id for trace in traces}) == len(traces)
    for trace in traces:
        assert {type(node.node_id) for node in trace.nodes} <= {str}
        assert {type(parent) for node in trace.nodes for parent in node.parent_ids} <= {str}
        recorded: list[Any] = [*trace.nodes, *trace.calls, *trace.truth]
        assert {record.run_id for record in recorded} <= {trace.run.run_id}
        assert max(Counter(node.node_id for node in trace.nodes).values(), default=1) == 1
        assert max(Counter(call.call_id for call in trace.calls).values(), default=1) == 1
        assert "" not in {node.node_id for node in trace.nodes}


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, dict[str, Report]]:
    """All of them in one store, and what was said about each."""
    folder = tmp_path_factory.mktemp("readers") / "store"
    reports = load(folder, *samples(), *real_traces())
    return Store(folder), {report.source: report for report in reports}


def test_all_of_them_load_and_a_second_ingest_changes_nothing(loaded: tuple[Store, dict[str, Report]]) -> None:
    store, first = loaded
    assert {report.status for report in first.values()} == {"loaded"}
    before = (store.version, contents(store.folder))
    again = {report.source: report for report in load(store.folder, *samples(), *real_traces())}
    assert {report.status for report in again.values()} == {"unchanged"}
    assert {name: (r.format, r.counts) for name, r in again.items()} == {name: (r.format, r.counts) for name, r in first.items()}
    assert (store.version, contents(store.folder)) == before


def test_ids_are_texts_and_no_node_or_run_is_without_one(loaded: tuple[Store, dict[str, Report]]) -> None:
    found = contents(loaded[0].folder)
    for table, name in (("runs", "run_id"), ("nodes", "run_id"), ("nodes", "node_id"), ("calls", "call_id"), ("truth", "node_id")):
        assert {type(row[name]) for row in found[table]} <= {str}, (table, name)
    assert {type(parent) for row in found["nodes"] for parent in row["parent_ids"]} == {str}


@pytest.mark.parametrize("path", [path for path in samples() if claims(path) == [native.NAME]], ids=lambda path: path.stem)
def test_every_line_of_a_native_sample_became_a_record_or_a_problem(path: Path, loaded: tuple[Store, dict[str, Report]]) -> None:
    (store, reports), names = loaded, {"node": "node_id", "call": "call_id", "run": "run_id", "run_end": "run_id"}
    logged: dict[str, set[Any]] = {"node_id": set(), "call_id": set(), "run_id": set()}
    unusable = 0
    for line in path.read_bytes().splitlines():
        try:
            record = json.loads(line)
            name = names[record["record"]]
            logged[name].add((record["run_id"], record[name]))
        except (ValueError, KeyError, TypeError):
            unusable += 1
    of_source = "select run_id as run, {0} as id from {1}s where run_id in (select run_id from runs where source = $source)"
    found = {
        name: {tuple(row.values()) for row in store.query(of_source.format(name, name.removesuffix("_id")), source=str(path)).to_pylist()}
        for name in logged
    }
    assert found["node_id"] == logged["node_id"]
    assert found["call_id"] >= logged["call_id"]
    assert found["run_id"] >= logged["run_id"]
    assert reports[str(path)].counts["rejected"] == unusable


@each_foreign
def test_the_store_gives_the_records_back_unchanged(path: Path, loaded: tuple[Store, dict[str, Report]]) -> None:
    store, reader = loaded[0], find_reader(Source(path))
    ids = store.query("select run_id from runs where source = $source", source=str(path))["run_id"].to_pylist()
    traces = [as_named(item, ids) for item in items(path) if isinstance(item, Trace)]
    assert sorted(trace.run.run_id for trace in traces) == sorted(ids)
    tables = {name: rows_by_run(store, name, path) for name in ("runs", "nodes", "calls", "truth", "texts")}
    for trace in traces:
        stored = {name: table.get(trace.run.run_id, []) for name, table in tables.items()}
        filled_in: dict[str, Any] = {"source": str(path), "source_format": reader.NAME, "fingerprint": fingerprint(trace.run.protocol)}
        assert records(Run, stored["runs"]) == [dataclasses.replace(trace.run, **filled_in)]
        assert by_id(records(Node, stored["nodes"]), "node_id") == by_id(as_stored(trace.nodes, stored["nodes"]), "node_id")
        assert by_id(records(Call, stored["calls"]), "call_id") == by_id([without_texts(call) for call in trace.calls], "call_id")
        assert records(Truth, stored["truth"]) == list(trace.truth)
        texts = {text for call in trace.calls for text in (call.prompt, call.response) if text is not None}
        assert {row["hash"]: row["text"] for row in stored["texts"]} == {text_hash(text): text for text in texts}


def as_named(trace: Trace, ids: Sequence[str]) -> Trace:
    """The run under the id that it has among all the others; where another log's run was called the same, a mark stands behind it."""
    old = trace.run.run_id
    new = next(run_id for run_id in ids if run_id == old or run_id.startswith(f"{old}@"))
    warnings = trace.run.warnings if new == old else (*trace.run.warnings, f"another run is called {old!r}; this one is shown as {new!r}")
    return Trace(
        dataclasses.replace(trace.run, run_id=new, warnings=warnings),
        tuple(dataclasses.replace(node, run_id=new) for node in trace.nodes),
        tuple(dataclasses.replace(call, run_id=new) for call in trace.calls),
        tuple(dataclasses.replace(row, run_id=new) for row in trace.truth),
    )


def rows_by_run(store: Store, table: str, path: Path) -> dict[str, list[dict[str, Any]]]:
    """Everything in a table that came out of one file, run by run."""
    found: dict[str, list[dict[str, Any]]] = {}
    sql = f"select * from {table} where run_id in (select run_id from runs where source = $source)"
    for row in store.query(sql, source=str(path)).to_pylist():
        found.setdefault(row["run_id"], []).append(row)
    return found


def records(kind: type[Any], rows: Sequence[dict[str, Any]]) -> list[Any]:
    """Rows of a table as records of its class."""
    names = {field.name: "pass" if field.name == "pass_bound" else field.name for field in dataclasses.fields(kind)}
    given = [{name: row[column] for name, column in names.items() if column in row} for row in rows]
    return [kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}) for values in given]


def by_id(found: Sequence[Any], name: str) -> dict[str, Any]:
    return {getattr(record, name): record for record in found}


def as_stored(nodes: Sequence[Node], rows: Sequence[dict[str, Any]]) -> list[Node]:
    """With the two things that the store fills in where the log has none: the rebuilt depth, and that a node with a child was expanded."""
    expanded = {parent for node in nodes for parent in node.parent_ids[:1]}
    depths = {row["node_id"]: row["depth"] for row in rows}
    filled_in = [{"depth": depths[node.node_id], "fate": "expanded" if node.node_id in expanded else None} for node in nodes]
    return [
        dataclasses.replace(node, **{name: value for name, value in values.items() if getattr(node, name) is None})
        for node, values in zip(nodes, filled_in, strict=True)
    ]


def without_texts(call: Call) -> Call:
    hashes: dict[str, Any] = {f"{name}_hash": text_hash(text) for name in ("prompt", "response") if (text := getattr(call, name)) is not None}
    return dataclasses.replace(call, prompt=None, response=None, **hashes)

"""Do the commands answer a program as promised? Exit status, one JSON document on stdout, everything else on stderr."""

from __future__ import annotations

import argparse
import dataclasses
import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from explorer import commands
from explorer.commands import COMMANDS, main
from ingest.readers import READERS
from ingest.schema import Run
from tests.logs import PROJECT, command, load, node, write_log

Answer = tuple[int, Any, str]
SOURCE_KEYS = {"source", "format", "runs", "nodes", "edges", "roots", "orphans", "merged", "max_depth", "problems", "status"}
DEPTH_KEYS = {"depth", "nodes", "scored", "score_min", "score_mean", "score_max", "expanded", "pruned", "terminal", "unscored", "open"}
TOTAL_KEYS = {"nodes", "edges", "roots", "max_depth", "merged", "orphans", "problems"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run, `group/run 1`, of three nodes with one problem."""
    folder = tmp_path_factory.mktemp("commands")
    name = "group/run 1"
    log = [
        {"record": "run", "run_id": name, "protocol": {"width": 2}, "task_id": 7},
        node("a", run=name, score=0.5), node("b", "a", run=name, score=0.25, prompt="p", input_tokens=3), node("c", "a", run=name, score="odd"),
        {"record": "run_end", "run_id": name, "outcome": "right", "selected_path": ["a", "b"]},
    ]  # fmt: skip
    load(folder / "store", write_log(folder / "log", *log))
    return folder / "store"


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Run a command here: its status, its JSON document (or text) and what it said on stderr."""

    def run(*arguments: Path | str) -> Answer:
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return status, json.loads(out, parse_constant=pytest.fail) if "--json" in arguments else out, err

    return run


@pytest.mark.parametrize("one", COMMANDS, ids=lambda one: one.__name__)
def test_the_help_of_a_command_is_one_sentence_and_examples_that_it_understands(one: Any) -> None:
    first, *rest = (one.__doc__ or "").strip().splitlines()
    examples = [line.strip() for line in rest if line.strip().startswith("branchlight ")]
    assert first.endswith(".")
    assert examples
    for example in examples:
        found = commands._parser().parse_args(shlex.split(example)[1:])
        assert found.command is one


@pytest.mark.parametrize("arguments", [[], ["nothing"], ["ingest"], ["runs", "--colour"], ["sql"], ["open", "--port", "many"], ["show"]])
def test_wrong_usage_is_status_2_and_says_how_it_is_used(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    out, err = capsys.readouterr()
    assert (stopped.value.code, out) == (2, "")
    assert err.startswith("usage: branchlight")


def test_ingest_reports_every_source_and_ends_with_status_1_where_something_was_left_out(tmp_path: Path, ask: Callable[..., Answer]) -> None:
    good, bad = write_log(tmp_path / "good", node("a"), node("b", "a")), write_log(tmp_path / "bad", node("x", run="s"), "half a {")
    status, document, err = ask("ingest", "--store", tmp_path / "store", good, "--json")
    assert (status, err) == (0, "")
    (source,) = document["sources"]
    assert source.keys() == SOURCE_KEYS | {"problem_count"}
    assert {key: source[key] for key in SOURCE_KEYS} == {
        "source": str(good), "format": "native", "runs": 1, "nodes": 2, "edges": 1, "roots": 1, "orphans": 0, "merged": 0, "max_depth": 1,
        "problems": [], "status": "loaded",
    }  # fmt: skip
    status, document, _ = ask("ingest", "--store", tmp_path / "store", tmp_path / "*", bad, "--json")
    assert status == 1
    assert [(Path(row["source"]).name, row["status"]) for row in document["sources"]] == [("bad", "loaded"), ("good", "unchanged")]
    (problem,) = document["sources"][0]["problems"]
    assert problem.keys() == {"where", "message", "hint", "kind", "rejected"}
    assert problem["where"] == f"{bad}:2"
    assert document["totals"].keys() >= SOURCE_KEYS - {"source", "format", "problems", "status"}
    assert ask("ingest", "--store", tmp_path / "store", bad, "--json")[0] == 1
    assert ask("ingest", "--store", tmp_path / "store", tmp_path / "gone")[0] == 1


def test_ingest_prints_a_table_on_stdout_and_problems_on_stderr(tmp_path: Path, ask: Callable[..., Answer]) -> None:
    bad = write_log(tmp_path / "bad", node("x"), "half a {")
    status, out, err = ask("ingest", "--store", tmp_path / "store", bad)
    assert status == 1
    assert out.splitlines()[0].split() == ["source", "format", "status", "runs", "nodes", "max_depth", "problems"]
    assert out.splitlines()[1].split() == [str(bad), "native", "loaded", "1", "1", "0", "1"]
    assert err.startswith(f"{bad}:2: not JSON: ")


def test_show_has_the_run_its_totals_its_depths_and_its_path(store: Path, ask: Callable[..., Answer]) -> None:
    status, document, err = ask("show", "--store", store, "group/run 1", "--json")
    assert (status, err) == (0, "")
    assert document.keys() == {"run", "totals", "depths", "path"}
    assert document["run"].keys() >= {field.name for field in dataclasses.fields(Run)}
    assert (document["run"]["run_id"], document["run"]["task_id"], document["run"]["protocol"]) == ("group/run 1", "7", {"width": 2})
    assert (document["run"]["answer"], document["run"]["cost"]) == (None, None)
    assert document["totals"] == {"nodes": 3, "edges": 2, "roots": 1, "max_depth": 1, "merged": 0, "orphans": 0, "problems": 1}
    assert [row.keys() >= DEPTH_KEYS for row in document["depths"]] == [True, True]
    assert [(row["depth"], row["nodes"], row["scored"], row["score_max"]) for row in document["depths"]] == [(0, 1, 1, 0.5), (1, 2, 1, 0.25)]
    assert document["path"] == ["a", "b"]
    assert ask("show", "--store", store, "run 1", "--json")[1] == document


def test_a_run_that_is_not_there_is_status_1_and_a_sentence(store: Path, ask: Callable[..., Answer]) -> None:
    assert ask("show", "--store", store, "nobody") == (1, "", f"{store}: no run is called 'nobody' in this store\n  branchlight runs lists them.\n")


def test_runs_lists_every_run_and_an_empty_store_has_none(store: Path, tmp_path: Path, ask: Callable[..., Answer]) -> None:
    status, document, _ = ask("runs", "--store", store, "--json")
    assert (status, document.keys(), [run["run_id"] for run in document["runs"]]) == (0, {"runs"}, ["group/run 1"])
    assert ask("runs", "--store", tmp_path / "empty", "--json") == (0, {"runs": []}, "")
    assert ask("runs", "--store", tmp_path / "empty")[1].startswith(f"{tmp_path}/empty holds no runs")


def test_formats_names_every_reader_in_its_order(ask: Callable[..., Answer]) -> None:
    status, document, _ = ask("formats", "--json")
    assert (status, [row["name"] for row in document["formats"]]) == (0, [reader.NAME for reader in READERS])
    assert {tuple(row) for row in document["formats"]} == {("name", "producer", "looks_for", "tells")}


def test_sql_answers_one_select_and_refuses_the_rest_with_status_1(store: Path, ask: Callable[..., Answer]) -> None:
    query = "select node_id, score, started_at from nodes order by node_id"
    assert ask("sql", "--store", store, query, "--json")[:2] == (
        0, {"columns": ["node_id", "score", "started_at"], "rows": [
            {"node_id": "a", "score": 0.5, "started_at": None}, {"node_id": "b", "score": 0.25, "started_at": None},
            {"node_id": "c", "score": None, "started_at": None},
        ]},
    )  # fmt: skip
    for refused in ("drop view nodes", "select 1; select 2", "select * from read_text('/etc/passwd')", "select nowhere from nodes"):
        status, out, err = ask("sql", "--store", store, refused)
        assert (status, out) == (1, "")
        assert "iews: calls, edges, nodes" in err
        assert "Traceback" not in err


ODD = "'nan'::double|'inf'::double|date '2026-03-01'|interval 1 day|1.5::decimal(9,2)|'x'::blob|uuid()|{'a': [1, null]}|map {1: 2}"


@pytest.mark.parametrize("value", ODD.split("|"))
def test_any_type_of_value_becomes_strict_json_and_a_cell(store: Path, value: str, ask: Callable[..., Answer]) -> None:
    status, document, _ = ask("sql", "--store", store, f"select {value} as v", "--json")
    assert (status, document["columns"]) == (0, ["v"])
    assert ask("sql", "--store", store, f"select {value} as v")[0] == 0


def test_the_store_can_be_named_in_the_environment_and_a_traceless_sentence_ends_a_bad_one(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log", node("a"))
    named = {"BRANCHLIGHT_STORE": str(tmp_path / "named"), "PYTHONPATH": str(PROJECT), "PATH": "/usr/bin:/bin"}
    assert command("ingest", log, env=named).returncode == 0
    assert (tmp_path / "named" / "store.json").is_file()
    bad = command("runs", "--store", log)
    assert (bad.returncode, bad.stdout, bad.stderr) == (1, "", f"{log}: the store is not a folder\n  Name a folder with --store.\n")


def test_output_into_a_pipe_that_closes_early_is_no_error(store: Path) -> None:
    run = [sys.executable, "-m", "explorer", "sql", "--store", str(store), "select range from range(200000)"]
    done = subprocess.run(["bash", "-o", "pipefail", "-c", f"{shlex.join(run)} | head -1"], cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_command_takes_a_store() -> None:
    for one in COMMANDS:
        name = one.__name__.rpartition(".")[2].replace("_", "-")
        (subparsers,) = (action for action in commands._parser()._actions if isinstance(action, argparse._SubParsersAction))
        assert "--store" in subparsers.choices[name].format_help()

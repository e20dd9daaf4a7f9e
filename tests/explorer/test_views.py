"""Every page opens on every sample and on nothing; an address opens what it names; text of a log stays text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from explorer import queries
from ingest.pipeline import ingest
from ingest.store import Store
from tests.explorer.pages import PICTURES, VIEWS, component_data, markup, open_page, shown_words, store_of_lines, texts
from tests.hostile import HOSTILE, hostile_lines

PROJECT = Path(__file__).parents[2]
SAMPLES = sorted(
    path.relative_to(PROJECT / "sample_traces").as_posix()
    for path in (PROJECT / "sample_traces").rglob("*")
    if path.is_file() and path.suffix not in (".md", ".py", ".pyc", ".json5") and "record" not in path.parts
)
CASES = PROJECT.parent / "shared" / "cases"


def small_run(run: str) -> list[dict[str, Any]]:
    """The lines of a run of three nodes; the steps name the run, because its node ids do not."""
    return [
        {"record": "run", "run_id": run, "task_id": "t"},
        {"record": "node", "run_id": run, "node_id": "root", "parent_ids": [], "step": f"start of {run}"},
        {"record": "node", "run_id": run, "node_id": "n 1", "parent_ids": ["root"], "score": 0.5, "step": f"n 1 of {run}"},
        {"record": "node", "run_id": run, "node_id": "n=2", "parent_ids": ["root"], "score": 0.2, "step": f"n=2 of {run}"},
        {"record": "run_end", "run_id": run, "outcome": "wrong", "stop_reason": "max_nodes", "selected_path": ["root", "n 1"]},
    ]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("samples") / "store"
    ingest(store, [str(PROJECT / "sample_traces" / name) for name in SAMPLES])
    return store


@pytest.fixture
def two_runs(tmp_path: Path) -> Path:
    return store_of_lines(tmp_path, *small_run("a b&c=1"), *small_run("x/ü?"))


@pytest.mark.parametrize("view", VIEWS)
def test_every_page_opens_on_an_empty_store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, view: str) -> None:
    page = open_page(monkeypatch, tmp_path / "nothing", view)
    assert [error.value for error in page.exception] == []
    assert "branchlight open my_logs/" in texts(page)


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_page_opens_on_every_sample(monkeypatch: pytest.MonkeyPatch, samples: Path, sample: str) -> None:
    runs = Store(samples).query("select run_id from runs where ends_with(source, $name) order by run_id", name=sample)["run_id"].to_pylist()
    for view in VIEWS:
        page = open_page(monkeypatch, samples, view, **({"run": runs[0]} if runs else {}))
        assert [error.value for error in page.exception] == [], view


@pytest.mark.parametrize("picture", PICTURES)
def test_every_picture_of_a_run_opens(monkeypatch: pytest.MonkeyPatch, two_runs: Path, picture: str) -> None:
    page = open_page(monkeypatch, two_runs, "investigate", run="x/ü?", view=picture)
    assert [error.value for error in page.exception] == []


def test_the_run_list_puts_wrong_runs_first_then_unknown_then_right(samples: Path) -> None:
    outcomes = queries.run(Store(samples), "run_list")["outcome"].to_pylist()
    assert outcomes == sorted(outcomes, key=["wrong", "unknown", "right"].index)


def test_an_address_opens_the_node_of_the_run_that_it_names(monkeypatch: pytest.MonkeyPatch, two_runs: Path) -> None:
    page = open_page(monkeypatch, two_runs, "investigate", run="x/ü?", node="n=2")
    assert "n=2 of x/ü?" in texts(page)
    assert "n=2 of a b&c=1" not in shown_words(page)


def test_without_a_node_the_end_of_the_selected_path_is_inspected(monkeypatch: pytest.MonkeyPatch, two_runs: Path) -> None:
    assert "n 1 of a b&c=1" in texts(open_page(monkeypatch, two_runs, "investigate", run="a b&c=1"))


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ({"run": "gone", "node": "n=2"}, "This store holds no run named “gone”."),
        ({"run": "x/ü?", "node": "nowhere"}, "Run “x/ü?” has no node named “nowhere”."),
        ({"run": ""}, "No run is chosen yet."),
        ({}, "No run is chosen yet."),
    ],
)
def test_an_address_whose_target_is_gone_says_so_and_shows_nothing_else(
    monkeypatch: pytest.MonkeyPatch, two_runs: Path, address: dict[str, str], sentence: str
) -> None:
    page = open_page(monkeypatch, two_runs, "investigate", **address)
    assert [error.value for error in page.exception] == []
    assert texts(page) == [sentence]
    assert page.get("page_link")[-1].proto.label == "Choose from the list of runs"


def test_another_page_and_back_keeps_the_run_in_the_address(monkeypatch: pytest.MonkeyPatch, two_runs: Path) -> None:
    page = open_page(monkeypatch, two_runs, "investigate", run="x/ü?", node="n=2")
    for view in ("data", "runs", "statistics", "investigate"):
        page.query_params.clear()  # what a click in the navigation does
        page.switch_page(f"views/{view}.py").run()
        assert page.query_params["run"] == "x/ü?", view
    assert "n 1 of x/ü?" in texts(page)


def test_the_address_holds_ids_only(monkeypatch: pytest.MonkeyPatch, two_runs: Path) -> None:
    page = open_page(monkeypatch, two_runs, "investigate", run="x/ü?", node="n=2")
    assert page.query_params == {"run": "x/ü?", "node": "n=2"}


def test_which_cap_fired_and_what_is_missing_stand_in_the_head_of_a_run(monkeypatch: pytest.MonkeyPatch, two_runs: Path) -> None:
    page = open_page(monkeypatch, two_runs, "investigate", run="x/ü?")
    chips = [fact["text"] for data in component_data(page, "facts") for fact in data["facts"]]
    assert {"✗ wrong", "cap fired: max nodes", "complete or cut off: not recorded", "spend not recorded"} <= set(chips)


def test_a_problem_is_shown_with_file_line_and_the_rejected_text(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    good = json.dumps({"record": "node", "run_id": "r", "node_id": "n", "parent_ids": []})
    log.write_text(f"{good}\n[1, 2]\n", "utf-8")
    ingest(tmp_path / "store", [str(log)])
    page = open_page(monkeypatch, tmp_path / "store", "data")
    rows = [row for table in page.dataframe for row in table.value.to_dict("records") if "raw" in row]
    assert [(row["where"], row["raw"], row["rejected"]) for row in rows] == [(f"{log}:2", "[1, 2]\n", True)]


def test_a_search_lists_the_nodes_whose_step_holds_the_words(monkeypatch: pytest.MonkeyPatch, two_runs: Path) -> None:
    page = open_page(monkeypatch, two_runs, "investigate", run="x/ü?")
    page.text_input(key="needle").set_value("N=2 OF").run()
    assert "1 found." in texts(page)
    listed = [fact["pick"] for data in component_data(page, "facts") if data["kind"] == "list" for fact in data["facts"]]
    assert listed[0] == "n=2"


def check_pages(monkeypatch: pytest.MonkeyPatch, store: Path, run: str, nodes: dict[str, str]) -> None:
    """On every page and picture: no element that reads Markdown holds one of the strings; the node's page shows each as logged."""
    addresses = [(view, {"run": run}) for view in VIEWS]
    addresses += [("investigate", {"run": run, "view": picture}) for picture in PICTURES]
    addresses += [("investigate", {"run": run, "node": node}) for node in nodes]
    for view, address in addresses:
        page = open_page(monkeypatch, store, view, **address)
        assert [error.value for error in page.exception] == []
        for kind, content in markup(page):
            assert not [text for text in nodes.values() if json.dumps(text)[1:20] in content or text in content], (view, address, kind)
        if "node" in address:
            assert nodes[address["node"]] in texts(page)


def test_hostile_text_is_shown_as_logged_on_every_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    store = store_of_lines(tmp_path, *hostile_lines(HOSTILE))
    check_pages(monkeypatch, store, "r", {f"n{number}": text for number, text in enumerate(HOSTILE)})


def test_the_shared_case_of_hostile_text_is_shown_as_logged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    case = CASES / "c18-hostile-and-awkward-text"
    if not case.is_dir():
        pytest.skip("the shared cases are not here")
    ingest(tmp_path / "store", [str(case / "nodes.ndjson")])
    strings = json.loads((case / "expect.json").read_text("utf-8"))["strings"]
    check_pages(monkeypatch, tmp_path / "store", "r-host", {f"n{number}": text for number, text in enumerate(strings, start=1)})


@pytest.mark.skipif(not CASES.is_dir(), reason="the folder of cases does not stand beside the project")
def test_c30_an_address_with_ids_that_need_quoting_opens_that_node_of_that_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (case,) = CASES.glob("c30-*")
    expect = json.loads((case / "expect.json").read_text("utf-8"))
    ingest(tmp_path, [str(case / "nodes.ndjson"), str(case / "runs.ndjson")])
    for run in expect["runs"]:
        page = open_page(monkeypatch, tmp_path, "investigate", run=run, node="n 1")
        assert not page.exception
        assert f"{run} n 1" in texts(page)
        assert not any(f"{other} n 1" in texts(page) for other in expect["runs"] if other != run)
    gone = open_page(monkeypatch, tmp_path, "investigate", run="gone", node="n2")
    assert not gone.exception
    assert any("gone" in text for text in texts(gone))
    assert not open_page(monkeypatch, tmp_path, "investigate", run="").exception

"""Do the readers of programs, crosswords, proofs and labelled solutions find in real, public logs what independent programs found there?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.pipeline import ingest
from ingest.readers import READERS, find_reader
from ingest.schema import Trace
from ingest.source import Source
from ingest.store import Store
from tests.ingest.test_expected_figures import LOGS, alike
from tests.trace_figures_a import FIGURES

BY_NAME = {reader.NAME: reader for reader in READERS}
_WORDS = "words, not a figure; what is not recorded is held to by the tests of each reader"
NOT_COMPARED = {"not_recorded": _WORDS, "bytes": "of the file, not of the records", "sha256": "of the file, not of the records"}


NO_LOGS = {("openevolve-db", "results_v4__debug_trace.jsonl"): "a side log of the loop around the searches: events, no nodes; nobody claims it"}


def _files() -> list[tuple[str, str]]:
    names = []
    for folder in FIGURES:
        expected = LOGS / folder / "expected.json"
        names += [(folder, name) for name in json.loads(expected.read_bytes())["files"]] if expected.exists() else []
    return [name for name in names if name not in NO_LOGS]


pytestmark = pytest.mark.skipif(not LOGS.is_dir(), reason="the folder of real traces does not stand beside the project")
each_file = pytest.mark.parametrize(("folder", "name"), _files(), ids=lambda value: str(value)[-60:])


def expected_of(folder: str, name: str) -> dict[str, Any]:
    figures: dict[str, Any] = json.loads((LOGS / folder / "expected.json").read_bytes())["files"][name]
    return figures


def read(folder: str, name: str) -> list[Trace]:
    """All runs of a file; a Problem in it would fail the test."""
    found = list(BY_NAME[folder].read(Source(LOGS / folder / name)))
    assert [item for item in found if not isinstance(item, Trace)] == []
    return [item for item in found if isinstance(item, Trace)]


@each_file
def test_every_expected_figure_is_found_or_listed_with_a_reason(folder: str, name: str) -> None:
    wanted = {key: value for key, value in expected_of(folder, name).items() if key not in NOT_COMPARED}
    found = FIGURES[folder](read(folder, name), LOGS / folder / name)
    assert [key for key in wanted if key not in found] == []
    differing = {key: (found[key], value) for key, value in wanted.items() if not alike(found[key], value)}
    assert differing == {}


@each_file
def test_exactly_the_reader_of_its_format_claims_the_file(folder: str, name: str) -> None:
    assert find_reader(Source(LOGS / folder / name)) is BY_NAME[folder]


@pytest.mark.parametrize("stage", ["clarify_to_retrieve/stage_2", "tracecode_dynamic_contrastive/stage_3"])
def test_the_drawn_tree_of_a_stage_has_the_links_and_programs_of_its_journal(stage: str) -> None:
    (journal,), (drawn,) = (read("ai-scientist-v2-journal", f"{stage}/{name}.json") for name in ("journal", "tree_data"))
    place = {node.node_id: str(at) for at, node in enumerate(journal.nodes)}
    links = [tuple(place[parent] for parent in node.parent_ids) for node in journal.nodes]
    assert links == [node.parent_ids for node in drawn.nodes]
    assert [node.state for node in journal.nodes] == [node.state for node in drawn.nodes]


@pytest.mark.parametrize(("folder", "name"), NO_LOGS)
def test_what_is_no_search_is_claimed_by_nobody(folder: str, name: str) -> None:
    assert [reader.NAME for reader in READERS if reader.sniff(Source(LOGS / folder / name))] == []


def test_the_empty_file_is_called_empty_and_shows_no_run(tmp_path: Path) -> None:
    name, expected = next(iter(json.loads((LOGS / "empty-file" / "expected.json").read_bytes())["files"].items()))
    (report,) = ingest(tmp_path, [str(LOGS / "empty-file" / name)])
    assert (report.status, [problem["message"] for problem in report.problems]) == ("rejected", ["the file is empty"])
    assert Store(tmp_path).query("select count(*) as n from runs")["n"].to_pylist() == [expected["runs"]] == [0]


def test_the_store_counts_the_same(tmp_path: Path) -> None:
    """Sums over all files of a format; where a reader finds a parent or a depth missing, the store does not make one up."""
    ingest(tmp_path, [str(LOGS / folder / name) for folder, name in _files()])
    sql = "select source_format as format, count(*) as runs, sum(nodes)::int as nodes, sum(edges)::int as edges, sum(orphans)::int as orphans "
    found = {row["format"]: row for row in Store(tmp_path).query(sql + "from runs group by all").to_pylist()}
    for folder in FIGURES:
        figures = [FIGURES[folder](read(folder, name), LOGS / folder / name) for of, name in _files() if of == folder]
        nodes = sum(figure["nodes"] for figure in figures if "nodes" in figure) + sum(figure.get("thought_entries", 0) for figure in figures)
        edges = [figure["edges"] for figure in figures if isinstance(figure.get("edges"), int)]
        assert found[folder]["runs"] == sum(figure["runs"] for figure in figures)
        assert (found[folder]["nodes"], found[folder]["edges"], found[folder]["orphans"]) == (nodes, sum(edges), 0)

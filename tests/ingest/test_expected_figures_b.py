"""Do these readers find in real, public logs what independent programs found there? Every figure of their expected.json files."""

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
from tests.logs import SHARED
from tests.trace_figures_b import FIGURES

LOGS = SHARED / "real_traces"
_WORDS = "words, not a figure; the tests of each reader hold it to them"
NOT_COMPARED = {
    "not_recorded": _WORDS,
    "bytes": "of the file; PROVENANCE.json has them too",
    "sha256": "of the file; PROVENANCE.json has it too",
    "trace_observations_repeat": "how often the file repeats its list, which is read once; that it is, is tested with the reader",
    "trace_observations_same_ids": "as trace_observations_repeat",
    **dict.fromkeys(
        ("container", "members", "compression_methods", "duplicate_member_names", "uncompressed_bytes", "summaries_agree", "version"),
        "of the file's packing; what was packed is compared",
    ),
    "nonfinite_literals": "of the text, before it is parsed; that such a file is read is tested by reading it",
    **dict.fromkeys(
        ("records", "levels", "first_stamp", "last_stamp", "consecutive_identical_records", "kind", "end_of_run_summary_present", "skipped_records"),
        "counted over the lines of a text log; the runs, nodes and calls that they make are compared",
    ),
    "tables": "of the database; that a copy without its log has none is tested with the reader",
    "journal_mode_byte": "of the database file, which is opened without a journal",
    "note": _WORDS,
    "acc_is_running": "about a column that is kept as it is",
    "acc_consistent_lines": "a check of the running accuracy against itself, over raw lines",
    "state_types": "the two ways of writing one object are read as one",
    "usage_anywhere_in_nodes": "a second count that the program behind expected.json made over raw JSON, to check itself",
}
_SEEN_TWICE = (
    "one call seen by two instrumentations, one observation inside of the other: the outer one's own output holds the provider's usage, "
    "663/225 tokens, which is what the inner one reports; its 1568/423 is an estimate over its text, without a price from the program. "
    "expected.json adds both, so that four calls are counted where two were made"
)
OURS: dict[tuple[str, str], tuple[dict[str, Any], str]] = {
    ("langfuse-trace", "agno-2025-06-11.trace.json"): (
        {
            "input_tokens": 826, "output_tokens": 245, "total_tokens": 1071, "total_tokens_all_types": 1071, "total_cost": 0.000270899999,
            "models": {"gpt-4o-mini": 2},
        },
        _SEEN_TWICE,
    ),
}  # fmt: skip
"""Where our figures differ from expected.json, and the proof that they are right."""
_POPULATION = {"kind", "members", "keys", "objectives"}
NO_RUN = {
    ("inspect-log", "log_with_nan.json"): {"status", "model", "epochs", "header_usage"},
    ("eoh-samples", "tsp_construct_class/run_log.txt"): {"kind", "lines", "sample_lines", "failed_lines"},
    **{("eoh-samples", f"tsp_construct_class/pops/population_generation_{number}.json"): _POPULATION for number in (0, 1, 10, 20)},
}
"""Figures of logs that hold no run: there is nothing to hang them on, and the problem says what the log says."""
READER = {reader.NAME: reader for reader in READERS}


def _files() -> list[tuple[str, str]]:
    names = []
    for folder in FIGURES:
        expected = LOGS / folder / "expected.json"
        names += [(folder, name) for name in json.loads(expected.read_bytes())["files"]] if expected.exists() else []
    return names


pytestmark = pytest.mark.skipif(not LOGS.is_dir(), reason="the folder of real traces does not stand beside the project")
each_file = pytest.mark.parametrize(("folder", "name"), _files(), ids=lambda value: str(value)[:60])


def expected_of(folder: str, name: str) -> dict[str, Any]:
    figures: dict[str, Any] = json.loads((LOGS / folder / "expected.json").read_bytes())["files"][name]
    return figures


def read(folder: str, name: str) -> list[Trace]:
    """All runs of a file; a Problem in it would fail the test."""
    found = list(READER[folder].read(Source(LOGS / folder / name)))
    assert [item for item in found if not isinstance(item, Trace) and item.kind != "empty"] == []
    return [item for item in found if isinstance(item, Trace)]


def alike(found: Any, expected: Any) -> bool:
    """Equal, where numbers may differ in their last binary digits."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return found.keys() == expected.keys() and all(alike(found[key], expected[key]) for key in expected)
    if isinstance(expected, list) and isinstance(found, list):
        pairs = zip(sorted(found, key=_place), sorted(expected, key=_place), strict=False)
        return len(found) == len(expected) and all(alike(*pair) for pair in pairs)
    if isinstance(expected, float) and isinstance(found, int | float):
        return bool(found == pytest.approx(expected, rel=1e-9))
    return bool(found == expected)


def _place(item: Any) -> tuple[str, ...]:
    """Runs of one evaluation are compared by their id, whatever their order; everything else in the order it has."""
    return (str(item["id"]), str(item["epoch"])) if isinstance(item, dict) and {"id", "epoch"} <= item.keys() else ()


@each_file
def test_every_expected_figure_is_found_or_listed_with_a_reason(folder: str, name: str) -> None:
    found = FIGURES[folder](read(folder, name))
    wanted = {key: value for key, value in expected_of(folder, name).items() if key not in NOT_COMPARED and key not in NO_RUN.get((folder, name), ())}
    assert [key for key in wanted if key not in found] == []
    wanted |= OURS.get((folder, name), ({}, ""))[0]
    assert {key: (found[key], value) for key, value in wanted.items() if not alike(found[key], value)} == {}


def test_the_outer_observation_of_agno_holds_the_usage_of_the_inner_one_in_its_own_text() -> None:
    trace = read("langfuse-trace", "agno-2025-06-11.trace.json")[0]
    answers = [json.loads(node.observation or "") for node in trace.nodes if node.step == "OpenAIChat.invoke"]
    inner = [(call.input_tokens, call.output_tokens) for call in trace.calls if call.input_tokens is not None]
    assert inner == [(663, 225), (163, 20)]
    assert [(answer["usage"]["prompt_tokens"], answer["usage"]["completion_tokens"]) for answer in answers if "usage" in answer][:1] == inner[:1]


def test_no_reason_is_kept_for_a_figure_that_no_file_has() -> None:
    known = {key for folder, name in _files() for key in expected_of(folder, name)}
    assert sorted(set(NOT_COMPARED) - known) == []


@each_file
def test_exactly_the_reader_of_its_format_claims_the_file(folder: str, name: str) -> None:
    assert find_reader(Source(LOGS / folder / name)) is READER[folder]


def test_the_store_counts_the_same(tmp_path: Path) -> None:
    ingest(tmp_path, [str(LOGS / folder / name) for folder, name in _files()])
    rows = Store(tmp_path).query(
        "select source, count(*) as runs, sum(nodes) as nodes, sum(edges) as edges, sum(roots) as roots, sum(orphans) as orphans, "
        "max(max_depth) as max_depth, sum(expanded) as expanded from runs group by source"
    )
    found = {str(Path(row.pop("source")).relative_to(LOGS)): row for row in rows.to_pylist()}
    for folder, name in _files():
        expected = {key: value for key, value in expected_of(folder, name).items() if isinstance(value, int)}
        counts = found.get(f"{folder}/{name}", {"runs": 0})
        assert {key: value for key, value in counts.items() if value is not None} == {
            key: expected.get(key, value) for key, value in counts.items() if value is not None
        }, name

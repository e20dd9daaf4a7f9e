"""Do the readers find in real, public logs what independent programs found there? Every figure of every file of every expected.json."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ingest.jobs import Report
from ingest.pipeline import ingest
from ingest.readers import READERS, find_reader
from ingest.schema import Stage, Trace
from ingest.source import Source
from ingest.store import Store
from tests.figures_of import FIGURES
from tests.figures_of.counting import extra
from tests.figures_of.left_out import NO_LOG, NO_RUN, OURS, all_reasons, reasons
from tests.figures_of.tree_of_thoughts import because
from tests.logs import SHARED

LOGS = SHARED / "real_traces"
READER = {reader.NAME: reader for reader in READERS}


@cache
def _expected(folder: str) -> dict[str, Any]:
    figures: dict[str, Any] = json.loads((LOGS / folder / "expected.json").read_bytes())["files"]
    return figures


def _files() -> list[tuple[str, str]]:
    """Format and name of every file, or folder that is one log, that has expected figures."""
    return [(path.parent.name, name) for path in sorted(LOGS.glob("*/expected.json")) for name in _expected(path.parent.name)]


FILES = _files()
LOGGED = [file for file in FILES if file not in NO_LOG]
pytestmark = pytest.mark.skipif(not LOGS.is_dir(), reason="the folder of real traces does not stand beside the project")


def each(files: list[tuple[str, str]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("folder", "name"), files, ids=lambda value: str(value)[-60:])


def expected_of(folder: str, name: str) -> dict[str, Any]:
    figures: dict[str, Any] = _expected(folder)[name]
    return figures


def read(folder: str, name: str) -> list[Trace]:
    """All runs of a file; a Problem in it would fail the test, but for the one that says why there is no run."""
    found = list(READER[folder].read(Source(LOGS / folder / name)))
    traces = [item for item in found if isinstance(item, Trace)]
    kinds = [item.kind for item in found if not isinstance(item, Trace)]
    assert kinds == ([] if traces else ["empty"])
    return traces


@each(LOGGED)
def test_every_expected_figure_is_found_or_listed_with_a_reason(folder: str, name: str) -> None:
    found = FIGURES[folder](read(folder, name), LOGS / folder / name)
    wanted = {key: value for key, value in expected_of(folder, name).items() if key not in reasons(folder, name)}
    assert [key for key in wanted if key not in found] == []
    wanted |= OURS.get((folder, name), ({}, ""))[0]
    assert {key: (found[key], value) for key, value in wanted.items() if not alike(found[key], value)} == {}


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


def test_every_reader_of_these_formats_has_figures_and_no_reason_is_kept_for_a_figure_that_no_file_has() -> None:
    assert {folder for folder, _ in LOGGED} == FIGURES.keys()
    known = {(folder, key) for folder, name in FILES for key in expected_of(folder, name)}
    assert sorted(all_reasons() - known) == []
    assert sorted({*NO_RUN, *NO_LOG, *OURS} - {*FILES}) == []


@each(FILES)
def test_the_file_is_the_one_that_was_counted(folder: str, name: str) -> None:
    expected, provenance = expected_of(folder, name), json.loads((LOGS / folder / "PROVENANCE.json").read_bytes())["files"]
    kept = {entry["file"]: (entry["kept_bytes"], entry["sha256"]) for entry in provenance}
    if (LOGS / folder / name).is_dir():  # only its files have checksums
        assert {file for file in kept if file.startswith(name)} >= {f"{name}{path.name}" for path in (LOGS / folder / name).glob("*.json")}
        assert [file for file in kept if file.startswith(name) and kept[file] != _bytes_of(LOGS / folder / file)] == []
        return
    # in one file a host name was replaced after the count; PROVENANCE.json says so and has the checksum after it
    assert _bytes_of(LOGS / folder / name) in (kept[name], (expected["bytes"], expected["sha256"]))


def _bytes_of(path: Path) -> tuple[int, str]:
    data = path.read_bytes()
    return len(data), hashlib.sha256(data).hexdigest()


@each(LOGGED)
def test_exactly_the_reader_of_its_format_claims_the_file(folder: str, name: str) -> None:
    assert find_reader(Source(LOGS / folder / name)) is READER[folder]


@each(list(NO_LOG))
def test_what_is_no_search_is_claimed_by_nobody(folder: str, name: str) -> None:
    assert [reader.NAME for reader in READERS if reader.sniff(Source(LOGS / folder / name))] == []


def test_no_reader_claims_a_file_of_another_format_or_a_description() -> None:
    claimed = {}
    for path in sorted(path for path in LOGS.rglob("*") if path.is_file()):
        source, folder = Source(path), path.relative_to(LOGS).parts[0]
        described = path.name in ("ABOUT.md", "PROVENANCE.json", "expected.json", "README.md") or folder == "LICENSES"
        claimed[str(path)] = [reader.NAME for reader in READERS if reader.sniff(source) and (described or reader.NAME != folder)]
    assert len(claimed) > 200
    assert {path: names for path, names in claimed.items() if names} == {}


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, list[Report]]:
    """The whole folder, in one command."""
    folder = tmp_path_factory.mktemp("real") / "store"
    return Store(folder), ingest(folder, [str(LOGS)])


def test_one_command_loads_every_log_and_says_why_it_left_the_rest(loaded: tuple[Store, list[Report]]) -> None:
    found = {str(Path(report.source).relative_to(LOGS)): report for report in loaded[1]}
    logs = {f"{folder}/{name}".rstrip("/"): folder for folder, name in LOGGED}
    assert {name: report.format for name, report in found.items() if report.status == "loaded"} == logs
    left = {name: (report.status, report.problems[0]["message"]) for name, report in found.items() if name not in logs}
    ((folder, name),) = (file for file in FILES if file[0] == "empty-file")
    assert left.pop(f"{folder}/{name}") == ("rejected", "the file is empty")
    assert set(left.values()) == {("rejected", "no reader knows this format")}
    not_logs = {path.name for path in map(Path, left) if path.parts[0] != "LICENSES"}
    assert not_logs == {"README.md", "ABOUT.md", "PROVENANCE.json", "expected.json", "config.yaml", "results_v4__debug_trace.jsonl"}
    assert [name for name, report in found.items() if report.rejected] == [f"{folder}/{name}"]


def test_the_empty_file_shows_no_run(loaded: tuple[Store, list[Report]]) -> None:
    assert [expected_of(*file)["runs"] for file in FILES if file[0] == "empty-file"] == [0]
    assert loaded[0].query("select count(*) as n from runs where source like '%/empty-file/%'")["n"].to_pylist() == [0]


def test_the_store_counts_the_same(loaded: tuple[Store, list[Report]]) -> None:
    """File by file. What is "not recorded" counts as none, and every orphan is a problem; nothing else is."""
    rows = loaded[0].query(
        "select source, count(*) as runs, sum(nodes) as nodes, sum(edges) as edges, sum(roots) as roots, sum(orphans) as orphans, "
        "coalesce(max(max_depth), 0) as max_depth, sum(pruned) as pruned, sum(expanded) as expanded, sum(problems) as problems "
        "from runs group by source"
    )
    found = {str(Path(row.pop("source")).relative_to(LOGS)): row for row in rows.to_pylist()}
    for folder, name in LOGGED:
        numbers = {"orphans": 0} | {key: 0 if value == "not recorded" else value for key, value in expected_of(folder, name).items()}
        expected = numbers | {"nodes": numbers.get("nodes", numbers.get("thought_entries", 0)), "problems": numbers["orphans"]}
        counts = found.get(f"{folder}/{name}".rstrip("/"), {"runs": 0})
        assert counts == {key: expected.get(key, value) for key, value in counts.items()}, name


@each([file for file in FILES if file[0] in ("tot-bfs", "toolbench-dfsdt", "moatless-tree")])
def test_what_a_format_does_not_record_stays_absent(folder: str, name: str) -> None:
    traces = read(folder, name)
    nodes = [node for trace in traces for node in trace.nodes]
    assert {(node.started_at, node.ended_at, node.prune_reason, node.uncertainty, node.decision_id) for node in nodes} == {
        (None, None, None, None, None)
    }
    assert {(trace.run.started_at, trace.run.wall_clock_s, trace.run.ended) for trace in traces} == {(None, None, None)}
    assert [call for trace in traces for call in trace.calls if call.latency_ms is not None] == []
    if folder != "moatless-tree":
        assert [call for trace in traces for call in trace.calls] == []
    if folder == "toolbench-dfsdt":
        assert {(node.score, node.score_raw, node.evaluator, node.prune_rule, node.verified) for node in nodes} == {(None,) * 5}
    if folder == "tot-bfs":
        assert {trace.run.stop_reason for trace in traces} == {None}


@pytest.mark.parametrize("stage", ["clarify_to_retrieve/stage_2", "tracecode_dynamic_contrastive/stage_3"])
def test_the_drawn_tree_of_a_stage_has_the_links_and_programs_of_its_journal(stage: str) -> None:
    (journal,), (drawn,) = (read("ai-scientist-v2-journal", f"{stage}/{name}.json") for name in ("journal", "tree_data"))
    place = {node.node_id: str(at) for at, node in enumerate(journal.nodes)}
    links = [tuple(place[parent] for parent in node.parent_ids) for node in journal.nodes]
    assert links == [node.parent_ids for node in drawn.nodes]
    assert [node.state for node in journal.nodes] == [node.state for node in drawn.nodes]


def test_the_outer_observation_of_agno_holds_the_usage_of_the_inner_one_in_its_own_text() -> None:
    trace = read("langfuse-trace", "agno-2025-06-11.trace.json")[0]
    answers = [json.loads(node.observation or "") for node in trace.nodes if node.step == "OpenAIChat.invoke"]
    inner = [(call.input_tokens, call.output_tokens) for call in trace.calls if call.input_tokens is not None]
    assert inner == [(663, 225), (163, 20)]
    assert [(answer["usage"]["prompt_tokens"], answer["usage"]["completion_tokens"]) for answer in answers if "usage" in answer][:1] == inner[:1]


def test_the_game_of_24_file_cost_74_50962_dollars_and_each_run_its_own_part() -> None:
    traces = read("tot-bfs", "game24_gpt-4_0.7_propose1_value3_greedy5.json")
    totals = [extra(trace.run)["usage_so_far"]["cost"] for trace in traces]
    parts = [totals[0], *(after - before for before, after in pairwise(totals))]
    assert [trace.run.reported_cost for trace in traces] == pytest.approx(parts)
    assert sum(trace.run.reported_cost or 0 for trace in traces) == pytest.approx(74.50962)


def test_the_three_right_states_that_got_the_rules_zero_are_unscored_and_say_why() -> None:
    name = "game24_gpt-4_0.7_propose1_value3_greedy5.json"
    traces = {trace.run.task_id: trace for trace in read("tot-bfs", name)}
    for task, step, text in expected_of("tot-bfs", name)["right_states_hit_by_that_leak"]:
        (node,) = [node for node in traces[str(task)].nodes if node.depth == step + 1 and node.step == text]
        assert (node.score, node.score_raw, because(node)) == (None, "0", "rule's zero from the value cache")


def test_every_beam_of_the_real_trees_is_greedy_with_ties_by_order() -> None:
    rules = {
        "game24_gpt-4_0.7_propose1_value3_greedy5.json": "greedy top-5",
        "text_gpt-4_1.0_sample5_vote_greedy1.json": "greedy top-1",
    }
    for name, rule in rules.items():
        nodes = [node for trace in read("tot-bfs", name) for node in trace.nodes]
        assert {node.prune_rule for node in nodes if node.pruned_by == Stage.SURVIVED} == {rule}

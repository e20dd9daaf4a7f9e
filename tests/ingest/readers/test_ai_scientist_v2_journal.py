"""Are the two files of an AI-Scientist-v2 stage read with all metrics and no invented score, by ids and by positions?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.readers import ai_scientist_v2_journal as reader
from ingest.readers import aide_journal
from ingest.source import Source
from tests.foreign_log import SAMPLES, document, extra, never_breaks, one, problems

FOLDER = SAMPLES / "ai-scientist-v2-journal"
JOURNAL, TREE = FOLDER / "journal" / "journal.json", FOLDER / "tree_data" / "tree_data.json"


def drawn(**changes: Any) -> dict[str, Any]:
    """A drawn tree of two nodes."""
    return {"edges": [[0, 1]], "layout": [[0, 0], [0, 1]], "plan": ["p", "q"], "metrics": [{}, {}], "is_best_node": [False, True], **changes}


def test_a_journal_has_the_links_of_node2parent() -> None:
    assert [(n.node_id, n.parent_ids, n.fate) for n in one(reader, Source(JOURNAL)).nodes] == [
        ("a0", (), "expanded"), ("a1", ("a0",), "expanded"), ("a2", ("a0",), "unscored"), ("a3", ("a1",), "open"), ("a4", ("a1",), "unscored"),
    ]  # fmt: skip


def test_several_metrics_of_either_direction_are_kept_whole_and_are_no_score() -> None:
    trace = one(reader, Source(JOURNAL))
    assert {n.score for n in trace.nodes} == {None}
    names = json.loads(trace.nodes[0].score_raw or "")["metric_names"]
    assert [(name["metric_name"], name["lower_is_better"]) for name in names] == [("toy loss", True), ("toy accuracy", False)]
    assert "a metric is several metrics on several data sets: no single score is recorded; score_raw holds all of them" in trace.run.warnings


def test_repeats_with_another_seed_are_nodes_of_their_own_and_the_run_says_how_many() -> None:
    trace = one(reader, Source(JOURNAL))
    assert [n.node_id for n in trace.nodes if extra(n)["is_seed_node"]] == ["a3", "a4"]
    assert trace.run.warnings[0].startswith("2 nodes repeat a program with another random seed")


def test_an_aggregation_that_never_ran_is_no_call() -> None:
    assert [(c.node_id, c.latency_ms) for c in one(reader, Source(JOURNAL)).calls] == [(f"a{i}", 2000.0) for i in range(4)]


def test_a_drawn_tree_takes_positions_as_ids_and_edges_as_links() -> None:
    trace = one(reader, Source(TREE))
    assert [(n.node_id, n.parent_ids, n.fate) for n in trace.nodes] == [
        ("0", (), "expanded"), ("1", ("0",), "expanded"), ("2", ("0",), "unscored"), ("3", ("1",), "open"), ("4", ("1",), "unscored"),
    ]  # fmt: skip
    assert (trace.run.run_id, trace.run.selected_path) == ("ai-scientist-v2-journal/tree_data/tree_data", ("0", "1"))
    assert any("the same nodes stand in journal.json" in warning for warning in trace.run.warnings)
    assert extra(trace.run) == {"exp_name": "toy-run", "completed_stages": ["Stage_1"]}


def test_both_files_of_a_stage_tell_the_same_of_each_node() -> None:
    journal, tree = one(reader, Source(JOURNAL)), one(reader, Source(TREE))
    assert [(n.step, n.state, n.error) for n in journal.nodes] == [(n.step, n.state, n.error) for n in tree.nodes]
    assert [c.latency_ms for c in journal.calls] == [c.latency_ms for c in tree.calls]


@pytest.mark.parametrize(("marks", "path"), [([True, True], None), ([False, False], None), ([True, False], ("0",))])
def test_a_path_is_selected_where_exactly_one_node_is_the_best(tmp_path: Path, marks: list[bool], path: tuple[str, ...] | None) -> None:
    run = one(reader, document(tmp_path, drawn(is_best_node=marks))).run
    assert (run.selected_path, any("is_best_node marks" in warning for warning in run.warnings)) == (path, path is None)


def test_a_node_with_two_edges_has_two_parents(tmp_path: Path) -> None:
    trace = one(
        reader,
        document(tmp_path, drawn(edges=[[0, 2], [1, 2], [1, 2]], plan=["p", "q", "r"], layout=[[]] * 3, metrics=[{}] * 3, is_best_node=[1, 2, 3])),
    )
    assert trace.nodes[2].parent_ids == ("0", "1")


def test_an_edge_or_a_list_that_does_not_fit_is_named_and_kept(tmp_path: Path) -> None:
    source = document(tmp_path, drawn(edges=[[0, 1], [0, 9], [0], "x"], metrics=[{}], code=["only one"]))
    assert problems(reader, source) == [
        ("$.edges[1]", "not a pair of positions below 2"),
        ("$.edges[2]", "not a pair of positions below 2"),
        ("$.edges[3]", "not a pair of positions below 2"),
        ("$.metrics", "1 entries for 2 nodes"),
        ("$.code", "1 entries for 2 nodes"),
    ]
    *_, trace = reader.read(source)
    assert {"metrics": [{}], "code": ["only one"]} == extra(trace.run)  # type: ignore[union-attr]


@pytest.mark.parametrize("content", [{}, {"nodes": 3, "node2parent": {}}, {"edges": 1, "plan": []}, [], "x", None])
def test_a_document_of_another_shape_is_one_problem(tmp_path: Path, content: Any) -> None:
    assert len(problems(reader, document(tmp_path, content))) >= 1


@pytest.mark.parametrize("sample", [JOURNAL, TREE], ids=lambda path: path.stem)
def test_no_change_of_a_single_value_breaks_the_reader(tmp_path: Path, sample: Path) -> None:
    content = json.loads(sample.read_bytes())
    never_breaks(reader, tmp_path, {key: value for key, value in content.items() if key not in ("layout", "exc_type")})


def test_a_journal_of_aide_has_no_plots_and_is_not_claimed() -> None:
    aide = Source(SAMPLES / "aide-journal" / "drafts" / "journal.json")
    assert [(reader.sniff(s), aide_journal.sniff(s)) for s in (Source(JOURNAL), Source(TREE), aide)] == [(True, False), (True, False), (False, True)]

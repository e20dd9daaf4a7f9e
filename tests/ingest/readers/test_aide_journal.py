"""Are AIDE journals read with the links of node2parent, with the better program above the worse, and with no best where none is?"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ingest.readers import aide_journal, find_reader
from ingest.source import Source
from tests.foreign_log import SAMPLES, document, extra, never_breaks, one, problems
from tests.logs import SHARED

SAMPLE = SAMPLES / "aide-journal" / "drafts" / "journal.json"
CASE = SHARED / "cases" / "c17-lower-is-better"


def node(node_id: str, value: Any = None, maximize: Any = True, **fields: Any) -> dict[str, Any]:
    metric = {"value": value, "maximize": maximize}
    return {"id": node_id, "plan": node_id, "code": "", "ctime": 0.0, "is_buggy": False, "metric": metric, **fields}


def journal(*nodes: Any, **parents: Any) -> dict[str, Any]:
    return {"nodes": list(nodes), "node2parent": parents}


def test_parents_come_from_node2parent_because_the_nodes_own_are_empty() -> None:
    nodes = one(aide_journal, Source(SAMPLE)).nodes
    assert [(n.node_id, n.parent_ids, n.seq, n.fate) for n in nodes] == [
        ("n0", (), 0, "expanded"), ("n1", (), 1, "expanded"), ("n2", ("n0",), 2, "expanded"),
        ("n3", ("n1",), 3, "open"), ("n4", ("n2",), 4, "unscored"),
    ]  # fmt: skip


def test_where_lower_is_better_the_score_is_turned_round_and_the_run_says_so() -> None:
    trace = one(aide_journal, Source(SAMPLE))
    assert [(n.score, n.score_raw) for n in trace.nodes] == [(-0.5, "0.5"), (None, None), (-0.25, "0.25"), (-0.75, "0.75"), (None, None)]
    assert any("lower is better here" in warning for warning in trace.run.warnings)
    assert (trace.nodes[0].score_source, trace.nodes[0].tier) == ("verifier", "domain_signal")


def test_where_higher_is_better_it_stays_as_it_is(tmp_path: Path) -> None:
    trace = one(aide_journal, document(tmp_path, journal(node("a", 0.5), node("b", 0.25))))
    assert [n.score for n in trace.nodes] == [0.5, 0.25]
    assert len(trace.run.warnings) == 1


def test_where_the_nodes_contradict_each_other_no_node_has_a_score(tmp_path: Path) -> None:
    trace = one(
        aide_journal, document(tmp_path, journal(node("a", 1, False), node("b", 2, True), node("c", 3, False), node("d", 9, True, is_buggy=True)))
    )
    assert {n.score for n in trace.nodes} == {None}
    assert [n.score_raw for n in trace.nodes] == ["1", "2", "3", "9"]
    assert trace.run.warnings[0] == (
        "the direction of the score is contradicted: b says that higher is better, the others do not; no node has a score"
    )


def test_a_metric_without_a_direction_or_that_is_no_number_is_no_score(tmp_path: Path) -> None:
    trace = one(aide_journal, document(tmp_path, journal(node("a", 1), node("b", 2, None), node("c", "high"))))
    assert [(n.score, n.error) for n in trace.nodes] == [(1, None), (None, None), (None, "the logged metric is not a finite number")]
    assert "1 metrics do not say whether higher is better: these nodes have no score" in trace.run.warnings


def test_a_failed_program_is_unscored_with_its_exception() -> None:
    nodes = one(aide_journal, Source(SAMPLE)).nodes
    assert [(n.error, extra(n)["is_buggy"]) for n in nodes] == [(None, False), ("ValueError", True), (None, False), (None, False), ("is_buggy", True)]


def test_running_each_program_is_a_call_with_its_time_and_nothing_else_is_known_of_the_spend() -> None:
    trace = one(aide_journal, Source(SAMPLE))
    assert [(c.call_id, c.role, c.latency_ms, c.cost, c.input_tokens) for c in trace.calls[:2]] == [
        ("n0/run", "tool", 1500.0, None, None), ("n1/run", "tool", 1500.0, None, None),
    ]  # fmt: skip
    assert trace.calls[1].error == "ValueError"


def test_plan_program_output_and_time_have_their_columns_and_the_rest_is_kept() -> None:
    first = one(aide_journal, Source(SAMPLE)).nodes[0]
    assert (first.step, json.loads(first.state or ""), first.observation) == (
        "A line through the points", "# A line through the points\nprint('toy')\n", "epoch 1\ntoy error: 0.5\n",
    )  # fmt: skip
    assert first.started_at == datetime(2026, 1, 1, tzinfo=UTC)
    assert extra(first) == {"exc_info": None, "exc_stack": None, "analysis": "It ran.", "metric": {"maximize": False}, "is_buggy": False}


def test_what_the_journal_does_not_say_stays_absent() -> None:
    run = one(aide_journal, Source(SAMPLE)).run
    assert (run.run_id, run.selected_path, run.stop_reason, run.outcome, run.protocol, run.complete) == (
        "drafts/journal",
        None,
        None,
        "unknown",
        None,
        None,
    )
    assert "model, settings and the chosen program are not in the journal: AIDE writes them to other files" in run.warnings


def test_a_bad_node_is_named_by_its_place_and_the_others_load(tmp_path: Path) -> None:
    source = document(tmp_path, journal(node("a"), 7, node("a"), node(""), node("b"), b=3))
    assert problems(aide_journal, source) == [
        ("$.nodes[1]", "a number where a node was expected"),
        ("$.nodes[2]", "id a stands in this file before"),
        ("$.nodes[3]", "id is empty, a text was expected"),
        ("$.node2parent.b", "a number where the id of a node was expected"),
    ]


def test_without_links_the_nodes_load_as_starts_and_the_loss_is_named(tmp_path: Path) -> None:
    assert problems(aide_journal, document(tmp_path, {"nodes": [node("a")]})) == [("$.node2parent", "nothing where an object was expected")]


def test_links_of_unknown_nodes_and_missing_parents_are_kept(tmp_path: Path) -> None:
    trace = one(aide_journal, document(tmp_path, journal(node("a"), a="gone", x="a")))
    assert (trace.nodes[0].parent_ids, extra(trace.run)) == (("gone",), {"node2parent": {"x": "a"}})
    assert "node2parent has 1 entries for nodes that the journal does not hold" in trace.run.warnings


def test_no_change_of_a_single_value_breaks_the_reader(tmp_path: Path) -> None:
    never_breaks(aide_journal, tmp_path, json.loads(SAMPLE.read_bytes()))


@pytest.mark.skipif(not CASE.is_dir(), reason="the folder of cases does not stand beside the project")
def test_c17_the_smallest_error_has_the_best_score_and_a_contradicted_direction_has_none() -> None:
    expected = json.loads((CASE / "expect.json").read_bytes())
    source = Source(CASE / "journal.json")
    trace = one(find_reader(source), source)
    assert [n.node_id for n in trace.nodes if not n.parent_ids] == expected["journal.json"]["roots"]
    assert [n.node_id for n in trace.nodes if n.score is None] == expected["journal.json"]["unscored"]
    assert max((n.score, n.node_id) for n in trace.nodes if n.score is not None) == (-0.29, expected["journal.json"]["best"])
    conflict = one(aide_journal, Source(CASE / "journal_conflict.json"))
    assert {n.score for n in conflict.nodes} == {None}
    assert expected["journal_conflict.json"]["conflict"][0] in conflict.run.warnings[0]

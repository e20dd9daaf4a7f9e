"""Are the operations of a Graph of Thoughts read without inventing edges, and its thoughts without saying which were dropped?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.readers import got_operations as reader
from ingest.source import Source
from tests.foreign_log import SAMPLES, document, extra, never_breaks, one, problems

SAMPLE = SAMPLES / "got-operations" / "got" / "toy_got_1.json"


def operation(kind: str, *thoughts: Any, **lists: Any) -> dict[str, Any]:
    return {"operation": kind, "thoughts": list(thoughts), **lists}


def test_a_node_is_a_thought_in_an_operation_and_has_no_parent() -> None:
    trace = one(reader, Source(SAMPLE))
    assert [(n.node_id, n.parent_ids, n.action_kind, n.step, n.score, n.fate) for n in trace.nodes] == [
        ("0.0", (), "generate", "12 * 2 = 24", None, None), ("0.1", (), "generate", "It is odd.", None, None),
        ("1.0", (), "score", "12 * 2 = 24", 1.0, None), ("1.1", (), "score", "It is odd.", 0.0, None),
        ("2.0", (), "keep_best_n", "12 * 2 = 24", 1.0, None),
        ("3.0", (), "ground_truth_evaluator", "12 * 2 = 24", 1.0, None),
    ]  # fmt: skip


def test_what_the_log_cannot_say_stands_in_the_warnings() -> None:
    assert one(reader, Source(SAMPLE)).run.warnings == (
        "no edges are recorded, neither between operations nor between thoughts: the order of operations is all there is",
        "4 thoughts of 6 are the same text again: each operation writes every thought that it passes on",
        "1 thoughts were dropped by keep_best_n; which ones is not recorded",
    )


def test_the_last_check_is_the_outcome_and_the_totals_are_the_spend_of_the_run() -> None:
    trace = one(reader, Source(SAMPLE))
    run = trace.run
    assert (run.outcome, run.outcome_by, run.answer, run.question) == ("right", "log: problem_solved", "yes", "Is 24 reachable from 1 2 12?")
    assert (run.reported_input_tokens, run.reported_output_tokens, run.reported_cost, run.reported_calls) == (120, 30, 0.0006, None)
    assert [n.verified for n in trace.nodes] == [None] * 5 + [True]
    assert (run.run_id, json.loads(run.protocol or ""), extra(run)) == ("got/toy_got_1", {"method": "got"}, {})


def test_the_requirement_that_every_thought_repeats_is_kept_once(tmp_path: Path) -> None:
    other = {"current": "b", "requirement_text": "q2", "phase": 1}
    trace = one(reader, document(tmp_path, [operation("generate", {"current": "a", "requirement_text": "q"}, other)]))
    assert (trace.run.question, [extra(n) for n in trace.nodes]) == ("q", [{}, {"requirement_text": "q2", "phase": 1}])


def test_a_thought_that_was_not_scored_or_not_compared_has_no_result(tmp_path: Path) -> None:
    lists = {"scored": [False, True], "scores": [0, None], "compared_to_ground_truth": [False, True], "problem_solved": [False, True]}
    trace = one(reader, document(tmp_path, [operation("score", {"current": "a"}, {"current": "b"}, **lists)]))
    assert [(n.score, n.score_raw, n.verified) for n in trace.nodes] == [(None, "0", None), (None, None, True)]
    assert trace.run.outcome == "unknown"
    assert "the last check found some thoughts right and others wrong: the outcome is not known" in trace.run.warnings


def test_bad_operations_thoughts_and_lists_are_named_and_kept(tmp_path: Path) -> None:
    source = document(tmp_path, [3, {"operation": 4, "thoughts": []}, operation("x", {"current": "a"}, 5, scores=[1]), {"cost": "much", "by": "x"}])
    assert problems(reader, source) == [
        ("$[0]", "a number where an operation was expected"),
        ("$[1].operation", "a number where the name of an operation was expected"),
        ("$[2].thoughts[1]", "a number where a thought was expected"),
        ("$[2].scores", "not one entry for each of 2 thoughts"),
    ]
    *_, trace = reader.read(source)
    assert extra(trace.run) == {"totals": {"cost": "much", "by": "x"}, "operations": {"2": {"operation": "x", "scores": [1]}}}  # type: ignore[union-attr]


@pytest.mark.parametrize("content", [[], "x", None, {}])
def test_a_document_of_another_shape_is_one_problem(tmp_path: Path, content: Any) -> None:
    assert len(problems(reader, document(tmp_path, content))) == 1


def test_no_change_of_a_single_value_breaks_the_reader(tmp_path: Path) -> None:
    never_breaks(reader, tmp_path, json.loads(SAMPLE.read_bytes()))

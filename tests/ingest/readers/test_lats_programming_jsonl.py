"""Are the result lines of LATS read as two attempts and an outcome, without a tree that nobody wrote down?"""

from __future__ import annotations

import json
from pathlib import Path

from ingest.readers import lats_programming_jsonl
from ingest.schema import Trace
from ingest.source import Source
from tests.foreign import SAMPLES, extra, said, split, withstands_every_change, write

SAMPLE = SAMPLES / "lats-programming-jsonl" / "lines" / "sums.jsonl"


def traces() -> dict[str, Trace]:
    problems, found = split(lats_programming_jsonl, Source(SAMPLE))
    assert problems == []
    return {trace.run.run_id: trace for trace in found}


def test_a_line_is_a_run_and_a_problem_that_comes_again_gets_a_number() -> None:
    assert {run: trace.run.task_id for run, trace in traces().items()} == {
        "sums/T_1_add": "T_1_add", "sums/T_2_neg": "T_2_neg", "sums/T_1_add#2": "T_1_add",
    }  # fmt: skip


def test_attempts_are_independent_and_the_last_one_that_is_the_solution_was_checked() -> None:
    trace = traces()["sums/T_1_add"]
    assert [(node.node_id, node.parent_ids, node.step, node.observation, node.fate, node.verified, node.score) for node in trace.nodes] == [
        ("0", (), "return a", "Tests failed: 1", "terminal", None, None),
        ("1", (), "return a + b", "Tests passed: 1", "terminal", True, None),
    ]
    assert (trace.run.selected_path, trace.run.outcome, trace.run.outcome_by) == (("1",), "right", "log: is_solved")
    assert extra(trace.run)["reflections"] == ["I forgot b."]


def test_a_line_without_attempts_has_no_nodes_and_no_outcome() -> None:
    trace = traces()["sums/T_2_neg"]
    assert (trace.nodes, trace.run.outcome, trace.run.selected_path, trace.run.answer) == ((), "unknown", None, None)
    assert trace.run.warnings[0].startswith("no attempt is recorded")


def test_a_line_without_a_name_or_with_attempts_that_are_no_texts_is_a_problem_and_the_others_are_read(tmp_path: Path) -> None:
    lines = [{"name": 3}, {"name": "a", "implementations": [1]}, {"name": "b", "acc": 1}]
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) + "not JSON\n")
    source = Source(path)
    assert [message for _, message in said(lats_programming_jsonl, source)] == [
        "a number where the name of a problem was expected",
        "a number where a text was expected",
        "not JSON: Expecting value at column 1",
    ]
    assert [trace.run.run_id for trace in split(lats_programming_jsonl, source)[1]] == ["log/b"]


def test_no_change_of_a_single_value_breaks_the_reader(tmp_path: Path) -> None:
    withstands_every_change(lats_programming_jsonl, json.loads(SAMPLE.read_bytes().splitlines()[0]), tmp_path)


def test_only_lines_of_the_benchmark_are_claimed(tmp_path: Path) -> None:
    assert lats_programming_jsonl.sniff(Source(SAMPLE))
    assert not lats_programming_jsonl.sniff(write(tmp_path, {"name": "a", "test": "b"}))

"""Are automatically labelled solutions read as chains, with each verdict as truth of its step?"""

from __future__ import annotations

import json
from pathlib import Path

from ingest.readers import math_shepherd as reader
from ingest.source import Source
from tests.foreign_log import SAMPLES, extra, lines, never_breaks, one, problems, traces

SAMPLE = SAMPLES / "math-shepherd" / "chains" / "sums.jsonl"


def test_a_solution_is_a_chain_of_its_steps() -> None:
    first, _ = traces(reader, Source(SAMPLE))
    assert [(n.node_id, n.parent_ids, n.depth, n.step, n.fate) for n in first.nodes] == [
        ("0", (), 0, "Step 1: First 2 * 3 = 6.", "expanded"),
        ("1", ("0",), 1, "Step 2: Then 2 + 6 = 8. The answer is: 8", "terminal"),
    ]
    assert (first.run.question, first.run.selected_path, extra(first.run)) == ("What is 2 + 2 * 3?", ("0", "1"), {"task": "toy"})


def test_verdicts_are_truth_and_the_last_one_is_the_outcome() -> None:
    first, second = traces(reader, Source(SAMPLE))
    assert [(t.node_id, t.viable, t.viable_by, t.detail) for t in second.truth] == [("0", True, "label", "+"), ("1", False, "label", "-")]
    assert [(t.run.run_id, t.run.outcome, t.run.outcome_by) for t in (first, second)] == [
        ("sums/1", "right", "label: verdict on the last step"), ("sums/2", "wrong", "label: verdict on the last step"),
    ]  # fmt: skip
    assert {n.score for n in second.nodes} == {None}


def test_a_marker_that_both_texts_have_is_a_part_of_the_solution(tmp_path: Path) -> None:
    trace = one(reader, lines(tmp_path, {"input": "руки ки два ки три", "label": "руки + два - три", "task": "t"}))
    assert [(n.step, t.viable) for n, t in zip(trace.nodes, trace.truth, strict=True)] == [("руки", True), ("два", False)]
    assert (trace.run.outcome, extra(trace.run)["after the last step"], trace.run.question) == ("unknown", " три", None)


def test_texts_that_do_not_fit_each_other_are_named(tmp_path: Path) -> None:
    source = lines(
        tmp_path, {"input": "a ки", "label": "a +", "task": "t"}, {"input": "a ки", "label": "b +", "task": "t"},
        {"input": "a ки", "label": "a ", "task": "t"}, {"input": "a ки", "label": 3, "task": "t"},
    )  # fmt: skip
    assert problems(reader, source) == [
        ("2: $.label", "is not input with its markers replaced: they differ after 0 characters"),
        ("3: $.label", "has no + or - at character 2, where input has its marker"),
        ("4: $.label", "a number where a text was expected"),
    ]


def test_no_change_of_a_single_value_breaks_the_reader(tmp_path: Path) -> None:
    never_breaks(reader, tmp_path, json.loads(SAMPLE.read_text().splitlines()[0]), wrap=True)


def test_lines_without_the_marker_are_not_claimed(tmp_path: Path) -> None:
    assert not reader.sniff(lines(tmp_path, {"input": "a", "label": "a", "task": "t"}))

"""Are labelled solutions read with ratings as people's truth, the labeller's choice as path, and nothing as a score?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ingest.errors import Problem
from ingest.readers import prm800k as reader
from ingest.source import Source
from tests.foreign_log import SAMPLES, extra, lines, never_breaks, problems, traces

SAMPLE = SAMPLES / "prm800k" / "phase" / "sums.jsonl"


def solution(*steps: Any) -> dict[str, Any]:
    return {"labeler": "x", "question": {}, "label": {"steps": list(steps)}}


def test_every_completion_of_a_step_hangs_from_the_one_that_went_on() -> None:
    first, _ = traces(reader, Source(SAMPLE))
    assert [(n.node_id, n.parent_ids, n.depth, n.fate) for n in first.nodes] == [
        ("0.0", (), 0, "pruned"), ("0.1", (), 0, "expanded"),
        ("1.0", ("0.1",), 1, "pruned"), ("1.h", ("0.1",), 1, "expanded"),
        ("2.0", ("1.h",), 2, "terminal"),
    ]  # fmt: skip
    assert first.run.selected_path == ("0.1", "1.h", "2.0")


def test_ratings_are_truth_and_never_scores() -> None:
    first, _ = traces(reader, Source(SAMPLE))
    assert {n.score for n in first.nodes} == {None}
    assert [(t.node_id, t.viable, t.viable_by, t.detail) for t in first.truth] == [
        ("0.0", False, "label", "rating -1"), ("0.1", True, "label", "rating 0"),
        ("1.0", False, "label", "rating -1"), ("2.0", True, "label", "rating 1"),
    ]  # fmt: skip


def test_what_was_not_chosen_was_pruned_by_the_labeller() -> None:
    _, second = traces(reader, Source(SAMPLE))
    assert [(n.node_id, n.fate, n.prune_rule, n.pruned_by) for n in second.nodes] == [
        ("0.0", "expanded", None, None),
        ("1.0", "pruned", "not chosen by the labeller", "survived"),
        ("1.1", "pruned", "not chosen by the labeller", "survived"),
    ]
    assert second.run.selected_path == ("0.0",)


def test_the_reason_for_the_end_tells_right_from_wrong() -> None:
    runs = [trace.run for trace in traces(reader, Source(SAMPLE))]
    assert [(run.run_id, run.outcome, run.outcome_by, run.stop_reason) for run in runs] == [
        ("sums/1", "right", "label: finish_reason", "goal"), ("sums/2", "wrong", "label: finish_reason", None),
    ]  # fmt: skip
    assert (extra(runs[0])["ground_truth_answer"], extra(runs[0])["total_time"], runs[0].wall_clock_s) == ("8", 4000, None)


def test_a_step_after_one_where_nothing_went_on_names_a_parent_that_is_missing(tmp_path: Path) -> None:
    offered = {"completions": [{"text": "a"}], "chosen_completion": None}
    (trace,) = traces(reader, lines(tmp_path, solution(offered, offered)))
    assert [(n.node_id, n.parent_ids) for n in trace.nodes] == [("0.0", ()), ("1.0", ("0.none",))]


def test_a_bad_line_is_named_by_its_place_and_the_others_load(tmp_path: Path) -> None:
    step = {"completions": [{"text": "a"}], "chosen_completion": 1}
    source = lines(tmp_path, solution(), solution(3), solution(step), solution({**step, "completions": [4]}), solution({"human_completion": 1}))
    assert problems(reader, source) == [
        ("2: $.label.steps[0]", "a number where a step was expected"),
        ("3: $.label.steps[0].chosen_completion", "1 where a place among 1 completions was expected"),
        ("4: $.label.steps[0].completions[0]", "a number where a completion was expected"),
        ("5: $.label.steps[0].human_completion", "a number where a completion was expected"),
    ]
    assert [item.line for item in reader.read(source) if isinstance(item, Problem)] == [2, 3, 4, 5]


def test_no_change_of_a_single_value_breaks_the_reader(tmp_path: Path) -> None:
    for line in SAMPLE.read_text().splitlines():
        never_breaks(reader, tmp_path, json.loads(line), wrap=True)

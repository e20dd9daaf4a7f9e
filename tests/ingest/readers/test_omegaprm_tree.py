"""Are rollout trees read with the share of successful rollouts as score, and flat lists without invented parents?"""

from __future__ import annotations

import json
from pathlib import Path

from ingest.readers import omegaprm_tree as reader
from ingest.source import Source
from tests.foreign_log import SAMPLES, extra, lines, never_breaks, one, problems

TREE, FLAT = (SAMPLES / "omegaprm-tree" / name / "sums.jsonl" for name in ("tree", "flat"))


def test_parents_are_the_nesting_and_siblings_with_one_text_stay_two() -> None:
    assert [(n.node_id, n.parent_ids, n.step, n.score, n.fate) for n in one(reader, Source(TREE)).nodes] == [
        ("r", (), "What is 2 + 2 * 3?", 0.5, "expanded"),
        ("r.0", ("r",), "First 2 * 3 = 6.", 1.0, "expanded"),
        ("r.0.0", ("r.0",), "Then 2 + 6 = 8.", 1.0, None),
        ("r.0.1", ("r.0",), "Then 2 + 6 = 9.", 0.0, None),
        ("r.1", ("r",), "First 2 + 2 = 4.", 0.0, None),
        ("r.2", ("r",), "First 2 + 2 = 4.", 0.125, None),
    ]


def test_the_score_comes_from_rollouts_that_were_checked_and_not_from_a_model() -> None:
    node = one(reader, Source(TREE)).nodes[0]
    assert (node.score_source, node.tier, node.score_raw) == ("verifier", "domain_signal", "0.5")


def test_one_rollout_that_succeeded_proves_that_the_answer_can_be_reached_and_none_proves_nothing() -> None:
    assert [(t.node_id, t.viable, t.viable_by) for t in one(reader, Source(TREE)).truth] == [
        ("r", True, "environment"), ("r.0", True, "environment"), ("r.0.0", True, "environment"), ("r.2", True, "environment"),
    ]  # fmt: skip


def test_a_flat_list_has_no_parents_and_says_so() -> None:
    trace = one(reader, Source(FLAT))
    assert [(n.node_id, n.parent_ids) for n in trace.nodes] == [("s0", ()), ("s1", ())]
    assert trace.run.warnings[0].startswith("parents are not recorded")


def test_the_reference_answer_is_not_the_answer_of_the_run() -> None:
    run = one(reader, Source(TREE)).run
    assert (run.run_id, run.task_id, run.answer, run.outcome, extra(run)) == ("sums/7", "7", None, "unknown", {"final_answer": "8"})


def test_bad_lines_and_nodes_are_named_and_the_others_load(tmp_path: Path) -> None:
    root = {"text": "q", "children": [{"text": 3, "children": [{"text": "x"}]}, {"text": "y", "children": 4}]}
    good = {"question": "q", "final_answer": "1", "reasoning_steps": root}
    source = lines(tmp_path, good, "{", {**good, "reasoning_steps": 3}, {**good, "reasoning_steps": [{"solution_prefix": None}]})
    assert problems(reader, source) == [
        ("1: $.reasoning_steps.children[0]", "a number where the text of a node was expected"),
        ("1: $.reasoning_steps.children[1].children", "a number where a list was expected"),
        ("2", "not JSON: Expecting property name enclosed in double quotes at column 2"),
        ("3: $.reasoning_steps", "a number where a tree or a list of prefixes was expected"),
        ("4: $.reasoning_steps[0]", "null where a solution_prefix was expected"),
    ]
    first = next(item for item in reader.read(source) if not hasattr(item, "message"))
    assert [(n.node_id, n.parent_ids) for n in first.nodes] == [("r", ()), ("r.0.0", ("r.0",)), ("r.1", ("r",))]


def test_a_value_that_is_no_number_is_kept_raw(tmp_path: Path) -> None:
    steps = {"text": "q", "mc_value": "high"}
    node = one(reader, lines(tmp_path, {"question": "q", "final_answer": "1", "reasoning_steps": steps})).nodes[0]
    assert (node.score, node.score_raw, node.error) == (None, '"high"', "the logged mc_value is not a finite number")


def test_no_change_of_a_single_value_breaks_the_reader(tmp_path: Path) -> None:
    for sample in (TREE, FLAT):
        never_breaks(reader, tmp_path, json.loads(sample.read_text()), wrap=True)

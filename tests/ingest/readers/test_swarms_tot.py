"""Are thoughts without parents shown as what they are, with the reasons of pruning in the words of the log?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.readers import swarms_tot as reader
from ingest.source import Source
from tests.foreign_log import SAMPLES, document, extra, never_breaks, one, problems

PRUNED, ALL, SINGLE = (next((SAMPLES / "swarms-tot" / name).glob("*.json")) for name in ("pruned", "all", "single"))


def test_thoughts_have_no_parents_no_depths_and_no_order() -> None:
    trace = one(reader, Source(PRUNED))
    assert {(n.parent_ids, n.depth, n.seq, n.request_index) for n in trace.nodes} == {((), None, None, None)}
    assert [(n.node_id, n.score, n.fate) for n in trace.nodes] == [("t0", 0.5, None), ("t1", 0.9, "terminal"), ("p0", 0.5, "pruned")]
    assert trace.run.warnings == (
        "parents and depths are not recorded: every thought stands for itself",
        "the lists are sorted by evaluation: the order of the thoughts is no order in time",
    )


def test_a_pruned_thought_has_the_reason_as_logged_and_no_rule_that_the_log_does_not_name() -> None:
    node = one(reader, Source(PRUNED)).nodes[2]
    assert (node.prune_reason, node.prune_rule, node.pruned_by) == ("Evaluation below prune_threshold", None, "survived")
    assert (node.score_source, node.tier) == ("model", "judge")


def test_a_final_thought_that_repeats_a_kept_one_is_that_one() -> None:
    trace = one(reader, Source(PRUNED))
    assert (len(trace.nodes), trace.run.selected_path, trace.run.answer) == (3, ("t1",), "12 * 2 * 1 = 24")


def test_a_final_thought_that_repeats_none_is_a_node_of_its_own() -> None:
    trace = one(reader, Source(ALL))
    assert [(n.node_id, n.score, n.fate) for n in trace.nodes] == [("t0", 0.5, None), ("t1", 0.25, None), ("final", 0.75, "terminal")]
    assert trace.run.selected_path == ("final",)


def test_a_bare_thought_is_a_run_of_one_node_without_a_choice() -> None:
    trace = one(reader, Source(SINGLE))
    assert [(n.node_id, n.step, n.score, extra(n)) for n in trace.nodes] == [("t0", "Try 12 * 2.", 0.5, {})]
    assert (trace.run.selected_path, trace.run.answer) == (None, None)


def test_an_empty_run_says_so(tmp_path: Path) -> None:
    trace = one(reader, document(tmp_path, {"final_thoughts": [], "pruned_branches": []}))
    assert (trace.nodes, trace.run.warnings) == ((), ("the run holds no thought",))


def test_bad_thoughts_are_named_and_other_fields_are_kept(tmp_path: Path) -> None:
    content = {"final_thoughts": [{"thought": "a", "evaluation": "high", "by": "x"}, 3, {"evaluation": 1}], "pruned_branches": 4, "note": "n"}
    source = document(tmp_path, content)
    assert problems(reader, source) == [
        ("$.pruned_branches", "a number where a list was expected"),
        ("$.final_thoughts[1]", "a number where a thought was expected"),
        ("$.final_thoughts[2]", "null where a thought was expected"),
    ]
    *_, trace = reader.read(source)
    assert [(n.score, n.score_raw, n.error, extra(n)) for n in trace.nodes] == [  # type: ignore[union-attr]
        (None, '"high"', "the logged evaluation is not a finite number", {"by": "x"})
    ]
    assert extra(trace.run) == {"pruned_branches": 4, "note": "n"}  # type: ignore[union-attr]


@pytest.mark.parametrize("content", [[], "x", None, {}])
def test_a_document_of_another_shape_is_one_problem(tmp_path: Path, content: Any) -> None:
    assert len(problems(reader, document(tmp_path, content))) == 1


@pytest.mark.parametrize("sample", [PRUNED, ALL, SINGLE], ids=lambda path: path.parent.name)
def test_no_change_of_a_single_value_breaks_the_reader(tmp_path: Path, sample: Path) -> None:
    never_breaks(reader, tmp_path, json.loads(sample.read_bytes()))


def test_an_object_with_a_thought_among_others_is_not_claimed(tmp_path: Path) -> None:
    others = [{"thought": "a", "evaluation": 1, "next": []}, {"steps": [{"thought": "a", "evaluation": 1}]}, [{"thought": "a", "evaluation": 1}]]
    assert [reader.sniff(document(tmp_path, content)) for content in others] == [False] * 3

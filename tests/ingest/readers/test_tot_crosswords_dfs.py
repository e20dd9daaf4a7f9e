"""Are visits of a depth-first crossword search read as a tree of boards, with vetoes as pruning and counts as no score?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.errors import Problem
from ingest.readers import tot_crosswords_dfs as reader
from ingest.source import Source
from tests.foreign_log import SAMPLES, document, extra, never_breaks, problems, traces

PRUNE = SAMPLES / "tot-crosswords-dfs" / "prune" / "toy_dfs_prune.json"
NO_PRUNE = SAMPLES / "tot-crosswords-dfs" / "no_prune" / "toy_dfs_no_prune.json"


def visit(*moves: str, impossible: int = 0, **fields: Any) -> dict[str, Any]:
    return {"total_step": 0, "env_step": 1, "actions": list(moves), "info": {}, "count": {"impossible": impossible}, **fields}


def test_a_board_is_its_moves_and_its_parent_is_the_board_before_the_last_one() -> None:
    first, second = traces(reader, Source(PRUNE))
    assert [(n.node_id, n.parent_ids, n.depth, n.step) for n in first.nodes] == [
        ("h1. toads", (), 0, "h1. toads"),
        ("h1. toads / v1. tiger", ("h1. toads",), 1, "v1. tiger"),
        ("h1. toads / v1. tiger / h2. inlet", ("h1. toads / v1. tiger",), 2, "h2. inlet"),
        ("h1. toads / v1. tiger / h3. gamma", ("h1. toads / v1. tiger",), 2, "h3. gamma"),
        ("v1. tiger", (), 0, "v1. tiger"),
        ("v1. tiger / h1. toads", ("v1. tiger",), 1, "h1. toads"),
    ]
    assert (first.run.run_id, second.run.run_id, len(second.nodes)) == ("toy_dfs_prune/0", "toy_dfs_prune/1", 1)


def test_a_veto_prunes_a_board_that_was_not_continued() -> None:
    first, second = traces(reader, Source(PRUNE))
    assert [n.fate for n in first.nodes] == ["expanded", "expanded", "pruned", "open", "expanded", "open"]
    assert [(n.prune_rule, n.pruned_by, n.prune_reason) for n in second.nodes] == [("count.impossible >= 1", "survived", None)]


def test_where_flagged_boards_have_children_nothing_was_pruned() -> None:
    (trace,) = traces(reader, Source(NO_PRUNE))
    assert [n.fate for n in trace.nodes] == ["expanded", "open"]
    assert "boards with an impossible clue have children in this file: they were flagged, not pruned" in trace.run.warnings


def test_the_counts_of_the_judge_are_kept_and_are_no_score() -> None:
    node = traces(reader, Source(PRUNE))[0].nodes[2]
    assert (node.score, json.loads(node.score_raw or ""), node.tier) == (None, {"sure": 2, "maybe": 1, "impossible": 1}, "judge")
    assert extra(node) == {"info": {"r_letter": 0.4, "r_word": 0.2}}


def test_a_board_that_is_wholly_right_is_verified_and_true_and_any_other_is_unknown() -> None:
    first, second = traces(reader, Source(PRUNE))
    right = "h1. toads / v1. tiger / h3. gamma"
    assert [(n.node_id, n.verified) for n in first.nodes if n.verified is not None] == [(right, True)]
    assert [(t.node_id, t.viable, t.viable_by) for t in first.truth] == [(right, True, "environment")]
    assert second.truth == ()


def test_one_board_reached_by_two_orders_has_one_state_key() -> None:
    keys = [n.state_key for n in traces(reader, Source(PRUNE))[0].nodes]
    assert keys[1] == keys[5] == "h1. toads | v1. tiger"


def test_what_the_program_returned_is_not_known() -> None:
    run = traces(reader, Source(PRUNE))[0].run
    assert (run.selected_path, run.outcome, run.stop_reason, run.level_by_level) == (None, "unknown", None, False)
    assert any("neither a selected path nor an outcome" in warning for warning in run.warnings)


def test_a_run_of_a_hundred_visits_says_that_this_is_the_cap(tmp_path: Path) -> None:
    (trace,) = traces(reader, document(tmp_path, [[visit(f"h{i}. x") for i in range(100)]]))
    assert trace.run.warnings[-1] == "it ends at 100 visits, the cap of the program, which the log does not state"


def test_the_same_moves_again_are_a_node_of_their_own(tmp_path: Path) -> None:
    (trace,) = traces(reader, document(tmp_path, [[visit("a"), visit("a")]]))
    assert [n.node_id for n in trace.nodes] == ["a", "a#2"]
    assert "1 visits repeat the moves" in trace.run.warnings[-1]


def test_steps_that_are_not_the_expected_ones_are_kept(tmp_path: Path) -> None:
    (trace,) = traces(reader, document(tmp_path, [[visit("a", total_step=7, env_step=2, note="x")]]))
    assert extra(trace.nodes[0]) == {"total_step": 7, "env_step": 2, "info": {}, "note": "x"}


def test_bad_visits_are_named_by_their_place_and_the_others_load(tmp_path: Path) -> None:
    source = document(tmp_path, [[visit("a"), 3, visit(), {"actions": [1]}], "x", [visit("b")]])
    assert problems(reader, source) == [
        ("$[0][1]", "a number where a visit was expected"),
        ("$[0][2].actions", "no move where the path from the empty board was expected"),
        ("$[0][3].actions[0]", "a number where a text was expected"),
        ("$[1]", "a text where a list of visits was expected"),
    ]
    assert len([item for item in reader.read(source) if not isinstance(item, Problem)]) == 2


@pytest.mark.parametrize("content", [{}, [], "x", None])
def test_a_document_of_another_shape_is_one_problem(tmp_path: Path, content: Any) -> None:
    assert len(problems(reader, document(tmp_path, content))) == 1


def test_no_change_of_a_single_value_breaks_the_reader(tmp_path: Path) -> None:
    never_breaks(reader, tmp_path, json.loads(PRUNE.read_bytes()))

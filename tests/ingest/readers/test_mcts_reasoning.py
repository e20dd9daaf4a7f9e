"""Are trees of texts read with backed-up values apart from scores, and summaries as runs without nodes?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.readers import mcts_reasoning as reader
from ingest.source import Source
from tests.foreign_log import SAMPLES, document, extra, never_breaks, one, problems, traces

TREE = SAMPLES / "mcts-reasoning" / "tree" / "sum.json"
RESULTS, BUDGET = SAMPLES / "mcts-reasoning" / "summaries" / "results.jsonl", SAMPLES / "mcts-reasoning" / "summaries" / "budget.jsonl"


def test_ids_are_positions_and_a_step_is_what_the_text_has_more_than_its_parent() -> None:
    assert [(n.node_id, n.parent_ids, n.step, n.action_kind, n.fate) for n in one(reader, Source(TREE)).nodes] == [
        ("r", (), None, None, "expanded"),
        ("r.0", ("r",), "[calculate] 2 + 2 = 4", "calculate", "expanded"),
        ("r.0.0", ("r.0",), "[conclude] ANSWER: 4", "conclude", "terminal"),
        ("r.1", ("r",), "It is even.", None, "open"),
    ]


def test_what_was_backed_up_is_never_a_score() -> None:
    trace = one(reader, Source(TREE))
    assert {n.score for n in trace.nodes} == {None}
    assert [(extra(n)["visits"], extra(n)["value"]) for n in trace.nodes] == [(3, 0.25), (2, 0.375), (1, 0.75), (1, 0.0)]
    assert any("it is no score" in warning for warning in trace.run.warnings)


def test_terminal_scores_stay_with_the_run_because_their_texts_were_cut() -> None:
    run = one(reader, Source(TREE)).run
    assert [state["score"] for state in extra(run)["terminal_states"]] == [0.75]
    assert any("cannot be joined to nodes" in warning for warning in run.warnings)


def test_a_root_with_fewer_visits_than_simulations_says_that_the_others_failed() -> None:
    assert "the root has 3 visits of 4 simulations: the others failed" in one(reader, Source(TREE)).run.warnings


def test_settings_are_the_protocol_and_nothing_else_is_known() -> None:
    run = one(reader, Source(TREE)).run
    assert json.loads(run.protocol or "") == {"exploration_constant": 1.4, "max_children_per_node": 2, "max_rollout_depth": 3}
    assert (run.run_id, run.question, run.selected_path, run.outcome, run.stop_reason) == ("sum", "What is 2 + 2?", None, "unknown", None)


def test_a_summary_is_a_run_with_an_outcome_and_no_nodes() -> None:
    first, second = traces(reader, Source(RESULTS))
    assert [(t.run.run_id, t.run.task_id, t.run.answer, t.run.outcome, t.run.outcome_by) for t in (first, second)] == [
        ("results/sum", "sum", "4", "right", "log: mcts_correct"), ("results/sum#2", "sum", None, "wrong", "log: mcts_correct"),
    ]  # fmt: skip
    assert (first.nodes, first.run.reported_nodes, first.run.depth_reached, first.run.wall_clock_s, first.run.started_at) == ((), 7, 3, 1.5, None)
    assert json.loads(first.run.protocol or "") == {"model": "toy-model", "name": "toy", "simulations": 4}
    (other,) = traces(reader, Source(BUDGET))
    assert (other.run.run_id, other.run.task_id, other.run.outcome, other.run.reported_nodes) == ("budget/1", None, "wrong", 9)


def test_bad_nodes_are_named_by_their_path_and_the_others_load(tmp_path: Path) -> None:
    source = document(tmp_path, {"root": {"state": "q", "children": [3, {"state": None, "children": 4}]}})
    assert problems(reader, source) == [
        ("$.root.children[0]", "a number where a node was expected"),
        ("$.root.children[1].children", "a number where a list was expected"),
    ]


def test_deeper_nesting_than_any_search_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text('{"root": ' + '{"children": [' * 3000 + "]}" * 3000 + "}")
    assert [message for _, message in problems(reader, Source(path))] == ["more than 1000 levels"]


@pytest.mark.parametrize("content", [[], "x", None, {}, {"root": 3}])
def test_a_document_of_another_shape_is_one_problem(tmp_path: Path, content: Any) -> None:
    assert len(problems(reader, document(tmp_path, content))) == 1


def test_no_change_of_a_single_value_breaks_the_reader(tmp_path: Path) -> None:
    never_breaks(reader, tmp_path, json.loads(TREE.read_bytes()))
    never_breaks(reader, tmp_path, json.loads(RESULTS.read_text().splitlines()[0]), wrap=True)

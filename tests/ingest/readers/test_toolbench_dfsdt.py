"""Are ToolBench's depth-first trees and chains read node by node, with nothing taken for a score or a verified answer?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest import columns
from ingest.errors import Problem
from ingest.readers import toolbench_dfsdt
from ingest.schema import Node, Trace
from ingest.source import Source
from tests.broken_json import broken

SAMPLES = Path(__file__).parents[3] / "sample_traces" / "toolbench-dfsdt"
TREE = SAMPLES / "tree" / "ferry_DFS_woFilter_w2.json"
CHAIN = SAMPLES / "chain" / "ferry_CoT@2.json"


def node(kind: Any, words: str, *children: Any, depth: int = 0, **fields: Any) -> dict[str, Any]:
    flags = {"is_terminal": False, "pruned": False, "finished": False, "Elo": 1000.0, "depth": depth}
    return {**flags, "node_type": kind, "description": words, "children": list(children), **fields}


def document(root: Any, **answer: Any) -> dict[str, Any]:
    return {
        "win": True,
        "tree": {"size": 1, "max_length": 1, "tree": root},
        "forward_args": {"max_query_count": 20, "answer": 1, "single_chain_max_step": 12},
        "answer_generation": {"query": "When?", "query_count": 4, "total_tokens": 90, "final_answer": "", **answer},
    }


def write(folder: Path, content: Any) -> Source:
    path = folder / "log.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return Source(path)


def one(source: Source) -> Trace:
    (trace,) = toolbench_dfsdt.read(source)
    assert isinstance(trace, Trace)
    return trace


def by_id(trace: Trace) -> dict[str, Node]:
    return {item.node_id: item for item in trace.nodes}


def test_ids_are_paths_of_child_positions_in_the_order_of_the_search() -> None:
    trace = one(Source(TREE))
    assert [(item.node_id, item.parent_ids, item.depth, item.request_index) for item in trace.nodes][:5] == [
        ("r", (), 0, 0), ("r.0", ("r",), 1, 0), ("r.0.0", ("r.0",), 2, 0),
        ("r.0.0.0", ("r.0.0",), 3, 0), ("r.0.0.0.0", ("r.0.0.0",), 4, 0),
    ]  # fmt: skip
    assert [item.seq for item in trace.nodes] == list(range(12))


def test_a_step_names_its_kind_and_an_action_its_tool() -> None:
    nodes = by_id(one(Source(TREE)))
    assert nodes["r"].step == "Action Input"
    assert (nodes["r.0"].step, nodes["r.0"].action_kind, nodes["r.0"].action_target) == (
        "Action: find_place",
        "tool",
        "find_place",
    )
    assert (nodes["r.0.0"].step, nodes["r.0.0"].action_kind) == ('Action Input: {"name": "harbour"}', None)
    assert (nodes["r.0.0"].observation, nodes["r.0"].observation) == ('{"response": "north"}', None)


def test_fates_come_from_the_flags_and_no_rule_is_made_up_for_pruning() -> None:
    nodes = by_id(one(Source(TREE)))
    assert {nodes[i].fate for i in ("r", "r.0.0.0", "r.0.0.1.0")} == {"expanded"}
    pruned, answer = nodes["r.0.0.0.0.0.0"], nodes["r.0.0.1.0.0.0.0"]
    assert (pruned.fate, pruned.pruned_by, pruned.prune_rule, pruned.prune_reason) == ("pruned", "survived", None, None)
    assert (answer.fate, answer.verified) == ("terminal", None)


def test_a_leaf_without_any_flag_is_open(tmp_path: Path) -> None:
    trace = one(write(tmp_path, document(node("Action Input", "", node("Thought", "Hm.", depth=1)))))
    assert [item.fate for item in trace.nodes] == ["expanded", "open"]


def test_elo_never_changes_so_it_is_no_score_and_stays_readable() -> None:
    trace = one(Source(TREE))
    assert {(item.score, item.score_raw, item.evaluator) for item in trace.nodes} == {(None, None, None)}
    assert {json.loads(item.extra or "{}")["Elo"] for item in trace.nodes} == {1000.0}


def test_the_run_takes_question_answer_caps_and_totals_from_the_log() -> None:
    run = one(Source(TREE)).run
    assert (run.run_id, run.question) == ("ferry_DFS_woFilter_w2", "When does the next ferry leave from the harbour?")
    assert run.answer is not None
    assert json.loads(run.answer)["final_answer"] == "The ferry leaves at 9:40."
    assert (run.budget_max_calls, run.budget_max_depth) == (40, None)
    assert (run.reported_nodes, run.reported_calls, run.reported_tokens, run.reported_cost) == (12, 5, 1900, None)
    assert json.loads(run.protocol or "") == {
        "single_chain_max_step": 12, "tree_beam_size": 2, "max_query_count": 40, "answer": 1, "with_filter": False,
    }  # fmt: skip
    assert (run.stop_reason, run.complete, run.level_by_level) == ("goal", True, False)
    assert run.selected_path == ("r", "r.0", "r.0.0", "r.0.0.1", "r.0.0.1.0", "r.0.0.1.0.0", "r.0.0.1.0.0.0", "r.0.0.1.0.0.0.0")


def test_winning_is_not_being_right() -> None:
    run = one(Source(TREE)).run
    assert (run.outcome, run.outcome_by) == ("unknown", None)
    assert "win says that an answer was given; whether it is right is not recorded" in run.warnings
    assert json.loads(run.extra or "{}")["win"] is True


def test_give_answer_without_an_answer_is_the_programs_default_and_no_goal(tmp_path: Path) -> None:
    run = one(write(tmp_path, document(node("Action Input", ""), finish_type="give_answer"))).run
    assert (run.stop_reason, run.complete, run.answer, run.selected_path) == (None, None, None, None)
    assert any(warning.startswith("finish_type is give_answer, but no node gave one") for warning in run.warnings)


def test_giving_up_is_neither_an_answer_nor_a_known_reason_to_stop(tmp_path: Path) -> None:
    leaf = node("Action Input", "I give up.", pruned=True, observation="", observation_code=4)
    run = one(write(tmp_path, document(leaf, finish_type="give_up", final_answer="I give up."))).run
    assert (run.stop_reason, run.answer, run.selected_path) == (None, None, None)
    assert json.loads(run.extra or "{}")["answer_generation"]["final_answer"] == "I give up."


def test_as_many_calls_as_the_cap_allows_is_the_cap(tmp_path: Path) -> None:
    run = one(write(tmp_path, document(node("Action Input", ""), query_count=20))).run
    assert (run.stop_reason, run.complete) == ("call_budget", False)


def test_fewer_answers_than_asked_for_are_no_goal(tmp_path: Path) -> None:
    content = document(node("Action Input", "", node("Action Input", "42", finished=True, depth=1)), final_answer="42")
    content["forward_args"]["answer"] = 2
    run = one(write(tmp_path, content)).run
    assert (run.stop_reason, run.answer, run.selected_path) == (None, "42", ("r", "r.0"))


def test_attempts_of_a_chain_file_are_chains_of_their_own() -> None:
    trace = one(Source(CHAIN))
    assert [(item.node_id, item.parent_ids, item.fate) for item in trace.nodes] == [
        ("t0.0", (), "expanded"), ("t0.1", ("t0.0",), "pruned"),
        ("t1.0", (), "expanded"), ("t1.1", ("t1.0",), "expanded"),
        ("t1.2", ("t1.1",), "expanded"), ("t1.3", ("t1.2",), "terminal"),
    ]  # fmt: skip
    assert (trace.run.selected_path, trace.run.stop_reason) == (("t1.0", "t1.1", "t1.2", "t1.3"), "goal")
    # the file counts from a start state that it does not hold, so its depths stay beside the node
    assert [(item.depth, json.loads(item.extra or "{}")["depth"]) for item in trace.nodes][:2] == [(None, 1), (None, 2)]
    assert json.loads(trace.run.extra or "{}")["trys"] == [{"win": False}, {"win": True}]


def test_a_logged_depth_that_is_not_the_nesting_is_kept_apart(tmp_path: Path) -> None:
    trace = one(write(tmp_path, document(node("Action Input", "", node("Thought", "Hm.", depth=5)))))
    assert [(item.depth, json.loads(item.extra or "{}")["depth"]) for item in trace.nodes] == [(0, 0), (None, 5)]


def test_a_bad_node_is_named_by_its_path_and_what_hangs_below_it_is_kept(tmp_path: Path) -> None:
    below = node("Thought", "Hm.", depth=2)
    root = node("Action Input", "", node(7, "x", below), "no node", node("Action", "find", depth=1, children=None))
    source = write(tmp_path, document(root))
    *problems, trace = toolbench_dfsdt.read(source)
    assert [(item.where, item.message) for item in problems if isinstance(item, Problem)] == [
        (f"{source.name}: $.tree.tree.children[0].node_type", "a number where Thought, Action or Action Input was expected"),
        (f"{source.name}: $.tree.tree.children[1]", "a text where a node was expected"),
        (f"{source.name}: $.tree.tree.children[2].children", "null where a list was expected"),
    ]
    assert isinstance(trace, Trace)
    assert [(item.node_id, item.parent_ids) for item in trace.nodes] == [("r", ()), ("r.0.0", ("r.0",)), ("r.2", ("r",))]


def test_nesting_that_no_chain_reaches_is_a_problem_and_the_rest_loads(tmp_path: Path) -> None:
    deep = "".join('{"node_type": "Thought", "is_terminal": false, "Elo": 0, "children": [' for _ in range(3_000)) + "]}" * 3_000
    path = tmp_path / "deep.json"
    path.write_text('{"tree": {"tree": ' + deep + "}}", encoding="utf-8")
    problem, trace = toolbench_dfsdt.read(Source(path))
    assert isinstance(problem, Problem)
    assert "more than 1000 levels" in problem.message
    assert problem.rejected
    assert isinstance(trace, Trace)
    assert len(trace.nodes) == 1_000


@pytest.mark.parametrize("content", [[], "x", None, {}, {"tree": 3}, {"trys": {}}])
def test_a_document_of_another_shape_is_one_problem(tmp_path: Path, content: Any) -> None:
    (problem,) = toolbench_dfsdt.read(write(tmp_path, content))
    assert isinstance(problem, Problem)
    assert problem.rejected


@pytest.mark.parametrize("sample", [TREE, CHAIN], ids=["tree", "chain"])
def test_no_change_of_a_single_value_breaks_the_reader(tmp_path: Path, sample: Path) -> None:
    for content in broken(json.loads(sample.read_bytes())):
        found = list(toolbench_dfsdt.read(write(tmp_path, content)))
        traces = [item for item in found if isinstance(item, Trace)]
        assert found
        assert len(traces) <= 1
        assert all(item.rejected for item in found if isinstance(item, Problem))
        for trace in traces:
            columns.table_of(trace.nodes, columns.NODES)
            columns.table_of([trace.run], columns.RUNS)


def test_only_the_producers_nodes_are_claimed(tmp_path: Path) -> None:
    words = {"text": '"node_type": "Thought", "is_terminal": false, "Elo": 1000.0, "tree": {}'}
    assert toolbench_dfsdt.sniff(write(tmp_path, document(node("Action Input", ""))))
    others: list[Any] = [words, [document(node("Thought", ""))], {"tree": {}}]
    assert [toolbench_dfsdt.sniff(write(tmp_path, content)) for content in others] == [False] * 3

"""Are Moatless trees read with rewards as scores, sums of rewards apart from them, and every call paid once?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest import columns
from ingest.errors import Problem
from ingest.readers import moatless_tree
from ingest.schema import Call, Node, Trace
from ingest.source import Source
from tests.broken_json import broken

SAMPLE = Path(__file__).parents[3] / "sample_traces" / "moatless-tree" / "nested" / "dates.json"


def node(node_id: Any, *children: Any, **fields: Any) -> dict[str, Any]:
    return {
        "node_id": node_id,
        "reward": None,
        "visits": 0,
        "value": None,
        "completions": {},
        "children": list(children),
        **fields,
    }


def document(root: Any, **settings: Any) -> dict[str, Any]:
    return {"max_iterations": 9, **settings, "root": root}


def write(folder: Path, content: Any) -> Source:
    path = folder / "log.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return Source(path)


def one(source: Source) -> Trace:
    (trace,) = moatless_tree.read(source)
    assert isinstance(trace, Trace)
    return trace


def sample() -> dict[str, Node]:
    return {item.node_id: item for item in one(Source(SAMPLE)).nodes}


def calls() -> dict[str, Call]:
    return {item.call_id: item for item in one(Source(SAMPLE)).calls}


def extra(item: Any) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(item.extra or "{}")
    return fields


def test_ids_are_the_logged_ones_as_text_and_parents_come_from_the_nesting() -> None:
    assert [(item.node_id, item.parent_ids, item.request_index, item.seq) for item in sample().values()] == [
        ("0", (), 0, 0), ("1", ("0",), 0, 1), ("2", ("1",), 0, 2), ("3", ("2",), 0, 3), ("4", ("1",), 1, 4), ("5", ("1",), 2, 5),
    ]  # fmt: skip


def test_nodes_are_numbered_in_the_order_of_their_making_not_of_the_file(tmp_path: Path) -> None:
    trace = one(write(tmp_path, document(node(0, node(1, node(3)), node(2)))))
    assert [(item.node_id, item.seq) for item in trace.nodes] == [("0", 0), ("1", 1), ("3", 3), ("2", 2)]


def test_the_score_is_the_reward_and_what_was_backed_up_stands_apart() -> None:
    nodes = sample()
    assert {i: item.score for i, item in nodes.items()} == {"0": 100.0, "1": 40.0, "2": 55.0, "3": 85.0, "4": None, "5": None}
    assert {i: extra(item).get("backed_up_mean") for i, item in nodes.items()} == {
        "0": 60.0,
        "1": 60.0,
        "2": 70.0,
        "3": 85.0,
        "4": None,
        "5": None,
    }
    assert (extra(nodes["1"])["value"], extra(nodes["1"])["visits"]) == (180, 3)
    assert (nodes["3"].score_source, nodes["3"].tier, nodes["3"].evaluator, nodes["3"].score_raw) == (
        "model",
        "judge",
        "toy-judge",
        "85",
    )


def test_a_root_with_an_initial_reward_keeps_it_with_a_warning() -> None:
    warning = "the root has a score although nothing evaluated it: an initial value of the program"
    assert warning in one(Source(SAMPLE)).run.warnings


def test_a_duplicate_is_pruned_and_never_scored() -> None:
    item = sample()["4"]
    assert (item.fate, item.pruned_by, item.prune_rule, item.score, item.merged_into) == (
        "pruned",
        "distinct",
        "is_duplicate",
        None,
        None,
    )


def test_fates_of_the_other_nodes(tmp_path: Path) -> None:
    assert {i: item.fate for i, item in sample().items()} == {
        "0": "expanded", "1": "expanded", "2": "expanded", "3": "terminal", "4": "pruned", "5": "unscored",
    }  # fmt: skip
    assert sample()["5"].error == "the judge refused the request"
    ended = node(1, output={"message": "bye", "terminal": True})
    assert [item.fate for item in one(write(tmp_path, document(node(0, ended, node(2))))).nodes] == [
        "expanded",
        "terminal",
        "open",
    ]


def test_a_step_is_the_action_with_its_thoughts_and_arguments() -> None:
    item = sample()["1"]
    assert (item.step, item.action_kind, item.action_target) == (
        'ViewCode: Look at the parser.\n{"file_path": "dates.py"}', "ViewCode", "dates.py",
    )  # fmt: skip
    assert (item.observation, sample()["0"].step) == ("def parse(text): ...", None)


def test_the_class_names_an_action_because_name_may_be_an_argument(tmp_path: Path) -> None:
    browse = {
        "action": {"name": "Reader", "thoughts": "Where is it?", "action_args_class": "toy.BrowseArgs"},
        "observation": {"message": "here"},
    }
    plain = {"name": "Finish"}
    trace = one(write(tmp_path, document(node(0, node(1, action_steps=[browse]), node(2, action=plain)))))
    assert [(item.step, item.action_kind, item.observation) for item in trace.nodes[1:]] == [
        ('Browse: Where is it?\n{"name": "Reader"}', "Browse", "here"), ("Finish", "Finish", None),
    ]  # fmt: skip


def test_each_completion_is_one_call_at_its_node_with_what_was_asked_and_answered() -> None:
    call = calls()["2/build_action"]
    assert (call.node_id, call.role, call.model, call.input_tokens, call.output_tokens, call.cached_tokens, call.cost) == (
        "2", "proposer", "toy-coder", 800, 60, 400, 0.003,
    )  # fmt: skip
    assert json.loads(call.prompt or "") == [{"role": "user", "content": "What next?"}]
    assert json.loads(call.response or "") == {"text": "calling a tool"}
    assert json.loads(calls()["2/value_function"].parsed or "")["value"] == 55
    assert {i: item.role for i, item in calls().items() if i.startswith("3")} == {
        "3/build_action": "proposer",
        "3/value_function": "evaluator",
    }


def test_a_cost_of_zero_for_tokens_is_not_known(tmp_path: Path) -> None:
    call = calls()["5/build_action"]
    assert (call.cost, extra(call)["completion_cost"]) == (None, 0)
    free = one(write(tmp_path, document(node(0, completions={"build_action": {"usage": {"completion_cost": 0}}})))).calls
    assert [item.cost for item in free] == [0.0]


def test_other_completions_keep_their_name_and_are_called_tools(tmp_path: Path) -> None:
    trace = one(write(tmp_path, document(node(0, completions={"rerank": {"model": "m"}, "execute_action": None}))))
    assert [(item.call_id, item.role, extra(item)) for item in trace.calls] == [("0/rerank", "tool", {"completion": "rerank"})]
    assert trace.run.warnings == ("calls of unknown purpose, counted as tool calls: rerank",)


def test_the_run_takes_task_caps_and_protocol_from_the_log() -> None:
    run = one(Source(SAMPLE)).run
    assert (run.run_id, run.task_id, run.question) == ("dates", "toy-dates-1", "Parsing a date without a day fails.")
    assert (run.budget_max_depth, run.budget_max_nodes, run.budget_max_cost, run.level_by_level) == (8, 6, 0.5, False)
    assert (run.outcome, run.selected_path, run.stop_reason, run.complete, run.ended) == ("unknown", None, None, None, None)
    assert extra(run)["unique_id"] == 5


def test_the_protocol_is_strict_json_without_what_differs_from_run_to_run() -> None:
    run = one(Source(SAMPLE)).run

    def refuse(word: str) -> Any:
        raise AssertionError(word)

    protocol = json.loads(run.protocol or "", parse_constant=refuse)
    assert protocol["selector"]["minimum_reward_threshold"] == "-Infinity"
    assert protocol["agent"] == {"completion": {"model": "toy-coder", "temperature": 0.2}}
    assert extra(run)["agent"]["completion"]["metadata"] == {"request": "differs every time"}
    assert "unique_id" not in protocol
    assert "root" not in protocol


def test_a_root_and_nothing_else_is_a_run(tmp_path: Path) -> None:
    trace = one(write(tmp_path, document(node(0, is_duplicate=False, value=0.0, message="Do it."))))
    assert [(item.fate, item.score) for item in trace.nodes] == [("open", None)]
    assert (trace.run.question, trace.calls) == ("Do it.", ())


def test_a_reward_that_is_no_number_is_kept_raw_with_an_error(tmp_path: Path) -> None:
    trace = one(write(tmp_path, document(node(0, reward={"value": float("nan")}))))
    assert [(item.score, item.score_raw, item.error) for item in trace.nodes] == [(None, '"NaN"', "the logged reward is not a finite number")]


def test_a_bad_node_is_named_by_its_path_and_what_hangs_below_it_is_kept(tmp_path: Path) -> None:
    source = write(tmp_path, document(node(0, node(None, node(3)), 7, node(3), node(4, children={}))))
    *problems, trace = moatless_tree.read(source)
    assert [(item.where, item.message) for item in problems if isinstance(item, Problem)] == [
        (f"{source.name}: $.root.children[0]", "node_id is null, a number was expected"),
        (f"{source.name}: $.root.children[1]", "a number where a node was expected"),
        (f"{source.name}: $.root.children[2]", "node_id 3 stands in this file before"),
        (f"{source.name}: $.root.children[3].children", "an object where a list was expected"),
    ]
    assert isinstance(trace, Trace)
    assert [(item.node_id, item.parent_ids) for item in trace.nodes] == [
        ("0", ()),
        ("3", ("missing at $.root.children[0]",)),
        ("4", ("0",)),
    ]


def test_a_tree_of_20000_levels_loads(tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    nodes = "".join(f'{{"node_id": {i}, "children": [' for i in range(20_000))
    path.write_text('{"max_iterations": 1, "root": ' + nodes + "]}" * 20_000 + "}", encoding="utf-8")
    assert len(one(Source(path)).nodes) == 20_000


@pytest.mark.parametrize("content", [[], "x", None, {}, {"root": 3}])
def test_a_document_of_another_shape_is_one_problem(tmp_path: Path, content: Any) -> None:
    (problem,) = moatless_tree.read(write(tmp_path, content))
    assert isinstance(problem, Problem)
    assert problem.rejected


def test_no_change_of_a_single_value_breaks_the_reader(tmp_path: Path) -> None:
    for content in broken(json.loads(SAMPLE.read_bytes())):
        found = list(moatless_tree.read(write(tmp_path, content)))
        traces = [item for item in found if isinstance(item, Trace)]
        assert found
        assert len(traces) <= 1
        assert all(item.rejected for item in found if isinstance(item, Problem))
        for trace in traces:
            columns.table_of(trace.nodes, columns.NODES)
            columns.table_of(trace.calls, columns.CALLS)
            columns.table_of([trace.run], columns.RUNS)


def test_only_nested_trees_are_claimed(tmp_path: Path) -> None:
    flat = {"max_iterations": 9, "nodes": [{"node_id": 0, "parent_id": None}]}
    words = {"max_iterations": 9, "node_id": 0, "text": '"root": {"node_id": 0}'}
    assert moatless_tree.sniff(write(tmp_path, document(node(0))))
    assert [moatless_tree.sniff(write(tmp_path, content)) for content in (flat, words, [document(node(0))])] == [False] * 3

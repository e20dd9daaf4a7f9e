"""Are the flat node lists of Moatless read with logged ids and parents, and is a completion that stands three times paid once?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.readers import moatless_nodes
from ingest.schema import Trace
from ingest.source import Source
from tests.foreign import SAMPLES, one, said, split, withstands_every_change, write

SAMPLE = SAMPLES / "moatless-nodes" / "flat" / "months.json"


def flat(*nodes: Any) -> dict[str, Any]:
    return {"max_iterations": 9, "nodes": list(nodes)}


def sample() -> Trace:
    return one(moatless_nodes, Source(SAMPLE))


def test_parents_are_the_logged_ones_and_children_are_numbered_in_file_order() -> None:
    assert [(node.node_id, node.parent_ids, node.request_index, node.seq) for node in sample().nodes] == [
        ("0", (), 0, 0), ("1", ("0",), 0, 1), ("2", ("1",), 0, 2), ("3", ("0",), 1, 3), ("4", ("3",), 0, 4), ("5", ("0",), 2, 5),
    ]  # fmt: skip


def test_a_duplicate_is_pruned_unless_the_search_went_on_from_it() -> None:
    assert {node.node_id: node.fate for node in sample().nodes} == {
        "0": "expanded", "1": "expanded", "2": "open", "3": "expanded", "4": "terminal", "5": "pruned",
    }  # fmt: skip
    assert {node.score for node in sample().nodes} == {None}


def test_the_thought_opens_the_step_and_the_task_is_the_message_of_the_root() -> None:
    node = sample().nodes[1]
    assert (node.step, node.action_kind, node.observation) == (
        'SemanticSearch: Where are dates parsed?\n{"query": "parse date"}', "SemanticSearch", "dates.py",
    )  # fmt: skip
    run = sample().run
    assert (run.run_id, run.task_id, run.question, run.budget_max_nodes, run.budget_max_cost) == (
        "flat/months", "toy-dates-1", "Parsing a date without a day fails.", 30, 0.5,
    )  # fmt: skip


def test_a_completion_that_stands_three_times_is_one_call() -> None:
    calls = {call.call_id: call for call in sample().calls}
    assert {name: (call.role, call.input_tokens, call.output_tokens, call.cost) for name, call in calls.items()} == {
        "1/build_action": ("proposer", 500, 20, 0.001),
        "1/execute_action": ("tool", 300, 5, 0.002),
    }


def test_tokens_from_the_cache_that_are_logged_beside_the_input_are_added_to_it_with_a_warning() -> None:
    call = next(call for call in sample().calls if call.cached_tokens)
    assert (call.input_tokens, call.cached_tokens) == (100 + 400, 400)
    assert any("cached_tokens are added to the input" in warning for warning in sample().run.warnings)


def test_a_bad_node_is_named_by_its_place_and_its_children_hang_from_a_missing_parent(tmp_path: Path) -> None:
    source = write(
        tmp_path, flat({"node_id": 0}, 7, {"node_id": None}, {"node_id": 0}, {"node_id": 4, "parent_id": [0]}, {"node_id": 5, "parent_id": 4})
    )
    assert said(moatless_nodes, source) == [
        ("$.nodes[1]", "a number where a node was expected"),
        ("$.nodes[2]", "node_id is null, a number was expected"),
        ("$.nodes[3]", "node_id 0 stands in this file before"),
        ("$.nodes[4]", "parent_id is a list, the node_id of a node was expected"),
    ]
    (trace,) = split(moatless_nodes, source)[1]
    assert [(node.node_id, node.parent_ids) for node in trace.nodes] == [("0", ()), ("5", ("4",))]


@pytest.mark.parametrize("content", [[], "x", None, {}, {"nodes": 3}])
def test_a_document_of_another_shape_is_one_problem(tmp_path: Path, content: Any) -> None:
    ((problem,), traces) = split(moatless_nodes, write(tmp_path, content))
    assert (problem.rejected, traces) == (True, [])


def test_no_change_of_a_single_value_breaks_the_reader(tmp_path: Path) -> None:
    withstands_every_change(moatless_nodes, json.loads(SAMPLE.read_bytes()), tmp_path)

"""Are snapshots of llm-reasoners one tree, with the history of Q and with estimates kept apart from scores?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.readers import llm_reasoners_treelog
from ingest.schema import Trace
from ingest.source import Source
from tests.foreign import SAMPLES, extra, one, said, split, withstands_every_change, write

SNAPSHOTS = SAMPLES / "llm-reasoners-treelog" / "snapshots"


def apples() -> Trace:
    return one(llm_reasoners_treelog, Source(SNAPSHOTS / "apples.json"))


def log() -> dict[str, Any]:
    document: dict[str, Any] = json.loads((SNAPSHOTS / "apples.json").read_bytes())
    return document


def test_the_last_snapshot_is_the_tree_in_the_order_in_which_nodes_were_made() -> None:
    assert [(node.node_id, node.parent_ids, node.seq, node.fate) for node in apples().nodes] == [
        ("0", (), 0, "expanded"), ("1", ("0",), 1, "expanded"), ("2", ("0",), 2, None), ("3", ("1",), 3, None), ("4", ("1",), 4, "open"),
    ]  # fmt: skip
    assert extra(apples().run) == {"snapshots": 3}


def test_the_score_is_the_reward_of_the_step_and_q_has_its_history_beside_it() -> None:
    found = {node.node_id: (node.score, extra(node).get("Q"), extra(node).get("Q_history")) for node in apples().nodes}
    assert found == {
        "0": (None, None, None), "1": (0.5, 0.7, [0.5, 0.7, 0.7]), "2": (0.15, 0.15, [0.15]), "3": (0.9, 0.9, [0.9, 0.9]), "4": (None, None, None),
    }  # fmt: skip


def test_what_was_said_before_a_node_was_simulated_is_an_estimate() -> None:
    found = {node.node_id: (extra(node)["simulated"], extra(node).get("estimate")) for node in apples().nodes}
    assert found == {
        "0": (True, None), "1": (True, None), "2": (True, {"Q": 0.3, "reward": 0.3}), "3": (True, None), "4": (False, {"Q": 0.2, "reward": 0.2}),
    }  # fmt: skip
    assert "1 nodes were never simulated: their Q and reward are estimates made before, kept apart from the scores" in apples().run.warnings


def test_a_selected_edge_is_resolved_in_its_own_snapshot_and_is_no_selected_path() -> None:
    assert {node.node_id: extra(node).get("selected_child") for node in apples().nodes} == {"0": "2", "1": "3", "2": None, "3": None, "4": None}
    assert apples().run.selected_path is None
    assert apples().run.warnings[0] == "a selected edge may be the exporter's choice (the highest Q or reward): no selected path is recorded"


def test_a_beam_has_no_q_so_every_node_was_reached_and_its_reward_is_its_score() -> None:
    trace = one(llm_reasoners_treelog, Source(SNAPSHOTS / "blocks_beam.json"))
    assert [(node.node_id, node.step, node.score, node.fate) for node in trace.nodes] == [
        ("0", None, None, "expanded"), ("1", "unstack red", 0.8, "expanded"), ("2", "lift blue", 0.1, None), ("3", "stack blue on red", 0.9, None),
    ]  # fmt: skip
    assert (trace.run.level_by_level, len(trace.run.warnings)) == (None, 1)


def test_a_node_that_only_an_earlier_snapshot_holds_is_named_and_kept_with_the_run(tmp_path: Path) -> None:
    document = log()
    del document["logs"][2]["nodes"]["4"], document["logs"][2]["edges"]["2"]
    trace = one(llm_reasoners_treelog, write(tmp_path, document))
    assert [node.node_id for node in trace.nodes] == ["0", "1", "2", "3"]
    assert extra(trace.run)["gone"] == {"4": {"id": 4, "data": {}, "selected_edge": None, "convert_images": True}}
    assert any(text.startswith("1 nodes stand in earlier snapshots") for text in trace.run.warnings)


def test_every_part_that_cannot_be_read_is_named_and_the_tree_is_the_last_one_that_can(tmp_path: Path) -> None:
    document = log()
    document["logs"][1]["nodes"]["3"]["id"] = 7
    document["logs"][1]["edges"]["3"]["target"] = True
    document["logs"][2] = "cut"
    source = write(tmp_path, document)
    assert said(llm_reasoners_treelog, source) == [
        ("$.logs[1].nodes.3.id", "7 where 3 was expected, the key of the node"),
        ("$.logs[1].edges.1.target", "node 3, which this snapshot does not hold"),
        ("$.logs[1].edges.3.target", "true or false where the id of a node was expected"),
        ("$.logs[2]", "a text where a snapshot was expected"),
    ]
    (trace,) = split(llm_reasoners_treelog, source)[1]
    assert [node.node_id for node in trace.nodes] == ["0", "1", "2", "4"]
    assert trace.run.warnings[-1] == "the last snapshot could not be read: the tree is the one before it"


@pytest.mark.parametrize("content", ["x", None, {}, 3, {"logs": []}, {"logs": [None]}])
def test_a_document_of_another_shape_is_problems_and_no_run(tmp_path: Path, content: Any) -> None:
    problems, traces = split(llm_reasoners_treelog, write(tmp_path, content))
    assert (bool(problems), all(problem.rejected for problem in problems), traces) == (True, True, [])


def test_a_snapshot_delivered_twice_or_in_another_order_loses_nothing(tmp_path: Path) -> None:
    document = log()
    document["logs"].append(document["logs"][2])
    assert len(one(llm_reasoners_treelog, write(tmp_path, document)).nodes) == 5
    document["logs"].reverse()
    trace = one(llm_reasoners_treelog, write(tmp_path, document))
    assert (len(trace.nodes), sorted(extra(trace.run)["gone"])) == (3, ["3", "4"])


def test_no_change_of_a_single_value_breaks_the_reader(tmp_path: Path) -> None:
    withstands_every_change(llm_reasoners_treelog, log(), tmp_path)

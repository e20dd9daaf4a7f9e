"""Are the state machines of Moatless read state by state, with every retry a call of its own?"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ingest.readers import moatless_transitions
from ingest.schema import Trace
from ingest.source import Source
from tests.foreign import SAMPLES, one, said, split, withstands_every_change, write

SAMPLE = SAMPLES / "moatless-transitions" / "states" / "weeks.json"


def sample() -> Trace:
    return one(moatless_transitions, Source(SAMPLE))


def test_a_state_is_a_node_below_the_state_before() -> None:
    assert [(node.node_id, node.parent_ids, node.action_kind, node.fate) for node in sample().nodes] == [
        ("0", (), "Pending", "expanded"),
        ("1", ("0",), "EditCode", "expanded"),
        ("2", ("1",), "Finished", "terminal"),
        ("3", ("0",), "EditCode", "open"),
    ]


def test_a_state_that_asked_twice_holds_both_requests_and_pays_both_calls() -> None:
    node = sample().nodes[1]
    assert node.step == '{"content": "days = 7;"}\n{"content": "days = 7"}'
    assert node.observation == '{"trigger": "retry", "retry_message": "not Python"}\n{"trigger": "finish", "output": {}}'
    assert [(call.call_id, call.node_id, call.role, call.input_tokens, call.output_tokens, call.cost) for call in sample().calls] == [
        ("1/action.0", "1", "proposer", 90, 8, 0.001), ("1/action.1", "1", "proposer", 120, 7, 0.002),
    ]  # fmt: skip


def test_the_checkpoint_is_the_snapshot() -> None:
    assert [node.env_checkpoint for node in sample().nodes] == [
        None, '{"repository": {"commit": "aaa"}}', '{"repository": {"commit": "bbb"}}', None,
    ]  # fmt: skip


def test_the_run_takes_answer_spend_and_path_from_the_log_and_does_not_say_why_it_ended() -> None:
    run = sample().run
    assert (run.run_id, run.question, run.answer, run.wall_clock_s, run.reported_cost) == (
        "states/weeks", "A week has eight days.", "days = 7", 12.5, 0.003,
    )  # fmt: skip
    assert (run.selected_path, run.stop_reason, run.outcome, run.complete) == (("0", "1", "2"), None, "unknown", None)
    assert json.loads(run.extra or "")["info"]["error"] == "Max retries reached."


def test_a_time_without_a_zone_is_read_as_utc_with_a_warning() -> None:
    assert sample().nodes[0].started_at == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert "times have no zone; they are read as UTC" in sample().run.warnings


def test_a_bad_state_is_named_by_its_place(tmp_path: Path) -> None:
    source = write(tmp_path, {"transition_rules": {}, "transitions": [{"id": 0}, 7, {"id": None}, {"id": 0}, {"id": 1, "previous_state_id": {}}]})
    assert said(moatless_transitions, source) == [
        ("$.transitions[1]", "a number where a state was expected"),
        ("$.transitions[2].id", "null where the number of a state was expected"),
        ("$.transitions[3].id", "id 0 stands in this file before"),
        ("$.transitions[4].previous_state_id", "an object where the number of a state was expected"),
    ]
    (trace,) = split(moatless_transitions, source)[1]
    assert [node.node_id for node in trace.nodes] == ["0"]


@pytest.mark.parametrize("content", [[], "x", None, {}, {"transitions": 3}])
def test_a_document_of_another_shape_is_one_problem(tmp_path: Path, content: Any) -> None:
    ((problem,), traces) = split(moatless_transitions, write(tmp_path, content))
    assert (problem.rejected, traces) == (True, [])


def test_no_change_of_a_single_value_breaks_the_reader(tmp_path: Path) -> None:
    withstands_every_change(moatless_transitions, json.loads(SAMPLE.read_bytes()), tmp_path)

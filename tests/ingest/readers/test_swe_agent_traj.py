"""Are SWE-agent trajectories read as the one chain that they are, with the spend of the run and none invented?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.readers import swe_agent_traj
from ingest.schema import Trace
from ingest.source import Source
from tests.foreign import SAMPLES, extra, one, said, split, withstands_every_change, write

SAMPLE = SAMPLES / "swe-agent-traj" / "chain" / "typo.traj"


def sample() -> Trace:
    return one(swe_agent_traj, Source(SAMPLE))


def changed(folder: Path, **info: Any) -> Trace:
    document = json.loads(SAMPLE.read_bytes())
    document["info"] |= info
    return one(swe_agent_traj, write(folder, document))


def test_a_step_hangs_from_the_step_before() -> None:
    assert [(node.node_id, node.parent_ids, node.step, node.action_kind, node.fate) for node in sample().nodes] == [
        ("0", (), "Look at it.\nopen a.py\n", "open", "expanded"),
        ("1", ("0",), "Fix it.\nedit 1:1", "edit", "expanded"),
        ("2", ("1",), "Done.\nsubmit", "submit", "terminal"),
    ]
    assert sample().run.selected_path == ("0", "1", "2")


def test_a_state_is_json_whether_it_was_logged_as_text_or_as_an_object() -> None:
    assert [node.state for node in sample().nodes] == ['{"open_file": "a.py"}', '{"open_file": "a.py"}', '"not JSON"']


def test_each_answer_is_a_call_and_the_spend_is_the_runs() -> None:
    call = sample().calls[0]
    assert (call.node_id, call.role, call.response, call.input_tokens) == ("0", "proposer", "Look at it.\nopen a.py", None)
    run = sample().run
    assert (run.reported_calls, run.reported_input_tokens, run.reported_output_tokens, run.reported_cost) == (3, 900, 30, 0.5)


def test_a_replay_costs_nothing_which_is_not_free(tmp_path: Path) -> None:
    run = changed(tmp_path, model_stats={"instance_cost": 0, "tokens_sent": 0, "tokens_received": 0, "api_calls": 3}).run
    assert (run.reported_calls, run.reported_input_tokens, run.reported_output_tokens, run.reported_cost) == (3, None, None, None)
    assert "calls without tokens or cost, as in a replay: the spend is not known" in run.warnings


@pytest.mark.parametrize(
    ("status", "reason", "complete"),
    [
        ("submitted", "goal", True),
        ("submitted (exit_cost)", "cost_budget", False),
        ("exit_context", "token_budget", False),
        ("odd", "unknown", False),
        (None, None, None),
    ],
)
def test_the_exit_status_says_why_the_run_ended(tmp_path: Path, status: str | None, reason: str | None, complete: bool | None) -> None:
    run = changed(tmp_path, exit_status=status).run
    assert (run.stop_reason, run.complete) == (reason, complete)


def test_the_task_is_the_first_message_that_is_no_demonstration_and_the_outcome_is_not_known() -> None:
    run = sample().run
    assert (run.run_id, run.question, run.answer, run.outcome) == ("typo", "A word is misspelt.", "-retrun\n+return", "unknown")
    assert len(extra(run)["history"]) == 3


def test_a_step_that_is_no_object_is_named_and_the_chain_goes_on_around_it(tmp_path: Path) -> None:
    source = write(tmp_path, {"trajectory": [{"action": "a"}, 7, {"action": "b"}]})
    assert said(swe_agent_traj, source) == [("$.trajectory[1]", "a number where a step was expected")]
    assert [(node.node_id, node.parent_ids) for node in split(swe_agent_traj, source)[1][0].nodes] == [("0", ()), ("2", ("0",))]


@pytest.mark.parametrize("content", [[], "x", None, {}, {"trajectory": 3}])
def test_a_document_of_another_shape_is_one_problem(tmp_path: Path, content: Any) -> None:
    ((problem,), traces) = split(swe_agent_traj, write(tmp_path, content))
    assert (problem.rejected, traces) == (True, [])


def test_no_change_of_a_single_value_breaks_the_reader(tmp_path: Path) -> None:
    withstands_every_change(swe_agent_traj, json.loads(SAMPLE.read_bytes()), tmp_path)

"""Are Langfuse exports read as the agent runs that they are, each call paid once, with nothing that looks like a search?"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ingest.readers import langfuse_trace
from ingest.schema import Trace
from ingest.source import Source
from tests.foreign import SAMPLES, extra, one, said, split, withstands_every_change, write

SAMPLE = SAMPLES / "langfuse-trace" / "download" / "weather.json"


def sample() -> Trace:
    return one(langfuse_trace, Source(SAMPLE))


def test_observations_hang_from_their_parents_and_are_numbered_by_their_start() -> None:
    assert [(node.node_id, node.parent_ids, node.seq, node.action_kind) for node in sample().nodes] == [
        ("c", ("b",), 2, "GENERATION"),
        ("a", (), 0, "AGENT"),
        ("b", ("a",), 1, "GENERATION"),
        ("d", ("a",), 3, "TOOL"),
        ("e", ("not exported",), 4, "SPAN"),
    ]


def test_the_list_inside_of_the_trace_is_not_read_a_second_time_but_for_what_only_it_holds(tmp_path: Path) -> None:
    document = json.loads(SAMPLE.read_bytes())
    document["trace"]["observations"].append({"id": "f", "parentObservationId": "a", "name": "only here"})
    assert [node.node_id for node in one(langfuse_trace, write(tmp_path, document)).nodes] == ["c", "a", "b", "d", "e", "f"]
    del document["observations"]
    assert [node.node_id for node in one(langfuse_trace, write(tmp_path, document)).nodes] == ["a", "f"]


def test_a_model_call_has_settings_tokens_and_price_and_its_latency_is_that_of_its_times() -> None:
    call = next(call for call in sample().calls if call.call_id == "c")
    assert (call.node_id, call.role, call.model, call.temperature, call.seed) == ("c", None, "toy-chat", 0.5, 7)
    assert (call.input_tokens, call.output_tokens, call.cached_tokens, call.cost, call.latency_ms) == (90, 9, 40, 0.001, 900)
    assert (call.template_id, call.template_version, call.prompt, call.response) == ("ask", "3", "rain?", "call the tool")


def test_a_call_that_two_instrumentations_saw_is_paid_once_and_the_outer_one_is_named() -> None:
    assert [call.call_id for call in sample().calls] == ["c", "d"]
    outer = next(node for node in sample().nodes if node.node_id == "b")
    assert extra(outer)["usageDetails"] == {"input": 200, "output": 20}
    assert (
        "span ToyChat.invoke (b) is a roll-up, not counted: it claims 200/20 tokens in/out, the calls below it add up to 90/9: "
        "110/11 are in no logged call" in sample().run.warnings
    )


def test_a_tool_is_a_call_without_tokens_or_price_and_its_failure_is_the_nodes() -> None:
    call, node = next(call for call in sample().calls if call.call_id == "d"), next(node for node in sample().nodes if node.node_id == "d")
    assert (call.role, call.input_tokens, call.output_tokens, call.cost, call.latency_ms) == ("tool", None, None, None, 100)
    assert (node.error, node.observation) == ("no network", "rain")


def test_the_run_is_the_trace_and_a_score_of_the_whole_is_neither_outcome_nor_a_nodes() -> None:
    run = sample().run
    assert (run.run_id, run.question, run.answer, run.wall_clock_s) == ("trace-weather", '"Will it rain?"', '"Yes."', 3.5)
    assert (run.started_at, run.outcome, run.selected_path) == (datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), "unknown", None)
    assert {(node.score, node.fate) for node in sample().nodes} == {(None, None)}
    assert any("toxicity 0.1 (EVAL)" in warning for warning in run.warnings)
    assert extra(run)["trace"]["scores"][0]["name"] == "toxicity"


def test_an_observation_without_an_id_is_named_by_its_place(tmp_path: Path) -> None:
    listed = [{"id": "a"}, 7, {"id": 3}, {"id": "b", "parentObservationId": 1}, {"id": "a"}]
    source = write(tmp_path, {"trace": {"id": "t"}, "observations": listed})
    assert said(langfuse_trace, source) == [
        ("$.observations[1]", "a number, texts were expected"),
        ("$.observations[2]", "an observation with id a number and parentObservationId null, texts were expected"),
        ("$.observations[3]", "an observation with id a text and parentObservationId a number, texts were expected"),
        ("$.observations[4].id", "id a stands in this list before"),
    ]
    assert [node.node_id for trace in split(langfuse_trace, source)[1] for node in trace.nodes] == ["a"]


@pytest.mark.parametrize("content", [[], "x", None, {}, {"trace": {}}, {"trace": {}, "observations": 3}])
def test_a_document_of_another_shape_is_one_problem(tmp_path: Path, content: Any) -> None:
    ((problem,), traces) = split(langfuse_trace, write(tmp_path, content))
    assert (problem.rejected, traces) == (True, [])


def test_no_change_of_a_single_value_breaks_the_reader(tmp_path: Path) -> None:
    withstands_every_change(langfuse_trace, json.loads(SAMPLE.read_bytes()), tmp_path)

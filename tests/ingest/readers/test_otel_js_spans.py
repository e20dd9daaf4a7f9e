"""Are OpenTelemetry spans read as agent runs, with tokens counted where they were paid and nowhere above?"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ingest.readers import otel_js_spans
from ingest.schema import Trace
from ingest.source import Source
from tests.foreign import SAMPLES, extra, one, said, split, withstands_every_change, write

LIST = SAMPLES / "otel-js-spans" / "list" / "poem.json"
LINES = SAMPLES / "otel-js-spans" / "lines" / "loop.jsonl"


def loop() -> Trace:
    return one(otel_js_spans, Source(LINES))


def inner_and_outer() -> list[Trace]:
    return split(otel_js_spans, Source(LIST))[1]


def test_a_trace_is_a_run_and_a_span_a_node_below_its_parent() -> None:
    assert [(node.run_id, node.node_id, node.parent_ids, node.seq, node.step, node.action_kind) for node in loop().nodes] == [
        ("t-loop", "agent", (), 0, "invoke_agent", "invoke_agent"),
        ("t-loop", "call", ("agent",), 1, "chat", "chat"),
        ("t-loop", "tool", ("agent",), 2, "execute_tool search", "TOOL"),
    ]
    assert [trace.run.run_id for trace in inner_and_outer()] == ["t-inner", "t-outer"]


def test_an_agent_that_repeats_the_sum_of_its_loop_is_a_roll_up_and_the_rest_is_named() -> None:
    assert [(call.call_id, call.role, call.input_tokens, call.output_tokens) for call in loop().calls] == [
        ("call", None, 100, 20), ("tool", "tool", None, None),
    ]  # fmt: skip
    assert loop().run.warnings == (
        "span invoke_agent (agent) is a roll-up, not counted: it claims 150/30 tokens in/out, the calls below it add up to 100/20: "
        "50/10 are in no logged call",
    )
    assert extra(loop().nodes[0])["roll_up"].startswith("claims 150/30")


def test_the_outer_span_of_the_ai_sdk_repeats_what_the_inner_one_paid() -> None:
    inner, outer = inner_and_outer()
    assert [(call.input_tokens, call.output_tokens, call.model, call.temperature) for call in inner.calls] == [(14, 20, "toy-chat", 0.5)]
    assert outer.calls == ()
    assert "span ai.generateText repeats the tokens of its inner span: not counted" in outer.run.warnings
    assert extra(outer.nodes[0])["attributes"]["ai.usage.promptTokens"] == 14


def test_an_outer_span_alone_is_what_was_paid(tmp_path: Path) -> None:
    (trace,) = split(otel_js_spans, write(tmp_path, json.loads(LIST.read_bytes())[1:]))[1]
    assert [(call.input_tokens, call.output_tokens) for call in trace.calls] == [(14, 20)]


def test_times_are_pairs_or_nanoseconds_and_give_the_latency() -> None:
    assert [call.latency_ms for call in loop().calls] == [1000, 500]
    (call,) = inner_and_outer()[0].calls
    assert (call.latency_ms, call.started_at) == (1500, datetime.fromtimestamp(1700000000.25, UTC))


def test_prompt_and_response_stand_in_the_call_and_every_other_attribute_with_the_node() -> None:
    (trace, _) = inner_and_outer()
    assert [(call.prompt, call.response) for call in (*trace.calls, *loop().calls)] == [
        ("Write a poem.", "A line."), ("Look.", "Looking."), ("cats", "9 cats"),
    ]  # fmt: skip
    attributes = extra(trace.nodes[0])["attributes"]
    assert "ai.response.text" not in attributes
    assert attributes["gen_ai.usage.input_tokens"] == 14


def test_spans_that_name_no_parents_are_roots_and_the_run_says_so() -> None:
    trace = inner_and_outer()[1]
    assert [(node.parent_ids, node.error) for node in trace.nodes] == [((), "cut off")]
    assert "the spans name no parents, so nothing says which of them belong together" in trace.run.warnings


def test_a_bad_span_is_named_by_its_place(tmp_path: Path) -> None:
    context = {"traceId": "t", "spanId": "s"}
    listed = [{"spanContext": context}, 7, {"spanContext": {"traceId": "t"}}, {"spanContext": context}, {"spanContext": context, "parentSpanId": 3}]
    source = write(tmp_path, listed)
    assert said(otel_js_spans, source) == [
        ("$[1]", "a number where a span was expected"),
        ("$[2].span_id", "null where a span id was expected"),
        ("$[3].span_id", "span s stands in this file before"),
        ("$[4].parent_span_id", "a number where a span id was expected"),
    ]


@pytest.mark.parametrize("content", ["x", None, {}, 3])
def test_a_document_of_another_shape_is_one_problem(tmp_path: Path, content: Any) -> None:
    ((problem,), traces) = split(otel_js_spans, write(tmp_path, content))
    assert (problem.rejected, traces) == (True, [])


def test_no_change_of_a_single_value_breaks_the_reader(tmp_path: Path) -> None:
    withstands_every_change(otel_js_spans, json.loads(LIST.read_bytes()), tmp_path)
    withstands_every_change(otel_js_spans, json.loads(LINES.read_bytes().splitlines()[1]), tmp_path)

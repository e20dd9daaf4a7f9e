"""Are OTLP JSON traces united and read as agent runs, and as searches where ``search.*`` attributes say so?"""

from __future__ import annotations

import copy
import gzip
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ingest.discover import discover
from ingest.readers import claimed_by, otlp_json, otlp_search_attributes
from ingest.schema import Trace
from ingest.source import Source
from tests.foreign import SAMPLES, extra, one, said, split, withstands_every_change, write
from tests.foreign_log import lines

FOLDER = SAMPLES / "otlp-json"
SEARCH, AGENT, ROTATED = FOLDER / "search" / "beam.jsonl", FOLDER / "agent" / "weather.json", FOLDER / "rotated"


def value(of: Any) -> dict[str, Any]:
    """An AnyValue, as OTLP writes it."""
    kinds: dict[type, Any] = {
        bool: lambda: {"boolValue": of}, int: lambda: {"intValue": str(of)}, float: lambda: {"doubleValue": of}, str: lambda: {"stringValue": of},
        list: lambda: {"arrayValue": {"values": [value(one) for one in of]}}, dict: lambda: {"kvlistValue": {"values": attributes(of)}},
    }  # fmt: skip
    made: dict[str, Any] = kinds[type(of)]()
    return made


def attributes(known: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": value(one)} for key, one in known.items()]


def dotted(known: dict[str, Any]) -> list[dict[str, Any]]:
    return attributes({key.replace("__", "."): one for key, one in known.items()})


def span(name: str, parent: str = "", at: int = 0, trace: str = "aa", events: Any = (), **known: Any) -> dict[str, Any]:
    """A span of one second; names of attributes have ``__`` in place of dots."""
    times = {"startTimeUnixNano": str((1_700_000_000 + at) * 10**9), "endTimeUnixNano": str((1_700_000_001 + at) * 10**9)}
    return {
        "traceId": trace, "spanId": name, "parentSpanId": parent, "name": name, **times, "attributes": dotted(known), "events": list(events),
    }  # fmt: skip


def event(name: str, at: int = 0, **known: Any) -> dict[str, Any]:
    return {"name": name, "timeUnixNano": str((1_700_000_000 + at) * 10**9), "attributes": dotted(known)}


def batch(*spans: Any) -> dict[str, Any]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


def search() -> Trace:
    return one(otlp_json, Source(SEARCH))


def agent() -> Trace:
    return one(otlp_json, Source(AGENT))


def test_without_search_attributes_a_trace_is_an_agent_run_and_ids_are_hex_of_either_case() -> None:
    assert agent().run.run_id == "0af7651916cd43dd8448eb211c80319c"
    assert [(node.node_id, node.parent_ids, node.step, node.action_kind, node.fate, node.error) for node in agent().nodes] == [
        ("00000000000000a1", (), "invoke_agent planner", "AGENT", None, None),
        ("00000000000000a2", ("00000000000000a1",), "llm", "LLM", None, None),
        ("00000000000000a3", ("00000000000000a1",), "execute_tool weather", "TOOL", None, "no answer after 300 ms"),
        ("00000000000000a4", ("00000000000000a1",), "chat toy-chat", "chat", None, None),
    ]


def test_tokens_that_a_parent_repeats_are_counted_once_and_what_no_call_explains_is_named() -> None:
    assert [(call.call_id[-2:], call.role, call.input_tokens, call.output_tokens, call.cached_tokens) for call in agent().calls] == [
        ("a2", None, 120, 15, 64), ("a3", "tool", None, None, None), ("a4", None, 130, 20, None),
    ]  # fmt: skip
    assert agent().run.warnings == (
        "span invoke_agent planner (00000000000000a1) is a roll-up, not counted: it claims 300/45 tokens in/out, the calls below it add up to "
        "250/35: 50/10 are in no logged call",
    )


def test_texts_come_from_attributes_of_one_name_or_of_many_and_from_events() -> None:
    assert [(call.prompt, call.response, call.model, call.temperature, call.max_output_tokens) for call in agent().calls] == [
        ('[{"message.role": "user", "message.content": "What is the weather in Ulm?"}]',
         '[{"message.role": "assistant", "message.content": "I look it up."}]', "toy-chat", 0.2, 64),
        ('{"place": "Ulm"}', "timeout", None, None, None),
        ("The tool failed. Answer.", "I do not know.", "toy-chat-2", None, None),
    ]  # fmt: skip
    calls = one(otlp_json, Source(ROTATED)).calls
    assert [call.prompt for call in calls] == ['[{"role": "user", "content": "Look."}]', '[{"event": "gen_ai.user.message", "content": "And now?"}]']
    assert calls[1].response == '[{"event": "gen_ai.choice", "index": 0, "finish_reason": "stop", "content": "Done."}]'


def test_what_a_call_took_over_stands_nowhere_else_and_everything_else_is_kept() -> None:
    for trace in (agent(), search(), one(otlp_json, Source(ROTATED))):
        records: list[Any] = [trace.run, *trace.nodes, *trace.calls]
        everything = "".join(record.extra or "" for record in records)
        assert [text for call in trace.calls for text in (call.prompt, call.response) if text and json.dumps(text)[1:-1] in everything] == []
    assert extra(agent().nodes[3])["kind"] == 3
    assert extra(agent().run) == {"resources": [{"service.name": "toy-agent"}]}


def test_values_of_every_kind_are_read_and_64_bit_numbers_are_texts(tmp_path: Path) -> None:
    known: dict[str, Any] = {"t": "x", "b": False, "i": 2**60, "f": 0.5, "l": [1, ["a"]], "m": {"k": {"n": 1}}}
    made = span("s")
    others = {"n": {"intValue": 7}, "e": {"arrayValue": {}}, "u": {"doubleValue": "NaN"}}
    made["attributes"] = [*attributes(known), *({"key": key, "value": logged} for key, logged in others.items())]
    assert extra(one(otlp_json, write(tmp_path, batch(made))).nodes[0])["attributes"] == known | {"n": 7, "e": [], "u": "NaN"}


def test_attributes_that_cannot_be_read_or_come_twice_stay_as_logged(tmp_path: Path) -> None:
    made = span("s", a=1)
    made["attributes"] += [{"key": "a", "value": {"intValue": "2"}}, 7, {"key": "x", "value": {"intValue": "1.5"}}]
    found = extra(one(otlp_json, write(tmp_path, batch(made))).nodes[0])
    assert found["attributes"] == {"a": 1, "x": {"intValue": "1.5"}}
    assert found["unread_attributes"] == [{"key": "a", "value": {"intValue": "2"}}, 7]


def test_times_are_nanoseconds_as_texts_or_numbers_and_zero_is_not_recorded(tmp_path: Path) -> None:
    made = span("s", gen_ai__usage__input_tokens=1) | {"startTimeUnixNano": 1_700_000_000_000_001_999, "endTimeUnixNano": "1700000000500001999"}
    trace = one(otlp_json, write(tmp_path, batch(made, span("z") | {"startTimeUnixNano": "0"})))
    assert [node.started_at for node in trace.nodes] == [datetime.fromtimestamp(1_700_000_000, UTC).replace(microsecond=1), None]
    assert trace.calls[0].latency_ms == 500


def test_a_trace_in_several_lines_and_files_is_one_run_and_a_span_that_came_again_counts_once() -> None:
    assert [item.path for item in discover([str(ROTATED)]) if isinstance(item, Source)] == [ROTATED]
    trace = one(otlp_json, Source(ROTATED))
    assert [(node.node_id[-1], node.seq) for node in trace.nodes] == [("2", 1), ("3", 2), ("1", 0)]
    assert [(call.input_tokens, call.output_tokens) for call in trace.calls] == [(30, 4), (40, 5)]
    assert trace.run.warnings[1] == "spans that stand in the log again, word for word, and are counted once: 1"


def test_files_of_a_folder_may_be_compressed_and_one_that_was_cut_is_named(tmp_path: Path) -> None:
    for path in ROTATED.iterdir():
        (tmp_path / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert len(one(otlp_json, Source(tmp_path)).nodes) == 3
    first = tmp_path / "traces-1.jsonl.gz"
    first.write_bytes(first.read_bytes()[:-20])
    problems, (trace,) = split(otlp_json, Source(tmp_path))
    assert [(problem.where.rpartition("/")[2], problem.rejected) for problem in problems] == [("traces-1.jsonl.gz", True)]
    assert len(trace.nodes) == 3


def test_only_a_flat_folder_of_otlp_alone_is_one_log_and_what_is_no_trace_is_left_alone_there(tmp_path: Path) -> None:
    for path in ROTATED.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "metrics.json").write_text('{"resourceMetrics": []}', encoding="utf-8")
    assert otlp_json.sniff_folder(tmp_path)
    ((problem,), (trace,)) = split(otlp_json, Source(tmp_path))
    assert (problem.message, problem.kind, problem.rejected) == ("resourceMetrics are no part of a trace and were left alone", "left_alone", False)
    assert len(trace.nodes) == 3
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    assert not otlp_json.sniff_folder(tmp_path)


def test_nodes_are_what_the_attributes_name_with_scores_of_judges_and_fates_of_events() -> None:
    assert [(n.node_id, n.parent_ids, n.depth, n.seq, n.decision_id, n.step, n.score, n.fate, n.pruned_by, n.prune_rule) for n in search().nodes] == [
        ("0", (), 0, 0, None, None, None, "expanded", None, None),
        ("0.0", ("0",), 1, 1, "d1", "4 * 6 = 24", 0.9, "expanded", None, None),
        ("0.1", ("0",), 1, 2, "d1", "6 - 4 = 2", 0.2, "pruned", "survived", "beam_width"),
        ("0.0.0", ("0.0",), 2, 3, None, "24 * 1 = 24", None, "terminal", None, None),
    ]
    assert [(node.state, node.state_key, node.verified) for node in search().nodes[:1]] == [('{"left": [4, 6, 1]}', "1 4 6", None)]


def test_a_call_belongs_to_the_node_that_it_names_or_that_the_spans_around_it_name() -> None:
    assert [(call.call_id[-1], call.node_id, call.role, call.input_tokens, call.template_id, call.parsed) for call in search().calls] == [
        ("3", "0", "proposer", 100, "propose", None), ("6", "0.0", "evaluator", 60, None, "0.9"), ("7", "0.1", "evaluator", 60, None, "0.2"),
        ("9", "0.0", "proposer", 120, "propose", None), ("b", "0.0.0", "verifier", None, None, None),
    ]  # fmt: skip


def test_the_run_ends_as_its_attributes_say_and_is_running_or_died_without_them(tmp_path: Path) -> None:
    run = search().run
    assert (run.run_id, run.task_id, run.answer, run.outcome, run.stop_reason, run.complete, run.ended, run.level_by_level, run.selected_path) == (
        "toy/4-6-1", "4 6 1", "4 * 6 * 1", "right", "goal", True, True, True, ("0", "0.0", "0.0.0"),
    )  # fmt: skip
    assert run.protocol == '{"beam_width": 1, "search": "beam"}'
    unfinished = one(otlp_json, write(tmp_path, batch(span("s", search__node_id="0", search__protocol='{"b": 1}', search__state="[3, 4]")))).run
    assert (unfinished.run_id, unfinished.ended, unfinished.outcome, unfinished.protocol) == ("aa", False, "unknown", '{"b": 1}')


def test_the_last_word_on_a_node_counts_whatever_the_order_of_the_lines(tmp_path: Path) -> None:
    made = span("a", at=0, search__node_id="0", search__fate="open", search__score=0.5)
    later = span("b", at=9, search__node_id="0", search__fate="pruned")
    for order in ((made, later), (later, made)):
        (node,) = one(otlp_json, lines(tmp_path, *map(batch, order))).nodes
        assert (node.fate, node.score, node.started_at) == ("pruned", 0.5, datetime.fromtimestamp(1_700_000_000, UTC))


def test_one_trace_may_hold_several_runs_and_one_run_several_traces(tmp_path: Path) -> None:
    shared = batch(
        span("main"), span("a", "main", 1, search__run_id="r1", search__node_id="0"), span("b", "main", 1, search__run_id="r2", search__node_id="0"),
        span("llm", "a", 2, gen_ai__usage__input_tokens=5),
        span("worker", "", 3, "bb", search__run_id="r1", search__node_id="1", search__role="tool"),
    )  # fmt: skip
    found = {trace.run.run_id: trace for trace in split(otlp_json, write(tmp_path, shared))[1]}
    assert {run_id: [node.node_id for node in trace.nodes] for run_id, trace in found.items()} == {"r1": ["0", "1"], "r2": ["0"], "aa": ["main"]}
    assert [(call.call_id, call.node_id) for call in found["r1"].calls] == [("aa/llm", "0"), ("bb/worker", "1")]
    nested = batch(
        span("a", search__run_id="r1", search__node_id="0"),
        span("llm", "a", search__run_id="r2", search__role="tool", search__node_id="1"),
        span("other", "llm", search__run_id="r1", search__role="tool"),
        span("own", "a", search__run_id="r1", search__role="tool"),
    )
    found = {trace.run.run_id: trace for trace in split(otlp_json, write(tmp_path, nested))[1]}
    assert [(call.call_id, call.node_id) for call in found["r1"].calls] == [("other", None), ("own", "0")]


def test_what_is_no_attribute_of_the_set_or_does_not_fit_is_named_and_kept(tmp_path: Path) -> None:
    made = span("s", search__node_id="0", search__fate="vaporised", search__prunerule="x", search__score="likely", search__depth=-0.5)
    trace = one(otlp_json, write(tmp_path, batch(made, span("loose", search__score=0.5))))
    (node,) = trace.nodes
    assert (node.fate, node.score, node.score_raw, node.depth) == (None, None, "likely", None)
    assert extra(node)["spans"][0]["attributes"] == {
        "search.fate": "vaporised", "search.prunerule": "x", "search.score": "likely", "search.depth": -0.5,
    }  # fmt: skip
    assert extra(trace.run)["spans"][0]["attributes"] == {"search.score": 0.5}
    assert trace.run.warnings[0] == (
        "search.fate is none of the attributes that are read, stands at no node or does not fit (1 times, first of node 0): kept as logged"
    )


def test_the_published_set_names_every_attribute_that_is_read() -> None:
    listed = (otlp_search_attributes.__doc__ or "").split("\n\n")[2]
    tables = (otlp_search_attributes.RUN, otlp_search_attributes.NODE, otlp_search_attributes.CALL)
    assert {name for table in tables for name in table} | {"run_id", "node_id"} <= set(re.findall(r"\w+", listed))


def test_a_parent_that_is_not_in_the_log_and_a_merged_state_keep_their_ids(tmp_path: Path) -> None:
    made = span("s", search__node_id="3", search__parent_ids=["1", "2"]), span("t", search__node_id="4", search__parent_ids="9")
    assert [node.parent_ids for node in one(otlp_json, write(tmp_path, batch(*made))).nodes] == [("1", "2"), ("9",)]


def test_a_bad_span_is_named_by_line_and_path(tmp_path: Path) -> None:
    bad, other = batch(span("s"), 7, {"traceId": "aa"}, span("x") | {"parentSpanId": 3}), span("s") | {"name": "other"}
    source = lines(tmp_path, bad, batch(other), {"resourceLogs": []}, "{", {"x": 1})
    assert said(otlp_json, source) == [
        ("1: $.resourceSpans[0].scopeSpans[0].spans[1]", "a number where a span was expected"),
        ("1: $.resourceSpans[0].scopeSpans[0].spans[2].spanId", "nothing where an id was expected"),
        ("1: $.resourceSpans[0].scopeSpans[0].spans[3].parentSpanId", "a number where an id was expected"),
        ("2: $.resourceSpans[0].scopeSpans[0].spans[0]", "span s stands in the log before and says something else"),
        ("3", "resourceLogs are no part of a trace and were left alone"),
        ("4", "not JSON: Expecting property name enclosed in double quotes at column 2"),
        ("5: $", "an object without them where resourceSpans were expected"),
    ]
    problems, (trace,) = split(otlp_json, source)
    assert [problem.line for problem in problems] == [1, 1, 1, 2, 3, 4, 5]
    assert [node.step for node in trace.nodes] == ["s"]


def test_a_line_that_was_cut_or_lines_in_another_order_lose_no_other_line(tmp_path: Path) -> None:
    logged = SEARCH.read_text("utf-8").splitlines()
    (tmp_path / "log.jsonl").write_text("\n".join([*logged[::-1], logged[0][:500]]), encoding="utf-8")
    problems, (trace,) = split(otlp_json, Source(tmp_path / "log.jsonl"))
    assert [(problem.kind, problem.line) for problem in problems] == [("torn_line", 4)]
    assert {node.node_id: node for node in trace.nodes} == {node.node_id: node for node in search().nodes}


def test_only_this_reader_claims_such_logs(tmp_path: Path) -> None:
    nested = batch(span("s", parentObservationId="x", version="1", status="ok", eval="e", task_id="t", created="c", trace_id="t", span_id="s"))
    for source in (Source(SEARCH), Source(AGENT), Source(ROTATED), write(tmp_path, nested)):
        assert [reader.NAME for reader in claimed_by(source)] == ["otlp-json"]
    for other in ("otel-js-spans/list/poem.json", "otel-js-spans/lines/loop.jsonl", "langfuse-trace/download/weather.json"):
        assert not otlp_json.sniff(Source(SAMPLES / other))
    assert not otlp_json.sniff(write(tmp_path, {"resourceMetrics": []}))


@pytest.mark.parametrize("content", ["x", None, {}, 3, [], batch(), {"resourceSpans": None}])
def test_a_document_of_another_shape_or_without_a_span_is_said_to_be_so(tmp_path: Path, content: Any) -> None:
    problems, traces = split(otlp_json, write(tmp_path, content))
    assert (problems[-1].kind, traces) == ("empty", [])
    assert [problem.rejected for problem in problems[:-1]] == ([True] if not isinstance(content, dict) or not content else [])


def test_a_value_nested_without_end_is_a_problem_of_its_span(tmp_path: Path) -> None:
    text = json.dumps(batch(span("s"), span("deep"))).replace('"name": "deep"', '"name": ' + "[" * 40_000 + "]" * 40_000)
    (tmp_path / "log.json").write_text("\n" + text.replace('{"resourceSpans"', '{\n"resourceSpans"'), encoding="utf-8")
    problems, (trace,) = split(otlp_json, Source(tmp_path / "log.json"))
    assert [problem.message for problem in problems] == ["the span is nested too deeply"]
    assert [node.node_id for node in trace.nodes] == ["s"]


def test_no_change_of_a_single_value_breaks_the_reader(tmp_path: Path) -> None:
    logged = json.loads(SEARCH.read_text("utf-8").splitlines()[1])
    small = copy.deepcopy(logged)
    small["resourceSpans"][0]["scopeSpans"][0]["spans"].pop()
    withstands_every_change(otlp_json, small, tmp_path)
    told = event("decided", search__node_id="1", search__fate="pruned", search__parent_ids=["0"])
    withstands_every_change(otlp_json, batch(span("s", events=[told], search__node_id="0", search__selected_path=["0"], a={"k": 1})), tmp_path)
    withstands_every_change(otlp_json, json.loads((ROTATED / "traces-1.jsonl").read_text("utf-8")), tmp_path)

"""Are Inspect logs read sample by sample, from .json and .eval alike, with scores as outcomes and nothing that looks like a search?"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
import zstandard

from ingest.discover import discover
from ingest.errors import Problem
from ingest.readers import inspect_log
from ingest.schema import Trace
from ingest.source import Source
from tests.foreign import SAMPLES, extra, one, said, split, withstands_every_change, write

SAMPLE = SAMPLES / "inspect-log" / "json" / "sums.json"


def traces() -> dict[str, Trace]:
    problems, found = split(inspect_log, Source(SAMPLE))
    assert problems == []
    return {trace.run.run_id: trace for trace in found}


def archive(folder: Path, *, header: str = "header.json", packing: int = zipfile.ZIP_DEFLATED) -> Path:
    document = json.loads(SAMPLE.read_bytes())
    samples = document.pop("samples")
    path = folder / "sums.eval"
    with zipfile.ZipFile(path, "w", packing) as packed:
        packed.writestr(header, json.dumps(document))
        packed.writestr("summaries.json", json.dumps(samples))
        for sample in samples:
            packed.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
    return path


def test_a_sample_and_epoch_is_a_run_and_a_span_is_a_node() -> None:
    assert list(traces()) == ["sums/a/1", "sums/a/2", "sums/b/1"]
    assert {trace.run.task_id for trace in traces().values()} == {"a", "b"}
    assert [(node.node_id, node.parent_ids, node.step, node.action_kind, node.seq) for node in traces()["sums/a/1"].nodes] == [
        ("s1", (), "generate", "solver", 0), ("s2", ("s1",), "add", "tool", 1),
    ]  # fmt: skip


def test_model_and_tool_events_are_calls_at_their_spans() -> None:
    model, tool = traces()["sums/a/1"].calls
    assert (model.node_id, model.role, model.model, model.temperature, model.seed, model.latency_ms) == ("s1", None, "toy/chat", 0.5, 3, 1000)
    assert (tool.node_id, tool.role, tool.prompt, tool.response, tool.input_tokens) == ("s2", "tool", '{"a": 2, "b": 2}', "4", None)


def test_a_call_of_a_scorer_is_an_evaluators(tmp_path: Path) -> None:
    document = json.loads(SAMPLE.read_bytes())
    document["samples"][0]["events"][0]["type"] = "scorer"
    (trace, *_) = split(inspect_log, write(tmp_path, document))[1]
    assert [call.role for call in trace.calls] == ["evaluator", "tool"]


def test_tokens_from_the_cache_are_part_of_the_input_when_the_total_says_that_they_stand_beside_it() -> None:
    trace = traces()["sums/a/1"]
    assert [(call.input_tokens, call.output_tokens, call.cached_tokens) for call in trace.calls[:1]] == [(30 + 40, 2, 40)]
    assert (trace.run.reported_input_tokens, trace.run.reported_output_tokens, trace.run.reported_cached_tokens) == (70, 2, 40)


def test_long_texts_that_the_log_keeps_apart_stand_where_they_belong() -> None:
    trace = traces()["sums/a/1"]
    assert trace.run.question == "2 + 2?"
    assert trace.calls[0].prompt == '[{"role": "user", "content": "2 + 2?"}]'


def test_letters_are_outcomes_and_scores_that_disagree_are_not() -> None:
    assert {run: (trace.run.outcome, trace.run.outcome_by) for run, trace in traces().items()} == {
        "sums/a/1": ("right", "log: scores.match"), "sums/a/2": ("unknown", None), "sums/b/1": ("wrong", "log: scores.match"),
    }  # fmt: skip
    assert "the scores do not say right or wrong with one voice: match I, judge 0.5" in traces()["sums/a/2"].run.warnings


def test_limits_and_errors_end_a_run_and_a_model_that_stops_does_not_say_why() -> None:
    assert {run: (trace.run.stop_reason, trace.run.complete) for run, trace in traces().items()} == {
        "sums/a/1": (None, None), "sums/a/2": ("token_budget", False), "sums/b/1": ("error", None),
    }  # fmt: skip


def test_a_log_older_than_spans_has_calls_and_no_nodes() -> None:
    trace = traces()["sums/a/2"]
    assert (trace.nodes, [(call.node_id, call.error) for call in trace.calls]) == ((), [(None, "refused")])
    assert extra(trace.run)["events"] == [{"event": "step", "action": "begin", "name": "generate"}]
    assert "the log is older than spans, so its steps are not recorded as nodes" in trace.run.warnings


def test_other_events_stand_with_their_span_or_with_the_run() -> None:
    trace = traces()["sums/a/1"]
    assert extra(trace.nodes[0])["events"] == [{"event": "state", "span_id": "s1", "changes": []}]
    assert extra(trace.run)["events"] == [{"event": "info", "data": "no span"}]


def test_a_span_without_an_id_is_no_node_and_the_run_says_so(tmp_path: Path) -> None:
    events = [{"event": "span_begin", "id": None, "name": "solver"}, {"event": "span_begin", "id": "s", "name": "generate"}]
    trace = one(inspect_log, write(tmp_path, {"version": 2, "status": "success", "eval": {}, "samples": [{"id": 1, "epoch": 1, "events": events}]}))
    assert [node.node_id for node in trace.nodes] == ["s"]
    assert extra(trace.run)["events"] == events[:1]
    assert "1 span(s) have no id of their own and are no nodes; they stand among the events of the run" in trace.run.warnings


@pytest.mark.parametrize("header", ["header.json", "_journal/start.json"])
def test_an_archive_is_one_log_and_reads_as_the_document_does(tmp_path: Path, header: str) -> None:
    (source,) = discover([str(archive(tmp_path, header=header))])
    assert isinstance(source, Source)
    assert (source.member, inspect_log.sniff(source)) == (None, True)
    assert {trace.run.run_id: trace for trace in split(inspect_log, source)[1]} == traces()


def test_a_member_packed_with_zstandard_is_read(tmp_path: Path) -> None:
    path = archive(tmp_path, packing=zipfile.ZIP_STORED)
    sample = json.dumps(json.loads(SAMPLE.read_bytes())["samples"][2]).encode()
    with zipfile.ZipFile(path, "a") as packed:
        packed.writestr("samples/b_epoch_9.json", zstandard.compress(sample))
        start = packed.getinfo("samples/b_epoch_9.json").header_offset
    data = bytearray(path.read_bytes())
    central = data.rindex(b"PK\x01\x02")
    for at in (start + 8, central + 10):
        data[at : at + 2] = (93).to_bytes(2, "little")
    path.write_bytes(data)
    runs = [trace.run.run_id for trace in split(inspect_log, Source(path))[1]]
    assert runs == ["sums/a/1", "sums/a/2", "sums/b/1", "sums/b/1#2"]


def test_a_member_that_cannot_be_read_is_a_problem_and_the_others_are_read(tmp_path: Path) -> None:
    path = archive(tmp_path)
    with zipfile.ZipFile(path, "a") as packed:
        packed.writestr("samples/c_epoch_1.json", '{"id": "c", "ep')
    ((problem,), found) = split(inspect_log, Source(path))
    assert (problem.where, problem.rejected) == (f"{path}!samples/c_epoch_1.json:1", True)
    assert len(found) == 3


def test_a_log_without_samples_says_so_with_the_totals_of_the_evaluation(tmp_path: Path) -> None:
    document = json.loads(SAMPLE.read_bytes())
    del document["samples"]
    ((problem,), found) = split(inspect_log, write(tmp_path, document))
    assert (problem.kind, problem.rejected, found) == ("empty", False, [])
    assert problem.message.startswith('the log holds no sample, only an evaluation\'s totals: {"toy/chat": {"input_tokens": 60')


def test_a_bad_sample_is_named_by_its_place(tmp_path: Path) -> None:
    source = write(tmp_path, {"version": 2, "status": "success", "eval": {}, "samples": [{"id": 1}, 7, {"epoch": 1}]})
    assert said(inspect_log, source) == [
        ("$.samples[1]", "a number where a sample was expected"),
        ("$.samples[2].id", "null where the id of a sample was expected"),
    ]


@pytest.mark.parametrize("content", [[], "x", None, {}, {"eval": {}, "samples": 3}])
def test_a_document_of_another_shape_is_one_problem(tmp_path: Path, content: Any) -> None:
    ((problem,), found) = split(inspect_log, write(tmp_path, content))
    assert isinstance(problem, Problem)
    assert (problem.rejected, found) == (True, [])


def test_no_change_of_a_single_value_breaks_the_reader(tmp_path: Path) -> None:
    document = json.loads(SAMPLE.read_bytes())
    document["samples"] = document["samples"][:1]
    document["samples"][0] |= {"limit": {"type": "time"}, "error": None}
    withstands_every_change(inspect_log, document, tmp_path)

"""Are the text logs of LATS read as lists of nodes with depths, without links that nobody logged?"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from ingest.readers import copra_proof_log, lats_log
from ingest.schema import Trace
from ingest.source import Source
from tests.foreign import SAMPLES, extra, said, split, storable

SAMPLE = SAMPLES / "lats-log" / "shop" / "cups.log"


def traces() -> list[Trace]:
    problems, found = split(lats_log, Source(SAMPLE))
    assert problems == []
    return found


def test_a_run_begins_where_the_iterations_begin_again() -> None:
    assert [(trace.run.run_id, len(trace.nodes), trace.run.ended) for trace in traces()] == [("cups/1", 3, True), ("cups/2", 0, None)]


def test_a_log_that_begins_in_the_middle_of_a_run_is_read_from_its_first_node_or_call_on(tmp_path: Path) -> None:
    log = tmp_path / "cups.log"
    log.write_text("".join(line for line in SAMPLE.read_text("utf-8").splitlines(keepends=True) if "Iteration 1..." not in line), "utf-8")
    problems, (trace,) = split(lats_log, Source(log))
    assert (problems, trace.run.run_id, len(trace.nodes), len(trace.calls)) == ([], "cups/1", 3, 4)


def test_a_prompt_that_was_cut_before_its_text_is_no_call(tmp_path: Path) -> None:
    log = tmp_path / "cups.log"
    log.write_text("2026-01-02 03:04:05,100 - INFO - Iteration 1...\n2026-01-02 03:04:06,000 - INFO - PROMPT", "utf-8")
    problems, (trace,) = split(lats_log, Source(log))
    assert (problems, trace.calls, extra(trace.run)["log"][-1]) == ([], (), "2026-01-02 03:04:06,000 PROMPT")


def test_nodes_have_depths_and_no_parents_and_no_scores() -> None:
    assert [(node.node_id, node.depth, node.parent_ids, node.step, node.action_kind, node.score) for node in traces()[0].nodes] == [
        ("0", 1, (), "Look for it.\nsearch[red cup]", "search", None),
        ("1", 1, (), "search[cup]", "search", None),
        ("2", 2, (), "click[Buy Now]", "click", None),
    ]
    assert [node.observation for node in traces()[0].nodes] == ["\n[Back to Search]\nCup, red", "Cup", "Thanks"]
    assert extra(traces()[0].nodes[2]) == {"value": "1.00", "visits": "0"}


def test_prompts_and_judgements_are_calls_and_an_unreadable_judgement_is_no_score() -> None:
    assert [(call.role, call.prompt, call.response, call.parsed, call.error, call.latency_ms) for call in traces()[0].calls] == [
        ("proposer", "Buy a red cup.\nAction:", "['Action: search[red cup]', 'Action: search[cup]']", None, None, 1000),
        ("evaluator", "Is it going well?", "['Yes: 0.8']", "0.8", None, 1000),
        ("evaluator", "And this?", "['Who knows']", "-1", "the answer of the judge could not be parsed", 800),
    ]
    assert {call.node_id for call in traces()[0].calls} == {None}


def test_a_prompt_without_an_answer_is_a_call_that_says_so() -> None:
    (call,) = traces()[1].calls
    assert (call.prompt, call.response, call.error) == ("Buy a blue cup.", None, "no answer is logged")
    assert call.started_at == datetime(2026, 1, 2, 3, 4, 10, 100_000, tzinfo=UTC)


def test_only_a_reward_of_the_environment_makes_a_run_right() -> None:
    assert [(trace.run.outcome, trace.run.stop_reason) for trace in traces()] == [("right", "goal"), ("unknown", None)]


def test_every_other_record_stands_with_its_run() -> None:
    assert extra(traces()[0].run)["log"] == [
        "2026-01-02 03:04:05,000 Logging has been configured.",
        "2026-01-02 03:04:05,100 Iteration 1...",
        "2026-01-02 03:04:09,000 reward:1.0",
        "2026-01-02 03:04:09,200 Terminal node with reward 1 found at iteration 1",
        "2026-01-02 03:04:09,300 RESULTS: 1.0, 1.0, 0.0",
    ]


def test_a_node_that_cannot_be_read_is_named_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "log.log"
    path.write_text(SAMPLE.read_text("utf-8").replace("depth=2", "depth=two"), "utf-8")
    assert said(lats_log, Source(path)) == [("17", "a node whose depth, value and visits cannot be read")]


def test_a_log_without_a_start_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "log.log"
    path.write_text("2026-01-02 03:04:05,000 - INFO - Hello\n")
    assert [message for _, message in said(lats_log, Source(path))] == ["no run begins in this log"]


def test_a_log_cut_at_any_byte_is_read_or_says_why_not(tmp_path: Path) -> None:
    data = SAMPLE.read_bytes()
    for end in range(0, len(data), 5):
        path = tmp_path / "cut.log"
        path.write_bytes(data[:end])
        problems, found = split(lats_log, Source(path))
        assert problems or found
        for trace in found:
            storable(trace)


def test_two_programs_with_text_logs_are_told_apart() -> None:
    other = Source(SAMPLES / "copra-proof-log" / "attempts" / "lemmas.log")
    assert [(lats_log.sniff(source), copra_proof_log.sniff(source)) for source in (Source(SAMPLE), other)] == [(True, False), (False, True)]

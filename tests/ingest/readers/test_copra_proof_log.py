"""Are COPRA logs read attempt by attempt, each result with the attempt that it belongs to, although workers interleave?"""

from __future__ import annotations

import json
from pathlib import Path

from ingest.readers import copra_proof_log
from ingest.schema import Trace
from ingest.source import Source
from tests.foreign import SAMPLES, extra, said, split, storable

SAMPLE = SAMPLES / "copra-proof-log" / "attempts" / "lemmas.log"


def traces() -> dict[str, Trace]:
    problems, found = split(copra_proof_log, Source(SAMPLE))
    assert problems == []
    return {trace.run.run_id: trace for trace in found}


def test_an_attempt_is_a_run_of_its_lemma_and_holds_no_nodes() -> None:
    assert {run: (trace.run.task_id, trace.nodes, trace.calls) for run, trace in traces().items()} == {
        "lemmas/two/1": ("two", (), ()), "lemmas/three/1": ("three", (), ()), "lemmas/four/1": ("four", (), ()), "lemmas/three/2": ("three", (), ()),
    }  # fmt: skip


def test_the_checker_decides_the_outcome_and_a_killed_attempt_failed_at_its_limit() -> None:
    assert {run: (trace.run.outcome, trace.run.stop_reason, trace.run.complete, trace.run.ended) for run, trace in traces().items()} == {
        "lemmas/two/1": ("right", "goal", True, True),
        "lemmas/three/1": ("wrong", "wall_clock", False, True),
        "lemmas/four/1": ("unknown", None, None, False),
        "lemmas/three/2": ("wrong", None, None, True),
    }


def test_an_attempt_takes_proof_time_calls_and_limit_from_its_own_result() -> None:
    run = traces()["lemmas/two/1"].run
    assert (run.question, run.answer) == ("theorem two\n  : 1 + 1 = 2 :=", "theorem two\n  : 1 + 1 = 2 :=\nby\nnorm_num -- ∎")
    assert (run.wall_clock_s, run.reported_calls, run.budget_wall_clock_s) == (2.5, 3, 60)
    assert json.loads(run.protocol or "")["eval_settings"]["proof_retries"] == 2


def test_minus_one_is_not_a_measurement() -> None:
    assert traces()["lemmas/three/2"].run.wall_clock_s is None
    assert extra(traces()["lemmas/two/1"].run)["result"]["NumberOfBacktracks"] == "-1"
    assert "-1 stands for not measured" in traces()["lemmas/two/1"].run.warnings


def test_what_belongs_to_no_attempt_stands_with_the_first_run() -> None:
    assert [extra(trace.run).get("log") for trace in traces().values()] == [["Pid: 1"], None, None, None]


def test_a_result_without_an_attempt_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "cut.log"
    lines = SAMPLE.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:2] + lines[10:]), "utf-8")
    problems = said(copra_proof_log, Source(path))
    assert [message for _, message in problems] == ["a result of a lemma that no attempt is open for"] * 2
    assert [trace.run.run_id for trace in split(copra_proof_log, Source(path))[1]] == ["cut/three/2"]


def test_a_log_cut_at_any_byte_is_read_or_says_why_not(tmp_path: Path) -> None:
    data = SAMPLE.read_bytes()
    for end in range(0, len(data), 7):
        path = tmp_path / "cut.log"
        path.write_bytes(data[:end])
        problems, found = split(copra_proof_log, Source(path))
        assert problems or found
        for trace in found:
            storable(trace)

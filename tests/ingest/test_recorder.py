"""What does a recorded run look like: its lines and ids, the texts that a policy keeps, and what redaction takes out?"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from ingest.recorder import ROOT, Recorder
from tests.native_log import lines, sha256, start

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


def noon() -> datetime:
    return NOON


def test_a_small_run_is_written_line_by_line_under_the_names_of_the_schema(tmp_path: Path) -> None:
    with Recorder(tmp_path / "log.jsonl", clock=noon) as recorder:
        run = recorder.run("r1", task_id="t1", question="4 6", protocol={"beam_width": 5}, budget_max_nodes=10)
        run.node(ROOT, depth=0, state={"left": ["4", "6"]}, fate="expanded", pass_bound=1)
        run.call(ROOT, role="proposer", prompt="4 6?", response="4 * 6 = 24", parsed=["4 * 6 = 24"], model="m", cost=0.25)
        child = run.request(ROOT)
        run.node(child, depth=1, step="4 * 6 = 24", score=1, extra={"colour": "green"})
        run.node(child, fate="terminal", verified=True)
        run.end(outcome="right", stop_reason="goal", complete=True, selected_path=[ROOT, child], answer="4 * 6")
    assert lines(tmp_path / "log.jsonl") == [
        {"record": "run", "run_id": "r1", "task_id": "t1", "question": "4 6", "protocol": {"beam_width": 5},
         "budget_max_nodes": 10, "started_at": "2026-01-05T12:00:00.000000+00:00"},
        {"record": "node", "run_id": "r1", "node_id": "0", "depth": 0, "state": {"left": ["4", "6"]},
         "fate": "expanded", "pass": 1},
        {"record": "call", "run_id": "r1", "call_id": "0:proposer:0", "node_id": "0", "role": "proposer",
         "parsed": ["4 * 6 = 24"], "model": "m", "cost": 0.25, "prompt_hash": sha256("4 6?"),
         "response_hash": sha256("4 * 6 = 24"), "prompt": "4 6?", "response": "4 * 6 = 24"},
        {"record": "node", "run_id": "r1", "node_id": "0.0", "parent_ids": ["0"], "request_index": 0,
         "started_at": "2026-01-05T12:00:00.000000+00:00", "depth": 1, "step": "4 * 6 = 24", "score": 1.0, "colour": "green"},
        {"record": "node", "run_id": "r1", "node_id": "0.0", "fate": "terminal", "verified": True},
        {"record": "run_end", "run_id": "r1", "outcome": "right", "stop_reason": "goal", "complete": True,
         "selected_path": ["0", "0.0"], "answer": "4 * 6", "wall_clock_s": 0.0},
    ]  # fmt: skip


def test_ids_follow_the_order_of_requests_whatever_order_the_answers_arrive_in(tmp_path: Path) -> None:
    ids = []
    for name, arrival in (("a", (0, 1, 2)), ("b", (2, 0, 1))):
        with Recorder(tmp_path / name) as recorder:
            run = recorder.run("r")
            asked = [(run.request(ROOT), f"step {index}") for index in range(3)]
            for position in arrival:
                run.node(asked[position][0], step=asked[position][1])
            ids.append({line["step"]: line["node_id"] for line in lines(tmp_path / name) if line["record"] == "node"})
    assert ids[0] == ids[1] == {"step 0": "0.0", "step 1": "0.1", "step 2": "0.2"}


def test_an_explicit_request_index_is_used_and_counting_goes_on_behind_it(tmp_path: Path) -> None:
    with Recorder(tmp_path / "log") as recorder:
        run = recorder.run("r")
        assert [run.request("0.3", 4), run.request("0.3"), run.request("0.3", 4), run.request("0")] == [
            "0.3.4",
            "0.3.5",
            "0.3.4",
            "0.0",
        ]


def test_several_samples_of_one_role_at_one_node_are_several_calls(tmp_path: Path) -> None:
    with Recorder(tmp_path / "log") as recorder:
        run = recorder.run("r")
        ids = [run.call("0.1", role="evaluator"), run.call("0.1", role="evaluator"), run.call("0.1", role="proposer")]
        ids.append(run.call("0.1", role="evaluator", call_index=7))
    assert ids == ["0.1:evaluator:0", "0.1:evaluator:1", "0.1:proposer:0", "0.1:evaluator:7"]


def test_a_node_that_was_refused_keeps_what_its_request_fixed(tmp_path: Path) -> None:
    with Recorder(tmp_path / "log", clock=noon) as recorder:
        run = recorder.run("r")
        child = run.request(ROOT)
        with pytest.raises(TypeError):
            run.node(child, score="high")
        run.node(child, score=0.5)
    assert lines(tmp_path / "log")[1]["parent_ids"] == ["0"]


def texts_in(path: Path) -> dict[str, list[str]]:
    """Which prompts reached the disk, by run; every call is checked to carry its hashes at once."""
    found: dict[str, list[str]] = {}
    for line in lines(path):
        if line["record"] == "call":
            assert "prompt_hash" in line or "prompt" in line
            if "prompt" in line:
                found.setdefault(line["run_id"], []).append(line["prompt"])
    return found


def three_runs(path: Path, payloads: str) -> None:
    with Recorder(path, payloads=payloads) as recorder:
        for run_id, outcome in (("r", "right"), ("w", "wrong"), ("u", None), ("died", None)):
            run = recorder.run(run_id)
            run.call("0", role="proposer", prompt=f"ask {run_id}", response="yes", input_tokens=3)
            if run_id != "died":
                run.end(outcome=outcome)


@pytest.mark.parametrize(
    ("payloads", "kept"),
    [
        ("all", {"r": ["ask r"], "w": ["ask w"], "u": ["ask u"], "died": ["ask died"]}),
        ("none", {}),
        ("failed", {"w": ["ask w"], "u": ["ask u"], "died": ["ask died"]}),
        ("sample:1", {"r": ["ask r"], "w": ["ask w"], "u": ["ask u"], "died": ["ask died"]}),
        ("sample:0", {}),
    ],
)
def test_the_payload_policy_decides_whose_texts_are_written(tmp_path: Path, payloads: str, kept: dict[str, list[str]]) -> None:
    three_runs(tmp_path / "log", payloads)
    assert texts_in(tmp_path / "log") == kept
    metadata = [line["input_tokens"] for line in lines(tmp_path / "log") if line["record"] == "call" and "input_tokens" in line]
    assert metadata == [3, 3, 3, 3]


def test_failed_keeps_texts_off_the_disk_until_the_end_and_writes_them_before_it(tmp_path: Path) -> None:
    with Recorder(tmp_path / "log", payloads="failed") as recorder:
        run = recorder.run("w")
        run.call("0", role="proposer", prompt="secret of the task", response="yes")
        assert b"secret of the task" not in (tmp_path / "log").read_bytes()
        run.end(outcome="wrong")
        run.call("0", role="verifier", prompt="late", response="no")
    assert [(line["record"], line.get("prompt")) for line in lines(tmp_path / "log")] == [
        ("run", None), ("call", None), ("call", "secret of the task"), ("run_end", None), ("call", "late"),
    ]  # fmt: skip
    assert lines(tmp_path / "log")[2] == {
        "record": "call", "run_id": "w", "call_id": "0:proposer:0", "prompt": "secret of the task", "response": "yes",
    }  # fmt: skip


def test_a_process_that_joined_a_run_keeps_its_texts_back_until_it_is_told_the_outcome(tmp_path: Path) -> None:
    with Recorder(tmp_path / "log", payloads="failed") as recorder:
        told, not_told = recorder.join("told"), recorder.join("not told")
        told.call("0", role="proposer", prompt="a", response="yes")
        not_told.call("0", role="proposer", prompt="b", response="yes")
        told.settle("wrong")
    assert texts_in(tmp_path / "log") == {"told": ["a"]}


def test_a_sample_takes_its_share_of_the_runs_and_the_same_runs_every_time(tmp_path: Path) -> None:
    kept = []
    for name in ("a", "b"):
        with Recorder(tmp_path / name, payloads="sample:0.25") as recorder:
            for index in range(400):
                recorder.run(f"run {index}").call("0", role="proposer", prompt="p")
        kept.append(set(texts_in(tmp_path / name)))
    assert kept[0] == kept[1]
    assert 70 <= len(kept[0]) <= 130


@pytest.mark.parametrize("policy", ["some", "sample:", "sample:1.5", "sample:-1", "sample:50%"])
def test_an_unknown_payload_policy_is_refused_before_a_file_is_made(tmp_path: Path, policy: str) -> None:
    with pytest.raises(ValueError, match="is none of all, failed, none, sample:RATE"):
        Recorder(tmp_path / "log", payloads=policy)
    assert not (tmp_path / "log").exists()


def test_a_retention_window_is_stamped_on_each_run_that_is_opened_and_on_no_other_line(tmp_path: Path) -> None:
    with Recorder(tmp_path / "log", retain_days=30, clock=noon) as recorder:
        recorder.run("now").node("0")
        recorder.run("earlier", started_at=NOON.replace(month=1, day=1), extra={"colour": "green"})
        recorder.join("other").end()
    assert [(line["run_id"], line.get("texts_until"), line.get("colour")) for line in lines(tmp_path / "log")] == [
        ("now", "2026-02-04T12:00:00.000000+00:00", None), ("now", None, None),
        ("earlier", "2026-01-31T12:00:00.000000+00:00", "green"), ("other", None, None),
    ]  # fmt: skip


def test_without_a_window_nothing_is_stamped(tmp_path: Path) -> None:
    with Recorder(tmp_path / "log") as recorder:
        recorder.run("r")
    assert "texts_until" not in lines(tmp_path / "log")[0]


@pytest.mark.parametrize("days", [-1, float("nan"), float("inf")])
def test_a_window_that_is_no_number_of_days_is_refused_before_a_file_is_made(tmp_path: Path, days: float) -> None:
    with pytest.raises(ValueError, match=r"retain_days: .* is no number of days from 0 to 36525"):
        Recorder(tmp_path / "log", retain_days=days)
    assert not (tmp_path / "log").exists()


def test_a_secret_is_nowhere_on_the_disk_whatever_field_or_key_it_stood_in(tmp_path: Path) -> None:
    secret = "sk-123"
    with Recorder(tmp_path / "log", redact=[lambda text: text.replace(secret, "[key]"), str.strip]) as recorder:
        run = recorder.run(f"r-{secret}", question=secret, protocol={"key": secret}, extra={secret: secret})
        child = run.request(f"0-{secret}")
        run.node(child, step=f" use {secret} ", state={secret: [{"a": secret}], "[key]": 2}, error=secret)
        run.call(child, role="tool", prompt=secret, response=secret, parsed=[secret], model=secret)
        run.end(answer=secret, selected_path=[child], best_so_far=[{"node_id": child}])
    assert secret.encode() not in (tmp_path / "log").read_bytes()
    _, node, call, end = lines(tmp_path / "log")
    assert (node["step"], node["state"]) == ("use [key]", {"[key]": [{"a": "[key]"}], "[key] (2)": 2})
    assert node["node_id"] == call["node_id"] == end["selected_path"][0] == "0-[key].0"
    assert call["prompt_hash"] == sha256("[key]")


def test_a_redactor_that_fails_or_returns_no_text_stops_the_line(tmp_path: Path) -> None:
    with Recorder(tmp_path / "log", redact=[lambda text: None if text == "x" else text]) as recorder:  # type: ignore[list-item,return-value]  # the point of the test
        run = recorder.run("r")
        with pytest.raises(TypeError, match="a redactor returned NoneType where text was expected"):
            run.node("0", step="x")
    assert [line["record"] for line in lines(tmp_path / "log")] == ["run"]


def test_the_recorder_needs_none_of_the_packages_of_the_explorer(tmp_path: Path) -> None:
    process = start(
        """
        import sys
        before = set(sys.modules)
        for name in ("duckdb", "pyarrow", "streamlit", "plotly", "networkx", "pandas", "numpy", "zstandard"):
            sys.modules[name] = None
        from ingest.recorder import Recorder
        with Recorder(sys.argv[1]) as recorder:
            recorder.run("r").end()
        new = {name.partition(".")[0] for name in set(sys.modules) - before if sys.modules[name]}
        print(sorted(new - set(sys.stdlib_module_names)))
        """,
        str(tmp_path / "log"),
    )
    out, error = process.communicate()
    assert (error, out) == ("", "['ingest']\n")

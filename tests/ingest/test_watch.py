"""Is a log that is followed while it grows in the store what it would be if it were loaded once, when all is written?"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ingest import commit, tail, watch
from ingest.pipeline import ingest
from ingest.redact import Redactor, read_rules
from ingest.retain import drop_texts, forget
from ingest.store import Store, read_manifest
from ingest.watch import Watch
from tests.logs import PROJECT, contents, load, node, rows, write_log

NODES = "select run_id, node_id, depth, score, fate from nodes order by all"
RUN = {"record": "run", "run_id": "r", "task_id": "t"}
END = {"record": "run_end", "run_id": "r", "outcome": "right", "selected_path": ["a", "b"]}


@pytest.fixture(autouse=True)
def _search_at_every_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "SEARCH_S", 0.0)
    monkeypatch.setattr(watch, "SEARCH_REST", 0)


def add(log: Path, *records: dict[str, Any] | str) -> None:
    """Append lines; a text is written as it is, without a line end."""
    with log.open("ab") as file:
        for record in records:
            file.write(record.encode() if isinstance(record, str) else json.dumps(record).encode() + b"\n")


def watching(folder: Path, *logs: Path, **options: Any) -> Watch:
    """A watch of these logs that has looked once."""
    found = Watch(folder / "store", [str(log) for log in logs], **options)
    found.look()
    return found


def same_as_loaded_once(folder: Path, *logs: Path) -> None:
    """Every row of every table, and what the store says of each log."""
    with tempfile.TemporaryDirectory() as other:
        load(Path(other) / "once", *logs)
        assert contents(folder / "store") == contents(Path(other) / "once")
        counts = [{entry.source: entry.counts for entry in read_manifest(store).entries} for store in (folder / "store", Path(other) / "once")]
        assert counts[0] == counts[1]


def never(*_: Any, **__: Any) -> Any:
    raise AssertionError("the log was loaded as a whole")


def test_appended_lines_complete_a_run_that_is_in_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = write_log(tmp_path / "log", RUN, node("a", score=0.5, prompt="p", response="q"))
    follower = watching(tmp_path, log)
    monkeypatch.setattr(watch, "ingest", never)
    add(log, node("b", "a", score=0.25, prompt="p"), {"record": "node", "run_id": "r", "node_id": "a", "score": 0.75})
    follower.look()
    assert rows(tmp_path / "store", NODES) == [("r", "a", 0, 0.75, "expanded"), ("r", "b", 1, 0.25, None)]
    assert rows(tmp_path / "store", "select ended, problems from runs") == [(False, 2)]
    add(log, {"record": "node", "run_id": "r", "node_id": "b", "fate": "terminal"}, END)
    follower.look()
    assert rows(tmp_path / "store", "select ended, outcome, nodes, calls from runs") == [(True, "right", 2, 2)]
    same_as_loaded_once(tmp_path, log)


RECORDS = st.one_of(
    st.builds(
        lambda run, number, parent, fields: node(f"n{number}", None if parent is None else f"n{parent}", run=run, **fields),
        st.sampled_from("rst"), st.integers(0, 5), st.one_of(st.none(), st.integers(0, 5)),
        st.fixed_dictionaries({}, optional={
            "score": st.sampled_from([0.5, "0.50", "odd", None, 1]), "fate": st.sampled_from(["expanded", "pruned", "frontier", "no such"]),
            "depth": st.integers(0, 3), "prompt": st.sampled_from(["p", "q"]), "response": st.sampled_from(["p", "long " * 9]),
            "input_tokens": st.integers(-1, 9), "started_at": st.sampled_from(["2026-01-01T00:00:00", 5]), "own": st.just({"run_id": "x"}),
            "evaluation": st.sampled_from([{"response": "p", "score": 0.5}, {"response": "r"}, "plain", [{"response": "p"}, {"prompt": "q"}]]),
            "parent_ids": st.sampled_from(["n1", ["n0", "n2"]]),
        }),
    ),
    st.builds(
        lambda run, number, fields: {"record": "call", "run_id": run, "node_id": f"n{number}", **fields},
        st.sampled_from("rst"), st.integers(0, 7),
        st.fixed_dictionaries({}, optional={
            "call_id": st.sampled_from("cd"), "role": st.sampled_from(["tool", "evaluator"]), "prompt": st.sampled_from(["p", "s"]),
            "cost": st.sampled_from([0.5, -1]),
        }),
    ),
    st.builds(
        lambda run, more: {"record": "run", "run_id": run, **more},
        st.sampled_from("rst"), st.sampled_from([{}, {"task_id": "t"}, {"budget_max_depth": "x"}]),
    ),
    st.builds(lambda run: {**END, "run_id": run, "selected_path": ["n0", "n9"]}, st.sampled_from("rst")),
    st.sampled_from([
        '{"run_id": "r", "node', "[1, 2]", "", "   ", '{"record": "node", "run_id": "r"}', '{"node_id": "x"}', "\xe9",
        '{"run_id": 5, "node_id": "ü"}',
    ]),
)  # fmt: skip


@settings(
    max_examples=int(os.environ.get("WATCH_EXAMPLES", "10")), deadline=None, phases=[Phase.reuse, Phase.generate],
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
@given(st.lists(RECORDS, min_size=2, max_size=14), st.lists(st.floats(0, 1), min_size=1, max_size=4), st.booleans())
def test_a_log_that_grows_in_any_pieces_gives_the_rows_of_the_whole_log(records: list[Any], cuts: list[float], latin: bool) -> None:
    lines = [record.encode("latin-1" if latin else "utf-8") if isinstance(record, str) else json.dumps(record).encode() for record in [RUN, *records]]
    whole = b"".join(line + b"\n" for line in lines)
    places = sorted({0, len(whole), *(int(cut * len(whole)) for cut in cuts)})
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        log.touch()
        follower = watching(Path(folder), log)
        for begin, end in itertools.pairwise(places):
            with log.open("ab") as file:
                file.write(whole[begin:end])
            follower.look()
        follower.look()
        same_as_loaded_once(Path(folder), log)


def test_the_line_that_is_being_written_is_waited_for(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log", RUN, node("a"))
    follower = watching(tmp_path, log)
    add(log, node("b", "a"), '{"record": "node", "run_id": "r", "node_id": "c", "par')
    follower.look()
    assert rows(tmp_path / "store", "select node_id from nodes order by 1") == [("a",), ("b",)]
    assert rows(tmp_path / "store", "select * from problems") == []
    add(log, 'ent_ids": ["a"]}')  # complete, though its line end is still to come
    follower.look()
    assert rows(tmp_path / "store", "select node_id from nodes order by 1") == [("a",), ("b",), ("c",)]
    add(log, "\n", "no JSON\n", node("d", "a"))
    follower.look()
    assert rows(tmp_path / "store", "select path, kind from problems") == [(f"{log}:5", "bad_line")]
    same_as_loaded_once(tmp_path, log)


def test_more_than_one_step_takes_is_taken_in_step_by_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tail, "STEP_BYTES", 300)
    log = write_log(tmp_path / "log", RUN, *(node(f"n{i}") for i in range(9)), node("long", step="x" * 999))
    follower = watching(tmp_path, log)
    add(log, *(node(f"m{i}", "long") for i in range(7)), node("longer", step="y" * 999), node("last"))
    seen = set()
    for _ in range(6):
        follower.look()
        seen |= set(rows(tmp_path / "store", "select nodes from runs"))
    assert len(seen) > 2
    same_as_loaded_once(tmp_path, log)


def test_an_object_that_goes_on_was_no_complete_line(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log", RUN)
    add(log, '{"record": "node", "run_id": "r", "node_id": "a"}')
    follower = watching(tmp_path, log)
    assert rows(tmp_path / "store", "select node_id from nodes") == [("a",)]
    add(log, ', "more": 1}\n', node("b"))
    follower.look()
    follower.look()
    assert rows(tmp_path / "store", "select node_id from nodes") == [("b",)]
    same_as_loaded_once(tmp_path, log)


@pytest.mark.parametrize("how", ["truncated", "rotated", "rewritten"])
def test_a_log_that_is_not_the_same_any_more_is_loaded_again(tmp_path: Path, how: str) -> None:
    log = write_log(tmp_path / "log", RUN, node("a"), node("b", "a"))
    follower = watching(tmp_path, log)
    size = log.stat().st_size
    if how == "rotated":
        log.rename(tmp_path / "log.1")
    new = [{"record": "run", "run_id": "r"}, node("z")]
    write_log(log, *new, *([node("y", "z")] * 9 if how != "truncated" else []))
    assert (log.stat().st_size < size) == (how == "truncated")
    follower.look()
    assert rows(tmp_path / "store", "select node_id from nodes order by 1") == ([("z",)] if how == "truncated" else [("y",), ("z",)])
    add(log, node("x", "z"))
    follower.look()
    same_as_loaded_once(tmp_path, log)


def test_a_log_that_was_rotated_within_its_folder_keeps_its_runs(tmp_path: Path) -> None:
    log = write_log(tmp_path / "logs" / "log", RUN, node("a"))
    follower = watching(tmp_path, tmp_path / "logs")
    log.rename(tmp_path / "logs" / "log.1")
    write_log(log, {"record": "run", "run_id": "s"}, node("a", run="s"))
    for _ in range(3):
        follower.look()
    assert rows(tmp_path / "store", "select run_id, source from runs order by 1") == [("r", f"{log}.1"), ("s", str(log))]


def test_new_files_in_a_folder_are_found_and_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = write_log(tmp_path / "logs" / "first.jsonl", RUN, node("a"))
    follower = watching(tmp_path, tmp_path / "logs")
    second = write_log(tmp_path / "logs" / "deeper" / "second.jsonl", node("a", run="s"))
    follower.look()
    monkeypatch.setattr(watch, "ingest", never)
    add(second, node("b", "a", run="s"))
    add(first, node("b", "a"))
    follower.look()
    assert rows(tmp_path / "store", "select run_id, nodes from runs order by 1") == [("r", 2), ("s", 2)]
    same_as_loaded_once(tmp_path, tmp_path / "logs")


def test_a_run_in_several_logs_grows_in_each_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = [write_log(tmp_path / "logs" / name, RUN, node(name), node(f"{name}0", name)) for name in ("one", "two")]
    follower = watching(tmp_path, *logs)
    monkeypatch.setattr(watch, "ingest", never)
    add(logs[1], node("two1", "one", score=0.5), "no JSON\n", node("a", run="other"))
    follower.look()
    add(logs[0], {"record": "node", "run_id": "r", "node_id": "two1", "score": 0.25}, {"record": "node", "run_id": "r"})
    add(logs[1], node("b", "a", run="other"))
    follower.look()
    assert rows(tmp_path / "store", "select score from nodes where node_id = 'two1'") == [(0.5,)]
    same_as_loaded_once(tmp_path, *logs)


def test_a_run_that_turns_up_in_a_second_log_is_read_with_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = [write_log(tmp_path / "logs" / name, node(name, run=name)) for name in ("one", "two")]
    follower = watching(tmp_path, *logs)
    add(logs[1], node("b", "one", run="one"))
    follower.look()
    follower.look()
    monkeypatch.setattr(watch, "ingest", never)
    add(logs[1], node("c", "b", run="one"))
    follower.look()
    assert rows(tmp_path / "store", "select run_id, nodes, orphans from runs order by 1") == [("one", 3, 0), ("two", 1, 0)]
    same_as_loaded_once(tmp_path, *logs)


def test_another_format_is_loaded_again_once_it_is_quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = next((PROJECT / "sample_traces" / "aide-journal").rglob("*.json"))
    log = tmp_path / "journal.json"
    log.write_bytes(sample.read_bytes()[:500])
    follower = watching(tmp_path, log)
    follower.look()
    assert rows(tmp_path / "store", "select * from runs") == []
    log.write_bytes(sample.read_bytes())
    follower.look()
    assert rows(tmp_path / "store", "select * from runs") == []  # it may still be written
    follower.look()
    assert len(rows(tmp_path / "store", "select * from runs")) == 1
    same_as_loaded_once(tmp_path, log)


def test_what_was_followed_before_goes_on_from_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = write_log(tmp_path / "log", RUN, node("a"))
    watching(tmp_path, log)
    add(log, node("b", "a"))
    again = watching(tmp_path, log)
    monkeypatch.setattr(watch, "ingest", never)
    again.look()
    assert rows(tmp_path / "store", "select nodes from runs") == [(2,)]
    same_as_loaded_once(tmp_path, log)


def test_a_log_that_was_loaded_before_is_followed_without_being_loaded_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = write_log(tmp_path / "log", RUN, node("a"))
    load(tmp_path / "store", log)
    monkeypatch.setattr(watch, "ingest", never)
    follower = watching(tmp_path, log)
    add(log, node("b", "a"))
    follower.look()
    same_as_loaded_once(tmp_path, log)


def test_a_log_that_another_ingest_has_loaded_meanwhile_counts_once(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log", RUN, node("a"), node("a", run="ended"))
    follower = watching(tmp_path, log)
    add(log, node("b", "a"))
    load(tmp_path / "store", log)
    add(log, node("c", "a"))
    for _ in range(2):
        follower.look()
    same_as_loaded_once(tmp_path, log)


def test_old_lines_of_other_runs_are_not_read_again(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log", *(node(f"n{i}", run=f"run-{i // 50}") for i in range(2_000)), node("a"))
    follower = watching(tmp_path, log)
    (one,) = follower._followed.values()
    add(log, node("b", "a"))
    one.lines.add(follower._con, log.read_bytes()[one.lines.end :])
    numbers, blocks = one.lines.of({"r"}, 2_002)
    assert (numbers.tolist(), b"".join(blocks)) == ([2_001, 2_002], b"".join(log.read_bytes().splitlines(keepends=True)[-2:]))


def test_the_next_ingest_leaves_nothing_behind_of_what_was_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commit, "COMPACT_ABOVE", 5)
    log = write_log(tmp_path / "log", RUN, node("a"), node("a", run="ended"))
    follower = watching(tmp_path, log)
    for number in range(7):
        add(log, node(f"b{number}", "a", prompt="p", score="odd"))
        follower.look()
        assert len(read_manifest(tmp_path / "store").batches) <= 6
    assert read_manifest(tmp_path / "store").moved
    same_as_loaded_once(tmp_path, log)
    load(tmp_path / "store", write_log(tmp_path / "other", node("a", run="other")))
    assert not read_manifest(tmp_path / "store").moved
    for table in ("runs", "nodes", "calls", "texts", "problems"):
        in_files = Store(tmp_path / "none").query(f"select count(*) as n from read_parquet('{tmp_path}/store/data/*/{table}.parquet')")
        assert in_files["n"].to_pylist() == [len(contents(tmp_path / "store")[table])]
    add(log, node("c", "a"))
    follower.look()
    same_as_loaded_once(tmp_path, log, tmp_path / "other")


@pytest.mark.parametrize("drop", [forget, drop_texts])
def test_what_is_dropped_while_a_log_is_followed_is_gone_from_every_file(tmp_path: Path, drop: Callable[..., list[str]]) -> None:
    log = write_log(tmp_path / "log", RUN, node("a", prompt="secret text"), node("a", run="other"))
    follower = watching(tmp_path, log)
    add(log, node("b", "a", prompt="secret text"))
    follower.look()
    assert drop(tmp_path / "store", ["r"]) == ["r"]
    files = "select count(*) as n from read_parquet('{}/store/data/*/texts.parquet')"
    assert Store(tmp_path / "none").query(files.format(tmp_path))["n"].to_pylist() == [0]
    assert rows(tmp_path / "store", "select run_id from runs order by 1") == ([("other",)] if drop is forget else [("other",), ("r",)])


def test_redaction_and_payload_policy_hold_for_what_is_appended(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log", RUN, node("a", step="mail me@example.org", prompt="kept?"))
    follower = watching(tmp_path, log, redactor=Redactor(read_rules("builtin")), payloads="failed")
    add(log, node("b", "a", step="mail you@example.org", prompt="kept?"), "no JSON, you@example.org\n")
    follower.look()
    assert len(rows(tmp_path / "store", "select * from texts")) == 1
    add(log, END)
    follower.look()
    assert rows(tmp_path / "store", "select * from texts") == []
    once = tmp_path / "once"
    ingest(once, [str(log)], redactor=Redactor(read_rules("builtin")), payloads="failed")
    assert contents(tmp_path / "store") == contents(once)
    assert "example.org" not in str(contents(tmp_path / "store"))


def test_what_was_judged_stays_when_the_run_grows(tmp_path: Path) -> None:
    from ingest.judgements import add_truth
    from ingest.schema import Truth

    log = write_log(tmp_path / "log", RUN, node("a"))
    follower = watching(tmp_path, log)
    add_truth(tmp_path / "store", [Truth(run_id="r", node_id="a", viable=True, viable_by="oracle")], ["r"], "oracle", "game24")
    add(log, node("b", "a"))
    follower.look()
    assert rows(tmp_path / "store", "select node_id, viable from truth") == [("a", True)]
    assert Store(tmp_path / "store").read_only_query("select nodes from runs").to_pylist() == [{"nodes": 2}]


@pytest.mark.parametrize("where", ["move_in", "publish", "compact", "remove_invisible"])
def test_death_at_any_moment_leaves_a_state_from_which_it_goes_on(tmp_path: Path, where: str) -> None:
    log = write_log(tmp_path / "log", RUN, node("a"))
    code = f"""
import os, sys
from pathlib import Path
from ingest import commit, watch
watch.SEARCH_S = watch.SEARCH_REST = 0
follower = watch.Watch(Path(sys.argv[1]), [sys.argv[2]])
follower.look()
with open(sys.argv[2], "a") as file:
    file.write('{{"record": "node", "run_id": "r", "node_id": "b", "parent_ids": ["a"]}}\\n')
commit.{where} = lambda *arguments: os._exit(9)
follower.look()
os._exit(9)
"""
    died = subprocess.run([sys.executable, "-c", code, str(tmp_path / "store"), str(log)], cwd=PROJECT, check=False)
    assert died.returncode == 9
    assert rows(tmp_path / "store", "select nodes from runs") in ([(1,)], [(2,)])
    add(log, node("c", "b"))
    watching(tmp_path, log).look()
    same_as_loaded_once(tmp_path, log)


def test_the_process_follows_until_its_stdin_ends(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log", RUN, node("a"))
    asked = {"store": str(tmp_path / "store"), "paths": [str(log)], "redact": None, "payloads": "all"}
    child = subprocess.Popen([sys.executable, "-m", "ingest.watch"], cwd=PROJECT, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdin is not None and child.stderr is not None
    child.stdin.write(json.dumps(asked) + "\n")
    child.stdin.flush()
    for expected in (1, 2):
        until = time.monotonic() + 30
        while (found := rows(tmp_path / "store", "select nodes from runs")) != [(expected,)] and time.monotonic() < until:
            time.sleep(0.1)
        assert found == [(expected,)]
        add(log, node("b", "a"))
    child.stdin.close()
    assert (child.wait(20), child.stderr.read()) == (0, "")


def test_lines_are_known_by_their_run_whatever_else_they_hold(tmp_path: Path) -> None:
    data = b'\xef\xbb\xbf{"run_id": "a"}\n\n{"run_id": null}\n{"x": {"run_id": "b"}, "run_id": "c"}\n\xff{"run_id": "a"}\n{"run_id": 5}\n"run_id"'
    log = tmp_path / "log"
    log.write_bytes(data)
    import duckdb

    found = tail.Lines(log)
    found.read(duckdb.connect(), len(data))
    assert {run: found.of({run}, len(found) + 1)[0].tolist() for run in ("a", "b", "c", "5")} == {"a": [1], "b": [], "c": [4], "5": [6]}
    assert (len(found), found.end) == (7, len(data))

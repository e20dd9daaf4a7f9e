"""Do logs get into the store whole, once, and in any order: one run in several files, files that grow, move away or are killed half way?"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
import zstandard

from ingest import pipeline
from ingest.store import read_manifest
from tests.logs import PROJECT, command, contents, load, node, rows, write_log

RUN = {"record": "run", "run_id": "r", "task_id": "t"}
END = {"record": "run_end", "run_id": "r", "outcome": "right", "selected_path": ["a"]}
FOREIGN = PROJECT / "sample_traces"


def call(name: str, node_id: str) -> dict[str, Any]:
    return {"record": "call", "run_id": "r", "call_id": name, "node_id": node_id, "prompt": name, "cost": 0.5}


def test_a_run_in_several_files_is_one_run_in_whatever_order_they_come(tmp_path: Path) -> None:
    parts = [[RUN, node("a")], [node("b", "a", score=0.25), call("x", "b")], [node("c", "a", fate="terminal"), call("y", "c"), END]]
    files = [write_log(tmp_path / f"part-{number}", *part) for number, part in enumerate(parts)]
    whole = write_log(tmp_path / "whole", *(line for part in parts for line in part))
    load(tmp_path / "one", whole)
    load(tmp_path / "together", *files)
    for file in files:
        load(tmp_path / "growing", file)
    for file in reversed(files):
        load(tmp_path / "backwards", file)
    expected = contents(tmp_path / "one", "source")
    assert contents(tmp_path / "together", "source") == expected
    assert contents(tmp_path / "growing", "source") == expected
    assert contents(tmp_path / "backwards", "source") == expected
    totals = "select nodes, edges, roots, orphans, calls, cost, ended, problems from runs"
    assert rows(tmp_path / "growing", totals) == [(3, 2, 1, 0, 2, 1.0, True, 0)]


def test_a_file_that_continues_a_loaded_run_is_put_together_with_it(tmp_path: Path) -> None:
    first = write_log(tmp_path / "first", RUN, node("a"))
    load(tmp_path / "store", first)
    reports = load(tmp_path / "store", write_log(tmp_path / "second", node("b", "a"), END))
    assert {Path(report.source).name: (report.status, report.counts["nodes"], report.counts["runs"]) for report in reports} == {
        "second": ("loaded", 1, 1), "first": ("unchanged", 1, 1),
    }  # fmt: skip
    assert rows(tmp_path / "store", "select nodes, orphans, ended from runs") == [(2, 0, True)]
    write_log(first, RUN, node("a"), node("a2"))
    load(tmp_path / "store", first)
    assert rows(tmp_path / "store", "select node_id, source from nodes join runs using (run_id) order by 1") == [
        (name, str(first)) for name in ("a", "a2", "b")
    ]


def test_a_part_whose_other_file_is_gone_is_left_out_with_a_word_and_the_run_stays(tmp_path: Path) -> None:
    first = write_log(tmp_path / "first", RUN, node("a"), node("b", "a"))
    load(tmp_path / "store", first)
    first.unlink()
    second = write_log(tmp_path / "second", node("c", "b"), node("x", run="own"))
    (report,) = load(tmp_path / "store", second)
    assert (report.status, report.rejected, report.counts["nodes"]) == ("loaded", True, 1)
    assert [problem["message"] for problem in report.problems] == [
        f"run r is in the store from {first}, and the two cannot be read together; its lines here were left out"
    ]
    assert rows(tmp_path / "store", "select run_id, nodes from runs order by 1") == [("own", 1), ("r", 2)]


def test_a_file_that_no_longer_holds_a_shared_run_leaves_it_to_the_other(tmp_path: Path) -> None:
    first, second = write_log(tmp_path / "first", RUN, node("a")), write_log(tmp_path / "second", node("b", "a"), node("x", run="s"))
    load(tmp_path / "store", first, second)
    write_log(first, node("only", run="new"))
    load(tmp_path / "store", first)
    assert rows(tmp_path / "store", "select run_id, nodes, orphans, task_id from runs order by 1") == [
        ("new", 1, 0, None), ("r", 1, 1, None), ("s", 1, 0, None),
    ]  # fmt: skip


def test_a_growing_log_is_followed_from_torn_line_to_end(tmp_path: Path) -> None:
    lines = [json.dumps(line) + "\n" for line in (RUN, node("a"), node("b", "a"), END)]
    text = "".join(lines)
    for cut, expected in ((len(lines[0]) + 10, (0, 1, False)), (len(text) - 5, (2, 1, False)), (len(text), (2, 0, True))):
        (tmp_path / "log").write_text(text[:cut])
        load(tmp_path / "store", tmp_path / "log")
        assert rows(tmp_path / "store", "select nodes, (select count(*) from problems where kind = 'torn_line'), ended from runs") == [expected]


@pytest.mark.parametrize("kind", ["plain", "bom", "gz", "zst", "zip", "stdin"])
def test_the_same_log_is_the_same_run_however_it_comes(tmp_path: Path, kind: str) -> None:
    data = b"".join(json.dumps(line).encode() + b"\n" for line in (RUN, node("a"), node("b", "a", score="odd"), call("x", "b"), END))
    (tmp_path / "plain").write_bytes(data)
    (tmp_path / "bom").write_bytes(b"\xef\xbb\xbf" + data)
    (tmp_path / "gz").write_bytes(gzip.compress(data))
    (tmp_path / "zst").write_bytes(zstandard.compress(data))
    with zipfile.ZipFile(tmp_path / "zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inner/log", data)
    if kind == "stdin":
        assert command("ingest", "--store", tmp_path / "stdin-store", "-", stdin=data).returncode == 0
    else:
        load(tmp_path / f"{kind}-store", tmp_path / kind)
    load(tmp_path / "store", write_log(tmp_path / "log", *data.decode().splitlines()))
    assert contents(tmp_path / f"{kind}-store", "source", "path") == contents(tmp_path / "store", "source", "path")
    piped = f"standard input {hashlib.blake2b(data, digest_size=4).hexdigest()}"
    name = {"zip": f"{tmp_path}/zip!inner/log", "stdin": piped}.get(kind, f"{tmp_path}/{kind}")
    assert rows(tmp_path / f"{kind}-store", "select source, line, path from problems") == [(name, 3, f"{name}:3")]


def test_two_foreign_runs_of_one_name_are_both_kept_and_the_second_says_so(tmp_path: Path) -> None:
    log = (FOREIGN / "toolbench-dfsdt/chain/ferry_CoT@2.json").read_text("utf-8")
    for folder, text in (("one", log), ("two", log.replace("ferry", "boat"))):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "ferry_CoT@2.json").write_text(text, "utf-8")
    for _ in range(2):
        load(tmp_path / "store", tmp_path / "one", tmp_path / "two")
        (first, second) = rows(tmp_path / "store", "select run_id, nodes, len(warnings) from runs order by run_id")
        assert second[0].startswith(f"{first[0]}@")
        assert second[1:] == (first[1], first[2] + 1)
        (tmp_path / "two" / "ferry_CoT@2.json").write_text(log.replace("ferry", "ship"), "utf-8")
    assert rows(tmp_path / "store", "select distinct run_id from nodes order by 1") == [(first[0],), (second[0],)]


def test_many_foreign_logs_become_visible_in_several_commits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "COMMIT_NODES", 1)
    reports = load(tmp_path / "store", *sorted((FOREIGN / "tot-bfs").rglob("*.json")))
    assert {report.status for report in reports} == {"loaded"}
    assert len(read_manifest(tmp_path / "store").batches) == len(reports) == 3
    assert rows(tmp_path / "store", "select sum(nodes) from runs") == [(sum(report.counts["nodes"] or 0 for report in reports),)]


def test_two_ingests_of_one_log_write_the_same_bytes(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"prompt": "p", "cost": 0.1, "evaluation": {"response": "x", "cost": 0.2}}
    path = write_log(tmp_path / "log", *(node(f"n{i}", f"n{i // 3}" if i else None, run=f"r{i % 3}", **asked) for i in range(3_000)))
    load(tmp_path / "one", path, FOREIGN / "moatless-tree")
    load(tmp_path / "two", path, FOREIGN / "moatless-tree")
    written = {
        name: {str(file.relative_to(tmp_path / name)): file.read_bytes() for file in sorted((tmp_path / name / "data").rglob("*.parquet"))}
        for name in ("one", "two")
    }
    assert written["one"].keys() == written["two"].keys()
    assert [file for file, data in written["one"].items() if written["two"][file] != data] == []


SIZES = {f"log-{number}": 400 + 100 * number for number in range(3)}


def grown(folder: Path, more: int) -> None:
    """Three native logs of one run each, all nodes with a call, ``more`` nodes longer than at first; and a foreign one."""
    for name, size in SIZES.items():
        write_log(folder / name, *(node(f"n{i}", f"n{i - 1}" if i else None, run=name, prompt=f"{i}", step="x" * 200) for i in range(size + more)))
    log = json.loads((FOREIGN / "moatless-tree/nested/dates.json").read_text("utf-8"))
    (folder / "dates.json").write_text(json.dumps({**log, "more": more}), "utf-8")


def states(store: Path) -> dict[str, int]:
    """Nodes of each source; fails where runs, nodes, calls and sources do not agree."""
    counts = "select any_value(source), count(*), count(c.node_id), any_value(r.nodes), any_value(r.calls)"
    joined = "from runs r join nodes n using (run_id) left join calls c on c.run_id = n.run_id and c.node_id = n.node_id and c.role = 'proposer'"
    found = {}
    for source, nodes, asked, counted, calls in rows(store, f"{counts} {joined} group by run_id"):
        assert nodes == counted
        assert asked == nodes or "dates" in source
        assert calls >= asked
        found[Path(source).name] = nodes
    assert {Path(source).name: nodes for source, nodes in rows(store, "select source, nodes from sources")} == found
    return found


def test_killed_twenty_times_at_any_moment_the_store_holds_whole_sources_and_the_last_ingest_completes_it(tmp_path: Path) -> None:
    rng = random.Random(20)
    arguments = [sys.executable, "-m", "explorer", "ingest", "--store", str(tmp_path / "store"), str(tmp_path / "logs")]
    (tmp_path / "logs").mkdir()
    grown(tmp_path / "logs", 0)
    started = time.monotonic()
    subprocess.run(arguments, cwd=PROJECT, check=True, capture_output=True)
    lasts = time.monotonic() - started
    before, killed = states(tmp_path / "store"), 0
    assert before == {**SIZES, "dates.json": 6}
    for more in range(1, 21):
        grown(tmp_path / "logs", more)
        process = subprocess.Popen(arguments, cwd=PROJECT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.35, 1.0) * lasts)
        process.send_signal(signal.SIGKILL)
        in_time = process.wait() == -signal.SIGKILL
        killed, lasts = killed + in_time, lasts * (1.0 if in_time else 0.85)
        now = states(tmp_path / "store")
        assert now.keys() == before.keys()
        assert {now[name] - SIZES[name] for name in SIZES} in ({before[name] - SIZES[name] for name in SIZES}, {more})
        before = now
    load(tmp_path / "store", tmp_path / "logs")
    load(tmp_path / "fresh", tmp_path / "logs")
    assert contents(tmp_path / "store") == contents(tmp_path / "fresh")
    assert os.listdir(tmp_path / "store" / "tmp") == []  # noqa: PTH208 - names are what is shown when it fails
    assert {path.name for path in (tmp_path / "store/data").iterdir()} == set(read_manifest(tmp_path / "store").batches)
    assert killed >= 10


def test_a_folder_without_a_log_says_so(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "readme.md").write_text("nothing to see")
    left_alone, said = pipeline.ingest(tmp_path / "store", [str(tmp_path / "notes")])
    assert (left_alone.status, left_alone.rejected) == ("rejected", False)
    assert said.rejected
    assert "none of the 1 files there is a log" in str(said.problems[0]["message"])

"""Which lines are in the file after threads, processes, kills and full disks?"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from ingest.recorder import ROOT, Recorder, RunRecorder
from tests.native_log import lines, start


def test_threads_on_one_run_lose_no_line_and_share_no_id(tmp_path: Path) -> None:
    with Recorder(tmp_path / "log") as recorder:
        run = recorder.run("r")

        def work() -> None:
            for _ in range(250):
                run.node(run.request(ROOT), step="x" * 300)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    found = [line["node_id"] for line in lines(tmp_path / "log")[1:]]
    assert len(found) == 2000
    assert set(found) == {f"0.{index}" for index in range(2000)}


def worker(path: Path, number: int) -> None:
    with Recorder(path) as recorder:
        add_nodes(recorder.join("r"), number)


def add_nodes(run: RunRecorder, number: int) -> None:
    for index in range(300):
        run.node(run.request(f"0.{number}", index), step="x" * (index % 7) * 5000)


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_four_processes_on_one_file_write_whole_lines_and_lose_none(tmp_path: Path, method: str) -> None:
    path = tmp_path / "log"
    with Recorder(path) as recorder:
        run = recorder.run("r")
        # A forked process may go on with the recorder that it inherited; a spawned one opens its own.
        target, first = (add_nodes, run) if method == "fork" else (worker, path)
        processes: Any = multiprocessing.get_context(method)
        workers = [processes.Process(target=target, args=(first, number)) for number in range(4)]
        for process in workers:
            process.start()
        for process in workers:
            process.join()
    assert [process.exitcode for process in workers] == [0, 0, 0, 0]
    found = [line["node_id"] for line in lines(path)[1:]]
    assert len(found) == 1200
    assert set(found) == {f"0.{number}.{index}" for number in range(4) for index in range(300)}


def test_killed_in_the_middle_only_the_last_line_can_be_torn_and_the_next_writer_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "log"
    for attempt in range(3):
        process = start(
            """
            import sys
            from ingest.recorder import Recorder
            run = Recorder(sys.argv[1]).join("r")
            while True:
                run.node("0", step="x" * 3_000_000)
            """,
            str(path),
        )
        while not path.exists() or path.stat().st_size < (attempt + 1) * 12_000_000:
            assert process.poll() is None, process.communicate()
            time.sleep(0.001)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        with Recorder(path) as recorder:
            recorder.join("r").node("0", step=f"after kill {attempt}")
    written = path.read_bytes().split(b"\n")
    assert written.pop() == b""
    assert sum(not is_json(line) for line in written) <= 3
    assert [json.loads(line)["step"] for line in written if b"after kill" in line] == [f"after kill {n}" for n in range(3)]


def is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def test_a_line_torn_by_an_earlier_crash_is_not_glued_to_the_next_one(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b'{"record":"node","run_id":"r","node_')
    with Recorder(path) as recorder:
        recorder.join("r").node("0", score=0.5)
        with path.open("ab") as other:  # and another writer dies while this one lives
            other.write(b'{"rec')
        recorder.join("r").node("1", score=0.5)
    torn, first, torn_too, second, rest = path.read_bytes().split(b"\n")
    assert (torn, torn_too, rest) == (b'{"record":"node","run_id":"r","node_', b'{"rec', b"")
    assert [json.loads(line)["node_id"] for line in (first, second)] == ["0", "1"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
def test_a_full_disk_reaches_the_caller_and_leaves_no_half_line(tmp_path: Path) -> None:
    path = tmp_path / "log"
    process = start(
        """
        import resource, signal, sys
        from ingest.recorder import Recorder
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
        with Recorder(sys.argv[1], payloads="failed") as recorder:
            run = recorder.run("r")
            run.call("0", role="proposer", prompt="x" * 20_000)
            try:
                run.end(outcome="wrong")
            except OSError as error:
                print(type(error).__name__, "as told")
            run.node("0", step="short")
        """,
        str(path),
    )
    out, error = process.communicate()
    assert out == "OSError as told\n"
    assert "OSError" in error  # the texts do not fit at the closing either
    assert [line["record"] for line in lines(path)] == ["run", "call", "node"]


def test_nothing_is_written_after_the_recorder_is_closed(tmp_path: Path) -> None:
    with Recorder(tmp_path / "log") as recorder:
        run = recorder.run("r")
    recorder.close()
    with pytest.raises(ValueError, match="is closed: nothing can be recorded any more"):
        run.node("0")


def test_the_folder_of_the_log_is_made_and_what_is_in_the_log_stays(tmp_path: Path) -> None:
    for run_id in ("a", "b"):
        with Recorder(tmp_path / "new" / "folder" / "log") as recorder:
            recorder.run(run_id)
    assert [line["run_id"] for line in lines(tmp_path / "new" / "folder" / "log")] == ["a", "b"]

"""Does an ingest become visible as a whole or not at all, whatever happens to the process, the disk or another writer?"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ingest import commit
from ingest.store import MANIFEST, read_manifest
from tests.logs import PROJECT, command, contents, load, node, rows, write_log

_CAPBSET_DROP, _CAP_DAC_OVERRIDE = 24, 1
STATE = "select run_id, nodes from runs order by run_id"


def tidy(folder: Path) -> None:
    """Nothing but the visible batches and the customary files is in the store."""
    manifest = read_manifest(folder)
    assert {path.name for path in (folder / "data").iterdir()} == set(manifest.batches)
    assert {path.name for path in folder.iterdir()} == {"README.md", "data", "lock", MANIFEST, "tmp"}
    assert list((folder / "tmp").iterdir()) == []


@pytest.mark.parametrize("name", ["store", "it's ü \"odd\" [1]"])
def test_a_replaced_source_leaves_its_neighbours_as_they_were(tmp_path: Path, name: str) -> None:
    call = {"record": "call", "run_id": "kept", "node_id": "n1", "prompt": "p"}
    kept = write_log(
        tmp_path / "kept", *(node(f"n{i}", f"n{i - 1}" if i else None, run="kept", score="odd", prompt=f"{i}") for i in range(30)), *[call] * 5
    )
    other = write_log(tmp_path / "other", node("a", run="other", prompt="gone"), node("b", run="other", score="odd"))
    load(tmp_path / name, kept, other)
    before = contents(tmp_path / name)
    write_log(other, node("a", run="renamed"))
    load(tmp_path / name, other)
    after = contents(tmp_path / name)
    for table, found in after.items():
        assert [row for row in found if row.get("run_id") == "kept"] == [row for row in before[table] if row.get("run_id") == "kept"]
        assert {row["run_id"] for row in found} <= {"kept", "renamed"}
    tidy(tmp_path / name)


def test_many_small_ingests_are_merged_and_nothing_in_them_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commit, "COMPACT_ABOVE", 4)
    names = [str(number) for number in range(6)]
    logs = [write_log(tmp_path / name, node("a", run=name, prompt="p"), node("b", run=name, score="odd")) for name in names]
    for log in logs:
        load(tmp_path / "store", log)
    load(tmp_path / "once", *logs)
    assert len(read_manifest(tmp_path / "store").batches) <= 2
    assert contents(tmp_path / "store") == contents(tmp_path / "once")
    tidy(tmp_path / "store")


def test_a_second_writer_waits_says_so_and_then_does_its_work(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log", node("a"))
    with commit.writing(tmp_path / "store"):
        waiting = subprocess.Popen(
            [sys.executable, "-m", "explorer", "ingest", "--store", tmp_path / "store", log], cwd=PROJECT, stderr=subprocess.PIPE, text=True
        )
        assert waiting.stderr is not None
        said = waiting.stderr.readline()
        assert waiting.poll() is None
    assert said == f"{tmp_path}/store: another ingest (process {os.getpid()}) is writing to this store; waiting for it to end.\n"
    assert waiting.wait(60) == 0
    assert rows(tmp_path / "store", STATE) == [("r", 1)]


@pytest.mark.parametrize(("before", "state"), [("publish", [("r", 1)]), ("remove_invisible", [("r", 3)])])
def test_death_beside_the_rename_leaves_the_old_or_the_new_state(tmp_path: Path, before: str, state: list[tuple[str, int]]) -> None:
    log = write_log(tmp_path / "log", node("a"))
    load(tmp_path / "store", log)
    write_log(log, node("a"), node("b"), node("c"))
    code = f"""
import os, sys
from pathlib import Path
from ingest import commit
from ingest.pipeline import ingest
swept, real = [], commit.{before}
def die(*arguments):
    # the sweep at the start calls remove_invisible too
    if "{before}" == "publish" or swept:
        os._exit(9)
    swept.append(real(*arguments))
commit.{before} = die
ingest(Path(sys.argv[1]), sys.argv[2:])
"""
    died = subprocess.run([sys.executable, "-c", code, tmp_path / "store", log], cwd=PROJECT, check=False)
    assert died.returncode == 9
    assert rows(tmp_path / "store", STATE) == state
    load(tmp_path / "store", log)
    assert rows(tmp_path / "store", STATE) == [("r", 3)]
    tidy(tmp_path / "store")


def test_a_writer_that_was_killed_holds_up_nobody(tmp_path: Path) -> None:
    code = """
import sys, time
from pathlib import Path
from ingest import commit
with commit.writing(Path(sys.argv[1])):
    print("in", flush=True)
    time.sleep(60)
"""
    holder = subprocess.Popen([sys.executable, "-c", code, tmp_path / "store"], cwd=PROJECT, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "in\n"
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    started = time.monotonic()
    load(tmp_path / "store", write_log(tmp_path / "log", node("a")))
    assert time.monotonic() - started < 15
    assert rows(tmp_path / "store", STATE) == [("r", 1)]


def obey_permissions() -> None:
    """Give up what lets root write to read-only folders; for the moment between fork and exec."""
    if os.getuid() == 0:
        ctypes.CDLL(None).prctl(_CAPBSET_DROP, _CAP_DAC_OVERRIDE, 0, 0, 0)


@pytest.mark.parametrize("there", [False, True], ids=["no_store_yet", "a_store"])
def test_a_folder_that_is_read_only_is_a_sentence_and_can_still_be_read(tmp_path: Path, there: bool) -> None:
    log, store = write_log(tmp_path / "log", node("a")), tmp_path / "kept" / "store"
    store.parent.mkdir()
    if there:
        load(store, log)
        write_log(log, node("a"), node("b"))
    closed = store if there else store.parent
    closed.chmod(0o500)
    try:
        refused = command("ingest", "--store", store, log, preexec_fn=obey_permissions)
        read = command("runs", "--store", store, "--json", preexec_fn=obey_permissions)
    finally:
        closed.chmod(0o700)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == (
        f"{store}: the store cannot be written: permission denied\n  Nothing that was visible is lost. Choose another folder with --store.\n"
    )
    assert [run["nodes"] for run in json.loads(read.stdout)["runs"]] == [1] * there


@pytest.mark.parametrize("limit", [30_000, 300_000])
def test_a_full_disk_is_a_sentence_and_nothing_that_was_there_is_lost(tmp_path: Path, limit: int) -> None:
    log = write_log(tmp_path / "log", node("a"))
    load(tmp_path / "store", log)
    write_log(log, *(node(f"n{i}", prompt=os.urandom(100).hex()) for i in range(5_000)))
    full = command("ingest", "--store", tmp_path / "store", log, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert (full.returncode, full.stdout) == (1, "")
    assert full.stderr == (
        f"{tmp_path}/store: the store cannot be written: file too large\n  Nothing that was visible is lost. Choose another folder with --store.\n"
    )
    assert rows(tmp_path / "store", STATE) == [("r", 1)]
    load(tmp_path / "store", log)
    assert rows(tmp_path / "store", STATE) == [("r", 5_000)]
    tidy(tmp_path / "store")


def test_what_an_earlier_death_left_behind_is_swept(tmp_path: Path) -> None:
    load(tmp_path / "store", write_log(tmp_path / "log", node("a")))
    (tmp_path / "store/tmp/dead/out").mkdir(parents=True)
    (tmp_path / "store/data/000099").mkdir()
    (tmp_path / "store/data/000099/nodes.parquet").write_bytes(b"half a file")
    load(tmp_path / "store", tmp_path / "log")
    assert rows(tmp_path / "store", STATE) == [("r", 1)]
    tidy(tmp_path / "store")

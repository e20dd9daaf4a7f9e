"""Does a page follow a log that is being written, and leave alone what the reader is doing?"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ingest.recorder import ROOT, Recorder, RunRecorder
from tests.browser.conftest import Viewer, Visit

Open = Callable[..., Visit]
STAGE = "[aria-roledescription='search tree']"


def begin(recorder: Recorder, run_id: str = "growing") -> RunRecorder:
    """A run with a root and three children."""
    run = recorder.run(run_id, task_id="t", question="1 5 10 11")
    run.node(ROOT, depth=0)
    propose(run, 3)
    return run


def propose(run: RunRecorder, children: int) -> None:
    for _ in range(children):
        node = run.request(ROOT)
        run.node(node, depth=1, step=f"step of {node}", score=0.5)


def chip(tab: Visit, text: str) -> Any:
    return tab.page.locator(".chip .text", has_text=text).first


def test_appended_lines_appear_and_selection_draft_and_zoom_stay(start_viewer: Callable[..., Viewer], visit: Open, tmp_path: Path) -> None:
    with Recorder(tmp_path / "logs" / "run.jsonl") as recorder:
        run = begin(recorder)
        viewer = start_viewer(tmp_path / "logs", "--watch")
        tab = visit().open(viewer.address("investigate", run="growing", node="0.1", view="tree"))
        chip(tab, "4 nodes").wait_for()
        chip(tab, "running").wait_for()
        stage = tab.page.locator(STAGE).first
        stage.focus()
        tab.page.keyboard.press("+")
        tab.page.get_by_role("button", name="note").first.click()
        draft = tab.page.get_by_label("Note on this node")
        draft.fill("half a thought")
        tab.page.get_by_label("Note", exact=True).fill("why, in half a sent")
        draft.press("End")
        propose(run, 20)
        chip(tab, "24 nodes").wait_for(timeout=20_000)
        tab.page.keyboard.type(", and on")
        propose(run, 1)
        chip(tab, "25 nodes").wait_for(timeout=20_000)
        tab.settle()
        assert draft.input_value() == "half a thought, and on"
        assert tab.page.get_by_label("Note", exact=True).input_value() == "why, in half a sent"
        assert (tab.value("node"), tab.value("view")) == ("0.1", "tree")
        assert "25 nodes" in str(stage.get_attribute("aria-label"))
        run.end(outcome="wrong", stop_reason="frontier_exhausted", selected_path=[ROOT])
        chip(tab, "frontier exhausted").wait_for(timeout=20_000)
        assert (tab.foreign, tab.errors) == ([], [])


def test_the_run_list_shows_a_new_run_in_a_new_file_and_which_one_is_dead(
    start_viewer: Callable[..., Viewer], visit: Open, tmp_path: Path
) -> None:
    with Recorder(tmp_path / "logs" / "old.jsonl") as recorder:
        begin(recorder, "old")
    os.utime(tmp_path / "logs" / "old.jsonl", (time.time() - 9_000,) * 2)
    viewer = start_viewer(tmp_path / "logs", "--watch")
    tab = visit().open(viewer.url)
    chip(tab, "1 dead without an end").wait_for()
    with Recorder(tmp_path / "logs" / "new.jsonl") as recorder:
        begin(recorder, "new")
    chip(tab, "2 runs").wait_for(timeout=20_000)
    chip(tab, "1 running").wait_for()
    tab.open(viewer.address("investigate", run="old"))
    chip(tab, "dead since").wait_for()
    tab.open(viewer.address("suite"))
    with Recorder(tmp_path / "logs" / "newer.jsonl") as recorder:
        begin(recorder, "newer")
    chip(tab, "show what is new").wait_for(timeout=20_000)
    chip(tab, "show what is new").click()
    chip(tab, "show what is new").wait_for(state="detached", timeout=20_000)


def test_ctrl_c_ends_viewer_and_watch_with_status_0(start_viewer: Callable[..., Viewer], tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"
    log.write_text(json.dumps({"record": "run", "run_id": "r"}) + "\n", "utf-8")
    viewer: Any = start_viewer(log, "--watch")
    children = Path(f"/proc/{viewer.process.pid}/task/{viewer.process.pid}/children")
    child = children.read_text().split()[0] if children.exists() else None
    viewer.process.send_signal(signal.SIGINT)
    assert viewer.process.wait(20) == 0
    assert "Traceback" not in viewer.output.read_text()
    assert child is None or not Path(f"/proc/{child}").exists()

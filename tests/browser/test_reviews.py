"""A reviewer in a real browser: a mark changes the verdict at once, a reload and a second tab agree, and what was typed is not lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import PROJECT, Viewer, Visit

Open = Callable[..., Visit]
LINES = [
    {"record": "run", "run_id": "r", "level_by_level": True, "question": "which way?"},
    {"record": "node", "run_id": "r", "node_id": "root", "parent_ids": [], "fate": "expanded", "step": "start"},
    {"record": "node", "run_id": "r", "node_id": "kept", "parent_ids": ["root"], "fate": "terminal", "score": 0.9, "step": "left"},
    {"record": "node", "run_id": "r", "node_id": "cut", "parent_ids": ["root"], "fate": "pruned", "score": 0.2, "step": "right"},
    {"record": "run_end", "run_id": "r", "outcome": "wrong", "selected_path": ["root", "kept"]},
]
DRAFT = "![x](http://canary.invalid/a.png) the judge <b>did not</b> see it"


@pytest.fixture
def viewer(start_viewer: Callable[..., Viewer], tmp_path: Path) -> Viewer:
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(line) + "\n" for line in LINES), "utf-8")
    return start_viewer(log)


def sentence(tab: Visit) -> str:
    """The verdict that stands at the top of the page."""
    found = tab.page.locator("[data-testid=stText]", has_text="Run r (which way?)").first
    found.wait_for(timeout=15_000)
    return str(found.inner_text())


def wait_sentence(tab: Visit, words: str) -> None:
    tab.page.locator("[data-testid=stText]", has_text=words).first.wait_for(timeout=15_000)


def as_reviewer(tab: Visit, name: str) -> None:
    field = tab.page.locator("input.who").first
    field.fill(name)
    field.press("Enter")


def exported(viewer: Viewer, tmp_path: Path) -> list[dict[str, Any]]:
    """What the command exports from the viewer's store."""
    file, store = tmp_path / "out.json", viewer.output.parent / "store"
    command = [sys.executable, "-m", "explorer", "reviews", "--store", str(store), "--export", str(file)]
    subprocess.run(command, cwd=PROJECT, env=dict(os.environ), check=True, capture_output=True)
    found: list[dict[str, Any]] = json.loads(file.read_text("utf-8"))
    return found


def test_a_mark_on_a_rejected_sibling_turns_cannot_tell_into_a_verdict_at_once(viewer: Viewer, visit: Open, tmp_path: Path) -> None:
    address = viewer.address("investigate", run="r", node="cut", view="ladder")
    tab = visit().open(address)
    assert "It cannot be told where the right path was lost" in sentence(tab)
    as_reviewer(tab, "AB")
    tab.page.locator("button[data-mark=right]").click()
    wait_sentence(tab, "The right path was lost at depth 1 by evaluation")
    assert '"right" was proposed and scored 0.2, below 0.9' in sentence(tab)
    tab.page.locator("button[data-mark=right][aria-pressed=true]").wait_for()
    assert tab.page.locator(".row[data-id=cut] .badge.viable").inner_text() == "◆ viable"
    tab.page.reload()
    tab.settle()
    assert "lost at depth 1 by evaluation" in sentence(tab)
    second = visit(beside=tab).open(address)
    assert "lost at depth 1 by evaluation" in sentence(second)
    second.page.locator("button[data-mark=right][aria-pressed=true]").wait_for()  # the initials are kept in the browser
    (line,) = exported(viewer, tmp_path)
    assert {name: line[name] for name in ("kind", "run_id", "node_id", "mark", "reviewer")} == {
        "kind": "mark", "run_id": "r", "node_id": "cut", "mark": "right", "reviewer": "AB",
    }  # fmt: skip
    second.page.locator("button[data-mark=right]").click()
    wait_sentence(second, "It cannot be told where the right path was lost")
    assert exported(viewer, tmp_path) == []
    assert (tab.foreign, tab.errors, second.errors) == ([], [], [])


def test_a_mark_waits_for_the_initials_and_is_recorded_once_they_are_there(viewer: Viewer, visit: Open, tmp_path: Path) -> None:
    tab = visit().open(viewer.address("investigate", run="r", node="cut"))
    tab.page.locator("button[data-mark=not_right]").click()
    tab.page.locator("[role=status]", has_text="Who says so?").wait_for()
    assert exported(viewer, tmp_path) == []
    as_reviewer(tab, "CD")
    tab.page.locator("button[data-mark=not_right][aria-pressed=true]").wait_for()
    assert [(line["mark"], line["reviewer"]) for line in exported(viewer, tmp_path)] == [("not_right", "CD")]


def test_a_half_typed_verdict_outlives_a_reload_and_ctrl_enter_records_it(viewer: Viewer, visit: Open, tmp_path: Path) -> None:
    tab = visit().open(viewer.address("investigate", run="r", node="cut"))
    sentence(tab)
    as_reviewer(tab, "AB")
    tab.page.locator("button[data-verdict=evaluation]").click()
    note = tab.page.get_by_label("Note", exact=True)
    note.fill(DRAFT)
    tab.page.reload()
    tab.settle()
    assert note.input_value() == DRAFT
    assert tab.page.locator("button[data-verdict=evaluation][aria-pressed=true]").count() == 1
    for _ in range(3):
        note.press("Control+Enter")
    tab.page.locator(".chip", has_text="reviewer AB").locator(".text", has_text="evaluation at cut").wait_for(timeout=15_000)
    tab.page.locator("[role=status]", has_text="recorded").wait_for()
    assert note.input_value() == ""
    (line,) = exported(viewer, tmp_path)
    assert (line["kind"], line["verdict"], line["node_id"], line["note"]) == ("verdict", "evaluation", "cut", DRAFT)
    assert "It cannot be told" in sentence(tab), "a verdict of a reviewer stands beside the computed one, never in its place"
    tab.open(viewer.address("verdicts"))
    tab.page.locator("[data-testid=stDataFrame]").nth(2).wait_for(timeout=15_000)  # kappa, the matrix, and what was said
    assert (tab.foreign, tab.errors) == ([], [])


def test_two_tabs_record_at_once_and_both_lines_are_there(viewer: Viewer, visit: Open, tmp_path: Path) -> None:
    first = visit().open(viewer.address("investigate", run="r", node="cut"))
    second = visit().open(viewer.address("investigate", run="r", node="cut"))
    as_reviewer(first, "AB")
    as_reviewer(second, "CD")
    first.page.locator("button[data-mark=right]").click(no_wait_after=True)
    second.page.locator("button[data-mark=not_right]").click(no_wait_after=True)
    for tab, mark in ((first, "right"), (second, "not_right")):
        tab.page.locator(f"button[data-mark={mark}][aria-pressed=true]").wait_for()
    assert sorted((line["reviewer"], line["mark"]) for line in exported(viewer, tmp_path)) == [("AB", "right"), ("CD", "not_right")]
    first.page.reload()
    first.settle()
    first.page.locator(".chip", has_text="sources disagree").wait_for(timeout=15_000)

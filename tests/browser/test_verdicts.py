"""From many runs to one node in a real browser: the bar filters the list, the funnel opens its runs, the decisive node is one click away."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import PROJECT, Viewer, Visit

Open = Callable[..., Visit]
RUN = "game24-lost_by_evaluation"


@pytest.fixture(scope="module")
def viewer(start_viewer: Callable[..., Viewer]) -> Viewer:
    """A viewer that was running while the oracle was asked about all nodes."""
    started = start_viewer(PROJECT / "sample_traces" / "native" / "1")
    command = [sys.executable, "-m", "explorer", "judge", "--oracle", "game24", "--store", str(started.output.parent / "store")]
    subprocess.run(command, cwd=PROJECT, check=True, capture_output=True)
    return started


def click_bar(tab: Visit, trace: str) -> None:
    """Click the middle of the largest part of a trace, by the name in the legend."""
    chart = tab.page.locator(".js-plotly-plot").first
    chart.locator(".bars path").first.wait_for(timeout=15_000)
    find = """(plot, trace) => {
      const at = plot.data.filter((one) => one.type === 'bar').findIndex((one) => one.name.startsWith(trace));
      const parts = [...plot.querySelectorAll('.barlayer .trace.bars')][at].querySelectorAll('.point path');
      const boxes = [...parts].map((part) => part.getBoundingClientRect());
      const bar = boxes.reduce((best, box) => box.width * box.height > best.width * best.height ? box : best);
      return [bar.x + bar.width / 2, bar.y + bar.height / 2];
    }"""
    x, y = chart.evaluate(find, trace)
    tab.page.mouse.move(x - 3, y)
    tab.page.mouse.move(x, y)
    tab.page.mouse.click(x, y)


def chip(tab: Visit, label: str) -> Any:
    return tab.page.locator(".chip", has_text=label).first


def test_a_click_on_the_bar_filters_the_list_and_a_click_on_the_chip_shows_all_again(viewer: Viewer, visit: Open) -> None:
    tab = visit().open(viewer.url)
    chip(tab, "28 runs").wait_for(timeout=15_000)
    click_bar(tab, "evaluation: underscored")
    tab.page.wait_for_function("() => new URL(location.href).searchParams.get('lost')")
    tab.settle()
    assert tab.value("lost") == "1.evaluation.underscored"
    chip(tab, "1 run").wait_for()
    tab.page.reload()
    tab.settle()
    chip(tab, "1 run").wait_for(timeout=15_000)
    chip(tab, "only runs").click()
    chip(tab, "28 runs").wait_for()
    assert tab.value("lost") is None
    assert (tab.foreign, tab.errors) == ([], [])


def test_a_stage_of_the_funnel_opens_the_runs_that_were_lost_there(viewer: Viewer, visit: Open) -> None:
    tab = visit().open(viewer.address("suite"))
    click_bar(tab, "lost at this stage")
    tab.page.wait_for_function("() => new URL(location.href).searchParams.get('lost')")
    assert (tab.value("lost") or "").startswith("stage.")
    chip(tab, "only runs").wait_for(timeout=15_000)


def test_the_decisive_node_is_one_click_away_and_the_evidence_unfolds(viewer: Viewer, visit: Open) -> None:
    tab = visit().open(viewer.address("investigate", run=RUN, view="ladder"))
    tab.page.locator("[data-testid=stText]", has_text="by evaluation").first.wait_for(timeout=15_000)
    chip(tab, "open the decisive node").click()
    tab.page.wait_for_function("() => new URL(location.href).searchParams.get('node')")
    tab.settle()
    lost = tab.value("node")
    assert tab.page.locator(f".row[data-id='{lost}'] .badge.viable").inner_text() == "◆ viable"
    tab.page.get_by_text("Why so?").first.click()
    tab.page.locator("[data-testid=stText]", has_text=f"{lost}: lost").wait_for(timeout=15_000)
    assert (tab.foreign, tab.errors) == ([], [])


def test_the_verdict_form_follows_the_node_that_is_looked_at(viewer: Viewer, visit: Open) -> None:
    tab = visit().open(viewer.address("investigate", run=RUN, node="0.1", view="ladder"))
    node = tab.page.get_by_label("Decisive node")
    node.wait_for(timeout=15_000)
    assert node.input_value() == "0.1"
    tab.page.locator("button[data-id='0.2']").first.click()
    tab.wait_for("node", "0.2")
    tab.page.wait_for_timeout(600)
    assert node.input_value() == "0.2"
    node.fill("0.3")
    tab.page.locator("button[data-id='0.1']").first.click()
    tab.wait_for("node", "0.1")
    tab.page.wait_for_timeout(600)
    assert node.input_value() == "0.3", "what the reviewer typed stays"

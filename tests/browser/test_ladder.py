"""The ladder and the statistics in a real browser: keys, focus, clicks, and text of a log that stays text."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import Viewer, Visit
from tests.hostile import HOSTILE, hostile_lines

Open = Callable[..., Visit]
FOCUSED = """() => {
  let element = document.activeElement;
  while (element && element.shadowRoot && element.shadowRoot.activeElement) element = element.shadowRoot.activeElement;
  return element.dataset.id ?? null;
}"""
BEAM = [
    {"record": "run", "run_id": "r", "level_by_level": True},
    {"record": "node", "run_id": "r", "node_id": "root", "parent_ids": [], "fate": "expanded", "step": "start"},
    *[
        {
            "record": "node",
            "run_id": "r",
            "node_id": f"a{i}",
            "parent_ids": ["root"],
            "score": 9 - i,
            "fate": fate,
            "seq": i,
            "step": f"a {i}",
        }
        for i, fate in enumerate(("expanded", "expanded", "pruned"))
    ],
    *[
        {
            "record": "node",
            "run_id": "r",
            "node_id": f"b{i}",
            "parent_ids": ["a1"],
            "score": 5 - i,
            "fate": fate,
            "seq": 9 + i,
            "step": f"b {i}",
        }
        for i, fate in enumerate(("terminal", "pruned"))
    ],
    {"record": "run_end", "run_id": "r", "outcome": "wrong", "selected_path": ["root", "a1", "b0"]},
]


@pytest.fixture(scope="module")
def viewer(start_viewer: Callable[..., Viewer], tmp_path_factory: pytest.TempPathFactory) -> Viewer:
    folder = tmp_path_factory.mktemp("logs")
    hostile = [{**line, "run_id": "hostile"} for line in hostile_lines(HOSTILE)]
    (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in [*BEAM, *hostile]), "utf-8")
    return start_viewer(folder)


def press(tab: Visit, *keys: str) -> list[Any]:
    """The node that has the focus after each key."""
    seen = []
    for key in keys:
        tab.page.keyboard.press(key)
        seen.append(tab.page.evaluate(FOCUSED))
    return seen


def test_arrows_move_inside_a_column_and_between_columns_and_enter_inspects(viewer: Viewer, visit: Open) -> None:
    tab = visit().open(viewer.address("investigate", run="r", view="ladder", node="b0"))
    tab.page.locator(".row[data-id=a1]").focus()
    assert press(tab, "ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft", "End", "Home") == ["b0", "b1", "b1", "a1", "a2", "a0"]
    tab.page.keyboard.press("End")
    tab.page.keyboard.press("Enter")
    tab.wait_for("node", "a2")
    tab.settle()
    assert tab.page.evaluate(FOCUSED) == "a2", "the focus outlives the run of the page"
    assert tab.page.locator(".row[aria-current=true]").evaluate_all("rows => rows.map(row => row.dataset.id)") == ["a2"]
    assert tab.page.locator(".row[tabindex='0']").count() == 1, "the ladder is one stop of the tab key"


def test_every_row_says_in_words_what_its_colours_say(viewer: Viewer, visit: Open) -> None:
    tab = visit().open(viewer.address("investigate", run="r", view="ladder"))
    tab.page.locator(".cutline").first.wait_for()
    labels = tab.page.locator(".row").evaluate_all("rows => rows.map(row => row.getAttribute('aria-label'))")
    assert "Depth 1, rank 2 of 3, score 8.0, chosen, expanded, a 1" in labels
    assert "Depth 1, rank 3 of 3, score 7.0, pruned, rule not recorded, a 2" in labels
    assert tab.page.locator(".cutline").first.inner_text() == "▲ kept · 2 of 3 · cut-off 8.0 · pruned ▼"


@pytest.mark.parametrize("page_name", ["investigate", "statistics"])
def test_hostile_text_is_shown_and_does_nothing(viewer: Viewer, visit: Open, page_name: str) -> None:
    tab = visit().open(viewer.address(page_name, run="hostile", view="ladder"))
    tab.page.wait_for_timeout(1_000)
    assert tab.foreign == []
    assert tab.page.title() not in ("1", "2", "3")
    if page_name == "investigate":
        assert tab.page.locator(".row .step", has_text='<img src="http://canary.invalid/a.png"').count() == 1
        assert tab.page.locator(".ladder img, .ladder a, .ladder script").count() == 0


def test_a_click_on_a_score_opens_its_node(viewer: Viewer, visit: Open) -> None:
    tab = visit().open(viewer.address("statistics", run="r"))
    point = tab.page.locator(".js-plotly-plot .scatterlayer path.point").first
    box = point.bounding_box()
    tab.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tab.page.wait_for_url("**/investigate?*")
    assert tab.value("run") == "r"
    assert tab.value("node") in {"a0", "a1", "a2", "b0", "b1"}

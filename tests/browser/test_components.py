"""Do the drawings answer pointer and keys in a real browser, and is text from a log only ever text there?

    python -m pytest tests/browser/test_components.py
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from explorer.components import scripts
from explorer.components.columns import encoded
from explorer.components.map import map_payload, query_parameters
from explorer.components.outline import outline_payload
from explorer.components.tree import tree_payload
from tests.explorer.components import grown

_PAGE = Path(__file__).with_name("components_page.py")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Address of the page with the drawings, served by a process of its own."""
    port = _free_port()
    options = {
        "server.port": port, "server.address": "127.0.0.1", "server.headless": "true", "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false", "client.toolbarMode": "minimal",
    }
    command = [sys.executable, "-m", "streamlit", "run", str(_PAGE), *(f"--{name}={value}" for name, value in options.items())]
    root = _PAGE.parents[2]
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, cwd=root, env={"PYTHONPATH": str(root), "PATH": ""}, **quiet) as server:
        _wait_for(f"http://127.0.0.1:{port}/_stcore/health")
        yield f"http://127.0.0.1:{port}"
        server.terminate()


class Drawing:
    """One drawing on the page, and what the page's Python knows of it."""

    def __init__(self, browser: Any, address: str, query: str, **context: Any) -> None:
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.page = browser.new_context(viewport={"width": 1440, "height": 900}, **context).new_page()
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(f"{address}/?{query}")
        self.page.wait_for_selector(".stage canvas")
        self.page.wait_for_function(f"({_STAGE})().clientHeight > 100")
        self.settle()

    def settle(self) -> None:
        self.page.wait_for_timeout(500)

    def says(self, text: str) -> None:
        """Wait until Python has written this line."""
        self.page.get_by_text(text, exact=True).wait_for(timeout=15_000)

    def said(self, name: str) -> str:
        return str(self.page.get_by_text(re.compile(f"^{name} ")).first.inner_text()).removeprefix(f"{name} ")

    def press(self, key: str, times: int = 1) -> None:
        self.page.locator(".stage").focus()
        for _ in range(times):
            self.page.keyboard.press(key)

    def move(self, x: float, y: float) -> None:
        box = self.page.locator(".stage").bounding_box()
        self.page.mouse.move(box["x"] + x, box["y"] + y)

    def click(self, x: float, y: float) -> None:
        self.move(x, y)
        self.page.mouse.down()
        self.page.mouse.up()

    def live(self) -> str:
        return str(self.page.locator(".live").first.text_content())

    def close(self) -> None:
        assert self.errors == []
        self.page.context.close()


_STAGE = """() => { const find = (root) => { for (const e of root.querySelectorAll('*')) {
  if (e.classList.contains('stage')) return e;
  const inner = e.shadowRoot && find(e.shadowRoot);
  if (inner) return inner; } return null; };
  return find(document) }"""


def test_a_click_on_a_node_tells_python_its_id_at_once(browser: Any, address: str) -> None:
    tree = Drawing(browser, address, "view=tree&n=60")
    tree.click(22, 25 + (tree.page.locator(".stage").bounding_box()["height"] - 25) / 2)
    tree.says("node n0")
    tree.says("chosen n0")
    tree.close()


@pytest.mark.parametrize(("n", "shape"), [(60, "beam"), (5_000, "bushy")])
def test_eight_presses_are_eight_nodes_and_one_or_few_runs_of_the_page(browser: Any, address: str, n: int, shape: str) -> None:
    tree = Drawing(browser, address, f"view=tree&n={n}&shape={shape}")
    tree.press("Home")
    tree.press("ArrowRight")
    first = tree.live().split(" · ")[0]
    tree.says(f"node {first}")
    runs = int(tree.said("runs"))
    tree.press("ArrowDown", 8)
    spoken = tree.live().split(" · ")[0]
    assert spoken != first
    tree.says(f"node {spoken}")
    assert int(tree.said("runs")) - runs <= 3
    tree.press("ArrowUp", 8)
    tree.says(f"node {first}")
    tree.close()


def test_keys_go_to_parent_child_on_the_path_first_and_sibling(browser: Any, address: str) -> None:
    tree = Drawing(browser, address, "view=tree&n=60")
    spoken = []
    for key in ("Home", "ArrowRight", "ArrowRight", "ArrowLeft", "ArrowDown", "End"):
        tree.press(key)
        spoken.append(tree.live().split(" · ")[0])
    assert spoken == ["n0", "n1", "n10", "n1", "n2", "n55"]
    assert "on the selected path" in tree.live()
    tree.close()


def test_a_choice_of_the_page_moves_the_drawing_and_does_not_come_back_as_its_own(browser: Any, address: str) -> None:
    tree = Drawing(browser, address, "view=tree&n=60")
    tree.press("End")
    tree.says("node n55")
    tree.page.get_by_role("button", name="to the root").click()
    tree.says("node n0")
    tree.settle()
    assert tree.said("chosen") == "None"
    tree.press("ArrowRight")
    tree.says("node n1")
    tree.close()


def test_the_outline_lists_more_when_a_node_is_chosen_and_keeps_each_press(browser: Any, address: str) -> None:
    outline = Drawing(browser, address, "view=outline&n=5000&shape=bushy")
    outline.press("ArrowDown", 9)
    spoken = outline.live().split(" · ")[0]
    outline.says(f"node {spoken}")
    outline.press("Home")
    outline.says("node n0")
    outline.click(200, 24 + 21 * 1.5)
    outline.says("node n1")
    outline.press("ArrowRight")
    outline.settle()
    assert outline.live().split(" · ")[1] == "depth 2"
    outline.close()


def test_a_chain_of_6000_scrolls_and_steps(browser: Any, address: str) -> None:
    outline = Drawing(browser, address, "view=outline&n=6000&shape=chain")
    outline.press("End")
    outline.says("node n1499")
    outline.settle()
    outline.press("End")
    outline.settle()
    assert int(outline.said("node")[1:]) > 2_000
    outline.close()


def test_the_map_zooms_into_many_opens_one_and_finds_the_way_back(browser: Any, address: str) -> None:
    drawing = Drawing(browser, address, "view=map&n=100000&shape=bushy&color=score")
    drawing.click(300, 300)
    drawing.page.get_by_text(re.compile(r"^part Part\(")).wait_for()
    for _ in range(12):
        drawing.press("ArrowRight", 6)
        drawing.press("Enter")
        drawing.settle()
        if drawing.said("node") != "None":
            break
    assert re.fullmatch(r"n\d+", drawing.said("node"))
    drawing.press("f")
    drawing.says("part None")
    drawing.close()


@pytest.mark.parametrize("view", ["tree", "outline", "map"])
def test_text_from_the_log_is_drawn_and_never_becomes_an_element_or_a_request(browser: Any, address: str, view: str) -> None:
    drawing = Drawing(browser, address, f"view={view}&n=60&kind=hostile")
    for y in range(40, 560, 40):
        drawing.move(420, y)
        drawing.page.wait_for_timeout(30)
    drawing.press("ArrowRight", 3)
    drawing.settle()
    assert not [url for url in drawing.requests if "canary" in url]
    assert "owned" not in drawing.page.title()
    assert drawing.page.locator(".drawing img, .drawing script, .drawing a").count() == 0
    drawing.close()


@pytest.mark.parametrize("view", ["tree", "outline", "map"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_drawing_has_the_ground_and_the_ink_of_the_theme(browser: Any, address: str, view: str, scheme: str) -> None:
    drawing = Drawing(browser, address, f"view={view}&n=500&shape=bushy", color_scheme=scheme)
    ink = drawing.page.evaluate(_INK)
    assert ink > 60 if scheme == "dark" else ink < -60, "ink is lighter than the ground on dark and darker on light"
    drawing.close()


_INK = f"""() => {{ const canvas = ({_STAGE})().querySelector('canvas');
  const shade = (of, at = 0) => (Number(of[at]) + Number(of[at + 1]) + Number(of[at + 2])) / 3;
  const ground = shade(getComputedStyle(document.querySelector('.stApp')).backgroundColor.match(/[0-9]+/g));
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, 20).data;
  let most = 0;
  for (let i = 0; i < data.length; i += 4) {{
    const apart = shade(data, i) - ground;
    if (data[i + 3] > 200 && Math.abs(apart) > Math.abs(most)) most = apart;
  }}
  return most; }}"""


def test_it_stays_sharp_on_a_dense_screen_and_is_reached_with_the_tab_key(browser: Any, address: str) -> None:
    drawing = Drawing(browser, address, "view=tree&n=60", device_scale_factor=2)
    measure = f"() => {{ const s = ({_STAGE})(); return [s.querySelector('canvas').width, s.clientWidth]; }}"
    width, shown = drawing.page.evaluate(measure)
    assert width == 2 * shown
    for _ in range(12):
        drawing.page.keyboard.press("Tab")
        if drawing.page.evaluate(f"() => {{ const s = ({_STAGE})(); return s.getRootNode().activeElement === s; }}"):
            break
    else:
        pytest.fail("the drawing was not reached")
    drawing.close()


@pytest.mark.parametrize("name", scripts.DRAWINGS)
def test_the_same_script_draws_on_a_page_without_streamlit(browser: Any, name: str) -> None:
    parents = grown.beam(60)
    path, nodes = grown.path_to(parents, 55), grown.nodes_of(parents)
    payload = {
        "tree": lambda: tree_payload(grown.answer(nodes, path, "tree_nodes", limit=99), path, "r"),
        "outline": lambda: outline_payload(
            grown.answer(nodes, path, "outline_nodes", limit=99, siblings=9, inspected="n1"), path, "r"
        ),
        "map": lambda: map_payload(grown.answer(nodes, path, "map_cells", **query_parameters(None)), "r"),
    }[name]()
    data = {
        "role": "view", "payload": json.loads(encoded(payload)), "key": payload["key"], "version": payload["version"],
        "selected": "n1", "color": "fate", "height": 600, "lit": [], "trail": [], "selected_at": None,
    }
    page = browser.new_context().new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.set_content(f"<style>{scripts.style()}</style><div id=here></div>")
    page.add_script_tag(content=scripts.page_script(name) + f"; globalThis.put = mount_{name};")
    page.evaluate("(data) => put({ parentElement: here, data, setStateValue: (...said) => (globalThis.said = said) })", data)
    page.locator(".stage").focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    page.wait_for_function("() => globalThis.said")
    assert page.locator(".bar .item").count() >= 2
    assert errors == []
    page.context.close()


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(url: str) -> None:
    for _ in range(150):
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    pytest.fail("the page did not come up")

"""The viewer in a real browser: choosing, keys, addresses, hostile text, and who may talk to it."""

from __future__ import annotations

import http.client
import json
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Viewer, Visit
from tests.hostile import HOSTILE, hostile_lines

RUN = "game24-lost_by_evaluation"
STAGE = "[aria-roledescription]"
Open = Callable[..., Visit]


def inspected(tab: Visit) -> str:
    """The id in the head of the inspector."""
    return str(tab.page.locator(".chip.strong", has_text="node").first.locator(".text").inner_text())


def wait_inspected(tab: Visit, node: str) -> None:
    tab.page.locator(".chip.strong", has_text="node").locator(".text", has_text=node).first.wait_for(timeout=8_000)


def test_the_run_list_opens_and_a_row_opens_its_run_in_the_same_tab(samples: Viewer, visit: Open) -> None:
    tab = visit().open(samples.url)
    box = tab.page.locator("[data-testid=stDataFrame] canvas").first.bounding_box()
    tab.page.mouse.click(box["x"] + 28, box["y"] + 31 * 1.5)  # the button of the first row
    tab.page.wait_for_url("**/investigate?*")
    assert tab.value("run") == "game24-cut_off_by_calls"


def test_the_button_of_a_row_opens_its_run_after_sorting_too(samples: Viewer, visit: Open) -> None:
    tab = visit().open(samples.url)
    box = tab.page.locator("[data-testid=stDataFrame] canvas").first.bounding_box()
    tab.page.mouse.click(box["x"] + 910, box["y"] + 15)  # the header of "nodes"
    tab.page.wait_for_timeout(600)
    tab.page.mouse.click(box["x"] + 28, box["y"] + 31 * 1.5)
    tab.page.wait_for_url("**/investigate?*")
    assert tab.value("run") == "game24-tiny"


def test_a_click_in_the_tree_changes_inspector_and_address(samples: Viewer, visit: Open) -> None:
    tab = visit().open(samples.address("investigate", run=RUN, view="tree"))
    before = inspected(tab)
    stage = tab.page.locator(STAGE).first
    box = stage.bounding_box()
    for y in range(60, int(box["height"]), 14):  # the nodes of depth 1 stand below each other, at a quarter of the width
        stage.click(position={"x": box["width"] * 0.27, "y": y})
        tab.page.wait_for_timeout(150)
        if tab.value("node"):
            break
    chosen = tab.value("node")
    assert chosen is not None and chosen.count(".") == 1 and chosen != before
    wait_inspected(tab, chosen)


def test_a_click_in_the_ladder_changes_inspector_and_address(samples: Viewer, visit: Open) -> None:
    tab = visit().open(samples.address("investigate", run=RUN, view="ladder"))
    button = tab.page.locator("button[data-id]").last
    wanted = button.get_attribute("data-id")
    button.click()
    tab.wait_for("node", wanted)
    wait_inspected(tab, wanted)


def test_eight_key_presses_are_eight_nodes(samples: Viewer, visit: Open) -> None:
    keys = ["ArrowRight", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowDown"]
    slow = press(visit().open(samples.address("investigate", run=RUN, view="tree", node="0")), keys, pause_ms=700)
    assert len(set(slow)) == 8
    tab = visit().open(samples.address("investigate", run=RUN, view="tree", node="0"))
    press(tab, keys, pause_ms=15)
    tab.wait_for("node", slow[-1])
    wait_inspected(tab, slow[-1])


def press(tab: Visit, keys: list[str], pause_ms: int) -> list[str]:
    """Press keys in the drawing; the node in the address after each."""
    tab.page.locator(STAGE).first.focus()
    seen = []
    for key in keys:
        tab.page.keyboard.press(key)
        tab.page.wait_for_timeout(pause_ms)
        seen.append(str(tab.value("node")))
    return seen


def test_reload_and_a_second_tab_show_what_the_address_says(samples: Viewer, visit: Open) -> None:
    address = samples.address("investigate", run=RUN, node="0.3.1", view="path")
    tab = visit().open(address)
    assert inspected(tab) == "0.3.1"
    tab.page.reload()
    tab.settle()
    assert inspected(tab) == "0.3.1"
    second = visit(beside=tab).open(address)
    assert (inspected(second), second.value("view")) == ("0.3.1", "path")


def test_back_goes_back(samples: Viewer, visit: Open) -> None:
    tab = visit().open(samples.address("investigate", run=RUN, node="0.3", view="ladder"))
    tab.page.locator("button[data-id]").last.click()
    tab.page.wait_for_function("() => new URL(location.href).searchParams.get('node') !== '0.3'")
    tab.settle()
    tab.page.go_back()
    tab.wait_for("node", "0.3")
    wait_inspected(tab, "0.3")


def test_the_navigation_keeps_run_and_node_and_is_one_step_of_the_history(samples: Viewer, visit: Open) -> None:
    tab = visit().open(samples.address("investigate", run=RUN, node="0.3"))
    for name, path in (("Data", "data"), ("Statistics", "statistics")):
        tab.page.get_by_role("link", name=name).first.click()
        tab.page.wait_for_url(f"**/{path}?*")
        tab.settle()
        assert tab.value("run") == RUN
    tab.page.get_by_role("link", name="Investigate").first.click()
    tab.page.wait_for_url("**/investigate?*")
    wait_inspected(tab, "0.3")
    tab.page.go_back()
    tab.page.wait_for_url("**/statistics?*")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_hostile_text_does_nothing_and_no_page_asks_another_host(
    start_viewer: Callable[..., Viewer], visit: Open, tmp_path: Path, scheme: str
) -> None:
    log = tmp_path / "hostile.jsonl"
    log.write_text("".join(json.dumps(line) + "\n" for line in hostile_lines(HOSTILE)), "utf-8")
    viewer = start_viewer(log)
    tab = visit(scheme)
    dialogs: list[str] = []
    tab.page.on("dialog", lambda dialog: dialogs.append(dialog.message) or dialog.dismiss())  # type: ignore[func-returns-value]
    tab.open(viewer.url)
    for view in ("tree", "path", "ladder", "map", "table"):
        tab.open(viewer.address("investigate", run="r", view=view))
    for number, text in enumerate(HOSTILE):
        tab.open(viewer.address("investigate", run="r", node=f"n{number}"))
        assert tab.page.locator("[data-testid=stCode] code").first.text_content() == text
    for view in ("statistics", "data"):
        tab.open(viewer.address(view, run="r"))
    assert (tab.foreign, tab.errors, dialogs) == ([], [], [])
    assert tab.page.title() not in ("1", "2", "3")
    assert tab.page.locator("a[href^=javascript], img[src*=canary], script:text('title')").count() == 0


def test_every_page_of_the_samples_asks_no_other_host(samples: Viewer, visit: Open) -> None:
    tab = visit()
    for address in (samples.url, samples.address("investigate", run=RUN), samples.address("statistics", run=RUN), samples.address("data")):
        tab.open(address)
    assert (tab.foreign, tab.errors) == ([], [])


def test_it_listens_on_loopback_only(samples: Viewer) -> None:
    table = Path("/proc/net/tcp")
    if not table.exists():
        pytest.skip("this system has no /proc/net/tcp")
    rows = [line.split() for name in ("tcp", "tcp6") if (path := table.with_name(name)).exists() for line in path.read_text().splitlines()[1:]]
    listening = [row[1].split(":")[0] for row in rows if row[3] == "0A" and int(row[1].split(":")[1], 16) == samples.port]
    assert listening == ["0100007F"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "{own}"}, 200),
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1.evil.example"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
    ],
)
@pytest.mark.parametrize("path", ["/", "/_stcore/health", "/raw?run=x&node=y&field=step"])
def test_a_foreign_host_or_origin_is_refused(samples: Viewer, path: str, headers: dict[str, str], status: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", samples.port, timeout=10)
    connection.request("GET", path, headers={name: value.replace("{own}", samples.url) for name, value in headers.items()})
    answer = connection.getresponse()
    answer.read()
    wanted = 404 if status == 200 and path.startswith("/raw") else status
    assert answer.status == wanted
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'self'; img-src 'self' data: blob:;")
    assert (answer.headers["X-Content-Type-Options"], answer.headers["Referrer-Policy"]) == ("nosniff", "no-referrer")


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("127.0.0.1:{port}", "http://127.0.0.1:{port}", 101),
        ("evil.example", "http://evil.example", 403),
        ("evil.example", None, 403),
        ("127.0.0.1:{port}", "http://evil.example", 403),
        ("127.0.0.1:{port}", "http://127.0.0.1:1", 403),
    ],
)
def test_a_websocket_from_elsewhere_is_refused(samples: Viewer, host: str, origin: str | None, status: int) -> None:
    lines = ["GET /_stcore/stream HTTP/1.1", f"Host: {host}", "Upgrade: websocket", "Connection: Upgrade"]
    lines += ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13"]
    lines += [f"Origin: {origin}"] if origin else []
    with socket.create_connection(("127.0.0.1", samples.port), timeout=10) as connection:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").replace("{port}", str(samples.port)).encode())
        answer = connection.recv(200).decode("latin-1")
    assert int(answer.split(" ")[1]) == status


def test_the_raw_route_serves_the_whole_text_as_plain_text(start_viewer: Callable[..., Viewer], tmp_path: Path) -> None:
    text = "<script>1</script>\n" * 20_000
    log = tmp_path / "long.jsonl"
    lines = [{"record": "run", "run_id": "a/ü &"}, {"record": "node", "run_id": "a/ü &", "node_id": "n=1", "parent_ids": [], "step": text}]
    log.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    viewer = start_viewer(log)
    connection = http.client.HTTPConnection("127.0.0.1", viewer.port, timeout=10)
    connection.request("GET", "/raw?run=a%2F%C3%BC%20%26&node=n%3D1&field=step")
    answer = connection.getresponse()
    assert answer.read().decode() == text
    assert (answer.status, answer.headers["Content-Type"]) == (200, "text/plain; charset=utf-8")


def test_ctrl_c_ends_it_with_status_0_and_no_traceback(start_viewer: Callable[..., Viewer]) -> None:
    viewer: Any = start_viewer()
    viewer.process.send_signal(signal.SIGINT)
    assert viewer.process.wait(15) == 0
    output = viewer.output.read_text()
    assert "Traceback" not in output and "usage statistics" not in output and "External" not in output

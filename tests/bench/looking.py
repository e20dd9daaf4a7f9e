"""How fast is a run on screen, and how fast does it answer a click? In a real browser, against a page of one Streamlit widget."""

from __future__ import annotations

import shutil
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from ingest.pipeline import ingest
from tests.bench.generate import write
from tests.bench.measure import Line

FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run", "--disable-component-update", "--disable-sync")
STAGE = "[aria-roledescription]"
CLICKS = 15


def lines(folder: Path, sizes: tuple[int, ...], repeats: int) -> Iterator[Line]:
    """First paint (limit 3 s at 5,000 nodes, 4 s above), click to inspector (0.5 s) and largest message (2 MB) of a run of each size."""
    chromium = next((path for name in ("chromium", "chromium-browser", "google-chrome", "chrome") if (path := shutil.which(name))), None)
    if chromium is None:
        print("no Chromium found: what the browser shows is not measured", file=sys.stderr)
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        for nodes in sizes:
            store = folder / f"looking-{nodes}"
            ingest(store, [str(write("bushy", nodes, folder / f"bushy-{nodes}.jsonl"))])
            with _viewer(store) as address:
                yield from _look(browser, f"{address}/investigate?run=run-0000000", nodes, repeats)
        browser.close()


def _look(browser: Any, address: str, nodes: int, repeats: int) -> Iterator[Line]:
    paints: list[float] = []
    clicks: list[float] = []
    largest = 0
    for _ in range(repeats + 1):
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        page = context.new_page()
        sizes: list[int] = []
        page.on("websocket", lambda socket, sizes=sizes: socket.on("framereceived", lambda frame: sizes.append(len(frame))))
        start = time.perf_counter()
        page.goto(address)
        page.locator(STAGE).first.wait_for()
        _inspected(page).wait_for()
        paints.append(time.perf_counter() - start)
        page.wait_for_timeout(1500)
        clicks += _click_through(page)
        largest = max(largest, *sizes)
        context.close()
    paint, click = statistics.median(paints[1:]), statistics.median(clicks)
    yield Line(f"first paint, a run of {nodes:,} nodes", paint, "s", 3 if nodes <= 5_000 else 4, f"cold {paints[0]:.2f}")
    yield Line(f"click to inspector, a run of {nodes:,} nodes", click, "s", 0.5, f"slowest of {len(clicks)}: {max(clicks):.2f}")
    yield Line(f"largest message, a run of {nodes:,} nodes", largest / 1e6, "MB", 2)


def _click_through(page: Any) -> list[float]:
    """Seconds from pointer down to the changed inspector, row by row of the outline."""
    box = page.locator(STAGE).first.bounding_box()
    found = []
    for number in range(CLICKS):
        before = _inspected(page).inner_text()
        start = time.perf_counter()
        page.mouse.click(box["x"] + 200, box["y"] + 52 + 21 * (1 + number % 9))
        while (now := time.perf_counter()) - start < 5:
            if _inspected(page).inner_text() != before:
                found.append(now - start)
                break
    return found


def _inspected(page: Any) -> Any:
    """The id in the head of the inspector."""
    return page.locator(".chip.strong", has_text="node").first.locator(".text")


@contextmanager
def _viewer(store: Path) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "explorer", "open", "--store", str(store), "--port", str(port), "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2):
                    break
            except OSError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)

"""How long until lines that were appended to a log can be seen? Against what was there before: 10,000 nodes, 1,000,000 nodes."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ingest.store import Store
from tests.bench.generate import write
from tests.bench.measure import Line
from tests.browser.conftest import CHROMIUM, FLAGS

LIMIT_S = 2.0
LINES = 100
PROJECT = Path(__file__).parents[2]


def lines(folder: Path, sizes: tuple[int, ...], repeats: int) -> Iterator[Line]:
    """For each size: seconds until 100 more nodes are in the page of their run, for runs of 60 nodes and for a single run."""
    stored: dict[int, float] = {}
    for shape, nodes in [*(("runs60", nodes) for nodes in sizes), ("bushy", 10_000), ("bushy", 100_000)]:
        log = folder / f"live-{shape}-{nodes}.jsonl"
        shutil.copyfile(write(shape, nodes, folder / f"{shape}-{nodes}.jsonl"), log)
        in_store, in_page = _waits(folder / "live-store", log, repeats)
        log.unlink()
        if shape == "runs60":
            stored[nodes] = in_store
        what = f"live: {LINES} lines appended to {nodes:,} nodes ({'runs of 60' if shape == 'runs60' else 'a single run'})"
        yield Line(what, in_page, "s", LIMIT_S, f"in the store after {in_store:.2f} s")
    yield Line("live: until in the store, most nodes against fewest", stored[max(sizes)] / stored[min(sizes)], "x", 1.3)


def _waits(store: Path, log: Path, repeats: int) -> tuple[float, float]:
    """Medians of the seconds until appended nodes are in the store, and in the page of their run."""
    shutil.rmtree(store, ignore_errors=True)
    port = _free_port()
    command = [sys.executable, "-m", "explorer", "open", str(log), "--watch", "--store", str(store), "--port", str(port), "--no-browser"]
    viewer = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(PROJECT)}, stdout=subprocess.DEVNULL)
    try:
        _until(lambda: _answers(port), 600)
        run = json.loads(_last_line(log))["run_id"]
        with _page(f"http://127.0.0.1:{port}/investigate?run={run}") as page:
            found = [_once(Store(store), log, run, number, page) for number in range(repeats + 1)][1:]  # the first also waits for the watch to begin
        return statistics.median(one for one, _ in found), statistics.median(one for _, one in found)
    finally:
        viewer.terminate()
        viewer.wait(30)


def _once(store: Store, log: Path, run: str, number: int, page: Any) -> tuple[float, float]:
    """Append nodes to the run; seconds until the store has them, and until the page says how many there are."""
    count = "select nodes from runs where run_id = $run"
    wanted = int(store.query(count, run=run)["nodes"][0].as_py()) + LINES
    nodes = ({"record": "node", "run_id": run, "node_id": f"live-{number}-{i}", "parent_ids": ["n0"], "score": 0.5} for i in range(LINES))
    with log.open("a") as out:
        out.write("".join(json.dumps(node) + "\n" for node in nodes))
    started = time.perf_counter()
    _until(lambda: store.query(count, run=run)["nodes"].to_pylist() == [wanted], 120)
    stored = time.perf_counter() - started
    page.locator(".chip .text", has_text=f"{wanted:,} nodes").first.wait_for(timeout=120_000)
    shown = time.perf_counter() - started
    time.sleep(1.5)
    return stored, shown


@contextlib.contextmanager
def _page(address: str) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright  # here, so that the other benchmarks run without a browser

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=next(filter(None, map(shutil.which, CHROMIUM))), args=list(FLAGS))
        page = chromium.new_page()
        page.goto(address)
        page.locator(".chip .text", has_text="nodes").first.wait_for(timeout=120_000)
        yield page
        chromium.close()


def _until(holds: Callable[[], bool], seconds: float) -> None:
    """Raises TimeoutError when it does not hold in time."""
    end = time.perf_counter() + seconds
    while not holds():
        if time.perf_counter() > end:
            raise TimeoutError(f"not within {seconds:g} s")
        time.sleep(0.02)


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2):
            return True
    except OSError:
        time.sleep(0.2)
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _last_line(log: Path) -> bytes:
    with log.open("rb") as stream:
        stream.seek(max(0, log.stat().st_size - (1 << 20)))
        return stream.read().splitlines()[-1]

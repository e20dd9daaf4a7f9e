"""What does every browser test need? A viewer started by the real command on a store of its own, and a Chromium that may reach only it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

PROJECT = Path(__file__).parents[2]
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FOREIGN_CONFIG = """
[server]
address = "0.0.0.0"
enableXsrfProtection = false
[browser]
gatherUsageStats = true
[client]
toolbarMode = "developer"
"""
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run", "--disable-component-update", "--disable-sync",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Viewer:
    """One running viewer."""

    port: int
    process: subprocess.Popen[str]
    output: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def address(self, page_name: str, **values: str) -> str:
        query = "&".join(f"{name}={quote(value, safe='')}" for name, value in values.items())
        return f"{self.url}/{page_name}?{query}"


@dataclass(slots=True)
class Visit:
    """One tab, with everything that it asked for and that was refused because it lay elsewhere."""

    page: Any
    foreign: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def open(self, address: str) -> Visit:
        """Go to an address and wait until the page has settled."""
        self.page.goto(address)
        return self.settle()

    def settle(self) -> Visit:
        """Wait until Streamlit runs nothing more."""
        self.page.wait_for_selector("[data-testid=stMainBlockContainer] [data-testid=stElementContainer]", state="attached")
        self.page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
        self.page.wait_for_timeout(250)
        return self

    def value(self, name: str) -> str | None:
        """A value of the address in the browser's bar."""
        return self.page.evaluate("name => new URL(location.href).searchParams.get(name)", name)  # type: ignore[no-any-return]

    def wait_for(self, name: str, value: str) -> None:
        """Wait until the address holds the value."""
        self.page.wait_for_function(
            "([name, value]) => new URL(location.href).searchParams.get(name) === value", arg=[name, value], timeout=8_000
        )


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless Chromium. Without one the tests are skipped, but in CI they fail."""
    path = next((found for name in CHROMIUM if (found := shutil.which(name))), None)
    if path is None:
        _missing("no Chromium is on the PATH: looked for " + ", ".join(CHROMIUM))
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("the Python package playwright is not installed: pip install 'branchlight[dev]'")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser: Any, request: pytest.FixtureRequest) -> Iterator[Callable[..., Visit]]:
    """Opens a new tab in a profile of its own; nothing but 127.0.0.1 is let through."""
    contexts: list[Any] = []

    def new_tab(scheme: str = "light", width: int = 1440, height: int = 900, beside: Visit | None = None) -> Visit:
        context = beside.page.context if beside else browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        contexts.append(context)
        tab = Visit(context.new_page())
        tab.page.route("**/*", lambda route: _only_local(route, tab))
        tab.page.on("pageerror", lambda error: tab.errors.append(str(error)))
        return tab

    yield new_tab
    for context in dict.fromkeys(contexts):
        context.close()


@pytest.fixture(scope="session")
def start_viewer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Viewer]]:
    """Starts ``branchlight open LOGS`` in a folder whose Streamlit configuration must not count; every viewer is stopped at the end."""
    viewers: list[Viewer] = []

    def start(*logs: Path | str) -> Viewer:
        folder = tmp_path_factory.mktemp("viewer")
        port, output = _free_port(), folder / "output"
        command = [sys.executable, "-m", "explorer", "open", *map(str, logs), "--store", str(folder / "store"), "--port", str(port), "--no-browser"]
        environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
        (folder / "work" / ".streamlit").mkdir(parents=True)
        (folder / "work" / ".streamlit" / "config.toml").write_text(FOREIGN_CONFIG)
        with output.open("w") as out:
            process = subprocess.Popen(command, cwd=folder / "work", env=environment, stdout=out, stderr=subprocess.STDOUT, text=True)
        viewer = Viewer(port, process, output)
        viewers.append(viewer)
        _wait_until_up(viewer)
        return viewer

    yield start
    for viewer in viewers:
        viewer.process.terminate()
        viewer.process.wait(10)


@pytest.fixture(scope="session")
def samples(start_viewer: Callable[..., Viewer]) -> Viewer:
    """A viewer of the recorded samples."""
    return start_viewer(PROJECT / "sample_traces" / "native" / "1")


def _only_local(route: Any, tab: Visit) -> None:
    parts = urlsplit(route.request.url)
    if parts.scheme in ("data", "blob") or parts.hostname == "127.0.0.1":
        route.continue_()
    else:
        tab.foreign.append(route.request.url)
        route.abort()


def _wait_until_up(viewer: Viewer) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if viewer.process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{viewer.url}/_stcore/health", timeout=2):
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"the viewer did not start:\n{viewer.output.read_text()}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _missing(reason: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)

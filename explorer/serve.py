"""How is the viewer started? One local process, loopback only, that tells nobody and reads no configuration of the folder it starts in."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

from ingest.errors import TraceError

ADDRESS = "127.0.0.1"
FIRST_PORT, PORTS = 8501, 100
STORE_VARIABLE = "BRANCHLIGHT_STORE"
CONFIG: dict[str, Any] = {
    "server.address": ADDRESS,
    "server.allowedHosts": ["127.0.0.1", "localhost"],
    "server.headless": True,
    "server.fileWatcherType": "none",
    "server.runOnSave": False,
    "server.showEmailPrompt": False,
    "server.enableCORS": True,
    "server.corsAllowedOrigins": [],
    "server.enableXsrfProtection": True,
    "server.enableStaticServing": False,
    "server.enableAgentApi": False,
    "server.baseUrlPath": "",
    "server.maxUploadSize": 1,
    "browser.gatherUsageStats": False,
    "browser.serverAddress": ADDRESS,
    "client.toolbarMode": "minimal",
    "client.showErrorLinks": False,
    "client.showErrorDetails": "type",
    "runner.magicEnabled": False,
    "logger.hideWelcomeMessage": True,
    "theme.light.primaryColor": "#0072B2",
    "theme.dark.primaryColor": "#56B4E9",
    "theme.baseFontSize": 14,
    "theme.codeFontSize": "0.92rem",
    "theme.headingFontSizes": ["1.7rem", "1.35rem", "1.15rem", "1rem", "1rem", "1rem"],
    "theme.paddingTop": "1rem",
    "theme.chartCategoricalColors": ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#666666"],
}


def run(folder: Path, *, port: int | None, open_browser: bool) -> None:
    """Serve the store until Ctrl-C.

    Raises TraceError when the wanted port, or every port of the usual range, is taken.
    """
    import streamlit as st  # here, so that commands that draw nothing start without it
    from starlette.middleware import Middleware

    from explorer import raw_text
    from explorer.guard import Guard

    folder = folder.resolve()
    chosen = free_port(port)
    url = f"http://{ADDRESS}:{chosen}"
    os.environ[STORE_VARIABLE] = str(folder)  # how the pages of this process find the store
    script = Path(__file__).with_name("app.py")
    os.chdir(script.parent)  # Streamlit reads .streamlit/ of the current folder; here there is none
    app = st.App(
        script,
        routes=[raw_text.route(folder)],
        middleware=[Middleware(Guard)],
        lifespan=lambda _: _announced(url, open_browser),
    )
    try:
        app.run(config={**CONFIG, "server.port": chosen, "browser.serverPort": chosen})
    except KeyboardInterrupt:
        print(file=sys.stderr)


def free_port(wanted: int | None) -> int:
    """The wanted port, or without one the first free of 8501, 8502, …

    Raises TraceError when it is taken, with what to do.
    """
    if wanted is not None:
        if not _is_free(wanted):
            raise TraceError(f"port {wanted} is taken by another program", hint="Name another with --port, or none for a free one.")
        return wanted
    for port in range(FIRST_PORT, FIRST_PORT + PORTS):
        if _is_free(port):
            return port
    last = FIRST_PORT + PORTS - 1
    raise TraceError(f"ports {FIRST_PORT} to {last} are all taken", hint="Close a viewer, or name a free port with --port.")


def _is_free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        if os.name == "posix":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((ADDRESS, port))
        except (OSError, OverflowError):
            return False
    return True


def _announced(url: str, open_browser: bool) -> AbstractAsyncContextManager[dict[str, Any] | None]:
    @asynccontextmanager
    async def lifespan() -> AsyncIterator[dict[str, Any] | None]:
        announcing = asyncio.create_task(_announce(url, open_browser))
        yield None
        announcing.cancel()

    return lifespan()


async def _announce(url: str, open_browser: bool) -> None:
    await asyncio.sleep(0)  # the server answers from the next turn of the loop on
    print(f"branchlight is at {url}  (Ctrl-C ends it)", flush=True)
    if open_browser:
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()

"""Who may talk to the server? Only pages that this server itself sent, and every answer says what a browser may load."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

LOCAL_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})
POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; connect-src 'self'; script-src 'self' blob:; style-src 'self' 'unsafe-inline'; "
    "font-src 'self' data:; worker-src 'self' blob:; frame-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; "
    "frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode("ascii")),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)


class Guard:
    """ASGI middleware in front of everything. A class, because Starlette builds it around the application."""

    def __init__(self, app: Application) -> None:
        self.app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
        elif not is_own(_header(scope, b"host"), _header(scope, b"origin")):
            await _refuse(scope["type"], receive, send)
        else:
            await self.app(scope, receive, _with_headers(send))


def is_own(host: str | None, origin: str | None) -> bool:
    """Whether a request names this machine as its host and, where it has an origin, comes from a page of the same host and port."""
    if host is None or _name(f"//{host}") not in LOCAL_NAMES:
        return False
    if origin is None:
        return True
    parts = urlsplit(origin)
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


def _name(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def _header(scope: Message, wanted: bytes) -> str | None:
    """The header's value; two different values count as a foreign one."""
    values = {value for name, value in scope["headers"] if name == wanted}
    if len(values) > 1:
        return "several values"
    return values.pop().decode("latin-1") if values else None


def _with_headers(send: Send) -> Send:
    names = {name for name, _ in HEADERS}

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept = [pair for pair in message.get("headers", []) if pair[0].lower() not in names]
            message = {**message, "headers": [*kept, *HEADERS]}
        await send(message)

    return sending


async def _refuse(kind: str, receive: Receive, send: Send) -> None:
    if kind == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})  # before the handshake: the server answers 403
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8"), *HEADERS]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    body = b"Refused: this viewer answers only requests from its own pages on this machine.\n"
    await send({"type": "http.response.body", "body": body})

"""What does a live endpoint answer to what is not in the record? It is asked, its answer goes to the client and into a native log."""

from __future__ import annotations

import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import Message
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from explorer.replay import completion
from explorer.replay.request import OTHER_PARAMETERS, Request, read_json
from ingest.errors import TraceError
from ingest.messages import is_message
from ingest.recorder import Recorder, RunRecorder

PASSED_ON = ("authorization", "api-key", "openai-organization", "openai-project")
"""Headers of the client that the upstream gets. They are never stored."""
LIMIT_S = 600.0
_LEFT_OUT = ("stream", "stream_options")


@dataclass(frozen=True, slots=True)
class Reply:
    """What the upstream said."""

    status: int
    body: dict[str, Any]
    """A completion, or an error object."""


class Upstream:
    """Asks the endpoint at a base URL and records every answer as one run of a native log. A class: it holds the open log."""

    def __init__(self, base_url: str, log: Path) -> None:
        """Opens the log for appending. Raises TraceError for a URL that is no plain base URL, OSError where the log cannot be written."""
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query or parts.fragment:
            raise TraceError(f"{base_url!r} is no base URL", hint="Expected http(s)://HOST/v1, without user, password or query.")
        self.base_url = base_url.rstrip("/")
        self._recorder = Recorder(log)
        self._run: RunRecorder | None = None
        self._lock = threading.Lock()
        self._opener = urllib.request.build_opener(_NoRedirect)

    def ask(self, body: Mapping[str, Any], asked: Request, headers: Mapping[str, str]) -> Reply:
        """Forward one request, without streaming, and record what came back. Blocks; raises OSError where it could not be recorded."""
        began, start = datetime.now(UTC), time.monotonic()
        reply = self._post({name: value for name, value in body.items() if name not in _LEFT_OUT}, headers)
        self._record(asked, reply, began, (time.monotonic() - start) * 1000)
        return reply

    def close(self) -> None:
        """End the recorded run, if anything was recorded, and close the log."""
        if self._run is not None:
            self._run.end()
        self._recorder.close()

    def _post(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> Reply:
        passed = {name: headers[name] for name in PASSED_ON if name in headers}
        data = json.dumps(body).encode()
        request = urllib.request.Request(f"{self.base_url}/chat/completions", data, {"Content-Type": "application/json", **passed})
        try:
            with self._opener.open(request, timeout=LIMIT_S) as answer:
                return _reply(answer.status, answer.read())
        except urllib.error.HTTPError as refused:
            with refused:
                return _reply(refused.code, refused.read())
        except OSError as failed:  # no connection, or none any more
            return Reply(502, completion.error(f"the upstream did not answer: {failed}", "upstream_failed"))

    def _record(self, asked: Request, reply: Reply, began: datetime, latency_ms: float) -> None:
        fields: dict[str, Any] = {
            "role": None, "prompt": completion.prompt_of(asked), "model": asked.model, "temperature": asked.temperature, "top_p": asked.top_p,
            "max_output_tokens": asked.max_output_tokens, "seed": asked.seed, "started_at": began,
        }  # fmt: skip
        extra: dict[str, Any] = {OTHER_PARAMETERS: json.loads(asked.others or "{}")}
        with self._lock:
            if self._run is None:
                self._run = self._recorder.run(extra={"recorded_from": self.base_url})
            if reply.status != 200:
                text = json.dumps(reply.body, ensure_ascii=False)
                self._run.call(None, **fields, latency_ms=latency_ms, error=text, extra={**extra, "status": reply.status})
                return
            for choice, bill in zip(reply.body["choices"], _bills(reply.body, latency_ms), strict=True):
                said = {"finish_reason": choice.get("finish_reason"), "answered_by": reply.body.get("model")}
                self._run.call(None, **fields, **bill, response=completion.response_text(choice["message"]), extra={**extra, **said})


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the client's key to another host."""

    def redirect_request(self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str) -> None:
        return None


def _reply(status: int, data: bytes) -> Reply:
    try:
        body = read_json(data)
    except ValueError:
        body = None
    choices = body.get("choices") if isinstance(body, dict) else None
    if status == 200 and isinstance(choices, list) and choices and all(_is_choice(choice) for choice in choices):
        return Reply(200, body)
    if status >= 400 and isinstance(body, dict):
        return Reply(status, body)
    text = data[:500].decode("utf-8", "replace")
    return Reply(status if status >= 400 else 502, completion.error(f"the upstream sent no completion (status {status}): {text}", "upstream_failed"))


def _is_choice(choice: Any) -> bool:
    return isinstance(choice, dict) and is_message(choice.get("message"))


def _bills(body: Mapping[str, Any], latency_ms: float) -> list[dict[str, Any]]:
    """What each choice is charged: the first one everything, the others, which came with it, nothing more."""
    usage = body.get("usage") or {}
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
    counts = {"input_tokens": usage.get("prompt_tokens"), "output_tokens": usage.get("completion_tokens"), "cached_tokens": cached}
    free = {name: None if count is None else 0 for name, count in counts.items()}
    return [{**counts, "latency_ms": latency_ms}, *[free for _ in body["choices"][1:]]]

"""How does a program that asks a chat endpoint get its recorded answers? An OpenAI-compatible one on this machine, which knows only the record.

What it does not find it refuses, with what was nearest; only with an ``Upstream`` it asks, and records, that. Requests of foreign hosts and
pages are refused as by the viewer.
"""

from __future__ import annotations

import json
import os
import re
import socket
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request as HttpRequest
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from explorer.guard import Guard
from explorer.replay import completion, request
from explorer.replay.prompt_cache import Answer, PromptCache, RecordedFailure, Taken, said
from explorer.replay.request import Request
from explorer.replay.upstream import Reply, Upstream
from ingest.errors import TraceError

MATCH, NOT_RECORDED = "x-branchlight-match", "x-branchlight-not-recorded"
SAMPLE = "x-branchlight-sample"
"""Header of a request that names the answer it wants, from 0, instead of taking the next one."""
NO_RETRY = {"x-should-retry": "false"}
"""The official clients then do not ask again by themselves."""


def app(cache: PromptCache, upstream: Upstream | None = None) -> Starlette:
    """The endpoint over a record; what is not in it goes to ``upstream`` where there is one, which is closed with the server."""

    async def complete(http: HttpRequest) -> Response:
        return await _complete(http, cache, upstream)

    async def models(_: HttpRequest) -> Response:
        held = [{"id": name, "object": "model", "created": None, "owned_by": "record"} for name in cache.models]
        return _json({"object": "list", "data": held})

    async def reset(_: HttpRequest) -> Response:
        cache.reset()
        return _json({"requests": cache.requests, "answers": len(cache)})

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        if upstream is not None:
            upstream.close()

    routes = [
        Route("/v1/chat/completions", complete, methods=["POST"]),
        Route("/v1/models", models, methods=["GET"]),
        Route("/reset", reset, methods=["POST"]),
    ]
    return Starlette(routes=routes, middleware=[Middleware(Guard)], lifespan=lifespan, exception_handlers={HTTPException: _elsewhere})


def listen(address: str, port: int) -> socket.socket:
    """A socket on which clients may already call, for an ASGI server to accept them; port 0 takes a free one. Raises OSError where it is taken."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named, or asyncio leaves every answer 40 ms late
    try:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((address, port))
        listening.listen(128)
    except OSError:
        listening.close()
        raise
    return listening


async def _complete(http: HttpRequest, cache: PromptCache, upstream: Upstream | None) -> Response:
    try:
        body, asked, count, sample = _read(await http.body(), http.headers.get(SAMPLE))
    except TraceError as wrong:
        return _json(completion.error(str(wrong), wrong.kind), 400)
    taken = cache.take(asked, count, sample)  # here, not in a thread: equal requests get their answers in order of arrival
    if taken is not None:
        return _answered(asked, taken, body)
    if upstream is None:
        missed = await run_in_threadpool(cache.why_not, asked, count, sample)
        more = {} if missed.nearest is None else {"nearest": missed.nearest}
        return _json(completion.error(missed.message, missed.kind, **more), 404)
    try:
        reply = await run_in_threadpool(upstream.ask, body, asked, http.headers)
    except OSError as full:
        return _json(completion.error(f"the answer could not be recorded: {full}", "not_written"), 500, NO_RETRY)
    return _forwarded(reply, body)


def _read(data: bytes, sample: str | None) -> tuple[dict[str, Any], Request, int, int | None]:
    """Body, request, number of answers and, where the client names one, the index of the first. Raises TraceError."""
    try:
        body = request.read_json(data)
    except ValueError as error:
        raise TraceError(f"the body is not JSON: {error}", kind="invalid_request") from None
    if not isinstance(body, dict):
        raise TraceError("the body is no JSON object", kind="invalid_request")
    if sample is not None and not re.fullmatch(r"[0-9]{1,9}", sample):
        raise TraceError(f"{SAMPLE} is {sample!r}, expected a whole number from 0", kind="invalid_request")
    count = request.whole("n", body.get("n"))
    if count is not None and count < 1:
        raise TraceError(f"n is {count}, expected 1 or more", kind="invalid_request")
    return body, request.of_body(body), count or 1, None if sample is None else int(sample)


def _answered(asked: Request, taken: Taken, body: Mapping[str, Any]) -> Response:
    for answer in taken.answers:
        try:
            said(answer)
        except RecordedFailure as failure:
            return _failed(answer, failure)
        except TraceError as missing:
            return _json(completion.error(missing.message, missing.kind), 404)
    whole = completion.completion(asked, taken.answers, taken.not_recorded)
    return _sent(whole, body, {MATCH: completion.match(taken.not_recorded), NOT_RECORDED: _names(whole["branchlight"]["not_recorded"])})


def _failed(answer: Answer, failure: RecordedFailure) -> Response:
    """The error again. One that an upstream sent comes with its own status; for another, retries were over before it was recorded."""
    if answer.status is None:
        return _json(completion.error(str(failure), failure.kind), 500, NO_RETRY)
    try:
        return _json(request.read_json(failure.message), answer.status)
    except ValueError:
        return _json(completion.error(failure.message, failure.kind), answer.status)


def _forwarded(reply: Reply, body: Mapping[str, Any]) -> Response:
    if reply.status != 200:
        return _json(reply.body, reply.status)
    return _sent(reply.body, body, {MATCH: "recorded-now"})


def _sent(whole: Mapping[str, Any], body: Mapping[str, Any], headers: Mapping[str, str]) -> Response:
    """A completion in the form that the client asked for."""
    if not body.get("stream"):
        return _json(whole, 200, headers)
    options = body.get("stream_options")
    events = completion.stream(whole, with_usage=isinstance(options, dict) and bool(options.get("include_usage")))
    return StreamingResponse(_each(events), headers=headers, media_type="text/event-stream")


async def _each(events: Iterator[str]) -> AsyncIterator[str]:
    for event in events:
        yield event


def _names(names: Sequence[str]) -> str:
    """Names as the value of a header, which holds no line ends and ASCII only."""
    return ", ".join(re.sub(r"[^A-Za-z0-9_.-]", "?", name) for name in names)


def _json(document: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """In ASCII, with escapes: half of a surrogate pair, which a client may have asked about, cannot be sent otherwise."""
    return Response(json.dumps(document, allow_nan=False), status, headers, "application/json")


async def _elsewhere(http: HttpRequest, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    text = f"{http.method} {http.url.path}: this server answers POST /v1/chat/completions, GET /v1/models and POST /reset"
    return _json(completion.error(text, "invalid_url"), status)

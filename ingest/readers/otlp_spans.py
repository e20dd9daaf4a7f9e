"""Which spans does one ``resourceSpans`` document of OTLP's JSON hold, and what says each of them? For ``otlp_json`` only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ingest.readers import fields
from ingest.readers.fields import Malformed
from ingest.readers.otel_run import Span
from ingest.readers.otlp_values import attributes_of, nanoseconds

_TAKEN = ("traceId", "spanId", "parentSpanId", "name", "attributes", "events")
"""Times stay in ``extra`` too: the columns have microseconds, the log nanoseconds."""
_FAILED = (2, "STATUS_CODE_ERROR")


@dataclass(frozen=True, slots=True)
class Found:
    """One span, or what stands in its place, with what was said of the process that wrote it."""

    path: str
    raw: Any
    span: Span | Malformed
    resource: dict[str, Any]


def spans_in(document: dict[str, Any]) -> Iterator[Found]:
    """Every span of a document, in order."""
    for where, around in _members(document, "resourceSpans", "$"):
        resource, unread = attributes_of(fields.object_or_empty(around, "resource").get("attributes"))
        resource |= {"unread": unread} if unread else {}
        key = "scopeSpans" if not isinstance(around, dict) or "scopeSpans" in around else "instrumentationLibrarySpans"
        for inside, scoped in _members(around, key, where):
            scope = fields.object_or_empty(scoped, "scope") or fields.object_or_empty(scoped, "instrumentationLibrary")
            for path, raw in _members(scoped, "spans", inside):
                yield Found(path, raw, _span_or_fault(raw, path, scope, resource), resource)


def _members(holder: Any, key: str, where: str) -> Iterator[tuple[str, Any]]:
    """What a list holds, with paths; anything else that stands in its place is one member, which is no span."""
    if not isinstance(holder, dict):
        yield where, holder
        return
    listed = holder.get(key)
    if isinstance(listed, list | None):
        yield from ((f"{where}.{key}[{at}]", member) for at, member in enumerate(listed or ()))
    else:
        yield f"{where}.{key}", listed


def _span_or_fault(raw: Any, where: str, scope: dict[str, Any], resource: dict[str, Any]) -> Span | Malformed:
    try:
        fields.json_text(raw)
        if not isinstance(raw, dict):
            raise Malformed(where, f"{fields.kind_of(raw)} where a span was expected")
        return _span(raw, where, scope, resource)
    except Malformed as error:
        return error
    except RecursionError:
        return Malformed(where, "the span is nested too deeply")


def _span(raw: dict[str, Any], where: str, scope: dict[str, Any], resource: dict[str, Any]) -> Span:
    trace_id, span_id, parent_id = (_hex_id(raw, key, where) for key in _TAKEN[:3])
    if trace_id is None or span_id is None:
        raise Malformed(f"{where}.{'spanId' if trace_id else 'traceId'}", "nothing where an id was expected")
    attributes, unread = attributes_of(raw.get("attributes"))
    events = tuple(_event(event) for event in fields.list_or_empty(raw, "events"))
    status, service = fields.object_or_empty(raw, "status"), resource.get("service.name")
    rest = fields.without(raw, _TAKEN) | ({"unread_attributes": unread} if unread else {})
    rest |= {"events": list(events)} if events else {"events": raw["events"]} if raw.get("events") not in (None, []) else {}
    return Span(
        trace_id=trace_id,
        span_id=span_id,
        parent_id=parent_id,
        name=fields.text(raw.get("name")) or "",
        attributes=attributes,
        started_ns=nanoseconds(raw.get("startTimeUnixNano")),
        ended_ns=nanoseconds(raw.get("endTimeUnixNano")),
        error=(fields.text(status.get("message")) or _exception(events) or "status 2") if status.get("code") in _FAILED else None,
        rest=rest | ({"scope": scope} if scope else {}) | ({"service": service} if service is not None else {}),
        events=events,
    )


def _hex_id(raw: dict[str, Any], key: str, where: str) -> str | None:
    """In lower case, so that links fit; None where there is none, which is also written as zeros."""
    value = raw.get(key)
    if not isinstance(value, str | None):
        raise Malformed(f"{where}.{key}", f"{fields.kind_of(value)} where an id was expected")
    if not value or not value.strip("0"):
        return None
    return value.lower() if re.fullmatch(r"[0-9a-fA-F]+", value) else value


def _event(raw: Any) -> dict[str, Any]:
    if not isinstance(raw, dict):
        return {"unread": raw}
    attributes, unread = attributes_of(raw.get("attributes"))
    return raw | {"attributes": attributes} | ({"unread_attributes": unread} if unread else {})


def _exception(events: tuple[dict[str, Any], ...]) -> str | None:
    known: dict[str, Any] = next((event["attributes"] for event in events if event.get("name") == "exception"), {})
    return fields.text(known.get("exception.message")) or fields.text(known.get("exception.type"))

"""OpenTelemetry spans as JSON: a list as its JavaScript library prints them, or one span a line. A trace is a run, a span is a node.

Attributes: GenAI conventions (``gen_ai.*``), OpenInference (``llm.*``) and the Vercel AI SDK (``ai.*``), whose outer span (``ai.generateText``)
repeats what its inner one (``ai.generateText.doGenerate``) paid. Lists may hold no parent ids at all. An agent run is no search: no fates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest.errors import Problem
from ingest.readers import fields
from ingest.readers.fields import Malformed
from ingest.readers.otel_run import Span, agent_run, counted, wrapped_names
from ingest.schema import Trace
from ingest.source import Source

NAME = "otel-js-spans"
PRODUCER = "OpenTelemetry spans of agents, a JSON list or one a line"
LOOKS_FOR = "a JSON list of spans with spanContext and attributes, or lines with trace_id, span_id and attributes"
TELLS = {
    "generation": "alternatives (an agent run: its siblings are steps)",
    "evaluation": "scores",
    "control": "fates, prune reasons, selected path",
    "spend": "yes, where spans report tokens (cost only where they report it)",
    "replay": "alternatives and scores",
    "compare": "whether the answer is right",
}
_COLUMNS = ("name", "spanContext", "attributes", "trace_id", "span_id", "parent_span_id", "parentSpanId")
"""Times stay in ``extra`` too: the columns have microseconds, the log nanoseconds."""
_FAILED = 2
_NO_PARENTS = "the spans name no parents, so nothing says which of them belong together"


def sniff(source: Source) -> bool:
    """A list of spans with a context, or a first line that is a span."""
    head = source.head()
    if re.match(r"\s*\[\s*\{", head):
        return {"spanContext", "attributes", "traceId", "spanId"} <= fields.keys_in(head)
    line = source.first_object()
    return line is not None and {"trace_id", "span_id", "attributes"} <= line.keys()


def read(source: Source) -> Iterator[Trace | Problem]:
    """A Problem for every span that could not be read, then one run for each trace in the order of their first spans."""
    traces: dict[str, dict[str, Span]] = {}
    linked: set[str] = set()
    for where, raw in _spans(source):
        if isinstance(raw, Problem):
            yield raw
            continue
        try:
            span = _span(raw)
            if span.span_id in traces.setdefault(span.trace_id, {}):
                raise Malformed("span_id", f"span {span.span_id} stands in this file before")
            traces[span.trace_id][span.span_id] = span
            linked |= {span.trace_id} if span.parent_id or "parent_span_id" in raw else set()
        except Malformed as error:
            yield Malformed(f"{where}.{error.path}".rstrip("."), error.message).problem(source.name, raw)
    wrapped = wrapped_names(span for found in traces.values() for span in found.values())
    for trace_id, by_id in traces.items():
        found = list(by_id.values())
        if found:
            yield agent_run(NAME, trace_id, found, counted(found, wrapped), () if trace_id in linked else (_NO_PARENTS,))


def _spans(source: Source) -> Iterator[tuple[str, Any]]:
    if source.head().lstrip().startswith("["):
        listed = source.json()
        yield from ((f"$[{at}]", raw) for at, raw in enumerate(listed))
        return
    for item in source.json_lines():
        yield ("", item) if isinstance(item, Problem) else (f"line {item[0]}: $", item[1])


def _span(raw: Any) -> Span:
    if not isinstance(raw, dict):
        raise Malformed("", f"{fields.kind_of(raw)} where a span was expected")
    context = fields.object_or_empty(raw, "spanContext")
    ids = raw.get("trace_id", context.get("traceId")), raw.get("span_id", context.get("spanId"))
    above = fields.object_or_empty(raw, "parentSpanContext").get("spanId")
    parent = raw.get("parent_span_id", raw.get("parentSpanId", above))
    for what, value in zip(("trace id", "span id"), ids, strict=True):
        if not isinstance(value, str) or not value:
            raise Malformed(what.replace(" ", "_"), f"{fields.kind_of(value)} where a {what} was expected")
    if not isinstance(parent, str | None):
        raise Malformed("parent_span_id", f"{fields.kind_of(parent)} where a span id was expected")
    status, attributes = fields.object_or_empty(raw, "status"), fields.object_or_empty(raw, "attributes")
    unread = ("attributes",) if raw.get("attributes") not in (None, attributes) else ()
    return Span(
        trace_id=str(ids[0]),
        span_id=str(ids[1]),
        parent_id=parent or None,
        name=fields.text(raw.get("name")) or "",
        attributes=attributes,
        started_ns=_nanoseconds(raw, "start"),
        ended_ns=_nanoseconds(raw, "end"),
        error=(fields.text(status.get("message")) or "status 2") if status.get("code") == _FAILED else None,
        rest=fields.without(raw, set(_COLUMNS) - set(unread)),
    )


def _nanoseconds(raw: dict[str, Any], which: str) -> int | None:
    """Since 1970: logged as they are, or as a pair of seconds and nanoseconds."""
    pair = raw.get(f"{which}Time")
    if isinstance(pair, list) and len(pair) == 2:
        seconds, rest = fields.whole(pair[0]), fields.whole(pair[1])
        return seconds * 1_000_000_000 + rest if seconds is not None and rest is not None else None
    return fields.whole(raw.get(f"{which}_time_unix_nano"))

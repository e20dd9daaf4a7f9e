"""OpenTelemetry spans as JSON: a list as its JavaScript library prints them, or one span a line. A trace is a run, a span is a node.

Attributes: GenAI conventions (``gen_ai.*``), OpenInference (``llm.*``) and the Vercel AI SDK (``ai.*``), whose outer span (``ai.generateText``)
repeats what its inner one (``ai.generateText.doGenerate``) paid. Lists may hold no parent ids at all. An agent run is no search: no fates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ingest.errors import Problem
from ingest.readers import fields, spans
from ingest.readers.fields import Malformed
from ingest.readers.otel_attributes import first, is_tool, texts_of_call, usage_of
from ingest.schema import Call, Node, Role, Run, Trace
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


@dataclass(frozen=True, slots=True)
class _Span:
    """One span: its place in the graph, its attributes, and all of it as logged."""

    trace_id: str
    span_id: str
    parent_id: str | None
    attributes: dict[str, Any]
    raw: dict[str, Any]

    @property
    def name(self) -> str:
        return fields.text(self.raw.get("name")) or ""


def sniff(source: Source) -> bool:
    """A list of spans with a context, or a first line that is a span."""
    head = source.head()
    if re.match(r"\s*\[\s*\{", head):
        return {"spanContext", "attributes", "traceId", "spanId"} <= fields.keys_in(head)
    line = source.first_object()
    return line is not None and {"trace_id", "span_id", "attributes"} <= line.keys()


def read(source: Source) -> Iterator[Trace | Problem]:
    """A Problem for every span that could not be read, then one run for each trace in the order of their first spans."""
    traces: dict[str, dict[str, _Span]] = {}
    for where, raw in _spans(source):
        if isinstance(raw, Problem):
            yield raw
            continue
        try:
            span = _span(raw)
            if span.span_id in traces.setdefault(span.trace_id, {}):
                raise Malformed("span_id", f"span {span.span_id} stands in this file before")
            traces[span.trace_id][span.span_id] = span
        except Malformed as error:
            yield Malformed(f"{where}.{error.path}".rstrip("."), error.message).problem(source.name, raw)
    wrapped = {name.rsplit(".do", 1)[0] for spans_of in traces.values() for span in spans_of.values() if ".do" in (name := span.name)}
    for trace_id, found in traces.items():
        if found:
            yield _trace(trace_id, list(found.values()), wrapped)


def _spans(source: Source) -> Iterator[tuple[str, Any]]:
    if source.head().lstrip().startswith("["):
        listed = source.json()
        yield from ((f"$[{at}]", raw) for at, raw in enumerate(listed))
        return
    for item in source.json_lines():
        yield ("", item) if isinstance(item, Problem) else (f"line {item[0]}: $", item[1])


def _span(raw: Any) -> _Span:
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
    return _Span(str(ids[0]), str(ids[1]), parent or None, fields.object_or_empty(raw, "attributes"), raw)


def _trace(trace_id: str, found: list[_Span], wrapped: set[str]) -> Trace:
    usage = {span.span_id: usage_of(span.attributes) for span in found}
    rolled = spans.roll_ups({span.span_id: span.parent_id for span in found}, usage)
    outer = {span.span_id for span in found if usage[span.span_id] and span.span_id not in rolled and span.name in wrapped}
    seq = spans.order([_time(span, "start") for span in found])
    warnings = spans.warnings(rolled, {span.span_id: span.name for span in found})
    warnings += [f"span {span.name} repeats the tokens of its inner span: not counted" for span in found if span.span_id in outer]
    if not any("parent_span_id" in span.raw or span.parent_id for span in found):
        warnings.append("the spans name no parents, so nothing says which of them belong together")
    paid = [span for span in found if span.span_id not in rolled and span.span_id not in outer and (usage[span.span_id] or is_tool(span.attributes))]
    return Trace(
        Run(run_id=trace_id, started_at=min((t for span in found if (t := _time(span, "start"))), default=None), level_by_level=False,
            source_format=NAME, warnings=tuple(warnings)),
        tuple(_node(span, seq[at], rolled, span in paid) for at, span in enumerate(found)),
        tuple(_call(span, usage[span.span_id]) for span in paid),
    )  # fmt: skip


def _node(span: _Span, seq: int, rolled: Mapping[str, str], called: bool) -> Node:
    status = fields.object_or_empty(span.raw, "status")
    unread = ("attributes",) if span.raw.get("attributes") not in (None, span.attributes) else ()
    rest = fields.without(span.attributes, texts_of_call(span.attributes)) if called else span.attributes
    extra = (
        {"attributes": rest}
        | fields.without(span.raw, set(_COLUMNS) - set(unread))
        | ({"roll_up": rolled[span.span_id]} if span.span_id in rolled else {})
    )
    return Node(
        run_id=span.trace_id,
        node_id=span.span_id,
        parent_ids=(span.parent_id,) if span.parent_id else (),
        seq=seq,
        step=span.name or None,
        action_kind=first(span.attributes, "kind"),
        error=(fields.text(status.get("message")) or "status 2") if status.get("code") == _FAILED else None,
        started_at=_time(span, "start"),
        ended_at=_time(span, "end"),
        extra=fields.extra_text(extra),
    )


def _call(span: _Span, usage: spans.Usage) -> Call:
    started, ended, known = _nanoseconds(span, "start"), _nanoseconds(span, "end"), span.attributes
    numbers: dict[str, Callable[[object], Any]] = {"temperature": fields.number, "top_p": fields.number}
    numbers |= {"max_output_tokens": fields.whole, "seed": fields.whole, "cached_tokens": fields.whole}
    return Call(
        run_id=span.trace_id,
        call_id=span.span_id,
        node_id=span.span_id,
        role=Role.TOOL if is_tool(known) else None,
        model=first(known, "model"),
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost=usage.cost,
        latency_ms=(ended - started) / 1e6 if started is not None and ended is not None else None,
        started_at=_time(span, "start"),
        prompt=first(known, "prompt"),
        response=first(known, "response"),
        **{name: convert(first(known, name, as_text=False)) for name, convert in numbers.items()},
    )


def _time(span: _Span, which: str) -> datetime | None:
    nanoseconds = _nanoseconds(span, which)
    return fields.instant(nanoseconds / 1e9) if nanoseconds is not None else None


def _nanoseconds(span: _Span, which: str) -> int | None:
    """Since 1970: logged as they are, or as a pair of seconds and nanoseconds."""
    pair = span.raw.get(f"{which}Time")
    if isinstance(pair, list) and len(pair) == 2:
        seconds, rest = fields.whole(pair[0]), fields.whole(pair[1])
        return seconds * 1_000_000_000 + rest if seconds is not None and rest is not None else None
    return fields.whole(span.raw.get(f"{which}_time_unix_nano"))

"""How does a trace of OpenTelemetry spans become an agent run? A span is a node; the spans that paid or ran a tool are its calls too.

An agent run is no search: its siblings are steps, not alternatives, so nothing has a fate. For the readers of OpenTelemetry's JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from ingest.readers import fields, spans
from ingest.readers.otel_attributes import asks_model, first, is_tool, setting, usage_of
from ingest.readers.otel_texts import texts_of
from ingest.schema import Call, Node, Role, Run, Trace


@dataclass(frozen=True, slots=True)
class Span:
    """One span: its place in the graph, what it says, and everything else as logged."""

    trace_id: str
    span_id: str
    parent_id: str | None
    name: str
    attributes: dict[str, Any]
    started_ns: int | None
    """Nanoseconds since 1970."""
    ended_ns: int | None
    error: str | None
    rest: dict[str, Any]
    events: tuple[dict[str, Any], ...] = ()
    """Those whose texts count as texts of the call, with plain attributes."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Which spans of a trace are calls, and which repeat what others paid."""

    usage: dict[str, spans.Usage]
    rolled: dict[str, str]
    calls: frozenset[str]
    warnings: dict[str, str]
    """By the span that they are about."""


def wrapped_names(found: Iterable[Span]) -> set[str]:
    """Names of the Vercel AI SDK's outer spans (``ai.generateText``), whose inner ones (``ai.generateText.doGenerate``) are there as well."""
    return {name.rsplit(".do", 1)[0] for span in found if ".do" in (name := span.name)}


def counted(found: Sequence[Span], wrapped: set[str]) -> Counted:
    """Calls are tools, what paid, and models that were asked without a word on tokens; of spans inside of each other the innermost counts."""
    parents, usage = {span.span_id: span.parent_id for span in found}, {span.span_id: usage_of(span.attributes) for span in found}
    rolled = spans.roll_ups(parents, usage)
    outer = [span for span in found if usage[span.span_id] and span.span_id not in rolled and span.name in wrapped]
    left_out = rolled.keys() | {span.span_id for span in outer}
    calls = {span.span_id for span in found if span.span_id not in left_out and (usage[span.span_id] or is_tool(span.attributes))}
    asked = {span.span_id for span in found if span.span_id not in left_out and asks_model(span.attributes)}
    above = {name for span_id in calls | asked for name in spans.ancestors(span_id, parents)}
    said = dict(zip(rolled, spans.warnings(rolled, {span.span_id: span.name for span in found}), strict=True))
    said |= {span.span_id: f"span {span.name} repeats the tokens of its inner span: not counted" for span in outer}
    return Counted(usage, rolled, frozenset(calls | (asked - above)), said)


def agent_run(
    format_name: str, run_id: str, found: Sequence[Span], count: Counted, warnings: Sequence[str] = (), extra: Mapping[str, Any] | None = None
) -> Trace:
    """The trace as a run of its own."""
    seq, ids = spans.order([time_of(span.started_ns) for span in found]), {span.span_id for span in found}
    return Trace(
        Run(
            run_id=run_id, started_at=earliest(found), level_by_level=False, source_format=format_name,
            warnings=(*(text for span_id, text in count.warnings.items() if span_id in ids), *warnings),
            extra=fields.extra_text(extra or {}),
        ),
        tuple(_node(run_id, span, seq[at], count) for at, span in enumerate(found)),
        tuple(call_of(run_id, span, count) for span in found if span.span_id in count.calls),
    )  # fmt: skip


def _node(run_id: str, span: Span, seq: int, count: Counted) -> Node:
    return Node(
        run_id=run_id,
        node_id=span.span_id,
        parent_ids=(span.parent_id,) if span.parent_id else (),
        seq=seq,
        step=span.name or None,
        action_kind=first(span.attributes, "kind"),
        error=span.error,
        started_at=time_of(span.started_ns),
        ended_at=time_of(span.ended_ns),
        extra=fields.extra_text(left_over(span, count)),
    )


def left_over(span: Span, count: Counted, taken: Iterable[str] = ()) -> dict[str, Any]:
    """What has no column: attributes without ``taken`` and the texts that a call took over, all other fields, and of a roll-up what it claims."""
    texts = texts_of(span.attributes, span.events) if span.span_id in count.calls else None
    rest = fields.without(span.attributes, {*taken, *(texts.names if texts else ())})
    events = {"events": texts.events} if texts and texts.events is not None else {}
    return {"attributes": rest} | span.rest | events | ({"roll_up": count.rolled[span.span_id]} if span.span_id in count.rolled else {})


def call_of(run_id: str, span: Span, count: Counted) -> Call:
    """What was asked, answered and paid in a span."""
    known, usage, texts = span.attributes, count.usage[span.span_id], texts_of(span.attributes, span.events)
    numbers: dict[str, Callable[[object], Any]] = {"temperature": fields.number, "top_p": fields.number}
    numbers |= {"max_output_tokens": fields.whole, "seed": fields.whole}
    return Call(
        run_id=run_id,
        call_id=span.span_id,
        node_id=span.span_id,
        role=Role.TOOL if is_tool(known) else None,
        model=first(known, "model"),
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost=usage.cost,
        latency_ms=(span.ended_ns - span.started_ns) / 1e6 if span.started_ns is not None and span.ended_ns is not None else None,
        started_at=time_of(span.started_ns),
        prompt=texts.prompt,
        response=texts.response,
        cached_tokens=fields.whole(first(known, "cached_tokens", as_text=False)),
        **{name: convert(setting(known, name)) for name, convert in numbers.items()},
    )


def time_of(nanoseconds: int | None) -> datetime | None:
    """A time in UTC; what is smaller than a microsecond is cut off."""
    try:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=nanoseconds // 1000) if nanoseconds is not None else None
    except OverflowError:
        return None


def earliest(found: Iterable[Span]) -> datetime | None:
    """When the first of them started."""
    return min((time for span in found if (time := time_of(span.started_ns))), default=None)

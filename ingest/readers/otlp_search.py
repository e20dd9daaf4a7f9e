"""How do spans with ``search.*`` attributes become the run of a search? For ``otlp_json`` only; ``otlp_search_attributes`` has the attributes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.readers import fields
from ingest.readers.otel_run import Span, call_of, earliest, left_over, time_of
from ingest.readers.otlp_places import Placed, events_of
from ingest.readers.otlp_search_attributes import END, NODE_ID, Said, id_in, said_by
from ingest.readers.otlp_values import nanoseconds
from ingest.schema import Call, Node, Run, Trace


@dataclass(frozen=True, slots=True)
class _Word:
    """What one span or event says of a node and of the run, and when: a span has its last word at its end."""

    first_ns: int | None
    last_ns: int | None
    node_id: str
    said: Said


def search_run(format_name: str, run_id: str, placed: Sequence[Placed], warnings: Sequence[str], extra: Mapping[str, Any]) -> Trace:
    """The run: nodes as the attributes name them, calls as the spans paid them."""
    words = list(_words(placed))
    if all(word.last_ns is not None for word in words):
        words.sort(key=lambda word: word.last_ns or 0)
    run_said: dict[str, Any] = {}
    for word in words:
        run_said |= word.said.run
    loose = [_left(one) for one in placed if not one.node_id and one.span.span_id not in one.count.calls]
    told = [text for one in placed if (text := one.count.warnings.get(one.span.span_id))]
    one_trace = len({one.span.trace_id for one in placed}) == 1
    return Trace(
        Run(
            run_id=run_id, ended=any(name in run_said for name in END), started_at=earliest(one.span for one in placed),
            source_format=format_name, warnings=(*told, *_not_read(words), *warnings),
            extra=fields.extra_text(dict(extra) | ({"spans": loose} if loose else {})), **run_said,
        ),
        tuple(_nodes(run_id, placed, words)),
        tuple(_call(run_id, one, one_trace) for one in placed if one.span.span_id in one.count.calls),
    )  # fmt: skip


def _words(placed: Sequence[Placed]) -> Iterator[_Word]:
    for one in placed:
        for event, known in zip(one.span.events, events_of(one.span), strict=True):
            at, node_id = nanoseconds(event.get("timeUnixNano")), id_in(known, NODE_ID) or one.node_id
            said = said_by(known, node_id != "")
            if said != Said():
                yield _Word(at, at, node_id, said)
        if one.said != Said():
            started, ended = one.span.started_ns, one.span.ended_ns
            yield _Word(started, started if ended is None else ended, one.node_id, one.said)


def _nodes(run_id: str, placed: Sequence[Placed], words: Sequence[_Word]) -> Iterator[Node]:
    """In the order in which they were first named."""
    timed = all(word.first_ns is not None for word in words)
    known: dict[str, dict[str, Any]] = {word.node_id: {} for word in (sorted(words, key=lambda word: word.first_ns or 0) if timed else words)}
    known.pop("", None)
    left: dict[str, list[Any]] = {node_id: [] for node_id in known}
    made: dict[str, Span] = {}
    for word in words:
        known.get(word.node_id, {}).update(word.said.node)
    for one in sorted(placed, key=lambda one: one.span.started_ns or 0) if timed else placed:
        if one.names_node:
            made.setdefault(one.node_id, one.span)
        if one.node_id and one.span.span_id not in one.count.calls:
            left[one.node_id].append(_left(one))
    for seq, (node_id, values) in enumerate(known.items()):
        span = made.get(node_id)
        yield Node(
            run_id=run_id, node_id=node_id, seq=seq, **({"error": span.error if span else None} | values),
            started_at=time_of(span.started_ns) if span else None, ended_at=time_of(span.ended_ns) if span else None,
            extra=fields.extra_text({"spans": left[node_id]} if left[node_id] else {}),
        )  # fmt: skip


def _call(run_id: str, one: Placed, one_trace: bool) -> Call:
    call = call_of(run_id, one.span, one.count)
    return dataclasses.replace(
        call,
        call_id=call.call_id if one_trace else f"{one.span.trace_id}/{call.call_id}",
        node_id=one.node_id or None,
        error=one.span.error,
        extra=fields.extra_text(_left(one)),
        **one.said.call,
    )


def _left(one: Placed) -> dict[str, Any]:
    """What a span says beside all columns, under its name."""
    return {"span_id": one.span.span_id, "name": one.span.name} | left_over(one.span, one.count, one.said.read)


def _not_read(words: Sequence[_Word]) -> Iterator[str]:
    """One line for each attribute that is none of the set or has a value that does not fit."""
    wrong: dict[str, list[_Word]] = {}
    for word in words:
        for name in word.said.wrong:
            wrong.setdefault(name, []).append(word)
    for name, at in wrong.items():
        nodes = list(dict.fromkeys(word.node_id for word in at if word.node_id))
        where = f", first of node {nodes[0]}" if nodes else ""
        yield f"{name} is none of the attributes that are read, stands at no node or does not fit ({len(at)} times{where}): kept as logged"

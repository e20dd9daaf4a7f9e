"""Langfuse trace exports: one JSON object, one trace, one run; its observations are the nodes.

Format: the JSON download of a trace in Langfuse. ``trace.observations`` repeats the list, which is read once. An agent run is no search: its
siblings are steps, not alternatives, so nothing has a fate. ``latency`` is in seconds or in milliseconds, by version: the two times count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest.errors import Problem
from ingest.readers import fields, spans
from ingest.readers.documents import one_run
from ingest.readers.fields import Malformed
from ingest.schema import Call, Node, Role, Run, Trace
from ingest.source import Source

NAME = "langfuse-trace"
PRODUCER = "Langfuse, the JSON download of a trace"
LOOKS_FOR = "a JSON object with a trace and observations that have parentObservationId"
TELLS = {
    "generation": "alternatives (an agent run: its siblings are steps)",
    "evaluation": "scores of nodes (those of the whole trace are there)",
    "control": "fates, prune reasons, selected path",
    "spend": "yes",
    "replay": "alternatives and scores",
    "compare": "whether the answer is right",
}
_COLUMNS = ("id", "traceId", "parentObservationId", "startTime", "endTime", "name", "type", "output")
_PAID = ("GENERATION", "EMBEDDING")
_CACHED = ("input_cached_tokens", "input_cache_read", "prompt_details.cache_read", "cache_read_input_tokens")
_Observation = dict[str, Any]


def sniff(source: Source) -> bool:
    """An object that begins with a trace of a project, or that holds observations with the producer's name for a parent."""
    head = source.head()
    keys = fields.keys_in(head)
    begins = re.match(r'\s*\{\s*"trace"\s*:\s*\{', head) is not None and "projectId" in keys
    return begins or (head.lstrip().startswith("{") and {"traceId", "parentObservationId"} <= keys)


def read(source: Source) -> Iterator[Trace | Problem]:
    """A Problem for every observation that could not be read, then the run."""
    yield from one_run(
        source,
        "an object with a trace and its observations",
        lambda document: _observations(document, source.name),
        lambda document, found: _trace(source.stem, document, found),
    )


def _observations(document: dict[str, Any], source: str) -> Iterator[_Observation | Problem]:
    """The list, then what only its repetition inside of the trace holds."""
    trace = fields.object_at(document, "trace", "$")
    lists = {"$.observations": document.get("observations"), "$.trace.observations": trace.get("observations")}
    if not any(isinstance(listed, list) for listed in lists.values()):
        raise Malformed("$.observations", f"{fields.kind_of(lists['$.observations'])} where a list was expected")
    seen: set[str] = set()
    for path, listed in lists.items():
        before = set(seen)
        for at, raw in enumerate(listed if isinstance(listed, list) else []):
            where = f"{path}[{at}]"
            name = raw.get("id") if isinstance(raw, dict) else None
            parent = raw.get("parentObservationId") if isinstance(raw, dict) else None
            if not isinstance(raw, dict) or not isinstance(name, str) or not name or not isinstance(parent, str | None):
                found = f"an observation with id {fields.kind_of(name)} and parentObservationId {fields.kind_of(parent)}"
                yield Malformed(where, f"{found if isinstance(raw, dict) else fields.kind_of(raw)}, texts were expected").problem(source, raw)
            elif name not in seen:
                seen.add(name)
                yield raw
            elif name not in before:
                yield Malformed(f"{where}.id", f"id {name} stands in this list before").problem(source, raw)


def _trace(stem: str, document: dict[str, Any], found: list[_Observation]) -> Trace:
    trace = fields.object_at(document, "trace", "$")
    run_id = fields.text(trace.get("id")) or stem
    rolled = spans.roll_ups({raw["id"]: raw.get("parentObservationId") for raw in found}, {raw["id"]: _usage(raw) for raw in found})
    seq = spans.order([fields.moment(raw.get("startTime")) for raw in found])
    scores = [score for score in trace.get("scores") or () if isinstance(score, dict)] if isinstance(trace.get("scores"), list) else []
    named = ", ".join(f"{score.get('name')} {fields.text(score.get('value'))} ({score.get('source')})" for score in scores)
    judged = [f"the trace was judged as a whole, which is no score of a node and no outcome: {named}"] if scores else []
    return Trace(
        Run(
            run_id=run_id,
            question=fields.text(trace.get("input")),
            answer=fields.text(trace.get("output")),
            wall_clock_s=fields.number(trace.get("latency")),
            started_at=fields.moment(trace.get("timestamp")),
            level_by_level=False,
            source_format=NAME,
            warnings=(*judged, *spans.warnings(rolled, {raw["id"]: fields.text(raw.get("name")) for raw in found})),
            extra=fields.extra_text(
                fields.without(document, ("trace", "observations")) | {"trace": fields.without(trace, ("input", "output", "observations"))}
            ),
        ),
        tuple(_node(run_id, raw, seq[at], rolled) for at, raw in enumerate(found)),
        tuple(call for raw in found for call in _calls(run_id, raw, rolled)),
    )


def _node(run_id: str, raw: _Observation, seq: int, rolled: dict[str, str]) -> Node:
    called = _is_call(raw, rolled)
    started, ended = fields.moment(raw.get("startTime")), fields.moment(raw.get("endTime"))
    taken = {*_COLUMNS, *(("input", "model") if called else ())}
    unread = {"startTime": started, "endTime": ended, "traceId": raw.get("traceId") == run_id or None}
    taken -= {key for key, value in unread.items() if value is None}
    parent = raw.get("parentObservationId")
    return Node(
        run_id=run_id,
        node_id=raw["id"],
        parent_ids=(parent,) if parent else (),
        seq=seq,
        step=fields.text(raw.get("name")),
        action_kind=fields.text(raw.get("type")),
        observation=fields.text(raw.get("output")) if raw.get("type") not in _PAID or not called else None,
        error=(fields.text(raw.get("statusMessage")) or "level ERROR") if raw.get("level") == "ERROR" else None,
        started_at=started,
        ended_at=ended,
        extra=fields.extra_text(fields.without(raw, taken) | ({"roll_up": rolled[raw["id"]]} if raw["id"] in rolled else {})),
    )


def _is_call(raw: _Observation, rolled: dict[str, str]) -> bool:
    return raw["id"] not in rolled and (raw.get("type") in (*_PAID, "TOOL") or bool(_usage(raw)))


def _usage(raw: _Observation) -> spans.Usage:
    return spans.Usage(fields.whole(raw.get("inputUsage")), fields.whole(raw.get("outputUsage")), fields.number(raw.get("totalCost")))


def _calls(run_id: str, raw: _Observation, rolled: dict[str, str]) -> Iterator[Call]:
    """Model and tool calls. The price of a span that called no model is 0, which says nothing."""
    if not _is_call(raw, rolled):
        return
    usage, settings, details = _usage(raw), fields.object_or_empty(raw, "modelParameters"), fields.object_or_empty(raw, "usageDetails")
    started, ended = fields.moment(raw.get("startTime")), fields.moment(raw.get("endTime"))
    logged = bool(usage) or bool(details)
    yield Call(
        run_id=run_id,
        call_id=raw["id"],
        node_id=raw["id"],
        role=Role.TOOL if raw.get("type") == "TOOL" else None,
        template_id=fields.text(raw.get("promptName")),
        template_version=fields.text(raw.get("promptVersion")),
        model=fields.text(raw.get("model")),
        temperature=fields.number(settings.get("temperature")),
        top_p=fields.number(settings.get("top_p")),
        seed=fields.whole(settings.get("seed")),
        input_tokens=usage.input_tokens if logged else None,
        output_tokens=usage.output_tokens if logged else None,
        cached_tokens=next((tokens for key in _CACHED if (tokens := fields.whole(details.get(key))) is not None), None),
        cost=usage.cost if usage.cost or fields.object_or_empty(raw, "costDetails") else None,
        latency_ms=(ended - started).total_seconds() * 1000 if started and ended else None,
        started_at=started,
        prompt=fields.text(raw.get("input")),
        response=fields.text(raw.get("output")),
    )

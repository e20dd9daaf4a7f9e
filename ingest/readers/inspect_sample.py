"""What does one sample of an Inspect log hold: spans, model and tool calls, scores? For ``inspect_log`` only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ingest.readers import fields
from ingest.readers.fields import Malformed
from ingest.schema import Call, Node, Outcome, Role, Run, StopReason, Trace

_SETTINGS = (
    "task", "task_version", "task_args", "solver", "solver_args", "model", "model_args", "model_generate_config", "model_roles", "config", "scorers",
)  # fmt: skip
_GRADES = {"C": Outcome.RIGHT, "I": Outcome.WRONG, True: Outcome.RIGHT, False: Outcome.WRONG}
_LIMITS = {"token": StopReason.TOKEN_BUDGET, "time": StopReason.WALL_CLOCK, "working": StopReason.WALL_CLOCK, "cost": StopReason.COST_BUDGET}
_ATTACHED = ("attachment://", "tc://")
_Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Events:
    """The events of a sample by what they become: nodes, calls, parts of a node, or leftovers of the run."""

    begun: dict[str, _Event]
    ended: dict[str, _Event]
    inside: dict[str, list[_Event]]
    calls: list[tuple[int, _Event]]
    loose: list[Any]


def trace_of(name: str, run_id: str, evaluation: dict[str, Any], sample: dict[str, Any], *, first: bool) -> Trace:
    """One sample as a run. The first one carries the totals of the evaluation."""
    filled = _filled(fields.object_or_empty(sample, "attachments"), sample)
    events = _events(filled.get("events"))
    nodes = tuple(_node(run_id, seq, span_id, event, events) for seq, (span_id, event) in enumerate(events.begun.items()))
    kinds = {node.node_id: node.action_kind for node in nodes}
    calls = tuple(_call(run_id, at, event, kinds) for at, event in events.calls)
    run = _run(name, run_id, evaluation, filled, events)
    return Trace(replace(run, extra=fields.extra_text(_leftovers(evaluation, filled, events, first))), nodes, calls)


def id_of(sample: Any, where: str) -> str:
    """Sample and epoch. Raises Malformed when there is no id."""
    if not isinstance(sample, dict):
        raise Malformed(where, f"{fields.kind_of(sample)} where a sample was expected")
    task = sample.get("id")
    if isinstance(task, bool) or not isinstance(task, int | str):
        raise Malformed(f"{where}.id", f"{fields.kind_of(task)} where the id of a sample was expected")
    return f"{task}/{fields.text(sample.get('epoch')) or 1}"


def _events(logged: Any) -> _Events:
    found = _Events({}, {}, {}, [], [])
    for at, event in enumerate(logged if isinstance(logged, list) else []):
        kind, span_id = (event.get("event"), event.get("id")) if isinstance(event, dict) else (None, None)
        limits = {"span_begin": found.begun, "span_end": found.ended}.get(kind) if isinstance(kind, str) else None
        if limits is not None and isinstance(span_id, str) and span_id and span_id not in limits:
            limits[span_id] = event
        elif kind in ("model", "tool"):
            found.calls.append((at, event))
        elif isinstance(event, dict) and isinstance(event.get("span_id"), str) and limits is None:
            found.inside.setdefault(event["span_id"], []).append(event)
        else:
            found.loose.append(event)
    for span_id in [span_id for span_id in found.inside if span_id not in found.begun]:
        found.loose.extend(found.inside.pop(span_id))
    found.loose.extend(found.ended.pop(span_id) for span_id in [span_id for span_id in found.ended if span_id not in found.begun])
    return found


def _run(name: str, run_id: str, evaluation: dict[str, Any], sample: dict[str, Any], events: _Events) -> Run:
    settings = {key: value for key in _SETTINGS if (value := evaluation["eval"].get(key)) is not None} | {"plan": evaluation.get("plan")}
    outcome, by, doubts = _outcome(sample)
    tokens = [_tokens(usage) for usage in fields.object_or_empty(sample, "model_usage").values() if isinstance(usage, dict)]
    times = (fields.moment(event.get("timestamp")) for event in [*events.begun.values(), *(event for _, event in events.calls)])
    nameless = sum(isinstance(event, dict) and event.get("event") == "span_begin" for event in events.loose)
    doubts += [f"{nameless} span(s) have no id of their own and are no nodes; they stand among the events of the run"] if nameless else []
    old = ["the log is older than spans, so its steps are not recorded as nodes"] if sample.get("events") and not events.begun else []
    return Run(
        run_id=run_id,
        task_id=fields.text(sample.get("id")),
        question=fields.text(sample.get("input")),
        answer=_answer(sample.get("output")),
        outcome=outcome,
        outcome_by=by,
        protocol=fields.json_text(settings, sort_keys=True),
        stop_reason=_stop_reason(sample),
        complete=False if sample.get("limit") else None,
        wall_clock_s=fields.number(sample.get("total_time")),
        started_at=min((time for time in times if time), default=None),
        reported_input_tokens=_sum(tokens, 0),
        reported_output_tokens=_sum(tokens, 1),
        reported_cached_tokens=_sum(tokens, 2),
        level_by_level=False,
        source_format=name,
        warnings=(*doubts, *old),
    )


def _leftovers(evaluation: dict[str, Any], sample: dict[str, Any], events: _Events, first: bool) -> dict[str, Any]:
    taken = ("id", "input", "attachments") + (("events",) if isinstance(sample.get("events"), list) else ())
    rest = fields.without(sample, taken) | {"evaluation": {"created": evaluation["eval"].get("created"), "status": evaluation.get("status")}}
    rest |= {"events": events.loose} if events.loose else {}
    return rest | ({"totals": {key: evaluation[key] for key in ("results", "stats", "reductions", "error") if key in evaluation}} if first else {})


def _filled(attachments: dict[str, Any], value: Any) -> Any:
    """The value with long texts in their places, which the log keeps apart under their hash."""
    if isinstance(value, dict):
        return {key: _filled(attachments, member) for key, member in value.items()}
    if isinstance(value, list):
        return [_filled(attachments, member) for member in value]
    prefix = next((prefix for prefix in _ATTACHED if isinstance(value, str) and value.startswith(prefix)), None)
    return attachments.get(value.removeprefix(prefix), value) if prefix else value


def _outcome(sample: dict[str, Any]) -> tuple[Outcome, str | None, list[str]]:
    """Right or wrong where every scorer says the same; numbers are marks on a scale that the log does not explain."""
    scores = fields.object_or_empty(sample, "scores")
    values = {name: score.get("value") for name, score in scores.items() if isinstance(score, dict)}
    grades = {name: _GRADES[value] for name, value in values.items() if isinstance(value, str | bool) and value in _GRADES}
    if values and len(grades) == len(values) and len(set(grades.values())) == 1:
        return next(iter(grades.values())), "log: scores." + ", scores.".join(grades), []
    said = ", ".join(f"{name} {fields.text(value)}" for name, value in values.items())
    return Outcome.UNKNOWN, None, [f"the scores do not say right or wrong with one voice: {said}"] if values else []


def _answer(output: Any) -> str | None:
    choices = output.get("choices") if isinstance(output, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return fields.text(fields.object_or_empty(first, "message").get("content"))


def _stop_reason(sample: dict[str, Any]) -> StopReason | None:
    """A limit or an error, as logged; why a model stopped by itself is in ``extra``."""
    if sample.get("error"):
        return StopReason.ERROR
    kind = fields.text(fields.object_or_empty(sample, "limit").get("type"))
    return _LIMITS.get(kind or "", StopReason.UNKNOWN) if sample.get("limit") else None


def _node(run_id: str, seq: int, span_id: str, event: _Event, events: _Events) -> Node:
    """A span, with the events in it that are neither calls nor its own limits."""
    parent, ended = event.get("parent_id"), events.ended.get(span_id, {})
    started = fields.moment(event.get("timestamp"))
    rest = fields.without(event, ("event", "id", "span_id", "parent_id", "type", "name", *(("timestamp",) if started else ())))
    return Node(
        run_id=run_id,
        node_id=span_id,
        parent_ids=(parent,) if isinstance(parent, str) and parent else (),
        seq=seq,
        step=fields.text(event.get("name")),
        action_kind=fields.text(event.get("type")),
        started_at=started,
        ended_at=fields.moment(ended.get("timestamp")),
        extra=fields.extra_text(rest | ({"events": events.inside[span_id]} if span_id in events.inside else {})),
    )


def _call(run_id: str, at: int, event: _Event, kinds: dict[str, str | None]) -> Call:
    is_model, span_id = event["event"] == "model", event.get("span_id")
    span_id = span_id if isinstance(span_id, str) and span_id in kinds else None
    config, output = fields.object_or_empty(event, "config"), fields.object_or_empty(event, "output")
    tokens = _tokens(fields.object_or_empty(output, "usage"))
    asked, answered = ("input", "output") if is_model else ("arguments", "result")
    started, completed = fields.moment(event.get("timestamp")), fields.moment(event.get("completed"))
    settings: dict[str, Callable[[object], Any]] = {"temperature": fields.number, "top_p": fields.number, "seed": fields.whole}
    scored = span_id is not None and kinds[span_id] in ("scorer", "scorers")
    return Call(
        run_id=run_id,
        call_id=f"event {at}",
        node_id=span_id,
        role=Role.TOOL if not is_model else Role.EVALUATOR if scored else None,
        model=fields.text(event.get("model")) if is_model else None,
        max_output_tokens=fields.whole(config.get("max_tokens")),
        input_tokens=tokens[0],
        output_tokens=tokens[1],
        cached_tokens=tokens[2],
        latency_ms=(completed - started).total_seconds() * 1000 if started and completed else None,
        retries=fields.whole(event.get("retries")),
        from_cache={"read": True, "write": False}.get(str(event.get("cache"))),
        error=fields.text(event.get("error")),
        started_at=started,
        extra=fields.extra_text(fields.without(event, (asked, answered, "span_id", "model"))),
        prompt=fields.text(event.get(asked)),
        response=fields.text(event.get(answered)),
        **{name: convert(config.get(name)) for name, convert in settings.items()},
    )


def _tokens(usage: dict[str, Any]) -> tuple[int | None, int | None, int | None]:
    """In, out, and from the cache. Some providers leave the cached ones out of the input; the total tells."""
    read, output, cached, written, total = (
        fields.whole(usage.get(key))
        for key in ("input_tokens", "output_tokens", "input_tokens_cache_read", "input_tokens_cache_write", "total_tokens")
    )
    beside = (cached or 0) + (written or 0)
    if read is not None and beside and total == read + (output or 0) + beside:
        read += beside
    return read, output, cached


def _sum(tokens: list[tuple[int | None, int | None, int | None]], at: int) -> int | None:
    known = [value for values in tokens if (value := values[at]) is not None]
    return sum(known) if known else None

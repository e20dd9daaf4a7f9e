"""SWE-agent trajectories: one JSON object, one run, one chain; nothing branches and nothing is scored.

Format: the ``.traj`` files of SWE-agent/SWE-agent. Steps have no ids, so the position in ``trajectory`` is the id. ``state`` is JSON in a text in
older files. Spend is known for the run alone; in a replay it is 0, which says that no model was asked, not that it was free.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ingest.errors import Problem
from ingest.readers import fields
from ingest.readers.documents import one_run
from ingest.readers.fields import Malformed
from ingest.schema import Call, Fate, Node, Role, Run, StopReason, Trace
from ingest.source import Source

NAME = "swe-agent-traj"
PRODUCER = "SWE-agent trajectories"
LOOKS_FOR = "a JSON object with environment, trajectory, history and info"
TELLS = {
    "generation": "alternatives (a single chain)",
    "evaluation": "scores",
    "control": "alternatives (a single chain)",
    "spend": "tokens and cost of each node (a run's totals are there)",
    "replay": "prompts, alternatives and scores",
    "compare": "whether the answer is right",
}
_COLUMNS = ("action", "observation", "thought", "state", "response")
_STOPS = {
    "exit_cost": StopReason.COST_BUDGET,
    "exit_context": StopReason.TOKEN_BUDGET,
    "exit_error": StopReason.ERROR,
    "exit_format": StopReason.ERROR,
}


def sniff(source: Source) -> bool:
    """An object with a trajectory of actions in an environment."""
    head = source.head()
    return head.lstrip().startswith("{") and {"environment", "trajectory", "action", "response"} <= fields.keys_in(head)


def read(source: Source) -> Iterator[Trace | Problem]:
    """A Problem for every step that could not be read, then the run."""
    yield from one_run(
        source,
        "an object with a trajectory",
        lambda document: _steps(fields.list_at(document, "trajectory", "$"), source.name),
        lambda document, steps: _trace(source.stem, document, steps),
    )


def _steps(trajectory: list[Any], source: str) -> Iterator[tuple[int, dict[str, Any]] | Problem]:
    for at, raw in enumerate(trajectory):
        if isinstance(raw, dict):
            yield at, raw
        else:
            yield Malformed(f"$.trajectory[{at}]", f"{fields.kind_of(raw)} where a step was expected").problem(source, raw)


def _trace(run_id: str, document: dict[str, Any], steps: list[tuple[int, dict[str, Any]]]) -> Trace:
    info = fields.object_or_empty(document, "info")
    status = fields.text(info.get("exit_status")) or ""
    places = {at: steps[i - 1][0] if i else None for i, (at, _) in enumerate(steps)}
    last = steps[-1][0] if steps else None
    nodes = tuple(_node(run_id, at, raw, places[at], at == last, status) for at, raw in steps)
    spend, doubts = _spend(fields.object_or_empty(info, "model_stats"))
    config = document.get("replay_config")
    return Trace(
        Run(
            run_id=run_id,
            question=_question(document.get("history")),
            answer=fields.text(info.get("submission")),
            protocol=fields.json_text(config, sort_keys=True) if isinstance(config, dict) and config else None,
            stop_reason=_stop_reason(status),
            complete=status == "submitted" if status else None,
            selected_path=tuple(node.node_id for node in nodes),
            level_by_level=False,
            source_format=NAME,
            warnings=(*doubts, *(["one chain without alternatives: whether the patch is right is not recorded"])),
            extra=fields.extra_text(fields.without(document, ("trajectory",))),
            **spend,
        ),
        nodes,
        tuple(call for at, raw in steps for call in _calls(run_id, at, raw)),
    )


def _stop_reason(status: str) -> StopReason | None:
    """``submitted``, or the cap or error that ended the run, perhaps after a last submission: ``submitted (exit_cost)``."""
    if status == "submitted":
        return StopReason.GOAL
    return next((reason for word, reason in _STOPS.items() if word in status), StopReason.UNKNOWN) if status else None


def _spend(stats: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    keys = {"reported_input_tokens": "tokens_sent", "reported_output_tokens": "tokens_received"}
    spend: dict[str, Any] = {column: fields.whole(stats.get(key)) for column, key in keys.items()}
    spend |= {"reported_calls": fields.whole(stats.get("api_calls")), "reported_cost": fields.number(stats.get("instance_cost"))}
    if spend["reported_calls"] and not any(spend[key] for key in (*keys, "reported_cost")):
        return {"reported_calls": spend["reported_calls"]}, ["calls without tokens or cost, as in a replay: the spend is not known"]
    return spend, []


def _question(history: Any) -> str | None:
    """The first message of the user that is not a demonstration."""
    messages = [entry for entry in history if isinstance(entry, dict)] if isinstance(history, list) else []
    asked = (entry.get("content") for entry in messages if entry.get("role") == "user" and not entry.get("is_demo"))
    return fields.text(next(asked, None))


def _node(run_id: str, at: int, raw: dict[str, Any], before: int | None, is_last: bool, status: str) -> Node:
    action, thought = fields.text(raw.get("action")), fields.text(raw.get("thought"))
    ended = Fate.TERMINAL if status.startswith("submitted") else Fate.OPEN
    return Node(
        run_id=run_id,
        node_id=str(at),
        parent_ids=(str(before),) if before is not None else (),
        request_index=0,
        seq=at,
        step="\n".join(part for part in (thought, action) if part) or None,
        state=_state(raw.get("state")),
        action_kind=(action or "").split(maxsplit=1)[0] if (action or "").strip() else None,
        observation=fields.text(raw.get("observation")),
        fate=ended if is_last else Fate.EXPANDED,
        extra=fields.extra_text(fields.without(raw, _COLUMNS)),
    )


def _state(state: object) -> str | None:
    """An object in newer files, the same object as JSON in a text in older ones."""
    try:
        read = json.loads(state) if isinstance(state, str) else state
    except (ValueError, RecursionError):
        read = state
    return fields.json_text(read) if read is not None else None


def _calls(run_id: str, at: int, raw: dict[str, Any]) -> Iterator[Call]:
    """The answer that proposed the step. Its prompt is not recorded: ``history`` holds the messages before any was shortened."""
    if raw.get("response") is not None:
        action = fields.text(raw.get("action"))
        yield Call(run_id=run_id, call_id=f"{at}/response", node_id=str(at), role=Role.PROPOSER, parsed=action, response=fields.text(raw["response"]))

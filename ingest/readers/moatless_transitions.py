"""Moatless state machines of mid-2024: one JSON object, one run, ``transitions`` with ``id`` and ``previous_state_id``.

Format: what the ``AgenticLoop`` of aorwall/moatless-tools persisted. A state may ask the model several times (retries): each is a call.
``current_transition_id`` names the state where the run stands; the way there is its selected path. ``info.error`` may stand beside an answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from ingest.errors import Problem
from ingest.readers import fields
from ingest.readers.documents import one_run
from ingest.readers.fields import Malformed
from ingest.readers.moatless_tree_nodes import Entry, call_of, spend_warnings
from ingest.schema import Call, Fate, Node, Role, Run, Trace
from ingest.source import Source

NAME = "moatless-transitions"
PRODUCER = "Moatless tools of mid-2024, a state machine"
LOOKS_FOR = "a JSON object with transition_rules and a list transitions"
TELLS = {
    "generation": "yes",
    "evaluation": "scores and evaluator",
    "control": "prune reasons, stop reason",
    "spend": "yes",
    "replay": "scores",
    "compare": "whether the answer is right",
}
_ENDS = ("Finished", "Rejected")
_ZONELESS = "times have no zone; they are read as UTC"


def sniff(source: Source) -> bool:
    """An object with the rules of the state machine; the list of its states may begin behind the head."""
    head = source.head()
    return head.lstrip().startswith("{") and {"transition_rules", "initial_message"} <= fields.keys_in(head)


def read(source: Source) -> Iterator[Trace | Problem]:
    """A Problem for every state that could not be read, then the run."""
    yield from one_run(
        source,
        "an object with transitions",
        lambda document: _entries(fields.list_at(document, "transitions", "$"), source.name),
        lambda document, entries: _trace(source.place, document, entries),
    )


def _entries(transitions: list[Any], source: str) -> Iterator[Entry | Problem]:
    parents = {fields.text(raw.get("previous_state_id")) for raw in transitions if isinstance(raw, dict)}
    seen: set[str] = set()
    children = Counter[str | None]()
    for at, raw in enumerate(transitions):
        try:
            node_id, parent_id = _ids(raw, f"$.transitions[{at}]", seen)
        except Malformed as error:
            yield error.problem(source, raw)
            continue
        seen.add(node_id)
        yield Entry(node_id, parent_id, children[parent_id], raw, node_id in parents)
        children[parent_id] += 1


def _ids(raw: Any, path: str, seen: set[str]) -> tuple[str, str | None]:
    if not isinstance(raw, dict):
        raise Malformed(path, f"{fields.kind_of(raw)} where a state was expected")
    for key in ("id", "previous_state_id"):
        value = raw.get(key)
        if isinstance(value, bool) or (not isinstance(value, int | str) and not (value is None and key != "id")):
            raise Malformed(f"{path}.{key}", f"{fields.kind_of(value)} where the number of a state was expected")
    if str(raw["id"]) in seen:
        raise Malformed(f"{path}.id", f"id {raw['id']} stands in this file before")
    return str(raw["id"]), fields.text(raw.get("previous_state_id"))


def _trace(run_id: str, document: dict[str, Any], entries: list[Entry]) -> Trace:
    nodes = tuple(_node(run_id, entry, seq) for seq, entry in enumerate(entries))
    calls = tuple(call for entry in entries for call in _calls(run_id, entry))
    info = fields.object_or_empty(document, "info")
    rules = document.get("transition_rules")
    chosen = fields.path_to(fields.text(document.get("current_transition_id")), nodes)
    timed = any(node.started_at for node in nodes)
    warnings = [*spend_warnings(calls), *(["the selected path is the way to current_transition_id"] if chosen else [])]
    taken = ("initial_message", "transition_rules", "transitions") + (("current_transition_id",) if chosen else ())
    return Trace(
        Run(
            run_id=run_id,
            question=fields.text(document.get("initial_message")),
            answer=fields.text(info.get("submission")),
            protocol=fields.json_text(rules, sort_keys=True) if rules else None,
            wall_clock_s=fields.number(info.get("duration")),
            selected_path=chosen,
            reported_cost=fields.number(info.get("total_cost")),
            level_by_level=False,
            source_format=NAME,
            warnings=(*warnings, *([_ZONELESS] if timed else [])),
            extra=fields.extra_text(fields.without(document, taken)),
        ),
        nodes,
        calls,
    )


def _actions(raw: dict[str, Any]) -> list[dict[str, Any]]:
    actions = raw.get("actions")
    return [action for action in actions if isinstance(action, dict)] if isinstance(actions, list) else []


def _node(run_id: str, entry: Entry, seq: int) -> Node:
    raw, actions = entry.raw, _actions(entry.raw)
    name = fields.text(raw.get("name"))
    whole = isinstance(raw.get("actions"), list) and len(actions) == len(raw["actions"])
    taken = ("id", "previous_state_id", "name", "snapshot") + (("actions",) if whole else ())
    ended = Fate.TERMINAL if name in _ENDS else Fate.OPEN
    started = fields.moment(raw.get("timestamp"))
    return Node(
        run_id=run_id,
        node_id=entry.node_id,
        parent_ids=(entry.parent_id,) if entry.parent_id is not None else (),
        request_index=entry.position,
        seq=seq,
        step="\n".join(fields.json_text(action["request"]) for action in actions if "request" in action) or name,
        env_checkpoint=fields.text(raw.get("snapshot")),
        action_kind=name,
        observation="\n".join(fields.json_text(action["response"]) for action in actions if "response" in action) or None,
        fate=Fate.EXPANDED if entry.has_children else ended,
        started_at=started,
        extra=fields.extra_text(fields.without(raw, (*taken, *(("timestamp",) if started else ()))) | _rest(actions)),
    )


def _rest(actions: list[dict[str, Any]]) -> dict[str, Any]:
    """How many times the state asked, and what its actions hold beyond request, response and call."""
    rest = [
        fields.without(action, ("request", "response", *(("completion",) if isinstance(action.get("completion"), dict) else ())))
        for action in actions
    ]
    return {"asked": len(actions)} | ({"actions_more": rest} if any(rest) else {})


def _calls(run_id: str, entry: Entry) -> Iterator[Call]:
    for at, action in enumerate(_actions(entry.raw)):
        if isinstance(action.get("completion"), dict):
            yield call_of(run_id, entry.node_id, f"action.{at}", Role.PROPOSER, action["completion"], action.get("request"))

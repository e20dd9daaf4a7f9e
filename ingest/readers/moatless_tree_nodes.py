"""What does one node of a Moatless log hold, and its run? For the readers of nested nodes, flat lists and transitions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.readers import fields
from ingest.schema import Call, Fate, Node, Role, Run, ScoreSource, Stage, Tier, Trace

ROLES = {
    "build_action": Role.PROPOSER,
    "value_function": Role.EVALUATOR,
    "feedback": Role.EVALUATOR,
    "discriminator": Role.EVALUATOR,
    "execute_action": Role.TOOL,
}
NOT_SETTINGS = ("root", "nodes", "unique_id", "metadata", "repository")
_FILES = ("file_path", "path", "file", "file_pattern")


@dataclass(frozen=True, slots=True)
class Entry:
    """One node as logged, its parent, and its place among the children of that."""

    node_id: str
    parent_id: str | None
    position: int
    raw: dict[str, Any]
    has_children: bool


def wrong_node(raw: object, seen: set[str]) -> str | None:
    """Why an entry is no node of its own, in words; None where it is one."""
    if not isinstance(raw, dict):
        return f"{fields.kind_of(raw)} where a node was expected"
    node_id = raw.get("node_id")
    if isinstance(node_id, bool) or not isinstance(node_id, int | str):
        return f"node_id is {fields.kind_of(node_id)}, a number was expected"
    return f"node_id {node_id} stands in this file before" if str(node_id) in seen else None


def node_of(run_id: str, entry: Entry, seq: int) -> Node:
    """The node record; a duplicate has no score, because the program never evaluates one."""
    raw = entry.raw
    actions = _actions(raw)
    reward = _reward(raw)
    score = fields.number(reward) if raw.get("is_duplicate") is not True else None
    unread = "the logged reward is not a finite number" if reward is not None and fields.number(reward) is None else None
    fate = _fate(entry, score)
    return Node(
        run_id=run_id,
        node_id=entry.node_id,
        parent_ids=(entry.parent_id,) if entry.parent_id is not None else (),
        request_index=entry.position,
        seq=seq,
        step="\n".join(_step(action) for action in actions) or None,
        action_kind=_name(actions[0]) if actions else None,
        action_target=_file(actions[0]) if actions else None,
        observation=_observation(raw),
        score=score,
        score_raw=fields.json_text(reward) if reward is not None else None,
        tier=Tier.JUDGE if score is not None else None,
        score_source=ScoreSource.MODEL if score is not None else None,
        evaluator=fields.text(fields.object_or_empty(raw.get("completions"), "value_function").get("model")),
        fate=fate,
        pruned_by=Stage.DISTINCT if fate is Fate.PRUNED else None,
        prune_rule="is_duplicate" if fate is Fate.PRUNED else None,
        error=fields.text(raw.get("error")) or unread,
        extra=fields.extra_text(_leftovers(entry)),
    )


def _fate(entry: Entry, score: float | None) -> Fate:
    """A duplicate that has children was continued all the same."""
    raw = entry.raw
    if entry.has_children:
        return Fate.EXPANDED
    if raw.get("is_duplicate") is True:
        return Fate.PRUNED
    if raw.get("terminal") is True or any(observation.get("terminal") is True for observation in _observations(raw)):
        return Fate.TERMINAL
    return Fate.UNSCORED if raw.get("error") and score is None else Fate.OPEN


def _reward(raw: dict[str, Any]) -> Any:
    reward = raw.get("reward")
    return reward.get("value") if isinstance(reward, dict) else reward


def _steps(raw: dict[str, Any]) -> list[dict[str, Any]]:
    steps = raw.get("action_steps")
    return [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []


def _actions(raw: dict[str, Any]) -> list[dict[str, Any]]:
    """The node's own action, which is the whole one; where it has none, those of its steps."""
    found = [raw.get("action")] if isinstance(raw.get("action"), dict) else [step.get("action") for step in _steps(raw)]
    return [action for action in found if isinstance(action, dict)]


def _name(action: dict[str, Any]) -> str | None:
    """``name`` may be an argument of the action, so that the class goes first."""
    logged = action.get("action_args_class") or action.get("name")
    return logged.rsplit(".", 1)[-1].removesuffix("Args") if isinstance(logged, str) else None


def _file(action: dict[str, Any]) -> str | None:
    return next((action[key] for key in _FILES if isinstance(action.get(key), str)), None)


def _step(action: dict[str, Any]) -> str:
    key = "thoughts" if action.get("thoughts") else "scratch_pad"
    thoughts = fields.text(action.get(key))
    arguments = fields.without(action, (key, "action_args_class" if action.get("action_args_class") else "name"))
    head = ": ".join(part for part in (_name(action), thoughts) if part)
    return "\n".join(part for part in (head, fields.extra_text(arguments)) if part)


def _observations(raw: dict[str, Any]) -> list[dict[str, Any]]:
    """The same object may stand in up to three places."""
    found = (raw.get("observation"), raw.get("output"), *(step.get("observation") for step in _steps(raw)))
    return [observation for observation in found if isinstance(observation, dict)]


def _observation(raw: dict[str, Any]) -> str | None:
    found = _observations(raw)
    return fields.text(found[0].get("message")) if found else fields.text(raw.get("observation"))


def _leftovers(entry: Entry) -> dict[str, Any]:
    """What has no column, with the mean of what was backed up: the log holds its sum and its count."""
    raw = entry.raw
    calls = fields.object_or_empty(raw, "completions")
    unread = {name: call for name, call in calls.items() if call is not None and not isinstance(call, dict)}
    total, visits = fields.number(raw.get("value")), fields.number(raw.get("visits"))
    mean = {"backed_up_mean": total / visits} if total is not None and visits else {}
    known = {"node_id", "children"} | ({"completions"} if isinstance(raw.get("completions"), dict) else set())
    known |= {"parent_id"} if entry.parent_id == fields.text(raw.get("parent_id")) else set()
    return fields.without(raw, known) | mean | ({"completions": unread} if unread else {})


def calls_of(run_id: str, entry: Entry) -> Iterator[Call]:
    """One call for each entry of ``completions``. The copies that an observation may hold of them are not counted again."""
    for name, logged in fields.object_or_empty(entry.raw, "completions").items():
        if isinstance(logged, dict):
            role = ROLES.get(name, Role.TOOL)
            parsed = {Role.PROPOSER: entry.raw.get("action"), Role.EVALUATOR: entry.raw.get("reward")}.get(role)
            yield call_of(run_id, entry.node_id, name, role, logged, parsed)


def call_of(run_id: str, node_id: str, name: str, role: Role, logged: dict[str, Any], parsed: object) -> Call:
    """One completion as every Moatless program writes it. ``parsed`` is what was read from its answer."""
    usage = fields.object_or_empty(logged, "usage")
    tokens = [fields.whole(usage.get(key)) for key in ("prompt_tokens", "completion_tokens", "cached_tokens")]
    cost = fields.number(usage.get("completion_cost"))
    unpriced = cost == 0 and any(tokens)
    beside = {"cached_beside_prompt": True} if _cached_beside(logged) and tokens[2] else {}
    rest = beside | fields.without(logged, ("model", "input", "response", "usage" if isinstance(logged.get("usage"), dict) else ""))
    return Call(
        run_id=run_id,
        call_id=f"{node_id}/{name}",
        node_id=node_id,
        role=role,
        parsed=fields.json_text(parsed) if isinstance(parsed, dict) else None,
        model=fields.text(logged.get("model")),
        input_tokens=tokens[0] + (tokens[2] or 0) if tokens[0] is not None and beside else tokens[0],
        output_tokens=tokens[1],
        cached_tokens=tokens[2],
        cost=None if unpriced else cost,
        retries=fields.whole(logged.get("retries")),
        extra=fields.json_text({"completion": name} | rest | ({"completion_cost": usage["completion_cost"]} if unpriced else {})),
        prompt=fields.text(logged.get("input")),
        response=fields.text(logged.get("response")),
    )


def _cached_beside(logged: dict[str, Any]) -> bool:
    """Whether ``prompt_tokens`` leaves the cached ones out. It does where the answer came from Anthropic's own client, whose usage shows that."""
    usage = fields.object_or_empty(logged.get("response"), "usage")
    return "cache_read_input_tokens" in usage and "prompt_tokens" not in usage


def trace_of(name: str, run_id: str, document: dict[str, Any], entries: Sequence[Entry]) -> Trace:
    """The run with its nodes and calls; the first entry is the root, whose message is the task."""
    root = entries[0].raw if entries else {}
    nodes = tuple(node_of(run_id, entry, seq) for entry, seq in zip(entries, _order(entries), strict=True))
    calls = tuple(call for entry in entries for call in calls_of(run_id, entry))
    logged = fields.json_text(fields.without(document, NOT_SETTINGS))
    # response headers of the last call stand among the settings; they differ between runs of one protocol
    settings = json.loads(logged, object_hook=lambda d: {k: v for k, v in d.items() if k != "metadata" or v is None})
    shortened = {key: value for key, value in json.loads(logged).items() if value != settings.get(key)}
    return Trace(
        Run(
            run_id=run_id,
            task_id=fields.text(fields.object_or_empty(document, "metadata").get("instance_id")),
            question=fields.text(root.get("user_message")) or fields.text(root.get("message")),
            protocol=fields.json_text(settings, sort_keys=True) if settings else None,
            budget_max_depth=fields.whole(document.get("max_depth")),
            budget_max_nodes=fields.whole(document.get("max_iterations")),
            budget_max_cost=fields.number(document.get("max_cost")),
            level_by_level=False,
            source_format=name,
            warnings=tuple(_warnings(nodes, calls)),
            extra=fields.extra_text({key: document[key] for key in NOT_SETTINGS[2:] if key in document} | shortened),
        ),
        nodes,
        calls,
    )


def _order(entries: Sequence[Entry]) -> Sequence[int]:
    """Place of each node in the order of creation: ids count up, so theirs where all are numbers, else the order in the file."""
    ids = [entry.raw["node_id"] for entry in entries]
    if not all(isinstance(node_id, int) for node_id in ids):
        return range(len(ids))
    rank = {node_id: place for place, node_id in enumerate(sorted(ids))}
    return [rank[node_id] for node_id in ids]


def _warnings(nodes: Sequence[Node], calls: Sequence[Call]) -> Iterator[str]:
    judged = {call.node_id for call in calls if call.role == Role.EVALUATOR}
    if nodes and not nodes[0].parent_ids and nodes[0].score is not None and nodes[0].node_id not in judged:
        yield "the root has a score although nothing evaluated it: an initial value of the program"
    yield from spend_warnings(calls)
    others = sorted({call.call_id.rsplit("/", 1)[-1] for call in calls} - set(ROLES))
    if others:
        yield f"calls of unknown purpose, counted as tool calls: {', '.join(others)}"


def spend_warnings(calls: Sequence[Call]) -> Iterator[str]:
    """What was assumed about tokens and prices."""
    unpriced = sum('"completion_cost"' in (call.extra or "") for call in calls)
    if unpriced:
        yield f"{unpriced} calls have tokens and a cost of 0, which is written when no price is known: their cost is not known"
    if any('"cached_beside_prompt": true' in (call.extra or "") for call in calls):
        yield "prompt_tokens leaves out what was read from the cache (Anthropic's client): cached_tokens are added to the input"

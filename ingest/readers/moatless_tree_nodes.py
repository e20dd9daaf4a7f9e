"""What does one node of a Moatless tree hold: step, score, fate, and the calls behind them? For ``moatless_tree`` only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ingest.readers import fields
from ingest.schema import Call, Fate, Node, Role, ScoreSource, Stage, Tier

ROLES = {
    "build_action": Role.PROPOSER,
    "value_function": Role.EVALUATOR,
    "feedback": Role.EVALUATOR,
    "discriminator": Role.EVALUATOR,
    "execute_action": Role.TOOL,
}
_FILES = ("file_path", "path", "file", "file_pattern")


@dataclass(frozen=True, slots=True)
class Entry:
    """One node as logged, and the id that its place gives to its parent."""

    node_id: str
    parent_id: str | None
    position: int
    raw: dict[str, Any]


def node_of(run_id: str, entry: Entry, seq: int) -> Node:
    """The node record; a duplicate has no score, because the program never evaluates one."""
    raw = entry.raw
    actions = _actions(raw)
    reward = _reward(raw)
    score = fields.number(reward) if raw.get("is_duplicate") is not True else None
    unread = "the logged reward is not a finite number" if reward is not None and fields.number(reward) is None else None
    fate = _fate(raw, score)
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
        extra=fields.extra_text(_leftovers(raw)),
    )


def _fate(raw: dict[str, Any], score: float | None) -> Fate:
    if raw.get("is_duplicate") is True:
        return Fate.PRUNED
    if raw.get("children"):
        return Fate.EXPANDED
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
    thoughts = fields.text(action.get("thoughts"))
    arguments = fields.without(action, ("thoughts", "action_args_class" if action.get("action_args_class") else "name"))
    head = ": ".join(part for part in (_name(action), thoughts) if part)
    return "\n".join(part for part in (head, fields.extra_text(arguments)) if part)


def _observations(raw: dict[str, Any]) -> list[dict[str, Any]]:
    """The same object may stand in up to three places."""
    found = (raw.get("observation"), raw.get("output"), *(step.get("observation") for step in _steps(raw)))
    return [observation for observation in found if isinstance(observation, dict)]


def _observation(raw: dict[str, Any]) -> str | None:
    found = _observations(raw)
    return fields.text(found[0].get("message")) if found else fields.text(raw.get("observation"))


def _leftovers(raw: dict[str, Any]) -> dict[str, Any]:
    """What has no column, with the mean of what was backed up: the log holds its sum and its count."""
    calls = fields.object_or_empty(raw, "completions")
    unread = {name: call for name, call in calls.items() if call is not None and not isinstance(call, dict)}
    total, visits = fields.number(raw.get("value")), fields.number(raw.get("visits"))
    mean = {"backed_up_mean": total / visits} if total is not None and visits else {}
    known = ("node_id", "children") + (("completions",) if isinstance(raw.get("completions"), dict) else ())
    return fields.without(raw, known) | mean | ({"completions": unread} if unread else {})


def calls_of(run_id: str, entry: Entry) -> Iterator[Call]:
    """One call for each entry of ``completions``. The copies that an observation may hold of them are not counted again."""
    for name, logged in fields.object_or_empty(entry.raw, "completions").items():
        if not isinstance(logged, dict):
            continue
        usage = fields.object_or_empty(logged, "usage")
        tokens = [fields.whole(usage.get(key)) for key in ("prompt_tokens", "completion_tokens", "cached_tokens")]
        cost = fields.number(usage.get("completion_cost"))
        unpriced = cost == 0 and any(tokens)
        role = ROLES.get(name, Role.TOOL)
        rest = fields.without(logged, ("model", "input", "response", "usage" if isinstance(logged.get("usage"), dict) else ""))
        parsed = {Role.PROPOSER: entry.raw.get("action"), Role.EVALUATOR: entry.raw.get("reward")}.get(role)
        yield Call(
            run_id=run_id,
            call_id=f"{entry.node_id}/{name}",
            node_id=entry.node_id,
            role=role,
            parsed=fields.json_text(parsed) if isinstance(parsed, dict) else None,
            model=fields.text(logged.get("model")),
            input_tokens=tokens[0],
            output_tokens=tokens[1],
            cached_tokens=tokens[2],
            cost=None if unpriced else cost,
            retries=fields.whole(logged.get("retries")),
            extra=fields.json_text({"completion": name} | rest | ({"completion_cost": usage["completion_cost"]} if unpriced else {})),
            prompt=fields.text(logged.get("input")),
            response=fields.text(logged.get("response")),
        )

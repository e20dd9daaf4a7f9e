"""Which attributes of a span or of its events describe a search? The published set ``search.*``, and how each value is read.

A node is made by the first span or event that names it in ``search.node_id``; whatever says more of it later (a judge's span, an event once its
fate is known) names it again and carries only what is new, and the last word counts. A span without ``search.node_id`` speaks of the node of the
nearest span around it, an event of that of its span. Attributes of the run may stand on any span or event of it.

    run    run_id (absent: the trace), task_id, question, protocol (kvlist or JSON), level_by_level, answer, outcome, outcome_by, stop_reason,
           complete, selected_path (array of node ids, root first)
    node   node_id, parent_ids (array, the first is the primary one; absent: a root), depth, request_index, decision_id, step, state, state_key,
           action_kind, observation, score, tier, score_source, evaluator, fate, pruned_by, prune_rule, prune_reason, merged_into, verified, error
    call   role (proposer, evaluator, verifier, tool), template_id, parsed

Names and words are those of ``ingest/schema.py``. What is asked and paid stands in the GenAI or OpenInference attributes of the same span.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ingest.readers import fields
from ingest.schema import Fate, Outcome, Role, ScoreSource, Stage, StopReason, Tier

PREFIX = "search."
NODE_ID, RUN_ID = f"{PREFIX}node_id", f"{PREFIX}run_id"
_Convert = Callable[[Any], Any]


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _ids(value: Any) -> tuple[str, ...] | None:
    """A list of ids, or one."""
    listed = value if isinstance(value, list) else [value]
    fit = all(isinstance(one, str | int) and not isinstance(one, bool) for one in listed)
    return tuple(str(one) for one in listed if one != "") if fit else None


def _word(words: type[enum.StrEnum]) -> _Convert:
    return lambda value: value if isinstance(value, str) and value in {str(word) for word in words} else None


def _structure(value: Any) -> Any:
    """An object or list that was written as JSON because the library knows no such attributes; anything else as it is."""
    try:
        read = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value
    return read if isinstance(read, dict | list) else value


def _state(value: Any) -> str:
    return fields.json_text(_structure(value))


def _protocol(value: Any) -> str | None:
    read = _structure(value)
    return fields.json_text(read, sort_keys=True) if isinstance(read, dict) else None


RUN: dict[str, _Convert] = {
    "task_id": fields.text, "question": fields.text, "protocol": _protocol, "level_by_level": _flag, "answer": fields.text,
    "outcome": _word(Outcome), "outcome_by": fields.text, "stop_reason": _word(StopReason), "complete": _flag, "selected_path": _ids,
}  # fmt: skip
NODE: dict[str, _Convert] = {
    "parent_ids": _ids, "depth": fields.whole, "request_index": fields.whole, "decision_id": fields.text, "step": fields.text,
    "state": _state, "state_key": fields.text, "action_kind": fields.text, "observation": fields.text, "score": fields.number,
    "tier": _word(Tier), "score_source": _word(ScoreSource), "evaluator": fields.text, "fate": _word(Fate), "pruned_by": _word(Stage),
    "prune_rule": fields.text, "prune_reason": fields.text, "merged_into": fields.text, "verified": _flag, "error": fields.text,
}  # fmt: skip
CALL: dict[str, _Convert] = {"role": _word(Role), "template_id": fields.text, "parsed": fields.text}
_TABLES = (("run", RUN), ("node", NODE), ("call", CALL))
END = ("answer", "outcome", "stop_reason", "complete", "selected_path")
"""A run of which none of these is known is still running or died."""


@dataclass(frozen=True, slots=True)
class Said:
    """What one span or event says of a run, of a node and of a call, and the attributes that could not be read."""

    run: dict[str, Any] = field(default_factory=dict)
    node: dict[str, Any] = field(default_factory=dict)
    call: dict[str, Any] = field(default_factory=dict)
    read: frozenset[str] = frozenset()
    wrong: tuple[str, ...] = ()


def said_by(attributes: Mapping[str, Any], at_node: bool) -> Said:
    """The attributes as values of columns. Where no node is spoken of, those of nodes cannot be read."""
    parts: dict[str, dict[str, Any]] = {"run": {}, "node": {}, "call": {}}
    read: set[str] = set()
    wrong: list[str] = []
    for name, value in attributes.items():
        column = name.removeprefix(PREFIX)
        if column == name or value is None:
            continue
        part, convert = next(((part, of[column]) for part, of in _TABLES if column in of and (at_node or part != "node")), ("", None))
        found = id_in(attributes, name) if name in (NODE_ID, RUN_ID) else convert(value) if convert else None
        if convert and found is not None:
            parts[part][column] = found
        if convert and column == "score":
            parts["node"]["score_raw"] = fields.text(value)
        (wrong.append if found is None else read.add)(name)
    return Said(parts["run"], parts["node"], parts["call"], frozenset(read), tuple(wrong))


def id_in(attributes: Mapping[str, Any], name: str) -> str | None:
    """The id of a run or node: a text or a whole number."""
    value = attributes.get(name)
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) and value != "" else None

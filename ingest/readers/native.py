"""Is this our own log? One JSON object a line: node rows with inline calls, or run, node, call and run_end lines.

Format: the table in the README under "Recording your own runs". The bulk of such a log is read by DuckDB (ingest/bulk.py);
this module knows the words: which fields there are, what else they are called, and what a run's own lines mean.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from ingest.readers.fields import json_text, number, whole
from ingest.schema import Outcome, Run, StopReason
from ingest.source import Source

NAME = "native"
PRODUCER = "branchlight's Recorder, or any program that writes one JSON object a node"
LOOKS_FOR = "a first line that is an object with run_id and one of record, node_id, task_id"
TELLS = {
    "generation": "yes, where step texts or state keys and the proposer's responses are kept",
    "evaluation": "yes, where scores are logged",
    "control": "yes, where fates and pruning rules are logged",
    "spend": "yes, where calls are logged",
    "replay": "yes, where prompts and responses are kept",
    "compare": "yes, where the protocol is logged",
}

TEXT_FIELDS = frozenset(
    "run_id node_id decision_id step state_key env_checkpoint resumed_from action_kind action_target action_effect observation tier score_source "
    "evaluator fate pruned_by prune_rule prune_reason merged_into error call_id role template_id template_version prompt_hash response_hash parsed "
    "model prompt response started_at ended_at record parent_id evaluator_raw_response evaluator_error score_raw "
    "usage_convention".split()
)
"""Fields whose value is kept as text, whatever JSON type it has."""

JSON_FIELDS = frozenset(
    "parent_ids depth pass request_index seq score promise progress regressions violations uncertainty expanded_seq verified terminal state action "
    "evaluation extra temperature top_p max_output_tokens seed input_tokens output_tokens cached_tokens cost latency_ms retries from_cache".split()
)
"""Fields whose JSON type matters; it is checked when they are converted."""

SAID_TEXT = tuple("prompt response prompt_hash response_hash template_id template_version parsed model error".split())
SAID_JSON = tuple("temperature top_p max_output_tokens seed input_tokens output_tokens cached_tokens cost latency_ms retries from_cache".split())
"""Fields of an inline evaluation, besides ``score`` and ``extra``; all others are kept under the call's ``extra``."""

ALIASES = {
    "raw_response": "response",
    "cached_prefix_tokens": "cached_tokens",
    "retry_count": "retries",
    "evidence_tier": "tier",
    "pass_bound": "pass",
}
"""Other names that a field may have in a log; the name on the right wins where both are there."""

FATES = {
    "unscored_error": "unscored",
    "frontier": "open",
    "alive": "open",
    "merged": "pruned",
}
"""Other words for a fate."""

_RUN_TEXT = ("task_id", "question", "answer", "outcome_by")
_RUN_INT = (
    "budget_max_depth budget_max_calls budget_max_tokens budget_max_nodes depth_reached reported_nodes reported_calls reported_input_tokens "
    "reported_output_tokens reported_cached_tokens reported_tokens"
).split()
_RUN_FLOAT = ("budget_wall_clock_s", "budget_max_cost", "wall_clock_s", "reported_cost")
_RUN_BOOL = ("complete", "level_by_level")
_RUN_JSON = ("protocol", "best_so_far")
_RUN_OTHER = ("record", "run_id", "extra")


def sniff(source: Source) -> bool:
    first = source.first_object()
    return first is not None and "run_id" in first and bool({"record", "node_id", "task_id"} & first.keys())


def run_from_lines(run_id: str, lines: Iterable[dict[str, Any]]) -> tuple[Run, list[str]]:
    """The run that its ``run`` and ``run_end`` lines describe, later lines winning field by field, and what was wrong with them.

    Values of a wrong type are left out, named, and kept under ``extra``.
    """
    merged: dict[str, Any] = {}
    kinds: set[str] = set()
    for line in lines:
        kinds.add(str(line.get("record") or ("run_end" if "stop_reason" in line or "selected_path" in line else "run")))
        merged.update({key: value for key, value in line.items() if value is not None})
    if isinstance(merged.get("budget"), dict):
        merged = {f"budget_{key}": value for key, value in merged.pop("budget").items()} | merged
    if isinstance(merged.get("answer_is_partial"), bool):
        merged.setdefault("complete", not merged.pop("answer_is_partial"))
    wrong: list[str] = []
    fields = _typed(merged, wrong) | {
        "outcome": _word(merged.get("outcome"), Outcome, wrong, "outcome"),
        "stop_reason": _word(merged.get("stop_reason"), StopReason, wrong, "stop_reason"),
        "selected_path": _path(merged.get("selected_path"), wrong),
        "warnings": _texts(merged.get("warnings"), wrong),
        "started_at": _time(merged.get("started_at"), wrong),
    }
    fitting = {name: value for name, value in fields.items() if value is not None}
    extra = {key: value for key, value in merged.items() if key not in fitting and key not in _RUN_OTHER}
    given = merged.get("extra")
    extra |= given if isinstance(given, dict) else {} if given is None else {"extra": given}
    ended = "run_end" in kinds if "run" in kinds or "run_end" in kinds else None
    return Run(run_id=run_id, ended=ended, extra=json_text(extra, sort_keys=True) if extra else None, **fitting), wrong


def _typed(merged: dict[str, Any], wrong: list[str]) -> dict[str, Any]:
    """The plain columns of a run out of its merged lines."""
    found: dict[str, Any] = {}
    for name in _RUN_TEXT:
        if name in merged:
            found[name] = merged[name] if isinstance(merged[name], str) else json_text(merged[name])
    for name in _RUN_JSON:
        if name in merged:
            found[name] = json_text(merged[name], sort_keys=True)
    for names, fit, expected in ((_RUN_INT, _whole, "a whole number"), (_RUN_FLOAT, number, "a finite number"), (_RUN_BOOL, _flag, "true or false")):
        for name in names:
            found[name] = fit(merged.get(name))
            if found[name] is None and merged.get(name) is not None:
                wrong.append(f"{name} is {json.dumps(merged[name])}, expected {expected}")
    return found


def _whole(value: object) -> int | None:
    return whole(value) if isinstance(value, int) else None


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _texts(value: Any, wrong: list[str]) -> tuple[str, ...] | None:
    if value is None or isinstance(value, list):
        return tuple(item if isinstance(item, str) else json_text(item) for item in value or ())
    wrong.append(f"warnings is {json.dumps(value)}, expected a list of texts")
    return None


def _word(value: Any, words: type[Outcome] | type[StopReason], wrong: list[str], name: str) -> str | None:
    if value is None:
        return None
    if isinstance(value, str) and value in {str(word) for word in words}:
        return value
    wrong.append(f"{name} is {json.dumps(value)}, expected one of {', '.join(words)}")
    return None


def _path(value: Any, wrong: list[str]) -> tuple[str, ...] | None:
    if value is None:
        return None
    if isinstance(value, list) and all(isinstance(item, (str, int)) for item in value):
        return tuple(str(item) for item in value)
    wrong.append("selected_path is not a list of node ids")
    return None


def _time(value: Any, wrong: list[str]) -> datetime | None:
    if value is None:
        return None
    try:
        time = datetime.fromtimestamp(value, UTC) if isinstance(value, (int, float)) else datetime.fromisoformat(value)
    except (ValueError, TypeError, OverflowError, OSError):
        wrong.append(f"started_at is {json.dumps(value)}, expected an ISO 8601 time")
        return None
    if time.tzinfo is None:
        wrong.append("started_at has no zone; it is read as UTC")
        return time.replace(tzinfo=UTC)
    return time


"""What did the iterations of a GEPA run add, below which candidates, and what did they reject? ``run_log.json``. For ``gepa`` only.

A proposal that did not pass its minibatch has neither an id nor a text: its node is named after the iteration, ``i7``, or ``i7.1`` where that
tried several. An iteration tests a merge of two candidates or mutations of one or more; a merge was tested where it has scores of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ingest.readers import fields
from ingest.readers.fields import Malformed
from ingest.readers.gepa_result import is_place


@dataclass(slots=True)
class Log:
    """What the iterations say, gathered one by one."""

    parents: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Of accepted candidates, where they are known."""
    entries: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The iteration of each node."""
    rejected: dict[str, tuple[tuple[str, ...], str]] = field(default_factory=dict)
    """Parents and reason."""
    idle: list[dict[str, Any]] = field(default_factory=list)
    mixed: int = 0


def add_iteration(raw: dict[str, Any], where: str, log: Log) -> None:
    """Which candidates an iteration added and below which, and which of its proposals did not pass."""
    if not is_place(raw.get("i")):
        raise Malformed(f"{where}.i", f"{fields.kind_of(raw.get('i'))} where the number of an iteration was expected")
    fields.json_text(raw)
    if "new_program_subsample_scores" in raw:
        tried = [(_places(fields.list_or_empty(raw, "merged_entities")[:2]), _merged(raw))]
    else:
        tasks = [task for task in fields.list_or_empty(raw, "tasks") if isinstance(task, dict)] or [raw]
        tried = [
            (_places([task.get("parent_idx", task.get("selected_program_candidate"))]), _mutated(task))
            for task in tasks
            if "new_subsample_scores" in task
        ]
    added = _places(fields.list_or_empty(raw, "new_program_indices") or [raw.get("new_program_idx")])
    if again := log.entries.keys() & set(added):
        raise Malformed(where, f"candidate {min(again)} was added by an iteration before")
    log.entries |= dict.fromkeys(added, raw)
    if len({parents for parents, _ in tried}) == 1 and tried[0][0]:
        log.parents |= dict.fromkeys(added, tried[0][0])
    if added:
        log.mixed += max(0, len(tried) - len(added))
        return
    log.idle += [] if tried else [raw]
    for at, one in enumerate(tried):
        node_id = f"i{raw['i']}" + (f".{at}" if len(tried) > 1 else "")
        if node_id in log.rejected:
            raise Malformed(f"{where}.i", f"iteration {raw['i']} stands in this log before")
        log.rejected[node_id], log.entries[node_id] = one, raw


def _places(listed: Sequence[Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(place) for place in listed if is_place(place)))


def _mutated(task: dict[str, Any]) -> str:
    return f"its minibatch scores sum to {_sum(task, 'new_subsample_scores')}, those of its parent to {_sum(task, 'subsample_scores')}"


def _merged(raw: dict[str, Any]) -> str:
    parents = " and ".join(_sum(raw, key) for key in ("id1_subsample_scores", "id2_subsample_scores"))
    return f"the merge's minibatch scores sum to {_sum(raw, 'new_program_subsample_scores')}, those of its parents to {parents}"


def _sum(raw: dict[str, Any], key: str) -> str:
    scores = [fields.number(score) for score in fields.list_or_empty(raw, key)]
    known = [score for score in scores if score is not None]
    return f"{sum(known):g}" if scores and len(known) == len(scores) else "what is not recorded"

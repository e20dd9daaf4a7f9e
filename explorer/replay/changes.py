"""What should be otherwise than it was? The settings that a what-if changes: how they are written, and what they do to a policy."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from explorer.replay.record import Record
from explorer.replay.settings import RULES, SELECTS, Refused, Settings
from ingest.errors import TraceError

MOST_POINTS = 100
"""Policies that one sweep tries at most."""


def _whole(least: int) -> Callable[[str, str], int]:
    def read(name: str, text: str) -> int:
        if not re.fullmatch(r"[+-]?\d{1,15}", text) or int(text) < least:
            raise TraceError(f"{flag(name)}: {text!r} was given, a whole number from {least} up is expected")
        return int(text)

    return read


def _number(least: float) -> Callable[[str, str], float]:
    def read(name: str, text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if math.isnan(value) or math.isinf(value) or value < least:
            raise TraceError(f"{flag(name)}: {text!r} was given, a number{'' if math.isinf(least) else f' from {least:g} up'} is expected")
        return value

    return read


def _tie_break(name: str, text: str) -> str:
    if text not in ("order", "diverse") and not re.fullmatch(r"random:-?\d{1,15}", text):
        raise TraceError(f"{flag(name)}: {text!r} was given, order, diverse or random:SEED with a whole number is expected")
    return text


def _select(name: str, text: str) -> str:
    if text not in SELECTS:
        raise TraceError(f"{flag(name)}: {text!r} was given, {', '.join(SELECTS)} is expected")
    return text


def _dedup(name: str, text: str) -> str:
    if not re.fullmatch(r"\w[\w.-]*", text):
        raise TraceError(f"{flag(name)}: {text!r} was given, on, off, or the name of a column or of a field of the state is expected")
    return "state_key" if text == "on" else text


READ: Mapping[str, Callable[[str, str], Any]] = {
    "beam_width": _whole(1), "threshold": _number(-math.inf), "per_parent": _whole(1), "tie_break": _tie_break, "dedup": _dedup,
    "max_depth": _whole(0), "max_nodes": _whole(1), "max_calls": _whole(0), "max_tokens": _whole(0), "max_cost": _number(0.0), "select": _select,
}  # fmt: skip
"""What can be changed, and how its value is read."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """One setting and the values that it takes in turn."""

    name: str
    values: tuple[Any, ...]


def flag(name: str) -> str:
    """The setting as it is typed."""
    return f"--{name.replace('_', '-')}"


def sweep(text: str) -> Sweep:
    """``beam-width=1..5`` or ``threshold=0.1,0.5``. Raises TraceError where it is neither."""
    typed, _, rest = text.partition("=")
    name = typed.replace("-", "_")
    if name not in READ or not rest:
        known = ", ".join(one.replace("_", "-") for one in READ)
        raise TraceError(f"--sweep: {text!r} was given, SETTING=FROM..TO or SETTING=A,B,C is expected, where SETTING is {known}")
    ends = re.fullmatch(r"(-?\d{1,9})\.\.(-?\d{1,9})", rest)
    if ends and int(ends[1]) > int(ends[2]):
        raise TraceError(f"--sweep: {rest!r} runs backwards, the smaller end comes first")
    parts = map(str, range(int(ends[1]), int(ends[2]) + 1)) if ends else iter(rest.split(","))
    found = list(itertools.islice(parts, MOST_POINTS + 1))
    if len(found) > MOST_POINTS:
        raise TraceError(f"--sweep: {rest!r} names more than {MOST_POINTS} values")
    return Sweep(name, tuple(dict.fromkeys(READ[name](name, part) for part in found)))


def keys(*changes: Mapping[str, Any]) -> list[str]:
    """Columns or fields of the state that must be read as names of equal states."""
    return sorted({change["dedup"] for change in changes if change.get("dedup") not in (None, "off", "state_key")})


def changed(record: Record, changes: Mapping[str, Any]) -> Settings:
    """The run's own policy with these changes. Raises Refused where they do not apply to it, or the log lacks what they need."""
    own = record.settings
    rules = list(own.pruning)
    if "beam_width" in changes and own.search not in ("beam", "breadth_first"):
        raise Refused(record.run_id, f"searched by {own.search}: a beam width belongs to a search that goes level by level")
    for rule in RULES[1:]:
        if rule in changes and rule not in rules:
            rules.append(rule)
    if rules != list(own.pruning):
        rules.sort(key=RULES.index)
    _need(record, changes)
    made = replace(own, **changes, pruning=tuple(rules))
    return replace(made, search="beam") if "beam_width" in changes else made


def _need(record: Record, changes: Mapping[str, Any]) -> None:
    for name, what in (("max_tokens", "tokens"), ("max_cost", "cost")):
        paid = (*record.for_children.values(), *record.for_score.values())
        if name in changes and all((one.tokens if what == "tokens" else one.cost) is None for one in paid):
            raise Refused(record.run_id, f"does not record the {what} of its calls, so a cap on them cannot be tried")
    key = changes.get("dedup")
    if key == "state_key" and not record.search.of_key:
        raise Refused(record.run_id, "records no state keys, so its equal states cannot be told; name another column with --dedup")
    if key not in (None, "off", "state_key") and not record.keys.get(key):
        raise Refused(record.run_id, f"has no node with a column or a field of the state named {key!r}")

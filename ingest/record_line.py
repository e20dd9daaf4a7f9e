"""How does one record become one line of the native log? Its fields are checked, redacted and encoded before any is written."""

from __future__ import annotations

import dataclasses
import enum
import json
import math
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from numbers import Integral, Rational, Real
from typing import TypeAlias

from ingest.schema import Call, Fate, Node, Outcome, Role, Run, ScoreSource, Stage, StopReason, Tier

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Redactor: TypeAlias = Callable[[str], str]

_CHOICES: dict[str, type[enum.StrEnum]] = {
    "fate": Fate, "pruned_by": Stage, "role": Role, "tier": Tier, "score_source": ScoreSource,
    "outcome": Outcome, "stop_reason": StopReason,
}  # fmt: skip
_JSON_COLUMNS = {"state", "protocol", "parsed", "best_so_far"}
_FILLED_IN_LATER = {"run_id", "ended", "source", "source_format", "warnings", "extra"}
_OTHER_NAMES_OF_THE_FORMAT = {
    "record", "run_id", "parent_id", "prompt", "response", "raw_response", "evaluation", "evaluator_raw_response",
    "evaluator_error", "pass", "terminal", "action", "evidence_tier", "cached_prefix_tokens", "retry_count", "budget",
    "answer_is_partial", "algorithm",
}  # fmt: skip


def _kinds(record: type[Run | Node | Call]) -> dict[str, str]:
    columns = {field.name: str(field.type).removesuffix(" | None") for field in dataclasses.fields(record)}
    return {name: "json" if name in _JSON_COLUMNS else kind for name, kind in columns.items() if name not in _FILLED_IN_LATER}


_KINDS: dict[type, dict[str, str]] = {record: _kinds(record) for record in (Run, Node, Call)}
"""What each field of a record has to be, by the schema's own annotations."""


def clean_fields(record: type[Run | Node | Call], given: Mapping[str, object], redact: Redactor) -> dict[str, Json]:
    """The given fields as they stand on the line: every string redacted, fields that are None left out.

    Numbers that JSON does not have (nan, infinities) become null in a column, with their text in ``<column>_raw``, and
    text inside a JSON value. The members of ``extra`` stand on the line under their own names.
    Raises TypeError for a field that ``record`` does not have or a value that does not fit, ValueError for a word outside
    a fixed vocabulary; both name the field.
    """
    kinds = _KINDS[record]
    line: dict[str, Json] = {}
    for name, value in given.items():
        if name == "extra":
            line.update(_extra(value, kinds, redact))
        elif name not in kinds:
            raise TypeError(f"a {record.__name__.lower()} has no field {name!r}; give it in extra={{{name!r}: ...}} to keep it")
        elif value is not None:
            line["pass" if name == "pass_bound" else name] = _value(name, kinds[name], value, redact)
    for name, value in list(line.items()):
        if isinstance(value, float) and not math.isfinite(value):
            line[name] = None
            line.setdefault(f"{name}_raw", str(value))
    return line


def encode(line: Mapping[str, Json]) -> bytes:
    """One line of UTF-8 JSON with its line end."""
    text = json.dumps(line, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for separator, escaped in (("\x85", "\\u0085"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029")):
        text = text.replace(separator, escaped)  # JSON allows them bare; many programs take them for line ends
    try:
        return f"{text}\n".encode()
    except UnicodeEncodeError:  # half of a surrogate pair: only the escaped form can hold it
        return f"{json.dumps(line, allow_nan=False, separators=(',', ':'))}\n".encode()


def all_of(redactors: Iterable[Redactor]) -> Redactor:
    """One redactor that applies the given ones in order. It raises TypeError when one of them does not return text."""
    steps = tuple(redactors)

    def redact(text: str) -> str:
        text = str(text)
        for step in steps:
            text = step(text)
            if not isinstance(text, str):
                raise TypeError(f"a redactor returned {type(text).__name__} where text was expected")
        return text

    return redact


def _extra(value: object, kinds: Mapping[str, str], redact: Redactor) -> dict[str, Json]:
    members = _json(value, "extra", redact)
    if not isinstance(members, dict):
        raise _misfit("extra", "a mapping", value)
    for name in members:
        if name in kinds or name in _OTHER_NAMES_OF_THE_FORMAT:
            raise TypeError(f"extra[{name!r}]: this name belongs to the format; give it as a field of its own or rename it")
    return members


def _value(name: str, kind: str, value: object, redact: Redactor) -> Json:
    match kind:
        case "json":
            return _json(value, name, redact)
        case "str":
            return _text(name, value, redact)
        case "bool" if isinstance(value, bool):
            return value
        case "int" if isinstance(value, Integral) and not isinstance(value, bool):
            return int(value)
        case "float" if isinstance(value, (Real, Decimal)) and not isinstance(value, bool):
            return float(value)
        case "datetime":
            return _time(name, value)
        case "tuple[str, ...]" if isinstance(value, (list, tuple)):
            return [_text(f"{name}[{index}]", item, redact) for index, item in enumerate(value)]
    words = {"bool": "True or False", "int": "a whole number", "float": "a number", "tuple[str, ...]": "a list of texts"}
    raise _misfit(name, words[kind], value)


def _text(name: str, value: object, redact: Redactor) -> str:
    if not isinstance(value, str):
        raise _misfit(name, "text", value)
    words = _CHOICES.get(name)
    if words and value not in set(words):
        raise ValueError(f"{name}: {value!r} is none of {', '.join(words)}")
    return redact(value)


def _time(name: str, value: object) -> str:
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise _misfit(name, "a datetime with a time zone", value)
    return value.astimezone(UTC).isoformat(timespec="microseconds")


def _json(value: object, path: str, redact: Redactor) -> Json:
    try:
        return _json_value(value, path, redact)
    except RecursionError:
        raise TypeError(f"{path}: nested too deeply, or inside itself, and cannot be written as JSON") from None


def _json_value(value: object, path: str, redact: Redactor) -> Json:
    if isinstance(value, str):
        return redact(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real) and not isinstance(value, Rational):  # numpy's floats too; a fraction would lose digits
        return float(value) if math.isfinite(value) else str(float(value))
    if isinstance(value, (list, tuple)):
        return [_json_value(item, f"{path}[{index}]", redact) for index, item in enumerate(value)]
    if isinstance(value, Mapping):
        members: dict[str, Json] = {}
        for key, item in value.items():
            members[_key(key, path, members, redact)] = _json_value(item, f"{path}.{key}", redact)
        return members
    raise _misfit(path, "a value that JSON can hold", value)


def _key(key: object, path: str, taken: Mapping[str, Json], redact: Redactor) -> str:
    if not isinstance(key, (str, int)):
        raise _misfit(f"{path}, a key", "text", key)
    text = unique = redact(str(key))
    number = 1
    while unique in taken:  # two keys that redaction made equal: neither value is lost
        number += 1
        unique = f"{text} ({number})"
    return unique


def _misfit(name: str, expected: str, found: object) -> TypeError:
    kind = "a datetime without a time zone" if isinstance(found, datetime) else type(found).__name__
    return TypeError(f"{name}: {expected} was expected, found {kind}")

"""Does a field of a foreign log hold what its format promises? Conversions that several readers need; none invents."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from ingest.errors import Problem
from ingest.schema import Node
from ingest.source import RAW_LIMIT

_KEY = re.compile(r'(?<!\\)"(\w+)"\s*:')
_INT64 = 2**63


class Malformed(Exception):
    """One record cannot be read: where in the document, and what was found in place of what."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.path, self.message = path, message

    def problem(self, source: str, record: object) -> Problem:
        """As data, with the rejected record (shortened) beside it."""
        hint = "Repair the record there; everything else in the file is read."
        try:
            raw = json_text(record)[:RAW_LIMIT]
        except RecursionError:
            raw = None
        return Problem(self.message, f"{source}: {self.path}", hint, kind="bad_record", raw=raw, rejected=True)


def keys_in(head: str) -> set[str]:
    """Every object key in a piece of JSON text that may be cut anywhere; quotes inside of texts are escaped and do not count."""
    return set(_KEY.findall(head))


def list_at(record: Mapping[str, Any], key: str, path: str) -> list[Any]:
    """The list under ``key``. Raises Malformed when it is absent or something else."""
    value = record.get(key)
    if not isinstance(value, list):
        raise Malformed(f"{path}.{key}", f"{_found(record, key)} where a list was expected")
    return value


def object_at(record: Mapping[str, Any], key: str, path: str) -> dict[str, Any]:
    """The object under ``key``. Raises Malformed when it is absent or something else."""
    value = record.get(key)
    if not isinstance(value, dict):
        raise Malformed(f"{path}.{key}", f"{_found(record, key)} where an object was expected")
    return value


def texts_at(record: Mapping[str, Any], key: str, path: str) -> tuple[str, ...]:
    """The list of texts under ``key``. Raises Malformed, with the position, when one member is not a text."""
    values = list_at(record, key, path)
    for position, value in enumerate(values):
        if not isinstance(value, str):
            raise Malformed(f"{path}.{key}[{position}]", f"{kind_of(value)} where a text was expected")
    return tuple(values)


def object_or_empty(record: object, key: str) -> dict[str, Any]:
    """The object under ``key`` where there is one; for parts of a log whose absence is no fault."""
    value = record.get(key) if isinstance(record, dict) else None
    return value if isinstance(value, dict) else {}


def list_or_empty(record: object, key: str) -> list[Any]:
    """The list under ``key`` where there is one; for parts of a log whose absence is no fault."""
    value = record.get(key) if isinstance(record, dict) else None
    return value if isinstance(value, list) else []


def number(value: object) -> float | None:
    """A finite number, else None: true and false, texts, nan and infinities are not numbers here."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        result = float(value)
    except OverflowError:
        return None
    return result if math.isfinite(result) else None


def whole(value: object) -> int | None:
    """A whole number that fits a 64-bit column, else None."""
    result = number(value)
    if result is None or not result.is_integer() or abs(result) >= _INT64:
        return None
    return int(value)  # type: ignore[call-overload, no-any-return]  # number() let only int and float through


def instant(seconds: object) -> datetime | None:
    """Seconds since 1970 as a time in UTC, else None."""
    value = number(seconds)
    try:
        return datetime.fromtimestamp(value, UTC) if value is not None else None
    except (OverflowError, OSError, ValueError):
        return None


def moment(value: object) -> datetime | None:
    """An ISO 8601 text as a time, else None. One without a zone is read as UTC: readers of such logs say so in a warning."""
    try:
        read = datetime.fromisoformat(value) if isinstance(value, str) else None
        return read.replace(tzinfo=UTC) if read is not None and read.tzinfo is None else read
    except ValueError:
        return None


def text(value: object) -> str | None:
    """A text as it is, anything else as JSON; None for an empty list or object too, because nothing was recorded there."""
    if value is None or value == [] or value == {}:
        return None
    return value if isinstance(value, str) else json_text(value)


def json_text(value: object, *, sort_keys: bool = False) -> str:
    """Strict JSON: nan and the infinities become texts ("NaN", "-Infinity"), because strict readers refuse the bare words."""
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=sort_keys, allow_nan=False)
    except ValueError:
        finite = json.loads(json.dumps(value), parse_constant=str)
        return json.dumps(finite, ensure_ascii=False, sort_keys=sort_keys)


def without(record: Mapping[str, Any], known: Iterable[str]) -> dict[str, Any]:
    """The fields that have no column, in their order."""
    taken = set(known)
    return {key: value for key, value in record.items() if key not in taken}


def extra_text(fields: Mapping[str, Any]) -> str | None:
    """The ``extra`` column: None when nothing is left over."""
    return json_text(fields) if fields else None


def path_to(node_id: str | None, nodes: Iterable[Node]) -> tuple[str, ...] | None:
    """Ids from the root to a node along the first parents; None where the node is not recorded."""
    parents = {node.node_id: next(iter(node.parent_ids), None) for node in nodes}
    path: dict[str, None] = {}
    while node_id is not None and node_id in parents and node_id not in path:
        path[node_id] = None
        node_id = parents[node_id]
    return tuple(reversed(path)) or None


def kind_of(value: object) -> str:
    """What a JSON value is, in words."""
    if value is None:
        return "null"
    words = ((bool, "true or false"), (str, "a text"), (int | float, "a number"), (list, "a list"), (dict, "an object"))
    return next((word for kind, word in words if isinstance(value, kind)), type(value).__name__)


def _found(record: Mapping[str, Any], key: str) -> str:
    return kind_of(record[key]) if key in record else "nothing"

"""What does an attribute of OTLP's JSON say, as a plain value? For the modules of ``otlp_json`` only.

The encoding is proto3's JSON mapping, but for what the OTLP specification says otherwise: ids are hex in either case, enums are numbers, keys are
in camel case. 64-bit numbers are texts; plain numbers are read as well. A null or absent member is an empty one.
"""

from __future__ import annotations

import re
from typing import Any

from ingest.readers import fields


def attributes_of(listed: Any) -> tuple[dict[str, Any], Any]:
    """Plain values by key, and what could not be read or names a key again."""
    if not isinstance(listed, list):
        return {}, listed
    known: dict[str, Any] = {}
    unread: list[Any] = []
    for pair in listed:
        key = pair.get("key") if isinstance(pair, dict) else None
        if isinstance(key, str) and key not in known:
            known[key] = any_value(pair.get("value"))
        else:
            unread.append(pair)
    return known, unread


def any_value(raw: Any) -> Any:
    """The value inside of an AnyValue; as logged where it is none."""
    kind, value = next(iter(raw.items())) if isinstance(raw, dict) and len(raw) == 1 else (None, raw)
    if kind == "intValue":
        number = int64(value)
        return raw if number is None else number
    if kind == "arrayValue" and isinstance(value, dict) and isinstance(value.get("values"), list | None):
        return [any_value(member) for member in value.get("values") or ()]
    if kind == "kvlistValue" and isinstance(value, dict):
        known, unread = attributes_of(value.get("values"))
        return raw if unread else known
    plain = {"stringValue": str, "bytesValue": str, "boolValue": bool, "doubleValue": int | float | str}
    return value if kind in plain and isinstance(value, plain[kind]) else None if raw == {} else raw


def int64(value: Any) -> int | None:
    """A whole number, written as a text or as a number."""
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,19}", value):
        value = int(value)
    return fields.whole(value)


def nanoseconds(value: Any) -> int | None:
    """Since 1970; 0 is not recorded."""
    return int64(value) or None

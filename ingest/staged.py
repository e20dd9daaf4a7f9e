"""Which columns does a native log get while it waits? SQL expressions from the keys of its lines to one row a line.

Every field of the native reader keeps its name. An inline evaluation becomes ``said_*`` columns; where the careful way has made lists of
evaluations, they stay JSON in ``evaluation``. Keys that are no field are folded into ``extra``. Texts get their sha256 beside them, as ``*_sha``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import duckdb

from ingest.readers.native import ALIASES, JSON_FIELDS, SAID_JSON, SAID_TEXT, TEXT_FIELDS

MAX_UNKNOWN = 200
"""A file with more unknown keys than this has them folded into ``extra`` line by line."""
SAID = (*SAID_TEXT, *SAID_JSON)
COLUMNS = {
    **{name: "varchar" for name in sorted(TEXT_FIELDS | JSON_FIELDS) if name != "parent_id"},
    **{f"said_{name}": "varchar" for name in (*SAID, "extra")},
    **dict.fromkeys(("prompt_sha", "response_sha", "said_prompt_sha", "said_response_sha"), "varchar"),
    "parent_ids": "varchar[]",
}
"""Every staged column and its type; a log without the keys for one lacks it."""
FLAT = {"evaluator_raw_response": "response", "evaluator_error": "error"}
"""An evaluation told by keys of the line itself, and the field of ``evaluation`` that each stands for."""


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys that any line of a log has, at the top and inside ``evaluation``."""

    top: tuple[str, ...]
    said: tuple[str, ...] | None
    """None where some evaluation is not an object."""

    @property
    def usable(self) -> bool:
        """Whether they can be columns as they are: evaluations are objects, told once, and DuckDB does not tell ``Score`` from ``score``."""
        if "run_id" not in self.top or ("evaluation" in self.top and (self.said is None or FLAT.keys() & set(self.top))):
            return False
        unknown = len(set(self.top) - TEXT_FIELDS - JSON_FIELDS)
        return unknown <= MAX_UNKNOWN and all("" not in keys and len({k.lower() for k in keys}) == len(keys) for keys in (self.top, self.said or ()))

    def types(self) -> dict[str, str]:
        """The explicit type of each key: text where only the text matters, JSON where the JSON type does."""
        kinds = {key: "VARCHAR" if key in TEXT_FIELDS or ALIASES.get(key) in TEXT_FIELDS else "JSON" for key in self.top}
        if "parent_ids" in kinds:
            kinds["parent_ids"] = "VARCHAR[]"
        if "evaluation" in kinds and self.said:
            kinds["evaluation"] = f"STRUCT({', '.join(f'{name(k)} {_said_type(k)}' for k in self.said)})"
        return kinds


def logged_keys(con: duckdb.DuckDBPyConnection, raw: Path, options: str) -> Keys:
    """Every key of every line, not only of the first ones. Raises duckdb.Error where a line is not JSON."""
    source = f"read_json_objects({text(str(raw))}, {options})"
    both = f"select json_keys(json, ['$', '$.evaluation']) as keys from {source}"
    first = con.execute(f"{both} limit 1").fetchall()
    if not first:
        return Keys((), None)
    # most lines have the keys of the first one, and comparing is cheaper than grouping
    others = f"select any_value(keys) from ({both}) where keys <> $first::varchar[][] group by hash(keys), hash(keys, 1)"
    rows = [(top, said) for ((top, said),) in [*first, *con.execute(others, {"first": first[0][0]}).fetchall()]]
    top = sorted({key for keys, _ in rows for key in keys or ()})
    inside = [said for keys, said in rows if "evaluation" in (keys or ()) and said is not None]
    said = sorted({key for keys in inside for key in keys})
    return Keys(tuple(top), tuple(said) if said and all(inside) else None)


def staged_columns(keys: Keys) -> str:
    """The select list over ``read_json`` with ``keys.types()``."""
    have = set(keys.top)
    values: dict[str, str] = {}
    for field in sorted(TEXT_FIELDS | JSON_FIELDS):
        sources = [key for key in (field, *(alias for alias, other in ALIASES.items() if other == field)) if key in have]
        if sources:
            values[field] = name(sources[0]) if len(sources) == 1 else f"coalesce({', '.join(map(name, sources))})"
    values |= _said(values, keys)
    if "parent_id" in values:
        values["parent_ids"] = _parents("parent_ids" if "parent_ids" in have else "[]::varchar[]")
        del values["parent_id"]
    unknown = [key for key in keys.top if key not in TEXT_FIELDS and key not in JSON_FIELDS and key not in ALIASES]
    unknown += [key for key in ("terminal",) if key in have]
    if unknown or "extra" in values:
        values["extra"] = _extra({key: name(key) for key in unknown}, values.get("extra"))
    columns = [f"{value}{'' if field == 'parent_ids' else '::varchar'} as {name(field)}" for field, value in values.items()]
    columns += [f"sha256({values[f]}) as {f}_sha" for f in ("prompt", "response", "said_prompt", "said_response") if f in values]
    return ", ".join(columns)


def _said(values: dict[str, str], keys: Keys) -> dict[str, str]:
    """The ``said_*`` columns; takes what it uses out of ``values``."""
    found: dict[str, str] = {}
    if "evaluation" in values and keys.said:
        found = {f"said_{key}": f"evaluation.{name(key)}" for key in keys.said if key in SAID}
        if "score" in keys.said:
            values["score"] = f"coalesce({values.get('score', 'null::json')}, evaluation.score)"
        unknown = {key: f"evaluation.{name(key)}" for key in keys.said if key not in SAID and key not in ("score", "extra")}
        if unknown or "extra" in keys.said:
            found["said_extra"] = _extra(unknown, "evaluation.extra" if "extra" in keys.said else None)
        del values["evaluation"]
    elif "evaluation" in values:
        said = "case when evaluation is not null then json_extract(evaluation, '$.score') end"
        values["score"] = f"coalesce({values.get('score', 'null::json')}, {said})"
    for flat, field in FLAT.items():
        if flat in values:
            logged = values.pop(flat)
            found[f"said_{field}"] = logged
    return found


def _parents(listed: str) -> str:
    others = f"coalesce({listed}, [])"
    return f"case when nullif(parent_id, '') is null or list_contains({others}, parent_id) then {others} else list_prepend(parent_id, {others}) end"


def _extra(unknown: dict[str, str], given: str | None) -> str:
    """One JSON object of the unknown keys that are there, after those of the line's own ``extra``.

    Put together as text: DuckDB's json_merge_patch would drop nulls inside the values, too.
    """
    own = "null::varchar"
    if given is not None:
        other = f"when {given} is not null then json_object('extra', {given})::varchar"
        own = f"case when json_type({given}) = 'OBJECT' then {given}::varchar {other} end"
    if not unknown:
        return own
    any_there = " or ".join(f"{value} is not null" for value in unknown.values())
    members = ", ".join(f"{text(json.dumps(key) + ':')} || {value}::varchar" for key, value in unknown.items())
    begun = f"nullif(substr({own}, 2, length({own}) - 2), '')"
    return f"case when {any_there} then '{{' || concat_ws(',', {begun}, {members}) || '}}' else {own} end"


def _said_type(key: str) -> str:
    return "VARCHAR" if key in SAID_TEXT else "JSON"


def name(identifier: str) -> str:
    """An identifier, quoted for SQL."""
    return '"' + identifier.replace('"', '""') + '"'


def text(value: str) -> str:
    """A text literal for SQL."""
    return "'" + value.replace("'", "''") + "'"

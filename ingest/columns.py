"""Which columns does each table have, and of which type? Derived from the records in schema.py, so that they cannot differ."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from ingest.schema import Call, Node, Run, Truth

_ARROW: dict[str, pa.DataType] = {
    "str": pa.string(),
    "int": pa.int64(),
    "float": pa.float64(),
    "bool": pa.bool_(),
    "datetime": pa.timestamp("us", tz="UTC"),
    "tuple[str, ...]": pa.list_(pa.string()),
}
_SQL = {
    pa.string(): "varchar",
    pa.int64(): "bigint",
    pa.float64(): "double",
    pa.bool_(): "boolean",
    pa.timestamp("us", tz="UTC"): "timestamptz",
    pa.list_(pa.string()): "varchar[]",
}


def arrow_schema(record: type[Any]) -> pa.Schema:
    """The Arrow schema of a record class; ``pass_bound`` is called ``pass`` on disk."""
    fields = []
    for item in dataclasses.fields(record):
        kind = str(item.type).removesuffix(" | None")
        fields.append(pa.field(_on_disk(item.name), _ARROW[kind]))
    return pa.schema(fields)


def sql_columns(schema: pa.Schema) -> str:
    """``name type, …`` for a create table statement, names quoted."""
    return ", ".join(f'"{field.name}" {_SQL[field.type]}' for field in schema)


def table_of(records: Iterable[Any], schema: pa.Schema) -> pa.Table:
    """Records of one class as an Arrow table, in the order given."""
    rows = list(records)
    arrays = [_array([getattr(row, _in_memory(name)) for row in rows], kind) for name, kind in zip(schema.names, schema.types, strict=True)]
    return pa.table(arrays, schema=schema)


def _array(values: list[Any], kind: pa.DataType) -> pa.Array:
    try:
        return pa.array(values, kind)
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON can escape and UTF-8 cannot hold, becomes U+FFFD
        return pa.array([_encodable(value) for value in values], kind)


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return tuple(_encodable(item) for item in value) if isinstance(value, (tuple, list)) else value


def _on_disk(name: str) -> str:
    return "pass" if name == "pass_bound" else name


def _in_memory(name: str) -> str:
    return "pass_bound" if name == "pass" else name


NODES = arrow_schema(Node)
CALLS = arrow_schema(Call)
RUNS = arrow_schema(Run)
TRUTH = arrow_schema(Truth)
TEXTS = pa.schema([("run_id", pa.string()), ("hash", pa.string()), ("text", pa.string()), ("redacted", pa.bool_())])
PROBLEMS = pa.schema(
    [
        ("source", pa.string()),
        ("line", pa.int64()),
        ("path", pa.string()),
        ("kind", pa.string()),
        ("message", pa.string()),
        ("hint", pa.string()),
        ("run_id", pa.string()),
        ("node_id", pa.string()),
        ("raw", pa.string()),
        ("rejected", pa.bool_()),
    ]
)
LABELS = pa.schema(
    [
        ("preorder", pa.int64()),
        ("subtree_size", pa.int64()),
        ("lo", pa.int64()),
        ("hi", pa.int64()),
        ("parent_preorder", pa.int64()),
        ("n_children", pa.int64()),
    ]
)

"""How are reviews handed on? As a table for a page, and as CSV, JSON or Parquet for other programs."""

from __future__ import annotations

import dataclasses
import io
import json
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from explorer import reviews
from explorer.reviews import Review

FORMATS = ("csv", "json", "parquet")
_KINDS = {"evidence": pa.list_(pa.string()), "withdrawn": pa.bool_()}
SCHEMA = pa.schema([(field.name, _KINDS.get(field.name, pa.string())) for field in dataclasses.fields(Review)])
_MARK_WORDS = {"right": "right step", "not_right": "not right", "none_of_its_children": "none of its children is right"}


def table(lines: Sequence[Review]) -> pa.Table:
    """One row a line, columns as the fields of Review."""
    return pa.Table.from_pylist([{**reviews.document(line), "evidence": list(line.evidence)} for line in lines], schema=SCHEMA)


def exported(lines: Sequence[Review], name: str) -> bytes:
    """The lines in one of FORMATS. In CSV the node ids of the evidence are one JSON list."""
    rows = table(lines)
    if name == "json":
        return json.dumps([reviews.document(line) for line in lines], ensure_ascii=False, indent=1).encode("utf-8") + b"\n"
    sink = io.BytesIO()
    if name == "parquet":
        pq.write_table(rows, sink)
    else:
        flat = pa.array([json.dumps(list(line.evidence), ensure_ascii=False) for line in lines], pa.string())
        pa_csv.write_csv(rows.set_column(rows.schema.get_field_index("evidence"), "evidence", flat), sink)
    return sink.getvalue()


def words(line: Review) -> str:
    """What one line says, for a person."""
    if line.withdrawn:
        return "taken back"
    if line.kind == "mark":
        return _MARK_WORDS.get(line.mark or "", line.mark or "")
    if line.kind == "verdict":
        return (line.verdict or "").replace("_", " ")
    return "note" if line.kind == "note" else "bookmark"


def for_reading(lines: Sequence[Review], runs: frozenset[str]) -> pa.Table:
    """The table as it is shown, newest first; ``runs`` are those of the store: the others were loaded once and are gone."""
    newest = list(reversed(lines))
    texts = {
        "reviewer": [line.reviewer for line in newest],
        "time": [line.at[:19].replace("T", " ") for line in newest],
        "run": [line.run_id for line in newest],
        "about": [line.kind for line in newest],
        "node": [line.node_id for line in newest],
        "said": [words(line) for line in newest],
        "better": [line.better for line in newest],
        "confidence": [line.confidence for line in newest],
        "note": [line.note for line in newest],
        "run_is_here": ["yes" if line.run_id in runs else "no" for line in newest],
    }
    return pa.table({name: pa.array(values, pa.string()) for name, values in texts.items()})

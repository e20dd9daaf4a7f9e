"""What was taken from the logs and what was not? The tables of the Data page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from explorer import wording
from explorer.analysis.fact import Fact

QUESTIONS = ("generation", "evaluation", "control", "spend", "replay", "compare")
"""What a reader's TELLS answers, in this order."""


def summary(sources: pa.Table, problems: pa.Table) -> list[Fact]:
    """How many logs, runs and nodes; how many problems, and how many records were left out."""
    rejected = pc.sum(problems["rejected"].cast(pa.int64())).as_py() or 0
    runs, nodes = (pc.sum(sources[name]).as_py() or 0 for name in ("runs", "nodes"))
    return [
        Fact(text=wording.count(sources.num_rows, "log"), tone="strong"),
        Fact(text=wording.count(runs, "run")),
        Fact(text=wording.count(nodes, "node")),
        Fact(text=wording.count(problems.num_rows, "problem"), tone="orange" if problems.num_rows else "muted"),
        Fact(text=f"{wording.count(rejected, 'record')} left out", tone="red" if rejected else "muted"),
    ]


def problems_for_reading(problems: pa.Table) -> pa.Table:
    """The problems with file and line in one column, as a terminal shows them."""
    rows = zip(problems["source"].to_pylist(), problems["line"].to_pylist(), problems["path"].to_pylist(), strict=True)
    where = [f"{source}:{line}" if line is not None else f"{source} {path}" if path else source for source, line, path in rows]
    names = ("kind", "message", "hint", "raw", "rejected", "run_id", "node_id")
    return pa.table({"where": pa.array(where, pa.string()), **{name: problems[name] for name in names}})


def tells(known: Mapping[str, Mapping[str, str]], formats: Sequence[str]) -> pa.Table:
    """One row per format of the store and one column per question; null where the reader does not say."""
    rows = [known.get(name, {}) for name in formats]
    columns = {question: pa.array([row.get(question) for row in rows], pa.string()) for question in QUESTIONS}
    return pa.table({"format": pa.array(list(formats), pa.string()), **columns})


def recorded_for_reading(recorded: pa.Table) -> pa.Table:
    """One row per field, one column per format: the share of its records that hold the field, in words."""
    formats = sorted(set(recorded["format"].to_pylist()))
    cells = {(row["record"], row["field"], row["format"]): _share(row["recorded"], row["records"]) for row in recorded.to_pylist()}
    fields = list(dict.fromkeys((record, field) for record, field, _ in cells))
    table = {"of a": [record for record, _ in fields], "field": [field for _, field in fields]}
    table |= {name: [cells.get((record, field, name)) for record, field in fields] for name in formats}
    return pa.table({name: pa.array(values, pa.string()) for name, values in table.items()})


def _share(recorded: int, records: int) -> str:
    if not recorded:
        return wording.NOT_RECORDED
    return f"all {records:,}" if recorded == records else f"{recorded:,} of {records:,}"

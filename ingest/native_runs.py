"""What do the run and run_end lines of native logs say? One row a run, also for those that only nodes and calls speak of."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from ingest import columns
from ingest.fingerprint import fingerprint
from ingest.readers import native
from ingest.staging import Staging

_LEFT_OUT = "The value was left out and is kept under extra."

_RUN_LINES = """
select * exclude (prompt, response, evaluation) from b_lines
where (record in ('run', 'run_end') or record is null) -- says the same again, in words that let whole row groups be skipped
    and kind in ('run', 'run_end') and run_id is not null
order by ord
"""

_OTHER_RUNS = """
insert into s_runs by name
select run_id, 'unknown' as outcome, arg_min(source, ord) as source, 'native' as source_format, []::varchar[] as warnings, min(ord) as ord
from b_lines where run_id is not null and kind in ('node', 'call') and run_id not in (select run_id from s_runs)
group by run_id
"""


def stage_runs(staging: Staging) -> None:
    """``b_lines`` into ``s_runs``: runs from their own lines, then the others. Later lines win field by field."""
    con = staging.con
    said: dict[str, list[dict[str, Any]]] = {}
    for row in con.sql(_RUN_LINES).to_arrow_table().to_pylist():
        said.setdefault(row["run_id"], []).append(row)
    runs: list[dict[str, Any]] = []
    wrong: list[dict[str, Any]] = []
    for run_id, own in said.items():
        run, bad = native.run_from_lines(run_id, [_run_line(row) for row in own])
        known = {"source": own[0]["source"], "source_format": native.NAME, "fingerprint": fingerprint(run.protocol)}
        runs.append({name: getattr(run, name) for name in columns.RUNS.names} | known)
        place = {name: own[-1][name] for name in ("source", "piece", "row", "run_id")}
        wrong += [place | {"kind": "type", "message": f"run {run_id}: {message}", "hint": _LEFT_OUT, "rejected": False} for message in bad]
    table = pa.Table.from_pylist(runs, schema=columns.RUNS)
    first = staging.next_ord(table.num_rows)
    with staging.arriving(table.append_column("ord", pa.array(range(first, first + table.num_rows), pa.int64()))):
        con.execute("insert into s_runs by name select * from arriving")
    con.execute(_OTHER_RUNS)
    if wrong:
        with staging.arriving(pa.Table.from_pylist(wrong)):
            con.execute("insert into s_problems by name select * from arriving")


def _run_line(row: dict[str, Any]) -> dict[str, Any]:
    """A run line as it was logged: the fields that have staged columns and the rest from ``extra``."""
    line = {name: value for name, value in row.items() if name in native.TEXT_FIELDS and value is not None}
    for name in native.JSON_FIELDS - {"parent_ids", "extra", "evaluation"}:
        if row[name] is not None:
            line[name] = json.loads(row[name])
    return line | (json.loads(row["extra"]) if row["extra"] else {})

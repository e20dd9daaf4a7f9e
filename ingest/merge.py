"""Which lines speak of the same node or call? They become one record, each field from the last line that carries it.

A recorder tells of a node when it is proposed and again when it is judged or pruned, so a log may hold two lines and more of every node. They
are folded in pairs, the second onto the first, until one is left: joins that spill to disk, where one aggregate over all columns would not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from ingest.lines import STAGED_FORMAT
from ingest.staged import text
from ingest.staging import Staging

_CHANGING = ("fate", "extra", "ended_at", "terminal", "parent_ids", "node_ord")
"""May differ from line to line without a contradiction."""

CHUNK = 100_000
"""So many nodes or calls are folded at a time, in memory."""

_TWICE = """
create or replace table {name}_twice as
select run_id, {key}, (row_number() over (order by first))::integer as subject
from (select run_id, {key}, min(ord) as first from {name}_raw group by run_id, {key} having count(*) > 1)
"""

_TURNS = """
create or replace table {name}_turns as
select {place}, subject, (row_number() over (partition by subject order by ord))::integer as turn
from {name}_raw join {name}_twice using (run_id, {key})
"""

_TOLD = """
select t.subject, t.turn, null::varchar as differing, {columns} from {name}_raw r join {name}_turns t using ({place})
"""

_FOLDED = """
with told as (select * from {told} where subject between {low} and {high})
select a.subject, (a.turn + 1) // 2 as turn, nullif(concat_ws(',', a.differing, b.differing, {differing}), '') as differing,
    {of_the_first}, {of_the_last}
from told a left join told b on b.subject = a.subject and b.turn = a.turn + 1 where a.turn % 2 = 1
order by a.ord -- so that the rows of a run stay near each other
"""

_MERGED = """
create or replace view {name}_merged as
select * from {name}_raw anti join {name}_turns using ({place})
union all by name
select * exclude (subject, turn, differing) from {told}
"""

_CONTRADICTIONS = """
with conflict as (
    select run_id, {key}, array_to_string(list_filter([{steady}], lambda f: list_contains(string_split(differing, ','), f)), ', ') as fields
    from {told} where differing is not null
)
select c.piece, c.row, c.run_id, c.node_id, false as rejected, 'conflict' as kind,
    '{subject} ' || c.{key} || ' is recorded more than once with different ' || fields as message,
    'The last line wins, field by field.' as hint
from {name}_raw c join conflict using (run_id, {key}) order by c.ord
"""


def merge(staging: Staging, name: str, key: str, fields: Iterable[str]) -> str:
    """``<name>_merged``: one row a run and key. Returns a query for what contradicts, empty where every key has one line.

    The first line says where the record stands in the log; ``fields`` are all others that any line may have.
    """
    con, fields = staging.con, list(fields)
    nodes = key == "node_id"
    names = {"name": name, "key": key, "place": "ord" if nodes else f"ord, {key}"}  # one line may hold several calls
    con.execute(_TWICE.format(**names))
    if con.execute(f"select count(*) from {name}_twice").fetchall() == [(0,)]:
        con.execute(f"create or replace view {name}_merged as select * from {name}_raw")
        return ""
    con.execute(_TURNS.format(**names))
    first = ["ord", "piece", "row", "run_id", key, *(["source"] if nodes else [])]
    told = _put_aside(staging, f"{name}-told", _TOLD.format(**names, columns=", ".join(f"r.{field}" for field in (*first, *fields))))
    steady = [field for field in fields if field not in _CHANGING]
    folding = {
        "differing": ", ".join(f"case when a.{field} <> b.{field} then '{field}' end" for field in steady),
        "of_the_first": ", ".join(f"a.{field}" for field in first),
        "of_the_last": ", ".join(f"coalesce({'nullif(b.parent_ids, [])' if f == 'parent_ids' else f'b.{f}'}, a.{f}) as {f}" for f in fields),
    }
    names["told"] = _rows(_folded(staging, name, told, folding))
    con.execute(_MERGED.format(**names))
    return _CONTRADICTIONS.format(**names, subject=key.removesuffix("_id"), steady=", ".join(f"'{field}'" for field in steady))


def _folded(staging: Staging, name: str, told: Path, folding: Mapping[str, str]) -> list[Path]:
    """Files with one row a subject."""
    found: list[Path] = []
    ((subjects,),) = staging.con.execute(f"select max(subject) from {name}_turns").fetchall()
    for low in range(1, subjects + 1, CHUNK):
        high, file = low + CHUNK - 1, told
        ((most,),) = staging.con.execute(f"select max(turn) from {name}_turns where subject between {low} and {high}").fetchall()
        while most > 1:
            before, most = file, (most + 1) // 2
            query = _FOLDED.format(**folding, told=_rows([before]), low=low, high=high)
            file = _put_aside(staging, f"{name}-{low}-{most}", query)
            if before != told:
                before.unlink()
        found.append(file)
    told.unlink()
    return found


def _put_aside(staging: Staging, name: str, query: str) -> Path:
    """Its rows as a file: what is joined with itself is worked out once, and memory holds none of it."""
    target = staging.folder / f"{name}.parquet"
    staging.con.execute(f"copy ({query}) to {text(str(target))} ({STAGED_FORMAT})")
    return target


def _rows(files: Iterable[Path]) -> str:
    return f"read_parquet([{', '.join(text(str(file)) for file in files)}])"

"""What do the staged lines of native logs say? Later lines complete earlier ones, values get their types, inline calls become calls.

Everything here is SQL over the columns of ingest/staged.py; what a statement refuses it names as a problem with piece and row, from which file
and line follow.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import networkx as nx
import pyarrow as pa

from ingest import convert, lines, native_runs
from ingest.errors import Problem
from ingest.merge import merge
from ingest.readers import native
from ingest.source import Source
from ingest.staged import COLUMNS, SAID, text
from ingest.staging import KEY_COLUMNS, Staging

_RAW_NODE = (
    "decision_id step state_key env_checkpoint resumed_from action_kind action_target action_effect observation tier score_source evaluator fate "
    "pruned_by prune_rule prune_reason merged_into error started_at ended_at score_raw depth pass request_index seq score promise progress "
    "regressions violations uncertainty expanded_seq verified terminal state action extra"
).split()
_RAW_CALL = (
    "role template_id template_version prompt_hash response_hash parsed model temperature top_p max_output_tokens seed input_tokens output_tokens "
    "cached_tokens usage_convention cost latency_ms retries from_cache prompt_sha response_sha"
).split()
_CALL_OWN = ("error", "started_at", "extra")

_LINES = """
create or replace view b_lines as
select p.piece, p.source, l.file_row_number as row, p.first + l.file_row_number as ord, l.* exclude (filename, file_row_number), {absent},
    case when record in ('node', 'call', 'run', 'run_end') then record
        when record is not null then 'unknown'
        when call_id is not null then 'call'
        when node_id is not null then 'node'
        else 'run' end as kind
from read_parquet({files}, filename = true, file_row_number = true, union_by_name = true) l join b_pieces p on p.path = l.filename
"""

_UNUSABLE = """
select piece, row, run_id, node_id, true as rejected, 'no_id' as kind, 'Every line names its run; a node line names its node, too.' as hint,
    case when run_id is null then 'the line has no run_id'
        when kind = 'unknown' then 'record is "' || record || '", expected node, call, run or run_end'
        else 'the line has no node_id' end as message
from b_lines where run_id is null or kind = 'unknown' or (kind = 'node' and node_id is null)
"""

_NODES = """
create or replace view b_nodes_raw as
select ord, piece, row, source, run_id, node_id, parent_ids, {fields}
from b_lines where kind = 'node' and run_id is not null and node_id is not null
"""

_SAID = """
create or replace view b_said as
select ord, piece, row, run_id, node_id, 1 as number, {flat}, said_prompt as prompt, said_response as response
from b_lines where kind = 'node' and run_id is not null and node_id is not null and coalesce({any}) is not null
union all by name
select ord, piece, row, run_id, node_id, number, {listed}, e.prompt as prompt, e.response as response
from (
    select *, unnest(said) as e, unnest(range(1, len(said) + 1)) as number
    from (
        select ord, piece, row, run_id, node_id, from_json(evaluation, '[{shape}]') as said
        from b_lines where kind = 'node' and run_id is not null and node_id is not null and evaluation is not null
    )
)
"""

_CALLS = """
create or replace view b_calls_raw as
select ord, piece, row, run_id, coalesce(call_id, coalesce(node_id || '/', '') || coalesce(role, 'call') || '/' || {nth}) as call_id, node_id,
    null::bigint as node_ord, {call}, {own}
from b_lines where kind = 'call' and run_id is not null
union all by name
select ord, piece, row, run_id, node_id || '/proposer' as call_id, node_id, ord as node_ord, coalesce(role, 'proposer') as role, {but_role}
from b_nodes_merged where {asked}
union all by name
select ord, piece, row, run_id, node_id || '/evaluator' || case when number > 1 then '/' || number else '' end as call_id, node_id,
    {said_node} as node_ord, 'evaluator' as role, {evaluation}
from b_said
"""

_PROBLEMS = "insert into s_problems by name select p.source, w.* from ({query}) w join b_pieces p using (piece)"


def stage(staging: Staging, sources: list[Source], tell: Callable[[str, int, int], None]) -> list[lines.Piece]:
    """Read native logs into the staging tables: ``s_nodes``, ``s_calls``, ``s_runs``, ``s_problems``, and the names of the texts."""
    staged: list[lines.Piece] = []
    for index, source in enumerate(sources):
        tell(f"reading {source.name}", index, len(sources))
        bad: list[Problem] = []
        with staging.progress(tell, f"reading {source.name}", _bytes(source)):
            for item in lines.pieces(staging.con, source, staging.folder, f"native-{index}", staging.redactor):
                if isinstance(item, Problem):
                    bad.append(item)
                else:
                    staged.append(item)
        staging.add_problems(bad, source.name)
    tell("checking", len(sources), len(sources))
    take(staging, staged)
    return staged


def take(staging: Staging, staged: list[lines.Piece]) -> None:
    """The lines of these pieces into the staging tables."""
    absent = _open_pieces(staging, staged)
    con = staging.con
    con.execute(_NODES.format(fields=", ".join([*_RAW_NODE, *_RAW_CALL])))
    told = [field for field in (*_RAW_NODE, *_RAW_CALL, "parent_ids") if field not in absent]
    contradictions = [merge(staging, "b_nodes", "node_id", told)]
    one_line_a_node = not contradictions[0]
    _open_calls(staging, one_line_a_node)
    staging.calls_by_name = _has(staging, "call") or not one_line_a_node
    if staging.calls_by_name:  # otherwise the ids of inline calls are made from those of nodes with one line each
        contradictions.append(merge(staging, "b_calls", "call_id", ["node_id", "node_ord", *_RAW_CALL, *_CALL_OWN]))
    else:
        con.execute("create or replace view b_calls_merged as select * from b_calls_raw")
    con.execute(f"create or replace view b_nodes as {convert.nodes()}")
    con.execute(f"insert into s_nodes by name select {', '.join(KEY_COLUMNS)} from b_nodes")
    staging.node_rows = "b_nodes"
    con.execute("drop table s_calls")
    con.execute(f"create view s_calls as {convert.calls()}")
    native_runs.stage_runs(staging)
    _name_texts(staging, "run_id is not null")
    for query in (_UNUSABLE, *contradictions):
        if query:
            con.execute(_PROBLEMS.format(query=query))


def _bytes(source: Source) -> int:
    """Size of the file on disk, for the progress bar; of one that has gone, which reading will name, nothing is known: 100 %."""
    try:
        return max(100, source.path.stat().st_size)
    except OSError:
        return 100


def name_problems(staging: Staging, staged: list[lines.Piece]) -> None:
    """Name every value that did not fit, and give each problem that knows its piece and row its file and line. Runs after the checks."""
    con = staging.con
    if not staged:
        return
    for query, table, some in ((convert.node_problems(), "s_nodes", "misfit"), (convert.call_problems(), "s_call_sums", "misfits > 0")):
        if con.execute(f"select exists (select 1 from {table} where {some})").fetchall() == [(True,)]:
            con.execute(_PROBLEMS.format(query=query))
    rows = con.execute("select distinct piece, row from s_problems where piece is not null").fetchall()
    if not rows:
        return
    found = [
        {"piece": piece, "row": row, "file": staged[piece].source.name, "at": int(lines.physical_lines(staged[piece])[row])} for piece, row in rows
    ]
    with staging.arriving(pa.Table.from_pylist(found)):
        con.execute(
            "update s_problems p set line = a.at, path = a.file || ':' || a.at, source = a.file from arriving a "
            "where a.piece = p.piece and a.row = p.row"
        )


def groups(staging: Staging) -> dict[str, str]:
    """For each source by name: the first of the sources that share a run with it, directly or through others."""
    graph = nx.Graph()
    first_of: dict[str, str] = {}
    rows = staging.con.execute("select distinct run_id, source from b_lines where run_id is not null").fetchall()
    for run_id, source in rows:
        graph.add_edge(source, first_of.setdefault(run_id, source))
    found: dict[str, str] = {}
    for component in nx.connected_components(graph):
        found.update(dict.fromkeys(component, min(component)))
    return found


def leave_out(staging: Staging, runs: set[str], source_of: dict[str, str]) -> None:
    """Drop runs that the store already holds from a log that is gone, each with a problem."""
    con = staging.con
    found = con.execute("select run_id, source from s_runs where list_contains($runs, run_id) order by ord", {"runs": sorted(runs)}).fetchall()
    for run_id, source in found:
        message = f"run {run_id} is in the store from {source_of[run_id]}, and the two cannot be read together; its lines here were left out"
        hint = "Give the run an id of its own, or load both files into a new store (the other one may be gone)."
        staging.add_problems([Problem(message, source, hint, kind="run_elsewhere", run_id=run_id, rejected=True)], source)
    con.execute("create or replace table b_left_out as select unnest($runs) as run_id", {"runs": sorted(runs)})
    for table in ("s_runs", "s_nodes"):
        con.execute(f"delete from {table} where run_id in (select run_id from b_left_out)")
    con.execute(f"create or replace view s_calls as select * from ({convert.calls()}) anti join b_left_out using (run_id)")
    _name_texts(staging, "run_id is not null and run_id not in (select run_id from b_left_out)")


def _open_pieces(staging: Staging, staged: list[lines.Piece]) -> set[str]:
    """``b_lines``: every good line with its piece, row and order of arrival. Returns the columns that no line fills."""
    rows: list[dict[str, Any]] = []
    for number, piece in enumerate(staged):
        rows.append({"piece": number, "path": str(piece.path), "source": piece.source.name, "first": staging.next_ord(piece.rows)})
    if not rows:  # nothing could be read: an empty piece, so that everything after it has something to look at
        empty = staging.folder / "native-none.parquet"
        staging.con.execute(f"copy (select null::varchar as run_id where false) to {text(str(empty))} (format parquet)")
        rows.append({"piece": 0, "path": str(empty), "source": "", "first": 0})
    with staging.arriving(pa.Table.from_pylist(rows)):
        staging.con.execute("create or replace table b_pieces as select * from arriving")
        staging.con.execute("insert into s_pieces by name select piece, source, first from arriving")
    files = "[" + ", ".join(text(row["path"]) for row in rows) + "]"
    there = {name for name, *_ in staging.con.execute(f"describe select * from read_parquet({files}, union_by_name = true)").fetchall()}
    absent = COLUMNS.keys() - there
    nulls = ", ".join(f'null::{kind} as "{name}"' for name, kind in COLUMNS.items() if name in absent)
    staging.con.execute(_LINES.format(files=files, absent=nulls))
    return absent


def _has(staging: Staging, kind: str) -> bool:
    return staging.con.execute("select exists (select 1 from b_lines where kind = $kind)", {"kind": kind}).fetchall() == [(True,)]


def _open_calls(staging: Staging, one_line_a_node: bool) -> None:
    """``b_said``: one row an inline evaluation, with its texts; ``b_calls_raw``: every call, logged as a line of its own or inline."""
    con = staging.con
    shape = dict.fromkeys(native.SAID_TEXT, "VARCHAR") | dict.fromkeys([*native.SAID_JSON, "extra"], "JSON")
    fields = [name for name in SAID if name not in ("prompt", "response")]
    shas = ("prompt_sha", "response_sha")
    listed = [f"e.{name}::varchar as {name}" for name in fields] + ["sha256(e.prompt) as prompt_sha", "sha256(e.response) as response_sha"]
    flat = [f"said_{name} as {name}" for name in (*fields, "extra", *shas)]
    something = ", ".join(f"said_{name}" for name in (*SAID, "extra"))
    listed.append("e.extra::varchar as extra")
    con.execute(_SAID.format(flat=", ".join(flat), any=something, listed=", ".join(listed), shape=json.dumps(shape).replace("'", "''")))
    nameless = con.execute("select exists (select 1 from b_lines where kind = 'call' and call_id is null)").fetchall() == [(True,)]
    con.execute(
        _CALLS.format(
            nth="row_number() over (partition by run_id, call_id is null order by ord)" if nameless else "0",
            call=", ".join(_RAW_CALL),
            own=", ".join(_CALL_OWN),
            but_role=", ".join(name for name in _RAW_CALL if name != "role"),
            asked=" or ".join(f"{name} is not null" for name in _RAW_CALL if name != "usage_convention"),
            evaluation=", ".join([*fields, "extra", *shas]),
            said_node="ord" if one_line_a_node else "null::bigint",
        )
    )


def _name_texts(staging: Staging, here: str) -> None:
    """``b_text_again``: the places of texts that their run has used before; each text is written once a run, the texts stay in the staged files.

    ``here`` is the condition on lines whose runs are taken in. Told apart by 128 bits of run and hash in place of the two strings, of which the
    first 64 find the few that can be alike: a fraction of the memory, and no collision to be expected.
    """
    con = staging.con
    places = [
        ("b_lines", "prompt", "ord * 1000"),
        ("b_lines", "response", "ord * 1000 + 1"),
        ("b_said", "prompt", "ord * 1000 + 2 * least(number, 490)"),
        ("b_said", "response", "ord * 1000 + 2 * least(number, 490) + 1"),
    ]
    keys = " union all ".join(
        f"select hash(run_id, {column}_sha) as one, hash({column}_sha, run_id) as two, {place} as place from {table} "
        f"where {column}_sha is not null and {here}"
        for table, column, place in places
    )
    con.execute(f"create or replace table b_text_twice as select one from ({keys}) group by one having count(*) > 1")
    nth = f"select place, row_number() over (partition by one, two order by place) as nth from ({keys}) semi join b_text_twice using (one)"
    con.execute(f"create or replace table b_text_again as select place from ({nth}) where nth > 1")
    texts = " union all ".join(
        f"select run_id, {column}_sha as hash, {column} as text, {place} as place from {table} where {column} is not null and {here}"
        for table, column, place in places
    )
    staging.text_queries[1:] = [f"select run_id, hash, text, false as redacted, place as ord from ({texts}) anti join b_text_again using (place)"]

"""How do staged records become Parquet? One folder with one file a table, in which the rows of a run stand in few row groups.

Sorted by run, where that saves reading; else as they were logged, give or take a row group, since joins do not keep order. Every query sorts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb

from ingest import columns
from ingest.redact import MARK
from ingest.schema import SCHEMA_VERSION
from ingest.staging import Staging

TABLES = ("runs", "nodes", "calls", "texts", "truth", "problems")
NODE_ROWS = 32_768
"""A row group of nodes: what is read at least of a run."""
SORTED_NODES = 50_000
"""Beyond so many nodes, sorting those of runs that fit into one row group costs more time and memory than it can ever save."""
_ZSTD = "compression zstd, compression_level 1"
"""Level 1 writes a quarter faster than the default and takes 9 % more room."""
_META = f"kv_metadata {{branchlight_schema: '{SCHEMA_VERSION}'}}"

_LABELS = ", ".join(f"l.{name}::bigint as {name}" for name in columns.LABELS.names)
_NODES = """
select n.* exclude (depth, fate, ord, piece, misfit), l.depth,
    -- a node with a recorded child was expanded, whether or not the log says so; other fates are never worked out
    coalesce(n.fate, case when l.n_children > 0 then 'expanded' end) as fate,
    {labels}, l.run_no
from {rows} n join s_labels l using (ord)
"""

_PLACED_CALLS = """
select c.* exclude (node_ord, misfit), l.depth, l.run_no, l.preorder from s_calls c join s_labels l on l.ord = c.node_ord
"""
_CALLS_BY_NAME = """
union all by name
select c.* exclude (node_ord), l.depth, coalesce(l.run_no, 0) as run_no, coalesce(l.preorder, 0) as preorder
from (
    select c.* exclude (node_ord, misfit), n.ord as node_ord
    from s_calls c left join s_nodes n on n.run_id = c.run_id and n.node_id = c.node_id where c.node_ord is null
) c left join s_labels l on l.ord = c.node_ord
"""

_RUN_TOTALS = """
create or replace table s_run_totals as
with per_node as (
    select n.run_id, count(*) as nodes, max(l.depth) as max_depth,
        count(*) filter (where len(coalesce(parent_ids, [])) = 0) as roots,
        count(*) filter (where len(parent_ids) > 1) as merged, count(score) as scored,
        count(*) filter (where fate = 'expanded' or (fate is null and n_children > 0)) as expanded, count(*) filter (where fate = 'pruned') as pruned,
        count(*) filter (where fate = 'terminal') as terminal, count(*) filter (where fate = 'unscored') as unscored,
        count(*) filter (where fate = 'open') as open,
        count(*) filter (where linked) + coalesce(sum(o.found), 0) as edges,
        count(*) filter (where (len(parent_ids) > 0 and not linked) or o.missing > 0) as orphans
    from s_nodes n join s_labels l using (ord) left join s_other_links o using (ord) group by run_id
), per_problem as (
    select run_id, count(*) as problems from s_problems where run_id is not null group by run_id
)
select r.run_id, coalesce(n.nodes, 0) as nodes, coalesce(n.edges, 0)::bigint as edges, coalesce(n.roots, 0) as roots,
    coalesce(n.orphans, 0) as orphans, coalesce(n.merged, 0) as merged, n.max_depth, coalesce(n.scored, 0) as scored,
    coalesce(n.expanded, 0) as expanded, coalesce(n.pruned, 0) as pruned, coalesce(n.terminal, 0) as terminal,
    coalesce(n.unscored, 0) as unscored, coalesce(n.open, 0) as open, coalesce(c.calls, 0) as calls,
    coalesce(c.input_tokens, r.reported_input_tokens)::bigint as input_tokens,
    coalesce(c.output_tokens, r.reported_output_tokens)::bigint as output_tokens,
    coalesce(c.cached_tokens, r.reported_cached_tokens)::bigint as cached_tokens, coalesce(c.cost, r.reported_cost) as cost,
    coalesce(c.calls_with_cost, 0) as calls_with_cost, coalesce(c.calls_with_tokens, 0) as calls_with_tokens, c.latency_ms,
    case when c.calls_with_cost > 0 or c.calls_with_tokens > 0 then 'calls'
        when coalesce(r.reported_cost, r.reported_input_tokens, r.reported_output_tokens, r.reported_tokens) is not null then 'run'
    end as spend_from,
    s.score as selected_score, coalesce(p.problems, 0) as problems
from s_runs r left join per_node n using (run_id) left join s_call_sums c using (run_id)
left join per_problem p using (run_id)
left join s_nodes s on s.run_id = r.run_id and s.node_id = r.selected_path[-1]
"""


def write(staging: Staging, folder: Path) -> None:
    """Write every table to ``folder``. Expects labels, checks and counts to be done and every run to have its row in ``s_runs``."""
    con = staging.con
    con.execute(f"create or replace view s_written_nodes as {_NODES.format(labels=_LABELS, rows=staging.node_rows)}")
    con.execute(_RUN_TOTALS)
    together = _runs_stand_together(staging)
    if staging.node_rows != "s_nodes" and not staging.calls_by_name:
        con.execute("drop view s_placed_nodes")
        con.execute("drop table s_nodes")  # nobody asks for it any more, and sorting needs the memory
    calls = _PLACED_CALLS + (_CALLS_BY_NAME if staging.calls_by_name else "")
    in_order = "" if together else "order by run_no, preorder, ord, call_id"
    nodes_in_order = "" if together and _many_small_runs(staging) else "order by run_no, preorder"
    copies = {
        "runs": ("select r.* exclude (ord), t.* exclude (run_id) from s_runs r join s_run_totals t using (run_id) order by run_id", 8_192),
        "nodes": (f"select * exclude (run_no) from s_written_nodes {nodes_in_order}", NODE_ROWS),
        "calls": (f"select * exclude (run_no, preorder, ord) from ({calls}) {in_order}", 32_768),
        "texts": (_texts(staging, together), 8_192),
        "truth": ("select * exclude (ord) from s_truth order by run_id, ord", 32_768),
        "problems": ("select * exclude (piece, row) from s_problems", 8_192),
    }
    for name, (query, rows) in copies.items():
        target = _literal(folder / f"{name}.parquet")
        con.execute(f"copy ({query}) to {target} (format parquet, {_ZSTD}, row_group_size {rows}, {_META})")


@dataclass(frozen=True, slots=True)
class Drop:
    """What a rewrite leaves out."""

    runs: frozenset[str] = frozenset()
    """Runs, from every table."""
    sources: frozenset[str] = frozenset()
    """Sources whose problems go."""
    texts_of: frozenset[str] = frozenset()
    """Runs whose prompts and responses go, and what else the log held beside the columns (``extra``), where texts hide; the rest stays."""


def rewrite(con: duckdb.DuckDBPyConnection, sources: Mapping[str, str], folder: Path, drop: Drop) -> None:
    """Copy tables, each given as what stands in a FROM clause, into one folder without what is to be dropped."""
    for name in TABLES:
        gone: dict[str, list[str]] = {"runs": sorted(drop.runs)}
        keep = "(run_id is null or not list_contains($runs, run_id))"
        if name == "problems":
            gone["sources"] = sorted(drop.sources)
            keep += " and not list_contains($sources, source)"
        if name == "texts":
            gone["runs"] = sorted(drop.runs | drop.texts_of)
        columns = "*"
        if name in ("runs", "nodes", "calls") and drop.texts_of:
            gone["bare"] = sorted(drop.texts_of)
            columns = "* replace (case when list_contains($bare, run_id) then null else extra end as extra)"
        order = "" if name == "problems" else "order by run_id" + (", preorder" if name == "nodes" else "")
        rows = 32_768 if name in ("nodes", "calls", "truth") else 8_192
        query = f"select {columns} from {sources[name]} where {keep} {order}"
        target = _literal(folder / f"{name}.parquet")
        con.execute(f"copy ({query}) to {target} (format parquet, {_ZSTD}, row_group_size {rows}, {_META})", gone)


def _literal(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def _runs_stand_together(staging: Staging) -> bool:
    """Whether the order of arrival keeps each run together: then calls and texts stay in it, since sorting them costs more than all else."""
    changes = "select count(*) from (select run_id, lag(run_id) over (order by ord) as before from s_nodes) where run_id is distinct from before"
    return staging.con.execute(changes).fetchall() == staging.con.execute("select count(distinct run_id) from s_nodes").fetchall()


def _many_small_runs(staging: Staging) -> bool:
    nodes, largest = staging.con.execute("select coalesce(sum(nodes), 0), max(nodes) from s_run_totals").fetchall()[0]
    return bool(nodes > SORTED_NODES and largest <= NODE_ROWS)


def _texts(staging: Staging, together: bool) -> str:
    staging.con.execute("create or replace view s_all_texts as " + " union all ".join(staging.text_queries))
    redacted = f"contains(text, '{MARK.rstrip(']')}')" if staging.redactor else "redacted"
    order = "" if together else "order by run_id, ord"
    return f"select run_id, hash, text, {redacted} as redacted from s_all_texts where {_kept(staging.payloads)} {order}"


def _kept(payloads: str) -> str:
    """The payload policy as a condition on texts: ``failed`` keeps those of runs that did not end right, ``sample:RATE`` a share of the runs."""
    if payloads.startswith("sample:"):
        return f"hash(run_id) % 1000000 < {round(float(payloads.removeprefix('sample:')) * 1_000_000)}"
    conditions = {"all": "true", "none": "false", "failed": "run_id not in (select run_id from s_runs where outcome = 'right')"}
    return conditions[payloads]

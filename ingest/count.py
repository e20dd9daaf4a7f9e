"""How much came out of each source? Counted as ``ingest --json`` reports it, from what is staged."""

from __future__ import annotations

from typing import Any

from ingest.staging import Staging

_COUNTS = """
with seen as (
    select source, run_id from s_runs union
    select source, run_id from (select distinct piece, run_id from s_nodes) join s_pieces using (piece)
), per_run as (
    select source, count(distinct run_id) as runs from seen group by source
), per_piece as (
    select piece, count(*) as nodes, count(*) filter (where len(coalesce(parent_ids, [])) = 0) as roots,
        count(*) filter (where len(parent_ids) > 1) as merged, max(l.depth) as max_depth,
        (count(*) filter (where linked) + coalesce(sum(o.found), 0))::bigint as edges,
        count(*) filter (where (len(parent_ids) > 0 and not linked) or o.missing > 0) as orphans
    from s_nodes n join s_labels l using (ord) left join s_other_links o using (ord) group by piece
), per_node as (
    select source, sum(nodes)::bigint as nodes, sum(roots)::bigint as roots, sum(merged)::bigint as merged, max(max_depth) as max_depth,
        sum(edges)::bigint as edges, sum(orphans)::bigint as orphans
    from per_piece join s_pieces using (piece) group by source
), per_problem as (
    select source, count(*) as problems, count(*) filter (where rejected) as rejected from s_problems group by source
)
select source, coalesce(runs, 0) as runs, coalesce(nodes, 0) as nodes, coalesce(edges, 0) as edges, coalesce(roots, 0) as roots,
    coalesce(orphans, 0) as orphans, coalesce(merged, 0) as merged, max_depth, coalesce(problems, 0) as problems, coalesce(rejected, 0) as rejected
from (select unnest($sources) as source) left join per_run using (source) left join per_node using (source)
left join per_problem using (source)
"""

_LISTED = """
select coalesce(path, source || coalesce(':' || line, '')) as "where", message, hint, kind, rejected
from s_problems where source = $source order by line nulls last, rowid limit 1000
"""


def of_sources(staging: Staging, sources: list[str]) -> dict[str, dict[str, int | None]]:
    """For each source: runs, nodes, edges, roots, orphans, merged, max_depth (None of nothing), problems, rejected."""
    rows = staging.con.sql(_COUNTS, params={"sources": sources}).to_arrow_table().to_pylist()
    return {row.pop("source"): row for row in rows}


def problems_of(staging: Staging, source: str) -> list[dict[str, Any]]:
    """The first thousand problems of a source, in the order of the file."""
    rows: list[dict[str, Any]] = staging.con.sql(_LISTED, params={"source": source}).to_arrow_table().to_pylist()
    return rows

"""What does not add up within a run? Every finding is a row of ``problems``; nothing is changed or dropped here.

Kinds: ``duplicate`` (a node id twice), ``orphan`` (the parent is not in the log), ``cycle``, ``depth`` (the logged depth differs from the
parents'), ``time`` (ends before it starts, or starts before its parent), ``no_run`` (calls of a node or run that was never logged),
``path`` (the selected path names an unknown node), ``totals`` (the producer's own totals differ from the sums).
"""

from __future__ import annotations

from ingest.staging import Staging

_CALL_SUMS = """
create or replace table s_call_sums as
select run_id, count(*) as calls, sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens, sum(cached_tokens) as cached_tokens,
    fsum(cost) as cost, count(cost) as calls_with_cost, count(coalesce(input_tokens, output_tokens)) as calls_with_tokens,
    fsum(latency_ms) as latency_ms, count(*) filter (where misfit) as misfits
from s_calls group by run_id
"""
"""fsum is right to the last bit in whatever order the rows come; sum differs from one load of the same log to the next."""

_UNIQUE = """
insert into s_problems by name
select any_value(source) as source, max(piece) as piece, arg_max(row, ord) as row, 'duplicate' as kind, run_id, node_id, true as rejected,
    'run ' || run_id || ': node ' || node_id || ' is recorded ' || count(*) || ' times; the last record is used' as message,
    'Give every node an id of its own.' as hint
from s_placed_nodes group by run_id, node_id having count(*) > 1
order by min(ord);
delete from s_nodes where ord not in (select max(ord) from s_nodes group by run_id, node_id)
"""

_ORPHANS = """
insert into s_problems by name
select source, piece, row, 'orphan' as kind, run_id, node_id, false as rejected,
    'run ' || run_id || ': node ' || node_id || ' names parent ' || parent || ', which the log does not hold' as message,
    'The log was probably cut. The node hangs from a stand-in for the missing parent.' as hint
from (
    select source, piece, row, run_id, node_id, unnest(parent_ids) as parent, ord
    from s_placed_nodes join s_labels using (ord) left join s_other_links using (ord) where (len(parent_ids) > 0 and not linked) or missing > 0
) as link
where not exists (select 1 from s_nodes p where p.run_id = link.run_id and p.node_id = link.parent)
order by ord
"""

_CYCLES = """
insert into s_problems by name
select arg_max(n.source, n.ord) as source, arg_max(n.piece, n.ord) as piece, arg_max(n.row, n.ord) as row, 'cycle' as kind,
    c.run_id, arg_max(c.node_id, c.ord) as node_id, false as rejected,
    'run ' || c.run_id || ': the parents of ' || string_agg(c.node_id, ', ' order by c.ord)
        || ' go round in a circle; the link above ' || arg_max(c.node_id, c.ord) || ' was cut for drawing' as message,
    'Check how the orchestrator writes parent ids.' as hint
from s_cycles c join s_placed_nodes n on n.ord = c.ord
group by c.run_id, c.cycle order by min(c.ord)
"""

_DEPTHS = """
insert into s_problems by name
select n.source, n.piece, n.row, 'depth' as kind, n.run_id, n.node_id, false as rejected,
    'run ' || n.run_id || ': node ' || n.node_id || ' is logged at depth ' || n.depth || ', its parent at depth ' || p.depth as message,
    'The logged depth is kept.' as hint
from s_placed_nodes n join s_labels l using (ord) join s_nodes p on p.ord = l.parent_ord
where n.depth <> p.depth + 1
order by n.ord
"""

_TIMES = """
insert into s_problems by name
select n.source, n.piece, n.row, 'time' as kind, n.run_id, n.node_id, false as rejected,
    'run ' || n.run_id || ': node ' || n.node_id || case when n.ended_at < n.started_at then ' ends before it starts'
        else ' starts before its parent' end as message,
    'Two clocks disagree; durations are taken from latency_ms only.' as hint
from s_placed_nodes n join s_labels l using (ord) left join s_nodes p on p.ord = l.parent_ord
where n.started_at is not null and (n.ended_at < n.started_at or n.started_at < p.started_at)
order by n.ord
"""

_STRAY_CALLS = """
insert into s_problems by name
select any_value(r.source) as source, 'no_node' as kind, c.run_id, c.node_id, false as rejected,
    'run ' || c.run_id || ': ' || count(*) || ' call(s) name node ' || c.node_id || ', which the log does not hold' as message,
    'They count in the totals of the run, at no depth.' as hint
from s_calls c left join s_runs r on r.run_id = c.run_id
where c.node_id is not null and c.node_ord is null and not exists (select 1 from s_nodes n where n.run_id = c.run_id and n.node_id = c.node_id)
group by c.run_id, c.node_id order by min(c.ord)
"""

_PATHS = """
insert into s_problems by name
select source, 'path' as kind, run_id, step as node_id, false as rejected,
    'run ' || run_id || ': the selected path names node ' || step || ', which the log does not hold' as message,
    'The path is shown as far as it is known.' as hint
from (select source, run_id, unnest(selected_path) as step, ord from s_runs) as chosen
where not exists (select 1 from s_nodes n where n.run_id = chosen.run_id and n.node_id = chosen.step)
order by ord
"""

_TOTALS = """
insert into s_problems by name
with compared as (
    select source, run_id, ord, unnest([
        case when reported_calls <> calls then {'what': 'calls', 'said': reported_calls::varchar, 'found': calls::varchar} end,
        case when reported_input_tokens <> input_tokens then
            {'what': 'input tokens', 'said': reported_input_tokens::varchar, 'found': input_tokens::varchar} end,
        case when reported_output_tokens <> output_tokens then
            {'what': 'output tokens', 'said': reported_output_tokens::varchar, 'found': output_tokens::varchar} end,
        case when abs(reported_cost - cost) > 1e-9 + 1e-6 * abs(reported_cost) then
            {'what': 'dollars', 'said': round(reported_cost, 9)::varchar, 'found': round(cost, 9)::varchar} end]) as gap
    from s_runs join s_call_sums using (run_id)
)
select source, 'totals' as kind, run_id, false as rejected,
    'run ' || run_id || ': the producer reports ' || gap.said || ' ' || gap.what || ', its calls add up to ' || gap.found as message,
    'The sum over the calls is shown; some calls may not be in the log.' as hint
from compared where gap is not null order by ord
"""


def make_unique(staging: Staging) -> None:
    """Name repeated node ids and keep the last record of each. Runs before the tree is labelled."""
    staging.con.execute(_UNIQUE)


def check(staging: Staging) -> None:
    """Add up the calls of each run (``s_call_sums``) and name everything else that does not add up. Runs after the tree is labelled."""
    for statement in (_CALL_SUMS, _ORPHANS, _CYCLES, _DEPTHS, _TIMES, _STRAY_CALLS, _PATHS, _TOTALS):
        staging.con.execute(statement)

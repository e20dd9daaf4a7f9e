-- What did each level cost? One row per run, deepening pass and depth, for the runs in the range of ids.
--
-- The work of a level is what made its nodes: the proposals asked of the nodes above it, and every other call about its own nodes.
--
--   run_id      the run
--   pass        bound of its deepening pass; null: none
--   depth       depth of the nodes that were made; the root is 0
--   nodes       nodes of this depth
--   scored      how many of them have a usable score
--   expanded    how many of them were expanded
--   children    children of these, by primary parent
--   calls       calls made for this level; 0 also where the run recorded no calls
--   tokens      input + output tokens; null: recorded for none of them
--   cost_usd    US dollars; null: recorded for none of them
--   latency_s   seconds spent waiting, summed over calls; null: recorded for none of them
with made as (
    select
        run_id,
        "pass",
        depth,
        count(*) as nodes,
        count(score) as scored,
        count(*) filter (where n_children > 0 or fate = 'expanded') as expanded,
        sum(n_children)::bigint as children
    from nodes
    where run_id between $first_run and $last_run
    group by run_id, "pass", depth
),
paid as (
    select
        c.run_id,
        n."pass",
        n.depth + case when c.role = 'proposer' then 1 else 0 end as depth,
        count(*) as calls,
        sum(coalesce(c.input_tokens + c.output_tokens, c.input_tokens, c.output_tokens))::bigint as tokens,
        round(fsum(c.cost), 12) as cost_usd,
        fsum(c.latency_ms) / 1000 as latency_s
    from calls as c
    join nodes as n on n.run_id = c.run_id and n.node_id = c.node_id
    where c.run_id between $first_run and $last_run
    group by c.run_id, n."pass", n.depth + case when c.role = 'proposer' then 1 else 0 end
)
select
    coalesce(m.run_id, p.run_id) as run_id,
    coalesce(m."pass", p."pass") as pass,
    coalesce(m.depth, p.depth) as depth,
    coalesce(m.nodes, 0) as nodes,
    coalesce(m.scored, 0) as scored,
    coalesce(m.expanded, 0) as expanded,
    coalesce(m.children, 0) as children,
    coalesce(p.calls, 0) as calls,
    p.tokens,
    p.cost_usd,
    p.latency_s
from made as m
full join paid as p on p.run_id = m.run_id and p.depth = m.depth and p."pass" is not distinct from m."pass"
order by run_id, pass nulls first, depth

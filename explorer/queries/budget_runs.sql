-- What did each run spend in all, what of it on the selected path, and of what shape is its tree? One row per run in the range of ids, in order.
--
--   run_id         the run
--   spend_from     'calls': spend is summed over calls; 'run': only the producer's total is recorded; null: neither
--   calls          calls in the log, or as reported for the whole run; null: not recorded
--   tokens         input + output tokens; null: not recorded
--   cost_usd       US dollars; null: not recorded
--   latency_s      seconds spent waiting, summed over calls; null: not recorded
--   calls_with_tokens, calls_with_cost  how many calls recorded that figure; null where the total is the producer's own
--   evaluations    calls of evaluators and verifiers; null: no calls are recorded
--   evaluation_cost_usd  their cost; null: recorded for none of them
--   path_nodes     nodes of the selected path that the log holds; null: no path is recorded
--   path_calls     calls made for them; null: no calls or no path are recorded
--   path_tokens    their input + output tokens; null: recorded for none of them
--   path_cost_usd  their cost; null: recorded for none of them
--   path_verified  result of an external check of its last node; null: none is recorded
--   unplaced       calls that name no node of the log
--   depth_reached  deepest depth, as logged or else of the nodes; null: no nodes
--   open_deepest   nodes left open at the deepest depth of a node
--   finished       terminal nodes
--   checked        nodes with the result of an external check
--   scored         nodes with a usable score
--   tops           nodes without a parent in the log
--   branching      nodes with several children
--   branching_tops  tops with several children
--   early_cuts     nodes pruned above the deepest depth
with asked as (
    select run_id, selected_path, spend_from, max_depth
    from runs
    where run_id between $first_run and $last_run
),
chosen as (
    select distinct run_id, unnest(selected_path) as node_id
    from asked
),
path as (
    select
        c.run_id,
        count(*) as path_nodes,
        bool_or(n.verified) filter (where n.node_id = a.selected_path[-1]) as verified
    from chosen as c
    join asked as a on a.run_id = c.run_id
    join nodes as n on n.run_id = c.run_id and n.node_id = c.node_id
    group by c.run_id
),
shape as (
    select
        n.run_id,
        count(*) filter (where n.fate = 'open' and n.depth = a.max_depth) as open_deepest,
        count(n.verified) as checked,
        count(*) filter (where n.parent_preorder is null) as tops,
        count(*) filter (where n.n_children > 1) as branching,
        count(*) filter (where n.n_children > 1 and n.parent_preorder is null) as branching_tops,
        count(*) filter (where n.fate = 'pruned' and n.depth < a.max_depth) as early_cuts
    from nodes as n
    join asked as a on a.run_id = n.run_id
    group by n.run_id
),
paid as (
    select
        c.run_id,
        count(*) filter (where c.role in ('evaluator', 'verifier')) as evaluations,
        round(fsum(c.cost) filter (where c.role in ('evaluator', 'verifier')), 12) as evaluation_cost_usd,
        count(*) filter (where h.node_id is not null) as path_calls,
        (sum(coalesce(c.input_tokens + c.output_tokens, c.input_tokens, c.output_tokens)) filter (where h.node_id is not null))::bigint as path_tokens,
        round(fsum(c.cost) filter (where h.node_id is not null), 12) as path_cost_usd,
        count(*) filter (where c.depth is null) as unplaced
    from calls as c
    left join chosen as h on h.run_id = c.run_id and h.node_id = c.node_id
    where c.run_id between $first_run and $last_run
    group by c.run_id
)
select
    r.run_id,
    r.spend_from,
    case when r.spend_from = 'run' or r.calls = 0 then r.reported_calls else r.calls end as calls,
    case r.spend_from
        when 'run' then coalesce(r.reported_tokens, r.reported_input_tokens + r.reported_output_tokens)
        else coalesce(r.input_tokens + r.output_tokens, r.input_tokens, r.output_tokens)
    end as tokens,
    round(case r.spend_from when 'run' then r.reported_cost else r.cost end, 12) as cost_usd,
    r.latency_ms / 1000 as latency_s,
    case when r.calls > 0 then r.calls_with_tokens end as calls_with_tokens,
    case when r.calls > 0 then r.calls_with_cost end as calls_with_cost,
    p.evaluations,
    p.evaluation_cost_usd,
    case when r.selected_path is not null then coalesce(path.path_nodes, 0) end as path_nodes,
    case when r.selected_path is not null then p.path_calls end as path_calls,
    p.path_tokens,
    p.path_cost_usd,
    path.verified as path_verified,
    coalesce(p.unplaced, 0) as unplaced,
    coalesce(r.depth_reached, r.max_depth) as depth_reached,
    coalesce(s.open_deepest, 0) as open_deepest,
    r.terminal as finished,
    coalesce(s.checked, 0) as checked,
    r.scored,
    coalesce(s.tops, 0) as tops,
    coalesce(s.branching, 0) as branching,
    coalesce(s.branching_tops, 0) as branching_tops,
    coalesce(s.early_cuts, 0) as early_cuts
from runs as r
left join shape as s on s.run_id = r.run_id
left join paid as p on p.run_id = r.run_id
left join path on path.run_id = r.run_id
where r.run_id between $first_run and $last_run
order by r.run_id

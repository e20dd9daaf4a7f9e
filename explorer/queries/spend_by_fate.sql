-- How much was spent on what was not followed? One row per place of the node (on the selected path or off it) and what became of it.
--
--   on_path        true: on the selected path; null: the log names no selected path, or the call names no node
--   became         fate of the node, 'duplicate' for a pruned repetition of a known state; null: not recorded, or no node
--   calls          calls made for these nodes
--   calls_with_cost, calls_with_tokens, calls_with_latency  how many of them recorded that figure
--   input_tokens   sum over the calls that recorded it; null where none did
--   output_tokens  likewise
--   cost           US dollars, likewise
--   latency_s      seconds spent waiting, summed over calls
with chosen as (
    select unnest(selected_path) as node_id
    from runs
    where run_id = $run_id
),
placed as (
    select
        n.node_id,
        case when r.selected_path is not null then n.node_id in (select node_id from chosen) end as on_path,
        case
            when n.fate = 'pruned' and (n.pruned_by = 'distinct' or n.merged_into is not null) then 'duplicate'
            else n.fate
        end as became
    from nodes as n
    join runs as r on r.run_id = n.run_id
    where n.run_id = $run_id
)
select
    p.on_path,
    p.became,
    count(*) as calls,
    count(c.cost) as calls_with_cost,
    count(c.input_tokens + c.output_tokens) as calls_with_tokens,
    count(c.latency_ms) as calls_with_latency,
    sum(c.input_tokens)::bigint as input_tokens,
    sum(c.output_tokens)::bigint as output_tokens,
    fsum(c.cost) as cost,
    fsum(c.latency_ms) / 1000 as latency_s
from calls as c
left join placed as p on p.node_id = c.node_id
where c.run_id = $run_id
group by p.on_path, p.became
order by p.on_path desc nulls last, p.became nulls last

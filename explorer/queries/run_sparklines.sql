-- How do spend and the best score change with depth? One row per run, for the small charts of the run list.
--
--   run_id  the run
--   best    best score of each depth that has one, from the root down
--   spend   dollars of each depth, or tokens where no call has a cost; calls that record neither are left out, so it may be too low
with scored as (
    select run_id, depth, max(score) as best
    from nodes
    where score is not null
    group by run_id, depth
),
best as (
    select run_id, list(best order by depth) as best
    from scored
    group by run_id
),
spent as (
    select run_id, depth, fsum(cost) as cost, sum(input_tokens + output_tokens)::double as tokens
    from calls
    where depth is not null
    group by run_id, depth
),
spend as (
    select
        run_id,
        case
            when count(cost) > 0 then list(coalesce(cost, 0) order by depth)
            when count(tokens) > 0 then list(coalesce(tokens, 0) order by depth)
        end as spend
    from spent
    group by run_id
)
select runs.run_id, best.best, spend.spend
from runs
left join best on best.run_id = runs.run_id
left join spend on spend.run_id = runs.run_id
order by runs.run_id

-- What did the proposer answer when these nodes were expanded? One row per proposer call at one of the nodes, in the runs of the range of ids.
--
--   run_id   the run
--   node_id  the node that was expanded
--   parsed   the proposals that were read out of the answer, as JSON; null: not recorded
--   error    what failed; null: nothing recorded
with wanted as (
    select unnest($node_runs) as run_id, unnest($nodes) as node_id
)
select
    c.run_id,
    c.node_id,
    c.parsed,
    c.error
from calls as c
join wanted as w on w.run_id = c.run_id and w.node_id = c.node_id
where c.run_id between $first_run and $last_run and c.role = 'proposer'
order by c.run_id, c.node_id, c.call_id

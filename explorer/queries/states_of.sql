-- Which states did these nodes of the runs in the range of ids record? One row per node.
--
--   run_id   the run
--   node_id  the node
--   state    its state as JSON; null: not recorded
with wanted as (
    select unnest($node_runs) as run_id, unnest($nodes) as node_id
)
select n.run_id, n.node_id, n.state
from nodes as n
join wanted as w on w.run_id = n.run_id and w.node_id = n.node_id
where n.run_id between $first_run and $last_run
order by n.run_id, n.preorder

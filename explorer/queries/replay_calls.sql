-- What was paid for each node? One row per call that worked on a node, for the runs in the range of ids, run by run in preorder.
--
-- Calls at one node stand in the order in which they began; those of which that is not recorded come first.
--
--   run_id      the run
--   preorder    place of the node in the run, from 0
--   role        proposer | evaluator | verifier | tool; null: not recorded
--   tokens      input and output together, as far as recorded; null: neither is
--   cost        US dollars; null: not recorded
--   latency_ms  how long it took; null: not recorded
select
    c.run_id,
    n.preorder,
    c.role,
    case when c.input_tokens is not null or c.output_tokens is not null then coalesce(c.input_tokens, 0) + coalesce(c.output_tokens, 0) end as tokens,
    c.cost,
    c.latency_ms
from calls as c
join nodes as n on n.run_id = c.run_id and n.node_id = c.node_id
where c.run_id between $first_run and $last_run and n.run_id between $first_run and $last_run
order by c.run_id, n.preorder, c.started_at nulls first, c.call_id

-- What did the evaluator answer about these nodes? One row per call of an evaluator or verifier, for nodes of the runs in the range of ids.
--
--   run_id    the run
--   node_id   the node
--   role      evaluator | verifier
--   parsed    what was read out of the answer; null: not recorded
--   error     what failed; null: nothing recorded
--   response  the answer, the first 4,000 characters; null: not kept
with wanted as (
    select unnest($node_runs) as run_id, unnest($nodes) as node_id
)
select
    c.run_id,
    c.node_id,
    c.role,
    c.parsed,
    c.error,
    left(t.text, 4000) as response
from calls as c
join wanted as w on w.run_id = c.run_id and w.node_id = c.node_id
left join texts as t on t.run_id = c.run_id and t.hash = c.response_hash
where c.run_id between $first_run and $last_run and c.role in ('evaluator', 'verifier')
order by c.run_id, c.node_id, c.started_at nulls last, c.call_id

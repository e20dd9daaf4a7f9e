-- What was spent at each node? One row per node with calls, for the runs in the range of ids.
--
--   run_id        the run
--   preorder      place of the node in the run, from 0
--   calls         calls made for it
--   tokens        input + output tokens of those calls; null: recorded for none of them
--   cost          US dollars; null: recorded for none of them
--   judge_calls   how many of the calls only evaluated it
--   judge_tokens  their tokens; null: recorded for none of them
--   judge_cost    their cost; null: recorded for none of them
select
    c.run_id,
    n.preorder,
    count(c.call_id) as calls,
    sum(c.input_tokens + c.output_tokens)::bigint as tokens,
    fsum(c.cost) as cost,
    count(c.call_id) filter (where c.role in ('evaluator', 'verifier')) as judge_calls,
    (sum(c.input_tokens + c.output_tokens) filter (where c.role in ('evaluator', 'verifier')))::bigint as judge_tokens,
    fsum(c.cost) filter (where c.role in ('evaluator', 'verifier')) as judge_cost
from calls as c
join nodes as n on n.run_id = c.run_id and n.node_id = c.node_id
where c.run_id between $first_run and $last_run
group by c.run_id, n.preorder
order by c.run_id, n.preorder

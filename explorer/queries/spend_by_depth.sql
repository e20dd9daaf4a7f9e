-- Where did calls, tokens, seconds and dollars go? One row per depth and role of one run.
--
--   depth          depth of the node that the call worked on; null: the call names no node
--   role           proposer, evaluator, verifier or tool; null: not recorded
--   calls          calls
--   calls_with_cost, calls_with_tokens, calls_with_latency, calls_with_retries  how many of them recorded that figure
--   input_tokens   sum over the calls that recorded it; null where none did
--   output_tokens  likewise
--   cached_tokens  likewise; part of input_tokens, never added to it
--   cost           US dollars, likewise
--   latency_s      seconds spent waiting, summed over calls
--   retries        retried requests
select
    depth,
    role,
    count(*) as calls,
    count(cost) as calls_with_cost,
    count(input_tokens + output_tokens) as calls_with_tokens,
    count(latency_ms) as calls_with_latency,
    count(retries) as calls_with_retries,
    sum(input_tokens)::bigint as input_tokens,
    sum(output_tokens)::bigint as output_tokens,
    sum(cached_tokens)::bigint as cached_tokens,
    fsum(cost) as cost,
    fsum(latency_ms) / 1000 as latency_s,
    sum(retries)::bigint as retries
from calls
where run_id = $run_id
group by depth, role
order by depth nulls last, role nulls last

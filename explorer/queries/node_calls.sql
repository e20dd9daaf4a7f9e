-- What was asked, answered and paid for one node? One row per call, the proposals at its parent $parent_id included; at most $most.
--
--   call_id        the call
--   at_parent      true: made at the parent, where a proposal that yields several children stands once
--   role           proposer | evaluator | verifier | tool; null: not recorded
--   model          null: not recorded
--   temperature    null: not recorded
--   parsed         what was read out of the response; null: not recorded
--   input_tokens, output_tokens  null: not recorded
--   cached_tokens  part of input_tokens; null: not recorded
--   cost           US dollars; null: not recorded
--   latency_ms     null: not recorded
--   retries        null: not recorded
--   from_cache     null: not recorded
--   error          as logged; null: none recorded
--   prompt_hash, response_hash  names of the texts, for call_texts; null: not recorded
select
    call_id,
    node_id <> $node_id as at_parent,
    role,
    model,
    temperature,
    parsed,
    input_tokens,
    output_tokens,
    cached_tokens,
    cost,
    latency_ms,
    retries,
    from_cache,
    error,
    prompt_hash,
    response_hash
from calls
where run_id = $run_id and (node_id = $node_id or (node_id = $parent_id and (role = 'proposer' or role is null)))
order by at_parent, started_at nulls last, call_id
limit $most

-- What do the logs of each format leave out? One row per format and field.
--
--   format    the reader that read the logs
--   record    run | node | call
--   field     the field
--   records   records of this kind
--   recorded  records in which the field is there
with run_fields as (
    select
        source_format as format,
        count(*) as records,
        count(question) as question,
        count(answer) as answer,
        count(outcome_by) as outcome,
        count(protocol) as protocol,
        count(stop_reason) as stop_reason,
        count(complete) as complete,
        count(selected_path) as selected_path,
        count(wall_clock_s) as wall_clock_s
    from runs
    group by source_format
),
node_fields as (
    select
        runs.source_format as format,
        count(*) as records,
        count(nodes.step) as step,
        count(nodes.state) as state,
        count(nodes.state_key) as state_key,
        count(nodes.observation) as observation,
        count(nodes.score) as score,
        count(nodes.tier) as tier,
        count(nodes.fate) as fate,
        count(nodes.prune_rule) as prune_rule,
        count(nodes.prune_reason) as prune_reason,
        count(nodes.decision_id) as decision_id,
        count(nodes.seq) as seq,
        count(nodes.started_at) as started_at
    from nodes
    inner join runs on runs.run_id = nodes.run_id
    group by runs.source_format
),
call_fields as (
    select
        runs.source_format as format,
        count(*) as records,
        count(calls.role) as role,
        count(calls.model) as model,
        count(calls.prompt_hash) as prompt,
        count(calls.response_hash) as response,
        count(calls.input_tokens) as input_tokens,
        count(calls.output_tokens) as output_tokens,
        count(calls.cost) as cost,
        count(calls.latency_ms) as latency_ms
    from calls
    inner join runs on runs.run_id = calls.run_id
    group by runs.source_format
),
long_runs as (
    unpivot run_fields
    on question, answer, outcome, protocol, stop_reason, complete, selected_path, wall_clock_s
    into name field value recorded
),
long_nodes as (
    unpivot node_fields
    on step, state, state_key, observation, score, tier, fate, prune_rule, prune_reason, decision_id, seq, started_at
    into name field value recorded
),
long_calls as (
    unpivot call_fields
    on role, model, prompt, response, input_tokens, output_tokens, cost, latency_ms
    into name field value recorded
),
together as (
    select format, 'run' as record, field, records, recorded from long_runs
    union all
    select format, 'node' as record, field, records, recorded from long_nodes
    union all
    select format, 'call' as record, field, records, recorded from long_calls
)
select format, record, field, records, recorded
from together
order by format, case record when 'run' then 0 when 'node' then 1 else 2 end, field

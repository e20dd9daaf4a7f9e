-- When did each run with texts begin? One row per run that has prompts or responses in the store.
--
--   run_id       the run
--   started_at   its own time, else that of its first node or call; null: no time is recorded
--   texts_until  the end of the window in which its texts may be kept, as its recorder set it; null: none was set
with first_node as (
    select run_id, min(started_at) as started_at
    from nodes
    group by run_id
),

first_call as (
    select run_id, min(started_at) as started_at
    from calls
    group by run_id
)

select
    runs.run_id,
    coalesce(runs.started_at, first_node.started_at, first_call.started_at) as started_at,
    try_cast(json_extract_string(runs.extra, '$.texts_until') as timestamptz) as texts_until
from runs
left join first_node using (run_id)
left join first_call using (run_id)
where run_id in (select run_id from texts)
order by run_id

-- What did each run spend by its own count? One row per run in the range of ids, in order of their ids.
--
--   run_id  the run
--   tokens  input and output together; null: not recorded
--   cost    US dollars; null: not recorded
select
    run_id,
    coalesce(reported_tokens, reported_input_tokens + reported_output_tokens) as tokens,
    reported_cost as cost
from runs
where run_id between $first_run and $last_run
order by run_id

-- What does a run say about itself that bears on where it was lost? One row per run in the range of ids, in order of their ids.
--
--   run_id           the run
--   task_id          the task; null: not recorded
--   question         its question, the first 200 characters; null: not recorded
--   outcome          right | wrong | unknown
--   outcome_by       what decided the outcome; null: not recorded
--   stop_reason      why it ended; null: not recorded
--   complete         false: a cap cut the search off; null: not recorded
--   ended            false: no end record, so it is running or died; null: the format has no such record
--   selected_path    node ids, root first; null: not recorded
--   level_by_level   true: candidates of one depth compete; null: not known
--   protocol         JSON object of its settings; null: not recorded
--   fingerprint      names the protocol; null: not recorded
--   merged           nodes with several parents
--   nodes            nodes in the log
--   max_depth        greatest depth of a node
--   wall_clock_s     seconds from start to end; null: not recorded
--   calls            calls in the log
--   budgets          the caps that were set, by the stop reason that names them; null: not recorded
--   warnings         what its reader had to assume; empty: nothing
--   stage_labels     JSON object of what the log itself says about stages; null: nothing
select
    run_id,
    task_id,
    left(question, 200) as question,
    outcome,
    outcome_by,
    stop_reason,
    complete,
    ended,
    selected_path,
    level_by_level,
    protocol,
    fingerprint,
    merged,
    nodes,
    max_depth,
    wall_clock_s,
    calls,
    {
        'max_depth': budget_max_depth,
        'max_nodes': budget_max_nodes,
        'wall_clock': budget_wall_clock_s,
        'call_budget': budget_max_calls,
        'token_budget': budget_max_tokens,
        'cost_budget': budget_max_cost
    } as budgets,
    warnings,
    case when contains(extra, '"reachable"') then extra end as stage_labels
from runs
where run_id between $first_run and $last_run
order by run_id

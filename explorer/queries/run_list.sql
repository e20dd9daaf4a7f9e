-- Which run should I look at first? One row per run; wrong ones first, then unknown, then right.
--
--   run_id          the run
--   task_id         the task; null: not recorded
--   question        its question, the first 200 characters; null: not recorded
--   outcome         right | wrong | unknown
--   stop_reason     why it ended; null: not recorded
--   complete        false: a cap cut the search off; null: not recorded
--   ended           false: no end record, so it is running or died; null: the format has no such record
--   nodes           nodes in the log
--   max_depth       greatest depth of a node
--   cost            US dollars; null: not recorded
--   tokens          input + output tokens; null: not recorded
--   uncosted        calls that have no cost, so that the run's cost is too low; null without any cost
--   wall_clock_s    seconds from start to end; null: not recorded
--   selected_score  score of the last node of the selected path; null: not recorded
--   problems        problems found while it was loaded
--   source_format   the reader that read it
--   source          the log file
select
    run_id,
    task_id,
    left(question, 200) as question,
    outcome,
    stop_reason,
    complete,
    ended,
    nodes,
    max_depth,
    case spend_from when 'run' then reported_cost else cost end as cost,
    case spend_from
        when 'run' then coalesce(reported_tokens, reported_input_tokens + reported_output_tokens)
        else input_tokens + output_tokens
    end as tokens,
    case when spend_from = 'calls' and calls_with_cost > 0 then calls - calls_with_cost end as uncosted,
    wall_clock_s,
    selected_score,
    problems,
    source_format,
    source
from runs
order by case outcome when 'wrong' then 0 when 'right' then 2 else 1 end, task_id nulls last, run_id

-- What must a reader know about a run before looking into it? One row, or none where the store has no such run.
--
--   run_id          the run
--   task_id         the task; null: not recorded
--   question        its question; null: not recorded
--   answer          the answer that it gave; null: not recorded
--   outcome         right | wrong | unknown
--   outcome_by      what decided the outcome; null: not recorded
--   stop_reason     why it ended; null: not recorded
--   complete        false: a cap cut the search off; null: not recorded
--   ended           false: no end record, so it is running or died; null: the format has no such record
--   protocol        JSON object of every recorded setting; null: not recorded
--   fingerprint     names the protocol; null: not recorded
--   level_by_level  true: the candidates of one depth compete; false: siblings do; null: not known
--   nodes           nodes in the log
--   max_depth       greatest depth of a node
--   scored          nodes with a usable score
--   orphans         nodes whose parent is not in the log
--   merged          nodes with more than one parent
--   roots           nodes without a parent
--   problems        problems found while it was loaded
--   decisions       whether a node names the decision in which it was ranked
--   calls           calls in the log, or as reported for the whole run
--   cost            US dollars; null: not recorded
--   tokens          input + output tokens; null: not recorded
--   uncosted        calls that have no cost, so that the run's cost is too low; null without any cost
--   spend_from      'calls': summed over calls; 'run': the producer's own total; null: neither
--   wall_clock_s    seconds from start to end; null: not recorded
--   selected_path   node ids, root first; null: not recorded
--   warnings        what the reader had to assume
--   source          the log file
--   source_format   the reader that read it
select
    run_id,
    task_id,
    question,
    answer,
    outcome,
    outcome_by,
    stop_reason,
    complete,
    ended,
    protocol,
    fingerprint,
    level_by_level,
    nodes,
    max_depth,
    scored,
    orphans,
    merged,
    roots,
    problems,
    exists (select 1 from nodes where nodes.run_id = $run_id and nodes.decision_id is not null) as decisions,
    case spend_from when 'run' then reported_calls else calls end as calls,
    case spend_from when 'run' then reported_cost else cost end as cost,
    case spend_from
        when 'run' then coalesce(reported_tokens, reported_input_tokens + reported_output_tokens)
        else input_tokens + output_tokens
    end as tokens,
    case when spend_from = 'calls' and calls_with_cost > 0 then runs.calls - calls_with_cost end as uncosted,
    spend_from,
    wall_clock_s,
    selected_path,
    warnings,
    source,
    source_format
from runs
where run_id = $run_id

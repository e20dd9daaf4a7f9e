-- Who says that a right answer can still be reached from a node, or cannot? One row per node and source, for the runs in the range of ids.
--
-- environment: a terminal node that was checked, and the end of the path selected by a run whose outcome was decided
-- (an outcome that rests on a judge alone decides nothing). cross_run: another run of the same task ended right and its
-- selected path went through the same state key. All other sources stand in the table truth.
--
--   run_id     the run
--   preorder   place of the node in the run, from 0
--   viable     what the source says
--   viable_by  environment | oracle | label | reviewer | cross_run
--   detail     the check, oracle, reviewer or run behind it; null: not recorded
with ends as (
    select
        run_id,
        selected_path[-1] as node_id,
        outcome = 'right' as viable,
        outcome_by
    from runs
    where run_id between $first_run and $last_run and outcome in ('right', 'wrong') and len(selected_path) > 0
        and not regexp_matches(coalesce(outcome_by, ''), '^(judge|model|llm|evaluator)')
),
right_runs as (
    select run_id, task_id, unnest(selected_path) as node_id
    from runs
    where outcome = 'right' and task_id in (select asked.task_id from runs as asked where asked.run_id between $first_run and $last_run)
),
right_keys as (
    select r.task_id, n.state_key, min(r.run_id) as first_run, max(r.run_id) as last_run
    from right_runs as r
    join nodes as n on n.run_id = r.run_id and n.node_id = r.node_id
    where n.state_key is not null
    group by r.task_id, n.state_key
)
select n.run_id, n.preorder, n.verified as viable, 'environment' as viable_by, 'check of the node' as detail
from nodes as n
where n.run_id between $first_run and $last_run and n.verified is not null
union all
select e.run_id, n.preorder, e.viable, 'environment' as viable_by, coalesce(e.outcome_by, 'outcome of the run') as detail
from ends as e
join nodes as n on n.run_id = e.run_id and n.node_id = e.node_id
where n.verified is null and (e.viable or n.fate = 'terminal')
union all
select t.run_id, n.preorder, t.viable, t.viable_by, t.detail
from truth as t
join nodes as n on n.run_id = t.run_id and n.node_id = t.node_id
where t.run_id between $first_run and $last_run
union all
select n.run_id, n.preorder, true as viable, 'cross_run' as viable_by, case k.first_run when n.run_id then k.last_run else k.first_run end as detail
from nodes as n
join runs as r on r.run_id = n.run_id
join right_keys as k on k.task_id = r.task_id and k.state_key = n.state_key
where n.run_id between $first_run and $last_run and not (k.first_run = n.run_id and k.last_run = n.run_id)
order by run_id, preorder, viable_by, detail

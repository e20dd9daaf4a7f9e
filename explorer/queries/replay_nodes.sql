-- What else must a replay know of a node? One row per node that is marked as finished or has an uncertainty, run by run in preorder.
--
--   run_id       the run
--   preorder     place of the node in the run, from 0
--   finished     the log says that there was nothing to expand, whatever became of the node
--   uncertainty  of its score; null: not recorded
select
    run_id,
    preorder,
    coalesce(contains(extra, '"finished"') and json_extract_string(extra, '$.finished') = 'true', false) as finished,
    uncertainty
from nodes
where run_id between $first_run and $last_run and (uncertainty is not null or contains(extra, '"finished"'))
order by run_id, preorder

-- Which value of one column, or of one field of the state, does each node have? One row per node in the range of ids, in preorder.
--
--   run_id    the run
--   preorder  place of the node in the run, from 0
--   value     the value as text; null: the node has none
select
    n.run_id,
    n.preorder,
    coalesce(
        json_extract_string(to_json(n), $path),
        json_extract_string(try_cast(n.state as json), $path),
        json_extract_string(try_cast(n.extra as json), $path)
    ) as value
from nodes as n
where n.run_id between $first_run and $last_run
order by n.run_id, n.preorder

-- Where does each run begin? One row per node that names no parent.
--
--   run_id   the run
--   node_id  the root; a run of independent samples has many
select run_id, node_id
from nodes
where len(coalesce(parent_ids, [])) = 0

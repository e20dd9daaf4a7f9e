-- Whose parent is missing? One row per link to a parent that the log does not hold.
--
--   run_id     the run
--   node_id    the node that names the parent
--   parent_id  the parent that is missing
select link.run_id, link.node_id, link.parent_id
from (select run_id, node_id, unnest(parent_ids) as parent_id from nodes) as link
anti join nodes as parent on parent.run_id = link.run_id and parent.node_id = link.parent_id

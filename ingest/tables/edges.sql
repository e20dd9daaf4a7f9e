-- Which node came from which? One row per link whose both ends are in the log.
--
--   run_id     the run
--   parent_id  the node that was expanded
--   child_id   the node that came out
--   position   0 for the primary parent, 1 and up for the further parents of a merged node
select link.run_id, link.parent_id, link.child_id, link.position
from (
    select run_id, unnest(parent_ids) as parent_id, node_id as child_id, generate_subscripts(parent_ids, 1) - 1 as position
    from nodes
) as link
semi join nodes as parent on parent.run_id = link.run_id and parent.node_id = link.parent_id

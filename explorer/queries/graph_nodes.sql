-- How do the nodes of a run hang together? One row per node of one run, in preorder.
--
--   node_id          the node
--   parent_ids       its parents as logged, the primary one first; empty for a root
--   parent_preorder  place of the primary parent; null for a top: a root, an orphan, or where a cycle was cut
--   preorder         its place in the run, from 0
--   depth            parent links up to the root; the root is 0
--   step             its parsed step, the first 160 characters; null: not recorded
--   state_key        what makes two states equivalent; null: not recorded
--   score            its score; null: none
--   fate             what became of it; null: not recorded
--   pruned_by        stage at which it was pruned; null: not pruned, or not recorded
--   merged_into      the node that stands for it; null: none
select
    node_id,
    parent_ids,
    parent_preorder,
    preorder,
    depth,
    left(step, 160) as step,
    state_key,
    score,
    fate,
    pruned_by,
    merged_into
from nodes
where run_id = $run_id
order by preorder

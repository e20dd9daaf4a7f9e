-- What are the nodes of this run? One row per node in the order of the tree, $rows rows from $start on.
--
--   node_id       the node
--   depth         parent links up to the root; the root is 0
--   step          the first 200 characters; null: not recorded
--   score         null: not scored
--   fate          null: not recorded
--   prune_rule    null: not recorded
--   prune_reason  the first 200 characters; null: not recorded
--   tier          what the score rests on; null: not recorded
--   children      children in the log
--   subtree       nodes below it, itself included
--   parent_id     primary parent; null for a root
--   error         null: none recorded
select
    node_id,
    depth,
    left(step, 200) as step,
    score,
    fate,
    prune_rule,
    left(prune_reason, 200) as prune_reason,
    tier,
    n_children as children,
    subtree_size as subtree,
    parent_ids[1] as parent_id,
    error
from nodes
where run_id = $run_id and preorder >= $start and preorder < $start + $rows
order by preorder

-- Which facts about each node decide where a path was lost? One row per node of the runs in the range of ids, run by run in preorder.
--
--   run_id           the run
--   node_id          the node
--   preorder         its place in the run, from 0
--   subtree_size     nodes below and including it
--   parent_preorder  place of its primary parent; null for a top
--   parent_ids       its parents as logged where there are several; null otherwise
--   orphan           its parent is not in the log, or the link to it was cut
--   depth            parent links up to the root; the root is 0
--   pass             bound of its deepening pass; null: none
--   request_index    its place among the proposals of its parent; null: not recorded
--   seq              order of creation; null: not recorded
--   decision_id      the candidates ranked together; null: not recorded
--   step             its parsed step, the first 400 characters; null: not recorded
--   state_key        what makes two states equivalent; null: not recorded
--   score            its score, higher is better; null: none
--   score_raw        the score as logged; null: none
--   tier             what the score rests on; null: not recorded
--   score_source     what kind of thing gave it; null: not recorded
--   evaluator        which evaluator gave it; null: not recorded
--   violations       constraints violated; null: not recorded
--   fate             what became of it; null: not recorded
--   pruned_by        stage at which it was pruned; null: not recorded
--   prune_rule       the rule; null: not recorded
--   prune_reason     the reason, the first 400 characters; null: not recorded
--   merged_into      the node that stands for it; null: none
--   error            what failed at it; null: nothing recorded
--   expanded_seq     place in the order of expansions; null: not recorded
--   verified         a terminal node's result in an external check; null: not recorded
--   env_checkpoint   the environment it left; null: not recorded
--   resumed_from     the environment it began in; null: not recorded
--   action_effect    informational | transformational; null: not recorded
--   n_children       children by primary parent
--   remarks          JSON of what else was logged, where it has no score or names a rank; null otherwise
select
    run_id,
    node_id,
    preorder,
    subtree_size,
    parent_preorder,
    case when len(parent_ids) > 1 then parent_ids end as parent_ids,
    parent_preorder is null and len(parent_ids) > 0 as orphan,
    depth,
    "pass",
    request_index,
    seq,
    decision_id,
    left(step, 400) as step,
    state_key,
    score,
    score_raw,
    tier,
    score_source,
    evaluator,
    violations,
    fate,
    pruned_by,
    prune_rule,
    left(prune_reason, 400) as prune_reason,
    merged_into,
    error,
    expanded_seq,
    verified,
    env_checkpoint,
    resumed_from,
    action_effect,
    n_children,
    case when score is null or contains(extra, '"rank"') then extra end as remarks
from nodes
where run_id between $first_run and $last_run
order by run_id, preorder

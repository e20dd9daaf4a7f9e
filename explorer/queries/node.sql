-- What was recorded about one node? One row, or none where the run has no such node.
--
--   node_id              the node
--   depth                as logged, else rebuilt from the parents
--   parent_ids           empty for a root; the first is the primary parent
--   n_children           children in the log
--   subtree_size         nodes below it, itself included
--   lo, hi               first and last leaf below it, in the run's order of leaves
--   step, state, observation  as logged, the first 200,001 characters; null: not recorded
--   state_key            what makes two states equivalent; null: not recorded
--   action_kind, action_target, action_effect  the action; null: not recorded
--   score                higher is better; null: never asked, or failed
--   score_raw            the score as logged
--   promise, progress, regressions, violations, uncertainty  parts of the evaluation; null: not recorded
--   tier                 what the score rests on; null: not recorded
--   score_source         model | verifier | environment; null: not recorded
--   evaluator            who scored; null: not recorded
--   fate                 what became of it; null: not recorded
--   pruned_by            the stage at which it was pruned; null: not recorded
--   prune_rule, prune_reason  as logged; null: not recorded
--   merged_into          the node that it was merged into; null: not recorded, or it was not
--   error                as logged; null: none recorded
--   verified             result of an external check; null: not recorded
--   request_index        position among what one request asked for; null: not recorded
--   seq                  order of creation; null: not recorded
--   expanded_seq         position in the order of expansions; null: not recorded
--   started_at, ended_at  null: not recorded
--   extra                JSON object of every logged field that has no column, the first 200,001 characters; null: none
select
    node_id,
    depth,
    parent_ids,
    n_children,
    subtree_size,
    lo,
    hi,
    left(step, 200001) as step,
    left(state, 200001) as state,
    left(observation, 200001) as observation,
    state_key,
    action_kind,
    action_target,
    action_effect,
    score,
    score_raw,
    promise,
    progress,
    regressions,
    violations,
    uncertainty,
    tier,
    score_source,
    evaluator,
    fate,
    pruned_by,
    prune_rule,
    prune_reason,
    merged_into,
    error,
    verified,
    request_index,
    seq,
    expanded_seq,
    started_at,
    ended_at,
    left(extra, 200001) as extra
from nodes
where run_id = $run_id and node_id = $node_id
limit 1

-- What was each chosen step chosen from? One row per node of the outline, parents before children.
--
-- Shown are the selected path, the inspected node, all their ancestors, and every child of those: path, what it beat, and what
-- came of the inspected node. Everything comes from the interval labels, so a run of any depth costs the same few scans.
-- Of one family the $siblings best scored are kept (nodes that lead on are always kept), of the run the $limit rows nearest in
-- depth to the inspected node (to the root, where none is).
--
--   node_id                 the node
--   preorder                its place in the run, children in the order they were asked for; the first top is 0
--   parent_preorder         the primary parent's place; null for a top
--   parent_id               the primary parent; null for a node that names none
--   subtree_size            nodes below it and itself
--   n_children              nodes that name it as their primary parent
--   depth                   as logged, else rebuilt from the parents
--   parent_ids              every parent that it names, the primary one first
--   leads_on                whether the selected path's nodes or the inspected one lie in its subtree
--   family_size             nodes with the same primary parent, itself included; for a top, tops of the run
--   score                   higher is better; null where the evaluator was not asked or failed
--   norm                    score on the run's own scale, in [0, 1]; null without a score, or where all scores are equal
--   score_min, score_max    that scale: lowest and highest score of the run
--   fate, prune_rule        as logged
--   has_error               whether an error was logged for it
--   verified                a terminal node's result in an external check
--   label                   first 80 characters of its step, else of its action, else of its state, on one line
--   run_nodes               nodes of the whole run
with path as (
    select unnest(selected_path) as node_id
    from runs
    where run_id = $run_id
),
run_nodes as (
    select node_id, preorder, parent_preorder, subtree_size, depth, score
    from nodes
    where run_id = $run_id
),
measured as (
    select
        min(score) as score_min,
        max(score) as score_max,
        count(*) as run_nodes,
        coalesce(min(depth) filter (node_id = $inspected), 0) as middle
    from run_nodes
),
goals as (
    select preorder
    from run_nodes
    where node_id = $inspected or node_id in (select node_id from path)
),
spine as (
    select run_nodes.preorder
    from run_nodes
    asof join goals on run_nodes.preorder <= goals.preorder
    where goals.preorder < run_nodes.preorder + run_nodes.subtree_size
),
families as (
    select
        preorder,
        depth,
        preorder in (select preorder from spine) as leads_on,
        count(*) over (partition by parent_preorder) as family_size,
        row_number() over (partition by parent_preorder order by score desc nulls last, preorder) as family_rank
    from run_nodes
    where parent_preorder is null or parent_preorder in (select preorder from spine)
),
shown as (
    select families.preorder, families.leads_on, families.family_size
    from families, measured
    where families.leads_on or families.family_rank <= $siblings
    order by abs(families.depth - measured.middle), families.leads_on desc, families.preorder
    limit $limit
)
select
    nodes.node_id,
    nodes.preorder,
    nodes.parent_preorder,
    nodes.parent_ids[1] as parent_id,
    nodes.subtree_size,
    nodes.n_children,
    nodes.depth,
    nodes.parent_ids,
    shown.leads_on,
    shown.family_size,
    nodes.score,
    (nodes.score - measured.score_min) / nullif(measured.score_max - measured.score_min, 0) as norm,
    measured.score_min,
    measured.score_max,
    nodes.fate,
    nodes.prune_rule,
    nodes.error is not null as has_error,
    nodes.verified,
    left(trim(regexp_replace(left(
        coalesce(nodes.step, nullif(concat_ws(' ', nodes.action_kind, nodes.action_target), ''), nodes.state), 320
    ), '\s+', ' ', 'g')), 80) as label,
    measured.run_nodes
from nodes
join shown on shown.preorder = nodes.preorder
cross join measured
where nodes.run_id = $run_id
order by nodes.preorder

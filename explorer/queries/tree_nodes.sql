-- What does a run's search tree look like? One row per node that is drawn, parents before children.
--
-- Of a run with more than $limit nodes a third as many are drawn, because more would only be a blot: the selected path with its
-- siblings, then the other nodes by depth. What is left out stays countable: subtree_size and run_nodes speak of the whole run.
--
--   node_id                 the node
--   preorder                its place in the run, children in the order they were asked for; the first top is 0
--   parent_preorder         the primary parent's place; null for a top
--   subtree_size            nodes below it and itself
--   n_children              nodes that name it as their primary parent
--   depth                   as logged, else rebuilt from the parents
--   parent_ids              every parent that it names, the primary one first
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
path_nodes as (
    select nodes.preorder, nodes.parent_preorder
    from nodes
    semi join path on path.node_id = nodes.node_id
    where nodes.run_id = $run_id
),
measured as (
    select
        preorder,
        min(score) over () as score_min,
        max(score) over () as score_max,
        count(*) over () as run_nodes,
        row_number() over (
            order by
                (preorder in (select preorder from path_nodes)
                    or coalesce(parent_preorder in (select preorder from path_nodes), false)) desc,
                depth,
                preorder
        ) as turn
    from nodes
    where run_id = $run_id
),
drawn as (
    select preorder, score_min, score_max, run_nodes
    from measured
    where turn <= case when run_nodes <= $limit then $limit else $limit // 3 end
)
select
    nodes.node_id,
    nodes.preorder,
    nodes.parent_preorder,
    nodes.subtree_size,
    nodes.n_children,
    nodes.depth,
    nodes.parent_ids,
    nodes.score,
    (nodes.score - drawn.score_min) / nullif(drawn.score_max - drawn.score_min, 0) as norm,
    drawn.score_min,
    drawn.score_max,
    nodes.fate,
    nodes.prune_rule,
    nodes.error is not null as has_error,
    nodes.verified,
    left(trim(regexp_replace(left(
        coalesce(nodes.step, nullif(concat_ws(' ', nodes.action_kind, nodes.action_target), ''), nodes.state), 320
    ), '\s+', ' ', 'g')), 80) as label,
    drawn.run_nodes
from nodes
join drawn on drawn.preorder = nodes.preorder
where nodes.run_id = $run_id
order by nodes.preorder

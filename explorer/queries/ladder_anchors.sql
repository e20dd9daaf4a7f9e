-- Which node stands for each depth when a path is compared with what it beat? At most one row per depth of one run.
--
-- The node of the selected path; below or without it an ancestor of the inspected node or that node itself; without both the best scored.
--
--   depth       parent links up to the root; the root is 0
--   node_id     the node whose competitors are looked at
--   taken       chosen: on the selected path; inspected: on the way to the inspected node; best: best scored of its depth
--   decided     true: the log names the decision in which it was ranked
--   candidates  nodes at this depth
with chosen as (
    select unnest(selected_path) as node_id
    from runs
    where run_id = $run_id
),
inspected as (
    select preorder
    from nodes
    where run_id = $run_id and node_id = $node_id
),
on_path as (
    select depth, min(preorder) as preorder, 'chosen' as taken
    from nodes
    where run_id = $run_id and node_id in (select node_id from chosen)
    group by depth
),
on_the_way as (
    select n.depth, n.preorder, 'inspected' as taken
    from nodes as n
    join inspected as i on n.preorder <= i.preorder and n.preorder + n.subtree_size > i.preorder
    where n.run_id = $run_id and n.depth not in (select depth from on_path)
),
sizes as (
    select
        depth,
        count(*) as candidates,
        arg_max(preorder, (score is not null, coalesce(score, 0), -coalesce(seq, preorder), -preorder)) as best
    from nodes
    where run_id = $run_id
    group by depth
),
best as (
    select depth, best as preorder, 'best' as taken
    from sizes
    where
        not exists (from chosen)
        and depth not in (select depth from on_the_way)
),
anchors as (
    select depth, preorder, taken from on_path
    union all
    select depth, preorder, taken from on_the_way
    union all
    select depth, preorder, taken from best
)
select a.depth, n.node_id, a.taken, n.decision_id is not null as decided, s.candidates
from anchors as a
join nodes as n on n.run_id = $run_id and n.preorder = a.preorder
join sizes as s on s.depth = a.depth
order by a.depth

-- Where does a node stand among those it competed with? One row; ranks are null where it has no score.
--
--   level_rank      1 + the scored nodes of its depth with a higher score
--   level_tied      other nodes of its depth with the same score
--   level_scored    scored nodes at its depth
--   level_nodes     nodes at its depth
--   sibling_rank    1 + the scored children of its primary parent with a higher score
--   sibling_scored  scored children of its primary parent, itself included
--   siblings        children of its primary parent, itself included
with asked as (
    select node_id, depth, score, parent_preorder
    from nodes
    where run_id = $run_id and node_id = $node_id
)
select
    case when any_value(asked.score) is not null then 1 + count(*) filter (where level.score > asked.score) end as level_rank,
    count(*) filter (where level.score = asked.score and level.node_id <> asked.node_id) as level_tied,
    count(level.score) as level_scored,
    count(*) as level_nodes,
    case
        when any_value(asked.score) is not null
        then 1 + count(*) filter (where level.score > asked.score and level.parent_preorder is not distinct from asked.parent_preorder)
    end as sibling_rank,
    count(level.score) filter (where level.parent_preorder is not distinct from asked.parent_preorder) as sibling_scored,
    count(*) filter (where level.parent_preorder is not distinct from asked.parent_preorder) as siblings
from nodes as level
inner join asked on level.depth = asked.depth
where level.run_id = $run_id

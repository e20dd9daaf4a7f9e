-- Which nodes speak of this? One row per node whose step, observation, prune reason or id holds $needle, case ignored; at most $most.
--
--   node_id  the node
--   depth    parent links up to the root; the root is 0
--   score    null: not scored
--   fate     null: not recorded
--   step     the first 160 characters; null: not recorded
--   hits     nodes that match, shown here or not
with matching as (
    select node_id, depth, score, fate, step, preorder
    from nodes
    where
        run_id = $run_id
        and (
            contains(lower(step), lower($needle))
            or contains(lower(observation), lower($needle))
            or contains(lower(prune_reason), lower($needle))
            or node_id = $needle
        )
)
select node_id, depth, score, fate, left(step, 160) as step, count(*) over () as hits
from matching
order by depth, preorder
limit $most

-- Which single scores stand behind the distribution? One row per scored node, at most $per_fate of each fate, the same ones every time.
--
--   node_id   the node
--   depth     parent links up to the root; the root is 0
--   score     higher is better
--   fate      what became of it; null: not recorded
--   step      the parsed step, its first 80 characters; null: not recorded
--   of_fate   scored nodes of this fate in the run, shown here or not
with scored as (
    select
        node_id,
        depth,
        score,
        fate,
        left(step, 80) as step,
        preorder,
        count(*) over (partition by fate) as of_fate,
        -- a multiplicative hash of the place in the tree picks the sample: spread over the run, and the same every time
        row_number() over (partition by fate order by preorder * 2654435761 % 4294967296, preorder) as pick
    from nodes
    where run_id = $run_id and score is not null
)
select node_id, depth, score, fate, step, of_fate
from scored
where pick <= $per_fate
order by depth, score, preorder

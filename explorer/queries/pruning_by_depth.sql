-- What became of the candidates, and which rule cut them? One row per depth, fate, stage and rule of one run.
--
--   depth  parent links up to the root; the root is 0
--   fate   expanded, pruned, terminal, unscored or open; null: not recorded
--   stage  the stage at which it was pruned; null: not pruned, or not recorded
--   rule   the rule that pruned it; null: not pruned, or not recorded
--   nodes  how many
select
    depth,
    fate,
    case when fate = 'pruned' then pruned_by end as stage,
    case when fate = 'pruned' then prune_rule end as rule,
    count(*) as nodes
from nodes
where run_id = $run_id
group by depth, fate, stage, rule
order by depth, fate nulls last, stage nulls last, rule nulls last

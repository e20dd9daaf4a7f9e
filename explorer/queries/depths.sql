-- What happened at each depth? One row per depth of one run; the spend by role stands in spend_by_depth.
--
--   depth         parent links up to the root; the root is 0
--   nodes         nodes at this depth
--   scored        nodes with a usable score
--   score_min     lowest score; null where none is scored
--   score_mean    mean score
--   score_max     best score
--   expanded      nodes by fate
--   pruned        likewise
--   terminal      likewise
--   unscored      likewise: the evaluator was never asked, or failed
--   open          likewise: neither expanded nor cut when the run ended
--   not_recorded  nodes whose fate the log does not say
select
    depth,
    count(*) as nodes,
    count(score) as scored,
    min(score) as score_min,
    avg(score) as score_mean,
    max(score) as score_max,
    count(*) filter (where fate = 'expanded') as expanded,
    count(*) filter (where fate = 'pruned') as pruned,
    count(*) filter (where fate = 'terminal') as terminal,
    count(*) filter (where fate = 'unscored') as unscored,
    count(*) filter (where fate = 'open') as open,
    count(*) filter (where fate is null) as not_recorded
from nodes
where run_id = $run_id
group by depth
order by depth

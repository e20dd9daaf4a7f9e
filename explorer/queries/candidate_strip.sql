-- How do the scores of these candidates lie on the run's scale? One row per column, bin and side; anchors and scope as in
-- candidates_by_depth.
--
--   column   depth of the anchor
--   bin      0 to 59, from the run's lowest score to its highest
--   side     kept or cut; null: neither is known
--   nodes    scored candidates in the bin
--   lowest   the run's lowest score, or 0 where all are positive
--   highest  the run's highest score
with anchors as (
    select
        depth as "column",
        case $scope
            when 'decision' then decision_id
            when 'parent' then depth || ' ' || coalesce(parent_ids[1], '')
            else depth::varchar
        end as rivals
    from nodes
    where run_id = $run_id and node_id in (select unnest($anchors::varchar[]))
),
scale as (
    select least(0, min(score)) as lowest, max(score) as highest
    from nodes
    where run_id = $run_id
)
select
    a.column,
    least(59, coalesce(try_cast(floor(60 * (n.score - s.lowest) / nullif(s.highest - s.lowest, 0)) as integer), 0)) as bin,
    case
        when n.fate in ('expanded', 'terminal') then 'kept'
        when n.fate = 'pruned' and n.merged_into is null and coalesce(n.pruned_by, 'survived') = 'survived' then 'cut'
    end as side,
    count(*) as nodes,
    s.lowest,
    s.highest
from nodes as n
join anchors as a on a.rivals = case $scope
    when 'decision' then n.decision_id
    when 'parent' then n.depth || ' ' || coalesce(n.parent_ids[1], '')
    else n.depth::varchar
end
cross join scale as s
where n.run_id = $run_id and n.score is not null
group by a.column, bin, side, s.lowest, s.highest
order by a.column, bin, side nulls last

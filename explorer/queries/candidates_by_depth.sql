-- Who competed at these depths, in which order, and where was the cut? One row per candidate shown.
--
-- Each of $anchors opens one column. $scope says who competes with it: 'level' (its depth), 'parent' (its siblings) or 'decision' (the
-- recorded decision). Shown are the first $top by score, the nodes of the selected path, $pinned, and the two next to the cut-off.
-- Kept: expanded or terminal. Cut: pruned at 'survived', or at no recorded stage; a duplicate is neither.
--
--   column         depth of the anchor
--   node_id        the candidate
--   parent_id      its primary parent; null for a root
--   depth          its own depth
--   place          1 for the first by score, then by arrival; unscored ones last
--   arrival        1 for the first to arrive among these candidates
--   score          higher is better; null: none
--   score_raw      as logged, its first 40 characters
--   step           the parsed step, its first 160 characters; null: not recorded
--   fate           what became of it; null: not recorded
--   stage          the stage at which it was pruned; null: not pruned, or not recorded
--   rule           the rule that pruned it; null: not pruned, or not recorded
--   reason         the reason as logged, its first 160 characters
--   side           kept or cut; null: neither is known
--   chosen         true: on the selected path
--   viable         what the strongest source says: can a right answer still be reached from it; null: not known
--   cost           US dollars of the calls made for it; null: no call recorded a cost
--   candidates     candidates of this column, shown or not
--   scored         how many of them have a score
--   kept           how many were kept
--   kept_scored    how many of those have a score
--   cut            how many were cut
--   cut_off        score of the worst one kept; null where none kept has a score
--   last_kept      place of the last one kept; null where none was
--   cut_above      how many were cut although they stand above the last one kept
--   tied           candidates with the cut-off score
--   tied_kept      how many of them were kept
--   tied_cut       how many of them were cut
--   tied_in_order  true: every tied one kept arrived before every tied one cut; null where the cut goes through no tie
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
followed as (
    select distinct unnest(selected_path) as node_id
    from runs
    where run_id = $run_id
),
candidates as (
    -- narrow on purpose: a level may hold every node of a run, and only the few shown below need their texts
    select
        a.column,
        n.preorder,
        n.node_id,
        n.score,
        case
            when n.fate in ('expanded', 'terminal') then 'kept'
            when n.fate = 'pruned' and n.merged_into is null and coalesce(n.pruned_by, 'survived') = 'survived' then 'cut'
        end as side,
        row_number() over (partition by a.column order by n.seq nulls last, n.preorder) as arrival
    from nodes as n
    join anchors as a on a.rivals = case $scope
        when 'decision' then n.decision_id
        when 'parent' then n.depth || ' ' || coalesce(n.parent_ids[1], '')
        else n.depth::varchar
    end
    where n.run_id = $run_id
),
placed as (
    select
        "column", preorder, node_id, score, side, arrival,
        row_number() over (partition by "column" order by score desc nulls last, arrival) as place
    from candidates
),
lines as (
    select
        "column",
        count(*) as candidates,
        count(score) as scored,
        count(*) filter (where side = 'kept') as kept,
        count(score) filter (where side = 'kept') as kept_scored,
        count(*) filter (where side = 'cut') as cut,
        min(score) filter (where side = 'kept') as cut_off,
        max(place) filter (where side = 'kept') as last_kept
    from placed
    group by "column"
),
ties as (
    select
        p.column,
        count(*) as tied,
        count(*) filter (where p.side = 'kept') as tied_kept,
        count(*) filter (where p.side = 'cut') as tied_cut,
        max(p.arrival) filter (where p.side = 'kept') < min(p.arrival) filter (where p.side = 'cut') as tied_in_order
    from placed as p
    join lines as l on l.column = p.column and l.cut_off = p.score
    group by p.column
),
crossings as (
    select p.column, count(*) as cut_above
    from placed as p
    join lines as l on l.column = p.column
    where p.side = 'cut' and p.place < l.last_kept
    group by p.column
),
shown as (
    select
        p.column, p.preorder, p.node_id, p.place, p.arrival, p.score, p.side, f.node_id is not null as chosen,
        l.candidates, l.scored, l.kept, l.kept_scored, l.cut, l.cut_off, l.last_kept
    from placed as p
    join lines as l on l.column = p.column
    left join followed as f on f.node_id = p.node_id
    where
        p.place <= $top
        or f.node_id is not null
        or p.place in (l.last_kept, l.last_kept + 1)
        or p.node_id in (select unnest($pinned::varchar[]))
),
paid as (
    select node_id, fsum(cost) as cost
    from calls
    where run_id = $run_id and node_id in (select node_id from shown)
    group by node_id
),
believed as (
    select
        node_id,
        arg_min(viable, list_position(['environment', 'oracle', 'label', 'reviewer', 'cross_run'], viable_by)) as viable
    from truth
    where run_id = $run_id
    group by node_id
)
select
    s.column,
    s.node_id,
    n.parent_ids[1] as parent_id,
    n.depth,
    s.place,
    s.arrival,
    s.score,
    left(n.score_raw, 40) as score_raw,
    left(n.step, 160) as step,
    n.fate,
    case when n.fate = 'pruned' then n.pruned_by end as stage,
    case when n.fate = 'pruned' then n.prune_rule end as rule,
    case when n.fate = 'pruned' then left(n.prune_reason, 160) end as reason,
    s.side,
    s.chosen,
    b.viable,
    p.cost,
    s.candidates,
    s.scored,
    s.kept,
    s.kept_scored,
    s.cut,
    s.cut_off,
    s.last_kept,
    coalesce(c.cut_above, 0) as cut_above,
    coalesce(t.tied, 0) as tied,
    coalesce(t.tied_kept, 0) as tied_kept,
    coalesce(t.tied_cut, 0) as tied_cut,
    t.tied_in_order
from shown as s
join nodes as n on n.run_id = $run_id and n.preorder = s.preorder
left join paid as p on p.node_id = s.node_id
left join believed as b on b.node_id = s.node_id
left join crossings as c on c.column = s.column
left join ties as t on t.column = s.column
order by s.column, s.place

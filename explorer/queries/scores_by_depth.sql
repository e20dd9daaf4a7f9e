-- How well does the evaluator tell candidates apart? One row per depth of one run.
--
-- Kept: expanded or terminal. Cut: pruned at 'survived' (or at no recorded stage), duplicates left out. A node competes with the nodes
-- of its recorded decision, else with its depth in a level-by-level run, else with its siblings.
--
--   depth       parent links up to the root; the root is 0
--   candidates  nodes at this depth
--   scored      candidates with a usable score
--   unscored    candidates without one; they count nowhere below
--   distinct    different scores
--   min         lowest score
--   q1          first quartile, between two scores where none lies there
--   median      middle score
--   q3          third quartile
--   max         best score
--   mean        mean score
--   stdev       sample standard deviation; null below two scores
--   mode        most frequent score, the higher one of two
--   mode_nodes  candidates with that score
--   top_ties    share of the scored candidates that equal the depth's best, in [0, 1]
--   kept        candidates kept
--   cut         candidates cut
--   decisions   decisions in which the candidates of this depth competed
--   undecided   decisions whose worst kept score stands on both sides of the cut: something else than the score decided
--   cut_score   that score; null where there is no such decision, or where it differs between them
--   tied        candidates of these decisions with their worst kept score
--   tied_kept   how many of them were kept
--   tied_cut    how many of them were cut
--   in_order    true: in each of these decisions every tied candidate kept arrived before every one cut
--   histogram   candidates in 20 equal bins, from the run's lowest score to its highest
with candidates as (
    select
        n.depth,
        n.score,
        case
            when n.fate in ('expanded', 'terminal') then 'kept'
            when n.fate = 'pruned' and n.merged_into is null and coalesce(n.pruned_by, 'survived') = 'survived' then 'cut'
        end as side,
        case
            when n.decision_id is not null then 'decision ' || n.decision_id
            when r.level_by_level then 'depth ' || n.depth
            else 'parent ' || coalesce(n.parent_ids[1], '')
        end as decision,
        row_number() over (order by n.seq nulls last, n.preorder) as arrival
    from nodes as n
    join runs as r on r.run_id = n.run_id
    where n.run_id = $run_id
),
cut_lines as (
    select decision, min(score) as worst_kept
    from candidates
    where side = 'kept'
    group by decision
),
decisions_tied as (
    select
        c.depth,
        any_value(l.worst_kept) as worst_kept,
        count(*) as tied,
        count(*) filter (where c.side = 'kept') as tied_kept,
        count(*) filter (where c.side = 'cut') as tied_cut,
        max(c.arrival) filter (where c.side = 'kept') < min(c.arrival) filter (where c.side = 'cut') as in_order
    from candidates as c
    join cut_lines as l on l.decision = c.decision and l.worst_kept = c.score
    group by c.depth, c.decision
    having count(*) filter (where c.side = 'kept') > 0 and count(*) filter (where c.side = 'cut') > 0
),
depths_tied as (
    select
        depth,
        count(*) as undecided,
        case when count(distinct worst_kept) = 1 then any_value(worst_kept) end as cut_score,
        sum(tied)::bigint as tied,
        sum(tied_kept)::bigint as tied_kept,
        sum(tied_cut)::bigint as tied_cut,
        bool_and(in_order) as in_order
    from decisions_tied
    group by depth
),
scale as (
    select min(score) as lowest, max(score) as highest
    from candidates
),
binned as (
    select
        c.depth,
        least(19, coalesce(try_cast(floor(20 * (c.score - s.lowest) / nullif(s.highest - s.lowest, 0)) as integer), 0)) as bin,
        count(*) as nodes
    from candidates as c
    cross join scale as s
    where c.score is not null
    group by c.depth, bin
),
histograms as (
    select d.depth, list(coalesce(b.nodes, 0) order by bins.bin) as histogram
    from (select distinct depth from candidates) as d
    cross join (select unnest(range(20)) as bin) as bins
    left join binned as b on b.depth = d.depth and b.bin = bins.bin
    group by d.depth
),
counted as (
    select depth, score, count(*) as nodes
    from candidates
    where score is not null
    group by depth, score
),
peaks as (
    select
        depth,
        arg_max(score, (nodes, score)) as mode,
        max(nodes) as mode_nodes,
        arg_max(nodes, score) as nodes_at_best
    from counted
    group by depth
),
spread as (
    select
        depth,
        count(*) as candidates,
        count(distinct decision) as decisions,
        count(score) as scored,
        count(distinct score) as different,
        min(score) as lowest,
        quantile_cont(score, [0.25, 0.5, 0.75]) as quartiles,
        max(score) as highest,
        avg(score) as mean,
        stddev_samp(score) as stdev,
        count(*) filter (where side = 'kept') as kept,
        count(*) filter (where side = 'cut') as cut
    from candidates
    group by depth
)
select
    s.depth,
    s.candidates,
    s.scored,
    s.candidates - s.scored as unscored,
    s.different as "distinct",
    s.lowest as "min",
    s.quartiles[1] as q1,
    s.quartiles[2] as median,
    s.quartiles[3] as q3,
    s.highest as "max",
    s.mean,
    s.stdev,
    p.mode,
    coalesce(p.mode_nodes, 0) as mode_nodes,
    p.nodes_at_best / nullif(s.scored, 0) as top_ties,
    s.kept,
    s.cut,
    s.decisions,
    coalesce(t.undecided, 0) as undecided,
    t.cut_score,
    coalesce(t.tied, 0) as tied,
    coalesce(t.tied_kept, 0) as tied_kept,
    coalesce(t.tied_cut, 0) as tied_cut,
    t.in_order,
    h.histogram
from spread as s
left join peaks as p on p.depth = s.depth
left join depths_tied as t on t.depth = s.depth
left join histograms as h on h.depth = s.depth
order by s.depth

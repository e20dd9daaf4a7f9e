-- What did the selected path beat? One row per node of the run's selected path, root first; none where the log names no path.
--
-- Competitors: the nodes of the same recorded decision, else of the same depth in a level-by-level run, else its siblings.
-- Rejected: competitors off the selected path. Kept: expanded or terminal. Cut: pruned at 'survived', or at no recorded stage.
--
--   position             0 for the first node of the path
--   node_id              the chosen node
--   depth                parent links up to the root; the root is 0
--   step                 its parsed step, the first 160 characters; null: not recorded
--   score                its score; null: none
--   fate                 what became of it; null: not recorded
--   basis                what the competitors were taken from: decision (recorded), depth or siblings (inferred)
--   candidates           competitors, the chosen one included
--   scored               how many of them have a score
--   rank                 place of the chosen one by score, then by arrival; null where it has no score
--   higher               rejected ones scored strictly higher
--   tied                 rejected ones with the same score
--   best_rejected        the best scored one rejected, the first to arrive of equals; null where none is scored
--   best_rejected_score  its score
--   best_rejected_fate   what became of it; null: not recorded, or no such node
--   margin               score - best_rejected_score; negative where a rejected one scored higher
--   kept                 competitors kept
--   cut                  competitors cut
--   cut_off              score of the worst one kept
--   viable               what the strongest source says: can a right answer still be reached from it; null: not known
with path as (
    select unnest(selected_path) as node_id, generate_subscripts(selected_path, 1) - 1 as position
    from runs
    where run_id = $run_id
),
candidates as (
    select
        n.node_id,
        n.depth,
        n.step,
        n.score,
        n.fate,
        case
            when n.fate in ('expanded', 'terminal') then 'kept'
            when n.fate = 'pruned' and n.merged_into is null and coalesce(n.pruned_by, 'survived') = 'survived' then 'cut'
        end as side,
        case when n.decision_id is not null then 'decision' when r.level_by_level then 'depth' else 'siblings' end as basis,
        case
            when n.decision_id is not null then n.decision_id
            when r.level_by_level then n.depth::varchar
            else coalesce(n.parent_ids[1], '')
        end as rivals,
        row_number() over (order by n.seq nulls last, n.preorder) as arrival
    from nodes as n
    join runs as r on r.run_id = n.run_id
    where n.run_id = $run_id
),
steps as (
    select p.position, c.node_id, c.depth, c.step, c.score, c.fate, c.basis, c.rivals, c.arrival
    from path as p
    join candidates as c on c.node_id = p.node_id
),
compared as (
    select
        s.position,
        count(*) as candidates,
        count(c.score) as scored,
        count(*) filter (where c.score > s.score or (c.score = s.score and c.arrival < s.arrival)) + 1 as place,
        count(*) filter (where p.node_id is null and c.score > s.score) as higher,
        count(*) filter (where p.node_id is null and c.score = s.score) as tied,
        arg_max(c.node_id, (c.score, -c.arrival)) filter (where p.node_id is null and c.score is not null) as best_rejected,
        arg_max(c.fate, (c.score, -c.arrival)) filter (where p.node_id is null and c.score is not null) as best_rejected_fate,
        max(c.score) filter (where p.node_id is null) as best_rejected_score,
        count(*) filter (where c.side = 'kept') as kept,
        count(*) filter (where c.side = 'cut') as cut,
        min(c.score) filter (where c.side = 'kept') as cut_off
    from steps as s
    join candidates as c on c.basis = s.basis and c.rivals = s.rivals
    left join path as p on p.node_id = c.node_id
    group by s.position
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
    s.position,
    s.node_id,
    s.depth,
    left(s.step, 160) as step,
    s.score,
    s.fate,
    s.basis,
    c.candidates,
    c.scored,
    case when s.score is not null then c.place end as rank,
    c.higher,
    c.tied,
    c.best_rejected,
    c.best_rejected_score,
    c.best_rejected_fate,
    s.score - c.best_rejected_score as margin,
    c.kept,
    c.cut,
    c.cut_off,
    b.viable
from steps as s
join compared as c on c.position = s.position
left join believed as b on b.node_id = s.node_id
order by s.position

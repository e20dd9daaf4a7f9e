-- When did the best answer so far change, and what was spent by then? One row per change, in order, for the runs in the range of ids.
--
-- As the run recorded it (basis 'recorded'), else rebuilt: from times where all calls and candidates have one ('times'), else from the order of
-- creation ('order'). Rebuilt, a finished candidate goes before an unfinished one, then the higher score, then the earlier one. Candidates are
-- nodes with a score and finished ones; no root that was expanded, no dropped duplicate. Proposals stand before the first child that they gave.
--
--   run_id    the run
--   position  place among the changes of the run, from 1
--   basis     recorded, times or order
--   node_id   the best candidate from here on
--   score     its score, as the list of the run or else the node has it; null: none
--   finished  whether it is a finished answer; null: its fate is not recorded
--   nodes     nodes made by then; null: not recorded
--   calls     calls answered by then; null: not recorded
--   tokens    their input + output tokens; null: recorded for none of them
--   cost_usd  their cost; null: recorded for none of them
--   at_s      seconds since the start of the run; null: not recorded
with answered as (
    select
        c.run_id,
        c.node_id,
        c.role,
        c.started_at,
        c.started_at + to_microseconds((coalesce(c.latency_ms, 0) * 1000)::bigint) as ended_at,
        coalesce(c.input_tokens + c.output_tokens, c.input_tokens, c.output_tokens) as tokens,
        c.cost
    from calls as c
    where c.run_id between $first_run and $last_run
),
judged as (
    select run_id, node_id, max(ended_at) as ended_at
    from answered
    where role is distinct from 'proposer'
    group by run_id, node_id
),
first_children as (
    select run_id, parent_preorder as preorder, min(seq) as seq
    from nodes
    where run_id between $first_run and $last_run and parent_preorder is not null
    group by run_id, parent_preorder
),
made as (
    select
        n.run_id,
        n.node_id,
        n.seq,
        f.seq as first_child,
        n.score,
        n.fate,
        n.started_at,
        coalesce(j.ended_at, n.ended_at, n.started_at) as known_at,
        n.parent_preorder is null as is_top,
        (n.score is not null or n.fate = 'terminal') and n.pruned_by is distinct from 'distinct'
            and not (n.parent_preorder is null and n.n_children > 0) as is_candidate
    from nodes as n
    left join judged as j on j.run_id = n.run_id and j.node_id = n.node_id
    left join first_children as f on f.run_id = n.run_id and f.preorder = n.preorder
    where n.run_id between $first_run and $last_run
),
node_clocks as (
    select
        run_id,
        min(started_at) as started_at,
        bool_and(known_at is not null) filter (where is_candidate) as candidates_timed,
        bool_and(seq is not null) as ordered
    from made
    group by run_id
),
call_clocks as (
    select run_id, min(started_at) as started_at, bool_and(started_at is not null) as timed
    from answered
    group by run_id
),
clocks as (
    select
        r.run_id,
        r.best_so_far,
        case
            when r.best_so_far is not null then 'recorded'
            when n.candidates_timed and coalesce(c.timed, true) then 'times'
            when n.ordered then 'order'
        end as basis,
        coalesce(r.started_at, least(c.started_at, n.started_at)) as started_at
    from runs as r
    join node_clocks as n on n.run_id = r.run_id
    left join call_clocks as c on c.run_id = r.run_id
    where r.run_id between $first_run and $last_run
),
listed as (
    select run_id, unnest(steps) as step, generate_subscripts(steps, 1) as position
    from (
        select run_id, from_json(best_so_far, '[{"at_s": "DOUBLE", "node_id": "VARCHAR", "score": "DOUBLE"}]') as steps
        from clocks
        where basis = 'recorded'
    ) as lists
),
ranked as (
    select
        m.run_id,
        m.node_id,
        m.score,
        m.fate = 'terminal' as finished,
        k.basis,
        case k.basis when 'times' then (epoch_us(m.known_at) - epoch_us(k.started_at)) / 1000000 else m.seq end as moment,
        row_number() over in_order as position,
        max(case when m.fate = 'terminal' then coalesce(m.score, '-infinity'::double) end) over before as best_finished,
        max(case when m.fate is distinct from 'terminal' then m.score end) over before as best_unfinished
    from made as m
    join clocks as k on k.run_id = m.run_id and k.basis in ('times', 'order')
    where m.is_candidate
    window
        in_order as (partition by m.run_id order by case k.basis when 'times' then m.known_at end, m.seq, m.node_id),
        before as (
            partition by m.run_id order by case k.basis when 'times' then m.known_at end, m.seq, m.node_id
            rows between unbounded preceding and 1 preceding
        )
),
changes as (
    select l.run_id, 'recorded' as basis, l.position, l.step.node_id as node_id, l.step.score as score, l.step.at_s as moment
    from listed as l
    union all
    select r.run_id, r.basis, r.position, r.node_id, r.score, r.moment
    from ranked as r
    where case
        when r.finished then r.best_finished is null or coalesce(r.score, '-infinity'::double) > r.best_finished
        else r.best_finished is null and (r.best_unfinished is null or r.score > r.best_unfinished)
    end
),
events as (
    select
        a.run_id,
        1 as kind,
        0 as node,
        1 as call,
        case
            when k.basis in ('times', 'recorded') then (epoch_us(a.ended_at) - epoch_us(k.started_at)) / 1000000
            when a.role = 'proposer' then coalesce(m.first_child - 0.5, m.seq)
            else m.seq
        end as moment,
        null::bigint as position,
        a.tokens,
        a.cost
    from answered as a
    join clocks as k on k.run_id = a.run_id
    left join made as m on m.run_id = a.run_id and m.node_id = a.node_id
    union all
    select
        m.run_id,
        0 as kind,
        1 as node,
        0 as call,
        case
            when k.basis = 'order' then m.seq
            when m.is_top and m.started_at is null then 0
            else (epoch_us(m.started_at) - epoch_us(k.started_at)) / 1000000
        end as moment,
        null as position,
        null as tokens,
        null as cost
    from made as m
    join clocks as k on k.run_id = m.run_id
    union all
    select run_id, 2 as kind, 0 as node, 0 as call, moment, position, null as tokens, null as cost
    from changes
),
placed as (
    select
        run_id,
        sum(call) as all_calls,
        bool_and(call = 0 or moment is not null) as all_calls_placed,
        bool_and(node = 0 or moment is not null) as all_nodes_placed
    from events
    group by run_id
),
summed as (
    select
        run_id,
        kind,
        position,
        sum(node) over so_far as nodes,
        sum(call) over so_far as calls,
        sum(tokens) over so_far as tokens,
        fsum(cost) over so_far as cost_usd
    from events
    window so_far as (partition by run_id order by moment nulls last, kind, position rows between unbounded preceding and current row)
)
select
    c.run_id,
    row_number() over (partition by c.run_id order by c.position) as position,
    c.basis,
    c.node_id,
    c.score,
    m.fate = 'terminal' as finished,
    case when p.all_nodes_placed then s.nodes::bigint end as nodes,
    case when p.all_calls > 0 and p.all_calls_placed then s.calls::bigint end as calls,
    case when p.all_calls_placed then s.tokens::bigint end as tokens,
    case when p.all_calls_placed then round(s.cost_usd, 12) end as cost_usd,
    case when c.basis <> 'order' then c.moment end as at_s
from changes as c
join summed as s on s.run_id = c.run_id and s.kind = 2 and s.position = c.position
join placed as p on p.run_id = c.run_id
left join made as m on m.run_id = c.run_id and m.node_id = c.node_id
order by c.run_id, position

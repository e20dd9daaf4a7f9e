-- What does the log say about one run as a whole? One row, or none where the store has no such run.
--
--   nodes               nodes that the log holds
--   level_by_level      true: the candidates of one depth compete; false: siblings do; null: not known
--   stop_reason         why the run ended; null: not recorded
--   complete            false: a cap cut the search off; null: not recorded
--   depth_reached       deepest depth, as logged or else of the nodes
--   budget_max_depth    cap on depth; null: not recorded
--   max_depth           greatest depth of a node
--   merged              nodes with more than one parent
--   wall_clock_s        seconds from start to end; null: not recorded
--   selected            nodes on the selected path; null: not recorded
--   spend_from          'calls': spend is summed over calls; 'run': only the producer's total is recorded; null: neither
--   without_cost        nodes of which no call recorded a cost
--   refused_costs       what the log gives as a cost and is none, at most 5 of them, in words; empty for none
--   refused             how many there are
--   reported_calls, reported_tokens, reported_cost  the producer's own totals; cost in US dollars
with paid as (
    select count(distinct c.node_id) as nodes
    from calls as c
    join nodes as n on n.run_id = c.run_id and n.node_id = c.node_id
    where c.run_id = $run_id and c.cost is not null
),
refused as (
    select count(*) as how_many, coalesce(list(message order by line, message)[1:5], []) as messages
    from problems
    where run_id = $run_id and kind = 'type' and contains(message, ': cost is ')
)
select
    r.nodes,
    level_by_level,
    stop_reason,
    complete,
    coalesce(depth_reached, max_depth) as depth_reached,
    budget_max_depth,
    max_depth,
    merged,
    wall_clock_s,
    len(selected_path) as selected,
    spend_from,
    r.nodes - paid.nodes as without_cost,
    refused.messages as refused_costs,
    refused.how_many as refused,
    reported_calls,
    coalesce(reported_tokens, reported_input_tokens + reported_output_tokens) as reported_tokens,
    reported_cost
from runs as r
cross join paid
cross join refused
where r.run_id = $run_id

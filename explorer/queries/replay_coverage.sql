-- How much of what was asked can be answered again? One row for the runs $only_runs (null: all).
--
--   runs         their number
--   calls        model and tool calls
--   named        calls whose prompt the log held: its hash is known
--   kept         calls whose prompt was kept as a text
--   answered     of these, calls whose response was kept, too
--   failed       of these, calls without a response and with an error
--   formats      the formats of the logs, by name
select
    count(distinct r.run_id) as runs,
    count(c.call_id) as calls,
    count(c.prompt_hash) as named,
    count(p.hash) as kept,
    count(p.hash) filter (where a.hash is not null) as answered,
    count(p.hash) filter (where a.hash is null and c.error is not null) as failed,
    list_sort(list(distinct r.source_format)) as formats
from runs r
left join calls c using (run_id)
left join texts p on p.run_id = c.run_id and p.hash = c.prompt_hash
left join texts a on a.run_id = c.run_id and a.hash = c.response_hash
where $only_runs is null or list_contains($only_runs, r.run_id)

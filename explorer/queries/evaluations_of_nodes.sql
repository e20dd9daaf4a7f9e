-- What did the evaluator say about these nodes? One row per evaluator call of the nodes $node_ids, in the order of the calls.
--
--   node_id    the node that was judged
--   call_id    the call
--   sample     the parsed answer as a number; null where it is none, or was not recorded
--   last_line  last line of the raw answer that is not blank, its first 200 characters; null: not recorded
--   error      the recorded error; null: none
select
    c.node_id,
    c.call_id,
    case when isfinite(try_cast(c.parsed as double)) then try_cast(c.parsed as double) end as sample,
    left(trim(regexp_extract(t.text, '([^\n\r]*\S[^\n\r]*)\s*$', 1)), 200) as last_line,
    c.error
from calls as c
left join texts as t on t.run_id = c.run_id and t.hash = c.response_hash
where c.run_id = $run_id and c.role = 'evaluator' and c.node_id in (select unnest($node_ids::varchar[]))
order by c.node_id, c.started_at nulls last, c.call_id

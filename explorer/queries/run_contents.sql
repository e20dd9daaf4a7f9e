-- Is this run still what it was when it was reviewed? One row: a digest of its nodes.
--
--   digest  first 12 hex digits of a sha256 over the nodes in order: id, parents, step, state, score and fate; null: no nodes
with lines as (
    select
        preorder,
        concat_ws(
            chr(31), node_id, coalesce(array_to_string(parent_ids, chr(30)), ''), coalesce(step, ''), coalesce(state, ''),
            coalesce(score::varchar, ''), coalesce(fate, '')
        ) as line
    from nodes
    where run_id = $run_id
)
select left(sha256(string_agg(sha256(line), '' order by preorder)), 12) as digest
from lines

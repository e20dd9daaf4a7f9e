"""What can logs of a format tell, measured over the runs of a store? In the words of the README's table, as the explorer judges such logs."""

from __future__ import annotations

from ingest.store import Store

GRADES = ("no", "partly", "yes")
_MEASURED = """
with families as (
    select run_id, parent_ids[1] as parent, count(score) as scored,
        bool_and(request_index is not null and coalesce(step, state_key) is not null) as told
    from nodes where len(parent_ids) > 0 group by all having count(*) > 1
), asked as (
    select run_id, bool_or(prompt_hash is not null and response_hash is not null) as texts,
        bool_or(input_tokens is not null or cost is not null) as paid
    from calls group by run_id
), chosen as (
    select run_id, bool_or(fate = 'pruned') as pruned, bool_or(fate = 'pruned' and prune_rule is not null) as ruled from nodes group by run_id
), of_run as (
    select r.run_id, r.source_format as format, f.told, f.run_id is not null as siblings, coalesce(f.scored, 0) > 1 as compared,
        r.scored > 0 as scored,
        coalesce(c.pruned, false) as pruned, coalesce(c.ruled, false) as ruled, len(coalesce(r.selected_path, [])) > 0 as selected,
        coalesce(a.texts, false) as texts, coalesce(a.paid, false) as paid, r.calls > 0 as called,
        coalesce(reported_calls, reported_tokens, reported_input_tokens, reported_output_tokens, reported_cost) is not null as totalled
    from runs r
    left join (select run_id, bool_or(told) as told, max(scored) as scored from families group by run_id) f using (run_id)
    left join asked a using (run_id) left join chosen c using (run_id)
)
select format,
    max(case when told then 2 when siblings then 1 else 0 end) as generation,
    max(case when compared then 2 when scored then 1 else 0 end) as evaluation,
    max(case when pruned and ruled and siblings then 2 when pruned or (selected and siblings) then 1 else 0 end) as control,
    max(case when paid then 2 when called or totalled then 1 else 0 end) as spend,
    max(case when compared and texts then 2 when compared or texts then 1 else 0 end) as replay
from of_run group by format
"""


def measured(store: Store) -> dict[str, dict[str, str]]:
    """For each format the best that one of its runs can tell.

    - generation: yes, where all proposals of one node are told apart by request index and text; partly, where siblings are there at all;
    - evaluation: yes, where siblings have scores; partly, where any node has;
    - control: yes, where candidates were pruned by a named rule; partly, where it shows what was pruned, or selected among siblings;
    - spend: yes, where calls have tokens or a price; partly, where there are calls, or totals of a run;
    - replay: yes, where siblings have scores and calls their texts; partly, where one of both.
    """
    rows = {row.pop("format"): row for row in store.query(_MEASURED).to_pylist()}
    return {name: {question: GRADES[grade] for question, grade in row.items()} for name, row in rows.items()}

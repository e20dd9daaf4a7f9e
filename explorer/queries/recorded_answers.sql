-- What was asked, and what came back? One row per call whose prompt was kept, of the runs $only_runs (null: all), in recorded order.
--
--   run_id, call_id, node_id        the call; node_id null: not recorded
--   template_id, template_version   null: not recorded
--   prompt                          the whole text
--   response                        the whole text; null: none, or not kept
--   error                           why there is no response; null: none recorded
--   model, temperature, top_p, max_output_tokens, seed   null: not recorded
--   input_tokens, output_tokens, cached_tokens           null: not recorded
--   started_at                      null: not recorded
--   extra                           JSON object of what else the log held; null: nothing
select
    c.run_id,
    c.call_id,
    c.node_id,
    c.template_id,
    c.template_version,
    p.text as prompt,
    a.text as response,
    c.error,
    c.model,
    c.temperature,
    c.top_p,
    c.max_output_tokens,
    c.seed,
    c.input_tokens,
    c.output_tokens,
    c.cached_tokens,
    c.started_at,
    c.extra
from calls c
join runs r using (run_id)
join texts p on p.run_id = c.run_id and p.hash = c.prompt_hash
left join texts a on a.run_id = c.run_id and a.hash = c.response_hash
left join nodes n on n.run_id = c.run_id and n.node_id = c.node_id
where $only_runs is null or list_contains($only_runs, c.run_id)
order by
    r.started_at nulls last,
    c.run_id,
    c.started_at nulls last,
    case when c.role = 'proposer' then n.expanded_seq end nulls last,
    n.seq nulls last,
    n.preorder nulls last,
    length(c.call_id), -- so that sample 10 comes after sample 9
    c.call_id

-- Where else in a run do these words occur? One row per call whose answer contains them; the words alone are no proposal.
--
--   node_id  the node that the call worked on; null: none
--   role     proposer | evaluator | verifier | tool
--   call_id  the call
select c.node_id, c.role, c.call_id
from calls as c
join texts as t on t.run_id = c.run_id and t.hash = c.response_hash
where c.run_id = $run_id and contains(t.text, $needle)
order by c.call_id
limit 20

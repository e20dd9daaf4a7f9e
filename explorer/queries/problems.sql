-- What was wrong with the logs? One row per problem; rejected records first, then by file and line.
--
--   source    the log file
--   line      null where the file has no lines
--   path      place inside the document; null where a line says it
--   kind      a short stable name
--   message   what was found and what was expected
--   hint      what to do about it
--   run_id    null where it concerns no single run
--   node_id   null where it concerns no single node
--   raw       the rejected text; null: none
--   rejected  true: the record was left out
select source, line, path, kind, message, hint, run_id, node_id, raw, rejected
from problems
order by rejected desc, source, line nulls last, path nulls last, kind, message

-- What do these prompts and responses say? One row per text of a run whose hash is among $hashes and that was kept.
--
--   hash   names the text
--   text   its first 200,001 characters
--   chars  characters of the whole text
select hash, left(text, 200001) as text, length(text) as chars
from texts
where run_id = $run_id and hash in (select unnest($hashes))
order by hash

-- Which logs does the store hold? One row per log, in order of its name.
--
--   source     the log file, as it was named when it was loaded
--   format     the reader that read it
--   status     loaded | rejected
--   runs       runs in it
--   nodes      nodes in it
--   edges      parent links with both ends in the log
--   roots      nodes without a parent
--   orphans    nodes whose parent is not in the log
--   merged     nodes with more than one parent
--   max_depth  greatest depth of a node
--   problems   things that were wrong with it
--   rejected   records that were left out
--   bytes      size of the file
select source, format, status, runs, nodes, edges, roots, orphans, merged, max_depth, problems, rejected, bytes
from sources
order by source

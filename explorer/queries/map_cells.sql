-- What is the shape of a run of any size? One row per cell of a depth x leaf-order map of the part that is looked at.
--
-- The part is $depth_from..$depth_to by $leaf_from..$leaf_to, each null for the whole run; it ends at the greatest depth that its
-- leaves reach. It is cut into at most $max_columns columns of depth and as many rows of leaves as $max_cells allow. A node that
-- fills whole rows is a cell of its own; the smaller ones of one row and column are counted together.
--
--   map_column              the column of depth, from 0
--   row_from, row_to        first and last row of leaves, from 0
--   nodes                   nodes in the cell
--   best                    their highest score; null where none was scored
--   norm                    best on the run's own scale, in [0, 1]; null without a score, or where all scores are equal
--   pruned_share            pruned nodes / nodes with a recorded fate, in [0, 1]; null where no fate was recorded
--   on_path                 whether a node of the selected path is among them
--   node_id                 the node, or the best scored of several
--   label                   first 60 characters of its step; null where the cell holds several nodes or the rows are too low to read
--   leaf_from, leaf_to      leaves below the cell's nodes
--   depth_from, depth_to    their depths
--   map_columns, map_rows   columns and rows of the map
--   view_leaf_from, view_leaf_to, view_depth_from, view_depth_to  the part that is looked at
--   run_nodes, run_leaves, run_max_depth  nodes, leaves and greatest depth of the whole run
--   score_min, score_max    lowest and highest score of the run
with path as (
    select unnest(selected_path) as node_id
    from runs
    where run_id = $run_id
),
whole_run as (
    select
        count(*) as run_nodes,
        max(hi) + 1 as run_leaves,
        max(depth) as run_max_depth,
        min(depth) as run_min_depth,
        min(score) as score_min,
        max(score) as score_max
    from nodes
    where run_id = $run_id
),
reached as (
    select max(depth) as max_depth
    from nodes
    where run_id = $run_id and hi >= coalesce($leaf_from, 0) and lo <= coalesce($leaf_to, hi)
),
part as (
    select
        run_nodes,
        run_leaves,
        run_max_depth,
        score_min,
        score_max,
        coalesce($leaf_from, 0) as view_leaf_from,
        coalesce($leaf_to, run_leaves - 1) as view_leaf_to,
        coalesce($depth_from, run_min_depth) as view_depth_from,
        least(coalesce($depth_to, run_max_depth), reached.max_depth) as view_depth_to
    from whole_run, reached
),
grid as (
    select
        run_nodes,
        run_leaves,
        run_max_depth,
        score_min,
        score_max,
        view_leaf_from,
        view_leaf_to,
        view_depth_from,
        view_depth_to,
        least(view_depth_to - view_depth_from + 1, $max_columns) as map_columns,
        least(view_leaf_to - view_leaf_from + 1, $max_cells // least(view_depth_to - view_depth_from + 1, $max_columns)) as map_rows
    from part
),
placed as (
    select
        nodes.node_id,
        nodes.preorder,
        nodes.depth,
        nodes.lo,
        nodes.hi,
        nodes.score,
        nodes.fate,
        nodes.node_id in (select node_id from path) as on_path,
        (nodes.depth - view_depth_from) * map_columns // (view_depth_to - view_depth_from + 1) as map_column,
        round((greatest(nodes.lo, view_leaf_from) - view_leaf_from) * map_rows / (view_leaf_to - view_leaf_from + 1)) as top,
        round((least(nodes.hi, view_leaf_to) + 1 - view_leaf_from) * map_rows / (view_leaf_to - view_leaf_from + 1)) as bottom
    from nodes, grid
    where nodes.run_id = $run_id
        and nodes.hi >= view_leaf_from and nodes.lo <= view_leaf_to
        and nodes.depth between view_depth_from and view_depth_to
),
cells as (
    select
        placed.map_column,
        least(placed.top, grid.map_rows - 1)::integer as row_from,
        greatest(placed.bottom - 1, least(placed.top, grid.map_rows - 1))::integer as row_to,
        count(*) as nodes,
        max(placed.score) as best,
        count(*) filter (placed.fate = 'pruned') / nullif(count(placed.fate), 0) as pruned_share,
        bool_or(placed.on_path) as on_path,
        coalesce(max_by(placed.preorder, placed.score), min(placed.preorder)) as preorder,
        min(placed.lo) as leaf_from,
        max(placed.hi) as leaf_to,
        min(placed.depth) as depth_from,
        max(placed.depth) as depth_to
    from placed, grid
    group by placed.map_column, row_from, row_to
)
select
    cells.map_column,
    cells.row_from,
    cells.row_to,
    cells.nodes,
    cells.best,
    (cells.best - grid.score_min) / nullif(grid.score_max - grid.score_min, 0) as norm,
    cells.pruned_share,
    cells.on_path,
    nodes.node_id,
    case when cells.nodes = 1 and grid.map_rows <= 40 then
        left(trim(regexp_replace(left(
            coalesce(nodes.step, nullif(concat_ws(' ', nodes.action_kind, nodes.action_target), ''), nodes.state), 240
        ), '\s+', ' ', 'g')), 60)
    end as label,
    cells.leaf_from,
    cells.leaf_to,
    cells.depth_from,
    cells.depth_to,
    grid.map_columns,
    grid.map_rows,
    grid.view_leaf_from,
    grid.view_leaf_to,
    grid.view_depth_from,
    grid.view_depth_to,
    grid.run_nodes,
    grid.run_leaves,
    grid.run_max_depth,
    grid.score_min,
    grid.score_max
from cells
cross join grid
join nodes on nodes.run_id = $run_id and nodes.preorder = cells.preorder
order by cells.map_column, cells.row_to - cells.row_from desc, cells.row_from

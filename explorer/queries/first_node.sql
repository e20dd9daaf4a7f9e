-- Which node is shown when the address names none? At most one row: the end of the selected path, else the first root.
--
--   node_id  the node
with chosen as (
    select selected_path[-1] as node_id
    from runs
    where run_id = $run_id
)
select nodes.node_id
from nodes
where nodes.run_id = $run_id and (nodes.preorder = 0 or nodes.node_id = (select node_id from chosen))
order by case when nodes.node_id = (select node_id from chosen) then 0 else 1 end, nodes.preorder
limit 1

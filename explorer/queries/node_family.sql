-- Where does a node hang? One row per parent, primary first, then per child in order of creation, at most $children of these.
--
--   relation  parent | child
--   position  0 for the primary parent; for children their order
--   node_id   the relative
--   in_log    false: a parent that the log never recorded
--   depth     null where it is not in the log
--   score     null: not scored
--   fate      null: not recorded
--   step      the first 160 characters; null: not recorded
with asked as (
    select parent_ids
    from nodes
    where run_id = $run_id and node_id = $node_id
),
parents as (
    select unnest(parent_ids) as node_id, generate_subscripts(parent_ids, 1) - 1 as position
    from asked
),
children as (
    select node_id, row_number() over (order by preorder) - 1 as position
    from nodes
    where run_id = $run_id and list_contains(parent_ids, $node_id)
),
relatives as (
    select 'parent' as relation, position, node_id
    from parents
    union all
    select 'child' as relation, position, node_id
    from children
    where position < $children
)
select
    relatives.relation,
    relatives.position,
    relatives.node_id,
    nodes.node_id is not null as in_log,
    nodes.depth,
    nodes.score,
    nodes.fate,
    left(nodes.step, 160) as step
from relatives
left join nodes on nodes.run_id = $run_id and nodes.node_id = relatives.node_id
order by relatives.relation desc, relatives.position

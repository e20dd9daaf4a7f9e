"""Which tree do the parent pointers make? Labels, rebuilt depths, orphans and cycles of everything in the staging area."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ingest.labels import label
from ingest.staging import Staging

_KEYS = """
create or replace table s_keys as
select
    (row_number() over (order by run_no, request_index nulls last, seq nulls last, ord)) - 1 as row,
    run_no, run_id, node_id, parent_ids[1] as parent_id, ord
from (select *, dense_rank() over (order by run_id) - 1 as run_no from s_nodes)
order by row
"""

_PARENTS = """
select child.run_no, coalesce(parent.row, -1) as parent, child.ord
from s_keys child
left join s_keys parent on parent.run_id = child.run_id and parent.node_id = child.parent_id
order by child.row
"""

_OTHER_LINKS = """
create or replace table s_other_links as
select link.ord, count(p.ord) as found, count(*) - count(p.ord) as missing
from (select ord, run_id, unnest(parent_ids[2:]) as parent from s_nodes where len(parent_ids) > 1) as link
left join s_nodes p on p.run_id = link.run_id and p.node_id = link.parent
group by link.ord
"""


def shape(staging: Staging) -> None:
    """Make ``s_labels`` (one row a node, by ``ord``), ``s_cycles`` (run_id, node_id, cycle) and ``s_other_links`` (parents beyond the first).

    Expects node ids to be unique within a run. Children stand in the order of request index, then seq, then arrival.
    ``tree_depth`` in s_labels is the depth rebuilt from the parents: 0 for a root and for a node whose parent is missing; ``linked`` says
    whether the primary parent is in the log.
    """
    con = staging.con
    con.execute(_KEYS)
    table = con.sql(_PARENTS).to_arrow_table()
    run, parent, order = (table[name].to_numpy().astype(np.int64) for name in ("run_no", "parent", "ord"))
    labels = label(parent, run, order)
    n_children = np.bincount(labels.parent[labels.parent >= 0], minlength=len(parent))
    parent_preorder = np.where(labels.parent >= 0, labels.preorder[labels.parent], 0)
    arrow = pa.table(
        {
            "ord": order,
            "run_no": run,
            "preorder": labels.preorder,
            "subtree_size": labels.subtree_size,
            "lo": labels.lo,
            "hi": labels.hi,
            "parent_preorder": pa.array(parent_preorder, mask=labels.parent < 0),
            "n_children": n_children.astype(np.int64),
            "tree_depth": labels.depth,
            "linked": parent >= 0,
        }
    )
    con.execute(_OTHER_LINKS)
    with staging.arriving(arrow):
        con.execute("create or replace table s_labels as select * from arriving")
    looped = np.flatnonzero(labels.cycle >= 0)
    with staging.arriving(pa.table({"row": looped, "cycle": labels.cycle[looped]})):
        con.execute("create or replace table s_cycles as select run_id, node_id, parent_id, cycle, ord from arriving join s_keys using (row)")

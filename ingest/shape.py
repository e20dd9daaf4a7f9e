"""Which tree do the parent pointers make? Labels, rebuilt depths, orphans and cycles of everything in the staging area."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ingest.labels import label
from ingest.staging import Staging

_KEYS = """
create or replace table s_keys as
with numbered as (
    select run_id, (row_number() over (order by run_id) - 1)::integer as run_no from (select distinct run_id from s_nodes)
)
select run_no, node_id, parent_ids[1] as parent_id, ord, depth
from s_nodes join numbered using (run_id)
order by run_no, request_index nulls last, seq nulls last, ord
"""
"""The nodes of all runs as they stand below their parents, run by run; where one stands here is its ``rowid``."""

_PARENTS = """
select child.rowid::integer as row, child.run_no, coalesce(parent.rowid, -1)::integer as parent, child.ord, child.depth
from s_keys child
left join s_keys parent on parent.run_no = child.run_no and parent.node_id = child.parent_id
"""

_OTHER_LINKS = """
create or replace table s_other_links as
select link.ord, count(p.ord) as found, count(*) - count(p.ord) as missing
from (select ord, run_id, unnest(parent_ids[2:]) as parent from s_nodes where len(parent_ids) > 1) as link
left join s_nodes p on p.run_id = link.run_id and p.node_id = link.parent
group by link.ord
"""

_CYCLES = """
create or replace table s_cycles as
select run_id, node_id, parent_ids[1] as parent_id, cycle, ord from arriving join s_nodes using (ord)
"""


def shape(staging: Staging) -> None:
    """Make ``s_labels`` (one row a node, by ``ord``), ``s_cycles`` (run_id, node_id, cycle) and ``s_other_links`` (parents beyond the first).

    Expects node ids to be unique within a run. Children stand in the order of request index, then seq, then arrival.
    ``depth`` in s_labels is the logged one or else the one rebuilt from the parents: 0 for a root and for a node whose parent is missing;
    ``linked`` says whether the primary parent is in the log, ``parent_ord`` which record it is.
    """
    con = staging.con
    con.execute(_KEYS)
    table = con.sql(_PARENTS).to_arrow_table()
    con.execute("drop table s_keys")
    con.execute(_OTHER_LINKS)
    table = table.take(np.argsort(table["row"].to_numpy()))
    run, parent, order = (table[name].to_numpy() for name in ("run_no", "parent", "ord"))
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
            "n_children": n_children,
            "depth": pc.coalesce(table["depth"], pa.array(labels.depth)),
            "linked": parent >= 0,
            "parent_ord": pa.array(order[parent], mask=parent < 0),
        }
    )
    with staging.arriving(arrow):
        con.execute("create or replace table s_labels as select * from arriving")
    looped = np.flatnonzero(labels.cycle >= 0)
    with staging.arriving(pa.table({"ord": order[looped], "cycle": labels.cycle[looped]})):
        con.execute(_CYCLES)
    del table, arrow
    pa.default_memory_pool().release_unused()  # Arrow would keep it, and DuckDB needs it next

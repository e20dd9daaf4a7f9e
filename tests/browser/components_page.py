"""A page with one drawing of a grown run, for the browser tests: ``?view=tree&n=60&shape=beam&color=fate``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import streamlit as st

from explorer.components.map import draw_map, map_payload, part_of, query_parameters
from explorer.components.outline import LIMIT as ROWS
from explorer.components.outline import SIBLINGS, draw_outline, outline_payload
from explorer.components.tree import LIMIT, draw_tree, tree_payload
from tests.explorer.components import grown

HOSTILE = (
    "![x](/canary.png)", "<img src=/canary.png onerror=\"document.title='owned'\">", "<script>document.title='owned'</script>",
    "[link](javascript:document.title='owned')", ":red[**bold**] $x$", "\u202eright to left", "a\nb\tc", "\U0001f600" * 30,
)
KEY = "drawing"
_SHAPES: dict[str, Callable[[int], list[int]]] = {"beam": grown.beam, "bushy": grown.bushy, "chain": grown.chain}


@st.cache_resource(max_entries=12)
def run_of(shape: str, n: int, kind: str) -> tuple[pa.Table, list[str]]:
    """Nodes and selected path."""
    parents = _SHAPES[shape](n)
    path = grown.path_to(parents, grown.deepest(parents)) if parents else []
    columns: dict[str, Any] = {}
    if kind == "hostile":
        columns["step"] = [HOSTILE[i % len(HOSTILE)] for i in range(n)]
    if kind == "merged":
        inner = sorted(set(parents) - {-1, 0})
        further = [[f"n{inner[i % len(inner)]}"] if i % 7 == 4 and p > 0 else [] for i, p in enumerate(parents)]
        columns["parent_ids"] = [[f"n{p}", *more] if p >= 0 else [] for p, more in zip(parents, further, strict=True)]
    if kind == "broken":
        parents = [-1 if i in (0, 12, 13, 30) else p for i, p in enumerate(parents)]
        columns["parent_ids"] = [["lost"] if i in (13, 30) else [f"n{p}"] if p >= 0 else [] for i, p in enumerate(parents)]
        columns["error"] = ["timed out" if i % 11 == 5 else None for i in range(n)]
        columns["fate"] = [{3: None, 4: "open", 5: "terminal"}.get(i % 7, "pruned") for i in range(n)]
        columns["verified"] = [i % 2 == 0 if i % 7 == 5 else None for i in range(n)]
        path = grown.path_to(parents, grown.deepest(parents))
    return grown.nodes_of(parents, **columns), path


@st.cache_resource(max_entries=12)
def _tree(shape: str, n: int, kind: str) -> dict[str, Any]:
    nodes, path = run_of(shape, n, kind)
    return tree_payload(grown.answer(nodes, path, "tree_nodes", limit=LIMIT), path, "r")


def choose(node_id: str) -> None:
    """Called before the page runs again."""
    st.session_state["node"] = node_id


@st.fragment
def page() -> None:
    """Drawing and inspector, side by side."""
    ask = st.query_params
    nodes, path = run_of(ask.get("shape", "beam"), int(ask.get("n", "60")), ask.get("kind", "plain"))
    view, color = ask.get("view", "tree"), ask.get("color", "fate")
    left, right = st.columns([64, 36])
    node = st.session_state.get("node")
    with left:
        if view == "tree":
            payload = _tree(ask.get("shape", "beam"), int(ask.get("n", "60")), ask.get("kind", "plain"))
            lit = ask.get("lit", "").split(",")
            chosen = draw_tree(payload, selected=node, color=color, height=900, key=KEY, lit=lit, on_choose=choose)
        elif view == "outline":
            table = grown.answer(nodes, path, "outline_nodes", limit=ROWS, siblings=SIBLINGS, inspected=node)
            payload = outline_payload(table, path, "r")
            chosen = draw_outline(payload, selected=node, color=color, height=900, key=KEY, on_choose=choose)
        else:
            cells = grown.answer(nodes, path, "map_cells", **query_parameters(part_of(KEY)))
            payload, place = map_payload(cells, "r"), _place(nodes, node)
            chosen = draw_map(payload, selected=node, color=color, height=900, key=KEY, on_choose=choose, selected_at=place)
    with right:
        st.text(f"node {node}")
        st.text(f"chosen {chosen}")
        st.text(f"part {part_of(KEY)}")
        st.session_state["runs"] = st.session_state.get("runs", 0) + 1
        st.text(f"runs {st.session_state['runs']}")
        if st.button("to the root"):
            choose("n0")
            st.rerun(scope="fragment")


def _place(nodes: pa.Table, node: str | None) -> tuple[int, int, int] | None:
    if node is None:
        return None
    row = nodes.slice(int(node[1:]), 1).to_pylist()[0]
    return row["depth"], row["lo"], row["hi"]


st.set_page_config(layout="wide")
page()

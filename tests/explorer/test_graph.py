"""The graph of a run: parents in their order, stubs for what is missing, cycles cut as the store cut them, ancestors through every parent."""

from __future__ import annotations

from pathlib import Path

from explorer import graph
from ingest.schema import Node, Run, Trace
from ingest.store import Store
from tests.stores import store_of, tree

MERGED = """
    root
      left
        both parent_ids=["left","right"] score=0.9
      right
"""


def test_an_unknown_run_has_an_empty_graph(tmp_path: Path) -> None:
    assert len(graph.of_run(Store(tmp_path / "nothing"), "run")) == 0


def test_a_single_node_is_a_graph(tmp_path: Path) -> None:
    found = graph.of_run(store_of(tmp_path, tree("root score=0.5 fate=terminal")), "run")
    assert list(found.nodes) == ["root"] and list(found.edges) == []
    assert (found.nodes["root"]["score"], found.nodes["root"]["fate"], found.nodes["root"]["stub"]) == (0.5, "terminal", False)


def test_edges_go_from_parent_to_child_and_say_which_parent_is_primary(tmp_path: Path) -> None:
    found = graph.of_run(store_of(tmp_path, tree(MERGED)), "run")
    assert sorted((a, b, data["position"]) for a, b, data in found.edges(data=True)) == [
        ("left", "both", 0), ("right", "both", 1), ("root", "left", 0), ("root", "right", 0),
    ]  # fmt: skip


def test_ancestors_are_found_through_every_parent(tmp_path: Path) -> None:
    found = graph.of_run(store_of(tmp_path, tree(MERGED)), "run")
    assert graph.ancestors(found, ["both"]) == {"left", "right", "root"}
    assert graph.ancestors(found, ["root"]) == graph.ancestors(found, ["unknown"]) == frozenset()


def test_a_missing_parent_is_a_stub(tmp_path: Path) -> None:
    drawn = tree('root\n  a\norphan parent_ids=["gone"] depth=3')
    found = graph.of_run(store_of(tmp_path, drawn), "run")
    assert found.nodes["gone"] == {"stub": True}
    assert ("gone", "orphan") in found.edges and graph.ancestors(found, ["orphan"]) == {"gone"}


def test_a_cycle_is_cut_where_the_store_cut_it(tmp_path: Path) -> None:
    store = store_of(tmp_path, tree('a parent_ids=["c"]\nb parent_ids=["a"]\nc parent_ids=["b"]'))
    found = graph.of_run(store, "run")
    assert len(found.edges) == 2
    (top,) = store.query("select node_id from nodes where parent_preorder is null").to_pydict()["node_id"]
    assert found.in_degree(top) == 0
    assert all(node not in graph.ancestors(found, [node]) for node in found)


def test_a_chain_of_6000_levels_is_a_graph_like_any_other(tmp_path: Path) -> None:
    nodes = tuple(Node(run_id="run", node_id=f"n{i}", parent_ids=(f"n{i - 1}",) if i else ()) for i in range(6_000))
    found = graph.of_run(store_of(tmp_path, Trace(Run(run_id="run"), nodes)), "run")
    assert len(found.edges) == 5_999
    assert len(graph.ancestors(found, ["n5999"])) == 5_999

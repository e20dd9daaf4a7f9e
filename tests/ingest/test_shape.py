"""Which tree do the parent pointers of a staged run make, whatever the order of its lines?"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from ingest.schema import Node, Run, Trace
from tests.stores import store_of, tree

LABELS = "preorder, subtree_size, lo, hi, parent_preorder, n_children, depth"


def labels(folder: Path, *traces: Trace) -> dict[str, list[tuple[str, Any]]]:
    """For each run: node ids in preorder with their labels."""
    table = store_of(folder, *traces).query(f"select run_id, node_id, {LABELS} from nodes order by run_id, preorder").to_pylist()
    found: dict[str, list[tuple[str, Any]]] = {}
    for row in table:
        run_id, node_id, *values = row.values()
        found.setdefault(run_id, []).append((node_id, tuple(values)))
    return found


def test_worked_by_hand(tmp_path: Path) -> None:
    drawn = tree("root\n  a\n    a1\n    a2\n  b\n    b1")
    assert labels(tmp_path, drawn)["run"] == [
        ("root", (0, 6, 0, 2, None, 2, 0)),
        ("a", (1, 3, 0, 1, 0, 2, 1)),
        ("a1", (2, 1, 0, 0, 1, 0, 2)),
        ("a2", (3, 1, 1, 1, 1, 0, 2)),
        ("b", (4, 2, 2, 2, 0, 1, 1)),
        ("b1", (5, 1, 2, 2, 4, 0, 2)),
    ]


def test_a_single_node(tmp_path: Path) -> None:
    assert labels(tmp_path, tree("root")) == {"run": [("root", (0, 1, 0, 0, None, 0, 0))]}


def test_children_stand_in_the_order_of_request_index_then_seq_then_arrival(tmp_path: Path) -> None:
    drawn = tree("""
        root
          late     request_index=null seq=null
          latest   request_index=null seq=null
          third    request_index=2 seq=null
          second   request_index=1 seq=9
          first    request_index=1 seq=3
          fourth   request_index=null seq=5
    """)
    assert [name for name, _ in labels(tmp_path, drawn)["run"]] == ["root", "first", "second", "third", "fourth", "late", "latest"]


def test_the_order_of_lines_changes_nothing_where_children_have_a_request_index(tmp_path: Path) -> None:
    drawn = tree("root\n  a\n    a1\n    a2\n  b\n    b1\n      b2\n  c")
    shuffled = random.Random(3).sample(drawn.nodes, len(drawn.nodes))
    assert labels(tmp_path / "shuffled", Trace(drawn.run, tuple(shuffled))) == labels(tmp_path / "drawn", drawn)


def test_runs_are_labelled_apart_though_their_ids_are_the_same_and_their_lines_mixed(tmp_path: Path) -> None:
    one, two = tree("root\n  a\n  b", "one"), tree("root\n  b\n    a", "two")
    found = labels(tmp_path, one, two)
    assert found["one"] == [("root", (0, 3, 0, 1, None, 2, 0)), ("a", (1, 1, 0, 0, 0, 0, 1)), ("b", (2, 1, 1, 1, 0, 0, 1))]
    assert found["two"] == [("root", (0, 3, 0, 0, None, 1, 0)), ("b", (1, 2, 0, 0, 0, 1, 1)), ("a", (2, 1, 0, 0, 1, 0, 2))]


def test_an_orphan_is_a_top_beside_the_root_and_its_rebuilt_depth_starts_at_zero(tmp_path: Path) -> None:
    nodes = [Node(run_id="run", node_id=name, parent_ids=parents) for name, parents in (("root", ()), ("o", ("gone",)), ("o1", ("o",)))]
    assert labels(tmp_path, Trace(Run(run_id="run"), tuple(nodes)))["run"] == [
        ("root", (0, 1, 0, 0, None, 0, 0)),
        ("o", (1, 2, 1, 1, None, 1, 0)),
        ("o1", (2, 1, 1, 1, 1, 0, 1)),
    ]


def test_a_merged_node_hangs_from_its_first_parent_only(tmp_path: Path) -> None:
    drawn = tree('root\n  a\n  b\n    m parent_ids=["b","a"]')
    assert [(name, values[4]) for name, values in labels(tmp_path, drawn)["run"]] == [("root", None), ("a", 0), ("b", 0), ("m", 2)]


def test_a_parent_of_another_run_is_no_parent(tmp_path: Path) -> None:
    nodes = (Node(run_id="two", node_id="x", parent_ids=("root",)),)
    found = labels(tmp_path, tree("root", "one"), Trace(Run(run_id="two"), nodes))
    assert found["two"] == [("x", (0, 1, 0, 0, None, 0, 0))]

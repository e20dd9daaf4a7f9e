"""Is everything named that does not add up within a run? And is a sound run left in peace?"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from ingest.schema import Call, Node, Run, Trace
from ingest.store import Store
from tests.stores import store_of, tree

AT = datetime(2026, 3, 1, 10, tzinfo=UTC)


def problems(store: Store, kind: str) -> list[tuple[str | None, str]]:
    """Node and message of every problem of that kind, in the order in which they were found."""
    found = store.query("select node_id, message from problems where kind = $kind and not rejected", kind=kind).to_pylist()
    return [(row["node_id"], row["message"]) for row in found]


def test_a_sound_run_has_no_problem(tmp_path: Path) -> None:
    calls = (Call(run_id="run", call_id="c", node_id="a", input_tokens=5, output_tokens=2, cost=0.1),)
    run = {"selected_path": ("root", "a"), "reported_calls": 1, "reported_input_tokens": 5, "reported_output_tokens": 2, "reported_cost": 0.1}
    sound = tree("root\n  a score=0.5\n  b", calls=calls, **run)  # type: ignore[arg-type]  # any field of Run
    assert store_of(tmp_path, sound).query("select * from problems").num_rows == 0


def test_an_empty_store_and_a_single_node_have_no_problem(tmp_path: Path) -> None:
    assert store_of(tmp_path / "empty").query("select * from problems").num_rows == 0
    assert store_of(tmp_path / "one", tree("root")).query("select * from problems").num_rows == 0


def test_a_node_id_used_twice_is_rejected_once_and_the_last_record_used(tmp_path: Path) -> None:
    nodes = tuple(Node(run_id="run", node_id=name, step=step) for name, step in (("a", "first"), ("b", "b"), ("a", "second"), ("a", "third")))
    store = store_of(tmp_path, Trace(Run(run_id="run"), nodes))
    assert store.query("select node_id, step from nodes order by 1").to_pylist() == [{"node_id": "a", "step": "third"}, {"node_id": "b", "step": "b"}]
    assert store.query("select kind, node_id, message, rejected from problems").to_pylist() == [
        {"kind": "duplicate", "node_id": "a", "message": "run run: node a is recorded 3 times; the last record is used", "rejected": True}
    ]


def test_the_same_id_in_two_runs_is_no_duplicate(tmp_path: Path) -> None:
    store = store_of(tmp_path, tree("root\n  a", "one"), tree("root\n  a", "two"))
    assert store.query("select * from problems").num_rows == 0


def test_every_missing_parent_is_named_where_only_some_of_them_are_missing_too(tmp_path: Path) -> None:
    store = store_of(tmp_path, tree('root\n  a\n  b parent_ids=["root","gone"]\n  c parent_ids=["lost","away"]'))
    assert problems(store, "orphan") == [
        ("b", "run run: node b names parent gone, which the log does not hold"),
        ("c", "run run: node c names parent lost, which the log does not hold"),
        ("c", "run run: node c names parent away, which the log does not hold"),
    ]
    assert store.query("select orphans, roots, edges from runs").to_pylist() == [{"orphans": 2, "roots": 1, "edges": 2}]


def test_each_cycle_is_named_once_with_all_of_its_nodes_and_where_it_was_cut(tmp_path: Path) -> None:
    links = {"a": "c", "b": "a", "c": "b", "s": "s", "t": "s"}
    store = store_of(tmp_path, tree("root\n" + "\n".join(f'  {name} parent_ids=["{parent}"]' for name, parent in links.items())))
    assert problems(store, "cycle") == [
        ("c", "run run: the parents of a, b, c go round in a circle; the link above c was cut for drawing"),
        ("s", "run run: the parents of s go round in a circle; the link above s was cut for drawing"),
    ]
    assert store.query("select node_id from nodes order by preorder")["node_id"].to_pylist() == ["root", "c", "a", "b", "s", "t"]


def test_a_depth_that_is_not_one_below_the_parents_is_named_and_kept(tmp_path: Path) -> None:
    store = store_of(tmp_path, tree("root depth=0\n  a depth=2\n    b depth=3\n  c depth=null\n    d depth=7"))
    assert problems(store, "depth") == [("a", "run run: node a is logged at depth 2, its parent at depth 0")]
    assert store.query("select depth from nodes order by preorder")["depth"].to_pylist() == [0, 2, 3, 1, 7]


def test_clocks_that_disagree_are_named_and_times_that_are_not_recorded_are_not(tmp_path: Path) -> None:
    def node(name: str, start: int | None, end: int | None) -> Node:
        at = [None if second is None else AT + timedelta(seconds=second) for second in (start, end)]
        return Node(run_id="run", node_id=name, parent_ids=() if name == "root" else ("root",), started_at=at[0], ended_at=at[1])

    times = {"root": (10, 20), "early": (9, 12), "backwards": (15, 14), "fine": (10, 10), "open": (11, None), "none": (None, None)}
    nodes = tuple(node(name, *both) for name, both in times.items())
    assert problems(store_of(tmp_path, Trace(Run(run_id="run"), nodes)), "time") == [
        ("early", "run run: node early starts before its parent"),
        ("backwards", "run run: node backwards ends before it starts"),
    ]


def test_calls_of_a_node_that_was_never_logged_are_named_once_a_node_and_counted(tmp_path: Path) -> None:
    calls = tuple(Call(run_id="run", call_id=str(i), node_id=name, input_tokens=5) for i, name in enumerate(("gone", "gone", "root", None)))
    store = store_of(tmp_path, tree("root", calls=calls))
    assert problems(store, "no_node") == [("gone", "run run: 2 call(s) name node gone, which the log does not hold")]
    assert store.query("select calls, input_tokens from runs").to_pylist() == [{"calls": 4, "input_tokens": 20}]
    assert store.query("select depth from calls order by call_id")["depth"].to_pylist() == [None, None, 0, None]


def test_a_selected_path_through_unknown_nodes_names_them(tmp_path: Path) -> None:
    store = store_of(tmp_path, tree("root\n  a", selected_path=("root", "x", "y")))
    assert problems(store, "path") == [
        ("x", "run run: the selected path names node x, which the log does not hold"),
        ("y", "run run: the selected path names node y, which the log does not hold"),
    ]


def test_totals_that_differ_from_the_sums_are_named_with_both_figures(tmp_path: Path) -> None:
    calls = tuple(Call(run_id="run", call_id=str(i), input_tokens=5, output_tokens=1, cost=0.1) for i in range(3))
    run = {"reported_calls": 4, "reported_input_tokens": 15, "reported_output_tokens": 5, "reported_cost": 0.25}
    differing = tree("root", calls=calls, **run)  # type: ignore[arg-type]  # any field of Run
    assert problems(store_of(tmp_path, differing), "totals") == [
        (None, "run run: the producer reports 4 calls, its calls add up to 3"),
        (None, "run run: the producer reports 5 output tokens, its calls add up to 3"),
        (None, "run run: the producer reports 0.25 dollars, its calls add up to 0.3"),
    ]


def test_totals_are_not_compared_where_no_call_says_its_part(tmp_path: Path) -> None:
    calls = (Call(run_id="run", call_id="0"),)
    store = store_of(tmp_path, tree("root", calls=calls, reported_cost=5.0, reported_input_tokens=9), tree("root", "other", reported_calls=3))
    assert problems(store, "totals") == []
    assert store.query("select cost, input_tokens, spend_from from runs order by run_id").to_pylist() == [
        {"cost": None, "input_tokens": None, "spend_from": None},
        {"cost": 5.0, "input_tokens": 9, "spend_from": "run"},
    ]

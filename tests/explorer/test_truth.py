"""Truth: the stronger source wins, disagreement is kept, true spreads upwards through every parent, false does not spread."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from explorer.analysis import attribution, known
from explorer.analysis.known import Known
from explorer.truth.routes import match
from explorer.truth.spread import Conflict, Statement, believe
from ingest.judgements import add_routes
from ingest.schema import Node, Run, Trace, Truth
from tests.stores import store_of, tree


def parents(links: dict[int, list[int]]) -> Any:
    return lambda node: links.get(node, [])


def said(*statements: tuple[bool, str]) -> tuple[Statement, ...]:
    return tuple(Statement(viable, source) for viable, source in statements)


def test_nothing_said_is_nothing_believed() -> None:
    assert believe({}, parents({})).of == {}


def test_a_stronger_source_wins_and_the_disagreement_is_kept() -> None:
    beliefs = believe({0: said((True, "reviewer"), (False, "oracle"))}, parents({}))
    assert (beliefs.viable(0), beliefs.of[0].viable_by) == (False, "oracle")
    assert beliefs.conflicts == (Conflict(0, said((True, "reviewer"), (False, "oracle"))),)


def test_sources_of_one_strength_that_disagree_leave_the_node_unknown() -> None:
    beliefs = believe({0: said((True, "reviewer"), (False, "reviewer"))}, parents({}))
    assert beliefs.viable(0) is None and len(beliefs.conflicts) == 1


def test_a_true_node_makes_all_its_ancestors_true_through_every_parent() -> None:
    beliefs = believe({4: said((True, "label"))}, parents({4: [1, 2], 1: [0], 2: [0], 3: [0]}))
    assert {node: belief.viable for node, belief in beliefs.of.items()} == {0: True, 1: True, 2: True, 4: True}
    assert (beliefs.of[0].through, beliefs.of[4].through) == (4, None)


def test_false_spreads_neither_up_nor_down() -> None:
    beliefs = believe({1: said((False, "oracle"))}, parents({1: [0], 2: [1]}))
    assert set(beliefs.of) == {1}


def test_what_a_stronger_source_denies_does_not_become_true_from_below() -> None:
    beliefs = believe({1: said((False, "oracle")), 2: said((True, "reviewer"))}, parents({1: [0], 2: [1]}))
    assert (beliefs.viable(1), beliefs.viable(0)) == (False, None)
    assert [conflict.node for conflict in beliefs.conflicts] == [1]


def test_a_check_below_overrules_an_oracle_above() -> None:
    beliefs = believe({0: said((False, "oracle")), 1: said((True, "environment"))}, parents({1: [0]}))
    assert beliefs.viable(0) is True and [conflict.node for conflict in beliefs.conflicts] == [0]


def test_a_circle_of_parents_ends() -> None:
    assert believe({0: said((True, "label"))}, parents({0: [1], 1: [0]})).viable(1) is True


# from the store


def of(folder: Path, *traces: Trace) -> dict[str, Known]:
    store = store_of(folder, *traces)
    return {one.search.run["run_id"]: one for _, _, found in known.of_runs(store) for one in found}


def viable(one: Known) -> dict[str, tuple[bool | None, str]]:
    return {one.search.nodes[i].node_id: (belief.viable, belief.viable_by) for i, belief in sorted(one.beliefs.of.items())}


def test_a_checked_terminal_node_is_truth_of_the_environment(tmp_path: Path) -> None:
    one = of(tmp_path, tree("root\n  good fate=terminal verified=true\n  bad fate=terminal verified=false"))["run"]
    assert viable(one) == {"root": (True, "environment"), "good": (True, "environment"), "bad": (False, "environment")}


def test_the_outcome_of_a_run_is_the_check_of_its_selected_answer(tmp_path: Path) -> None:
    drawing = "root\n  end fate=terminal"
    right = tree(drawing, run_id="right", outcome="right", outcome_by="check", selected_path=("root", "end"))
    judged = tree(drawing, run_id="judged", outcome="right", outcome_by="judge gpt", selected_path=("root", "end"))
    found = of(tmp_path, right, judged)
    assert viable(found["right"]) == {"root": (True, "environment"), "end": (True, "environment")}
    assert viable(found["judged"]) == {}, "a judge's word is no check"


def test_another_run_of_the_task_that_ended_right_vouches_for_equal_state_keys(tmp_path: Path) -> None:
    right = tree("root\n  a state_key=k\n    end fate=terminal", run_id="1", task_id="t", outcome="right", selected_path=("root", "a", "end"))
    wrong = tree("root\n  b state_key=k\n  c state_key=other", run_id="2", task_id="t", outcome="wrong")
    other = tree("root\n  b state_key=k", run_id="3", task_id="u", outcome="wrong")
    found = of(tmp_path, right, wrong, other)
    assert viable(found["2"]) == {"root": (True, "cross_run"), "b": (True, "cross_run")}
    assert found["2"].beliefs.of[1].detail == "1"
    assert viable(found["3"]) == {}
    assert "cross_run" not in {source for _, source in viable(found["1"]).values()}, "a run does not vouch for itself"


def test_merged_states_spread_truth_to_all_their_parents(tmp_path: Path) -> None:
    drawn = tree('root\n  left\n    both parent_ids=["left","right"]\n  right\n  other')
    label = (Truth(run_id="run", node_id="both", viable=True, viable_by="label"),)
    assert set(viable(of(tmp_path, dataclasses.replace(drawn, truth=label))["run"])) == {"root", "left", "right", "both"}


def test_a_chain_of_6000_levels_is_true_to_the_top(tmp_path: Path) -> None:
    nodes = tuple(Node(run_id="run", node_id=f"n{i}", parent_ids=(f"n{i - 1}",) if i else ()) for i in range(6_000))
    label = (Truth(run_id="run", node_id="n5999", viable=True, viable_by="label"),)
    assert len(of(tmp_path, Trace(Run(run_id="run"), nodes, (), label))["run"].beliefs.of) == 6_000


# known-good routes


def route(*steps: str) -> list[dict[str, str]]:
    return [{"step": step} for step in steps]


def matched(folder: Path, drawing: str, *elements: dict[str, str]) -> tuple[list[list[str]], list[dict[str, str]]]:
    """The nodes found for each element, and the rest of the route."""
    store = store_of(folder, tree(drawing))
    add_routes(folder, [{"run_id": "run", "route": list(elements)}])
    (one,) = [one for _, _, found in known.of_runs(store) for one in found]
    (found,) = one.matches
    return [one.search.ids(nodes) for nodes in found.nodes], [dict(element) for element in found.rest]


def test_a_route_is_matched_child_by_child_by_trimmed_text(tmp_path: Path) -> None:
    drawing = 'root step="start"\n  a step="x"\n    b step="y"\n  c step="y"'
    assert matched(tmp_path, drawing, {"step": " x "}, {"step": "y"}, {"step": "z"}) == ([["a"], ["b"]], [{"step": "z"}])


def test_text_found_anywhere_else_is_no_proposal(tmp_path: Path) -> None:
    assert matched(tmp_path, "root\n  a\n    good", {"step": "good"}) == ([], [{"step": "good"}])


def test_a_state_key_decides_where_the_route_gives_one(tmp_path: Path) -> None:
    drawing = "root\n  a step=x state_key=k1\n  b step=y state_key=k2"
    assert matched(tmp_path, drawing, {"step": "x", "state_key": "k2"}) == ([["b"]], [])


def test_a_route_runs_through_a_second_parent(tmp_path: Path) -> None:
    drawing = 'root\n  left\n    both parent_ids=["left","right"]\n  right'
    assert matched(tmp_path, drawing, {"step": "right"}, {"step": "both"}) == ([["right"], ["both"]], [])


def test_of_several_roots_the_first_element_names_one(tmp_path: Path) -> None:
    assert matched(tmp_path, "one\ntwo\n  end", {"step": "two"}, {"step": "end"}) == ([["two"], ["end"]], [])


def test_a_route_that_matches_nothing_leaves_the_root_viable_and_the_whole_route_over(tmp_path: Path) -> None:
    store = store_of(tmp_path, tree("root fate=expanded\n  bad fate=terminal score=1", outcome="wrong", ended=True, selected_path=("root", "bad")))
    add_routes(tmp_path, [{"run_id": "run", "route": route("never", "seen")}])
    verdict = attribution.of_run(store, "run")
    assert (verdict.verdict, verdict.node_id) == ("generation", "root")
    assert '"never" was never proposed there' in verdict.sentence


def test_a_route_for_a_task_serves_all_its_runs_and_one_for_a_run_only_that(tmp_path: Path) -> None:
    drawing = "root\n  x"
    store = store_of(tmp_path, tree(drawing, run_id="1", task_id="t"), tree(drawing, run_id="2", task_id="t"), tree(drawing, run_id="3"))
    add_routes(tmp_path, [{"task_id": "t", "route": route("x")}, {"run_id": "2", "task_id": "t", "route": route("y")}])
    found = {one.search.run["run_id"]: [m.rest for m in one.matches] for _, _, runs in known.of_runs(store) for one in runs}
    assert found == {"1": [()], "2": [({"step": "y"},)], "3": []}


def test_an_empty_tree_matches_nothing() -> None:
    assert match(route("x"), [], [], lambda _: [], lambda _: None).last == ()

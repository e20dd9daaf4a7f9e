"""Does each deeper pass leave an answer that could be shipped, under one set of caps?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.replay import methods
from explorer.replay.caps import Caps
from explorer.replay.deepening import Pass, deepen
from explorer.replay.journal import Recording
from explorer.replay.loop import Result
from explorer.replay.node import Proposal
from ingest.errors import TraceError
from ingest.recorder import Recorder
from ingest.schema import Fate, StopReason
from tests.explorer.replay.worlds import Clock, Drawn, World, noon
from tests.native_log import lines

WORLD = Drawn({"root": "a b", "a": "c", "b": "d", "d": "e"}, {"a": 0.9, "b": 0.5, "c": 0.2, "d": 0.8}, answers="e!")


def run(caps: Caps, world: Any = WORLD, **others: Any) -> tuple[Result, list[Pass]]:
    return deepen(Proposal(None, "root"), methods.beam(world, world, beam_width=2), caps, clock=noon, **others)


def test_each_bound_is_a_search_of_its_own_with_an_answer_that_could_be_shipped() -> None:
    result, passes = run(Caps(max_depth=5))
    assert passes == [
        Pass(bound=1, node_id="0.0", score=0.9, partial=True, calls=3, at_s=0.0),
        Pass(bound=2, node_id="1.1.0", score=0.8, partial=True, calls=7, at_s=0.0),
        Pass(bound=3, node_id="2.1.0.0", score=0.5, partial=False, calls=10, at_s=0.0),
    ]
    assert (result.selected.node_id, result.stop_reason, result.complete, result.partial) == ("2.1.0.0", StopReason.GOAL, True, False)
    assert [node.node_id for node in result.tree.nodes if not node.parents] == ["0", "1", "2"]
    assert {(node.node_id[0], node.pass_bound) for node in result.tree.nodes} == {("0", 1), ("1", 2), ("2", 3)}
    assert result.spent.calls == sum(one.calls for one in passes)


def test_candidates_of_different_passes_do_not_compete() -> None:
    result, _ = run(Caps(max_depth=5))
    names = {(node.pass_bound, node.decision_id) for node in result.tree.nodes if node.parents}
    assert (1, "pass 1, depth 1") in names and (2, "pass 2, depth 1") in names


def test_a_start_at_the_depth_that_is_needed_makes_one_pass() -> None:
    _, passes = run(Caps(max_depth=5), start=3)
    assert [(one.bound, one.node_id) for one in passes] == [(3, "0.1.0.0")]


def test_where_no_bound_is_deep_enough_the_last_one_answers_with_a_partial_answer() -> None:
    result, passes = run(Caps(max_depth=2))
    assert [one.bound for one in passes] == [1, 2]
    assert (result.selected.node_id, result.stop_reason, result.complete, result.partial) == ("1.1.0", StopReason.MAX_DEPTH, False, True)


def test_all_passes_share_the_caps_and_a_pass_that_a_cap_cut_off_is_no_finished_one() -> None:
    result, passes = run(Caps(max_depth=5, max_calls=8))
    assert [one.bound for one in passes] == [1]
    assert (result.stop_reason, result.complete, result.spent.calls) == (StopReason.CALL_BUDGET, False, 8)
    assert result.selected.node_id == "0.0"


@pytest.mark.parametrize("caps", [Caps(max_depth=5, max_nodes=3), Caps(max_depth=5, wall_clock_s=0), Caps(max_depth=1, max_nodes=1)])
def test_a_cap_that_leaves_no_node_for_the_next_pass_still_gives_an_answer(caps: Caps) -> None:
    result, _ = run(caps)
    assert result.selected.node_id in ("0", "0.0") and result.partial and not result.complete


def test_the_record_holds_the_passes_with_their_answers(tmp_path: Path) -> None:
    with Recorder(tmp_path / "log", clock=noon) as recorder:
        _, passes = run(Caps(max_depth=2), journal=Recording(recorder.run("r"), lambda node: {}, noon))
    found = lines(tmp_path / "log")
    assert found[-1]["passes"] == [asdict(one) for one in passes]
    assert (found[-1]["record"], found[-1]["partial"], found[-1]["reported_nodes"]) == ("run_end", True, 8)
    assert [line["record"] for line in found].count("run_end") == 1
    assert {line["pass"] for line in found if "depth" in line and line["record"] == "node"} == {1, 2}


@pytest.mark.parametrize(("caps", "start"), [(Caps(), 1), (Caps(max_depth=2), 3), (Caps(max_depth=2), 0)])
def test_a_start_that_no_bound_can_follow_is_refused(caps: Caps, start: int) -> None:
    with pytest.raises(TraceError, match=f"deepening from {start} to {caps.max_depth}"):
        run(caps, start=start)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 60), st.integers(0, 60), st.integers(1, 3))
def test_whatever_the_world_the_caps_hold_over_all_passes_and_every_node_has_its_fate(seed: int, nodes: int, calls: int, start: int) -> None:
    clock = Clock()
    world = World(seed, clock=clock)
    result, passes = deepen(
        world.proposal(0), methods.beam(world, world, beam_width=2, state_key=lambda node: str(node.state)),
        Caps(max_depth=4, max_nodes=nodes, max_calls=calls, wall_clock_s=60), start=start, clock=clock,
    )  # fmt: skip
    assert len(result.tree.nodes) <= nodes and result.spent.calls == len(world.asked) <= calls
    assert all(node.fate is not None for node in result.tree.nodes) and result.depth_reached <= 4
    assert [one.bound for one in passes] == list(range(start, start + len(passes)))
    assert result.selected in result.tree.nodes
    assert not any(node.terminal and node.fate is Fate.EXPANDED for node in result.tree.nodes)

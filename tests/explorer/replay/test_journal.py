"""Does the log say what the tree is, and does the store take it without a complaint?"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given, settings

from explorer.replay import methods
from explorer.replay.caps import Caps
from explorer.replay.journal import Recording
from explorer.replay.loop import Result, search
from explorer.replay.node import Evaluated, Proposal, SearchNode
from explorer.replay.policies import Policies
from ingest.recorder import Recorder
from tests.explorer.replay.setups import Setup, setups
from tests.explorer.replay.worlds import NOON, Drawn, noon
from tests.logs import load, rows
from tests.native_log import lines

STAMP = "2026-01-05T12:00:00.000000+00:00"


def record(path: Path, world: Any, policies: Policies, caps: Caps, root: Proposal) -> Result:
    with Recorder(path, clock=noon) as recorder:
        journal = Recording(recorder.run("r", started_at=NOON), lambda node: {"outcome": "right" if node and node.verified else "wrong"}, noon)
        return search(root, policies, caps, journal, clock=noon)


def test_a_small_search_is_written_line_by_line(tmp_path: Path) -> None:
    world = Drawn({"root": "a b"}, {"a": 0.9, "b": 0.5}, answers="a!")
    record(tmp_path / "log", world, methods.beam(world, world, beam_width=1), Caps(), Proposal(None, "root", record={"state": {"at": "root"}}))
    node = {"record": "node", "run_id": "r"}
    call = {"record": "call", "run_id": "r"}
    born = {"parent_ids": ["0"], "started_at": STAMP, "depth": 1, "decision_id": "depth 1"}
    assert lines(tmp_path / "log")[1:] == [
        {**node, "node_id": "0", "parent_ids": [], "depth": 0, "seq": 0, "state": {"at": "root"}},
        {**call, "call_id": "0:proposer:0", "node_id": "0", "role": "proposer"},
        {**node, "node_id": "0", "fate": "expanded", "expanded_seq": 0},
        {**node, "node_id": "0.0", "request_index": 0, **born, "seq": 1, "step": "a"},
        {**node, "node_id": "0.1", "request_index": 1, **born, "seq": 2, "step": "b"},
        {**call, "call_id": "0.0:evaluator:0", "node_id": "0.0", "role": "evaluator"},
        {**node, "node_id": "0.0", "score": 0.9, "verified": True},
        {**call, "call_id": "0.1:evaluator:0", "node_id": "0.1", "role": "evaluator"},
        {**node, "node_id": "0.1", "score": 0.5},
        {**node, "node_id": "0.1", "fate": "pruned", "pruned_by": "survived", "prune_rule": "beam_width",
         "prune_reason": "score 0.5 is rank 2 of 2; 1 are kept, down to 0.9"},
        {**node, "node_id": "0.0", "fate": "terminal"},
        {"record": "run_end", "run_id": "r", "outcome": "right", "stop_reason": "goal", "complete": True, "depth_reached": 1,
         "selected_path": ["0", "0.0"], "reported_nodes": 3, "reported_calls": 3, "wall_clock_s": 0.0, "partial": False, "best_so_far": [
             {"at_s": 0.0, "node_id": "0", "score": None, "calls": 0}, {"at_s": 0.0, "node_id": "0.0", "score": 0.9, "calls": 3}]},
    ]  # fmt: skip


def test_a_score_that_is_no_number_is_kept_as_it_was_said(tmp_path: Path) -> None:
    class Odd(Drawn):
        def evaluate(self, node: SearchNode) -> Evaluated:
            if node.state == "a":
                return Evaluated(float("nan"), record={"evaluator": "odd"})
            return Evaluated(None, error="cannot be read", record={"score_raw": "rather good"})

    world = Odd({"root": "a b"})
    record(tmp_path / "log", world, methods.best_first(world, world), Caps(), Proposal(None, "root"))
    load(tmp_path / "store", tmp_path / "log")
    assert rows(tmp_path / "store", "select step, score, score_raw, evaluator, fate, error from nodes where depth = 1 order by 1") == [
        ("a", None, "nan", "odd", "unscored", "the evaluator gave no usable score: nan"),
        ("b", None, "rather good", None, "unscored", "cannot be read"),
    ]


@settings(max_examples=15, deadline=None)
@given(setups)
def test_the_store_holds_the_tree_that_was_searched(setup: Setup) -> None:
    world = replace(setup.world, asked=[])
    with tempfile.TemporaryDirectory() as folder:
        policies = Policies(world, world, **setup.policies)
        result = record(Path(folder) / "log", world, policies, setup.caps, world.proposal(0))
        (report,) = load(Path(folder) / "store", Path(folder) / "log")
        columns = "node_id, parent_ids, depth, seq, decision_id, fate, pruned_by, prune_rule, prune_reason, merged_into, expanded_seq, error, score"
        stored = rows(Path(folder) / "store", f"select {columns} from nodes order by seq")
        (run,) = rows(Path(folder) / "store", "select stop_reason, complete, selected_path, depth_reached, nodes, calls from runs")
    assert report.problems == []
    assert stored == [
        (n.node_id, [p.node_id for p in n.parents], n.depth, n.seq, n.decision_id, n.fate, n.pruned_by, n.prune_rule, n.prune_reason,
         n.merged_into.node_id if n.merged_into else None, n.expanded_seq, n.error, n.score)
        for n in result.tree.nodes
    ]  # fmt: skip
    path = [node.node_id for node in result.selected.path]
    assert run == (result.stop_reason, result.complete, path, result.depth_reached, len(result.tree.nodes), result.spent.calls)

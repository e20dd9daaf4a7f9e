"""Whatever the tree: a verdict agrees with its flags, more truth never makes a loss earlier, and names and the order of lines do not matter."""

from __future__ import annotations

import contextlib
import dataclasses
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explorer.analysis import attribution, known, stages
from explorer.analysis.verdict import Verdict
from ingest.schema import Node, Run, Stage, Trace, Truth
from ingest.store import Store
from tests.stores import store_of

RUNS = 12
ALLOWED = {
    "generation": {Stage.GENERATED},
    "evaluation": {Stage.EVALUATED, Stage.SURVIVED, Stage.COMPLETED, Stage.VERIFIED},
    "control": {Stage.DISTINCT, Stage.SURVIVED, Stage.COMPLETED, Stage.VERIFIED},
}
few = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
seeds = st.integers(min_value=0, max_value=10**9)


def search(rng: random.Random, run_id: str) -> Trace:
    """A search that might have happened: scores are coarse so that ties occur, fates follow the shape, one answer is selected."""
    nodes = [Node(run_id=run_id, node_id="n0", depth=0, request_index=0, seq=0, step="s0", fate="expanded")]
    for i in range(1, rng.randrange(2, 24)):
        parent = nodes[rng.randrange(max(0, i - 8), i)]
        index = sum(parent.node_id in node.parent_ids for node in nodes)
        nodes.append(
            Node(
                run_id=run_id, node_id=f"n{i}", parent_ids=(parent.node_id,), depth=(parent.depth or 0) + 1, request_index=index, seq=i, step=f"s{i}",
                score=rng.choice((None, 0.1, 0.5, 0.5, 0.9)), fate=rng.choice(("pruned", "pruned", "open", "terminal", "unscored", None)),
                pruned_by=rng.choice(("survived", "survived", "distinct", None)), state_key=rng.choice((None, "k1", "k2")),
            )
        )  # fmt: skip
    above = {parent for node in nodes for parent in node.parent_ids}
    nodes = [dataclasses.replace(n, fate="expanded", pruned_by=None, score=n.score or 0.5) if n.node_id in above else n for n in nodes]
    nodes = [n if n.fate == "pruned" else dataclasses.replace(n, pruned_by=None) for n in nodes]
    level, ended = rng.choice((True, None)), rng.choice((True, None, False))
    run = Run(run_id=run_id, outcome="wrong", outcome_by="check", selected_path=("n0", rng.choice(nodes).node_id), level_by_level=level, ended=ended)
    return Trace(run, tuple(nodes))


def truth_of(trace: Trace, rng: random.Random) -> dict[str, bool]:
    """Which nodes are viable: those above or at one right leaf, which is not the selected answer; or only above it, so that a step is missing."""
    parent = {node.node_id: node.parent_ids[0] if node.parent_ids else None for node in trace.nodes}
    leaves = sorted(parent.keys() - {p for p in parent.values() if p} - set(trace.run.selected_path or ()))
    at: str | None = rng.choice(leaves) if leaves else None
    if at is not None and rng.random() < 0.3:
        at = parent[at]
    right = set()
    while at is not None:
        right.add(at)
        at = parent[at]
    return {node: node in right for node in parent}


def with_truth(trace: Trace, said: dict[str, bool], revealed: float, rng: random.Random) -> Trace:
    shown = {node: viable for node, viable in said.items() if rng.random() < revealed}
    rows = [Truth(run_id=trace.run.run_id, node_id=node, viable=viable, viable_by="oracle") for node, viable in shown.items()]
    return dataclasses.replace(trace, truth=tuple(rows))


def searches(seed: int, revealed: float) -> list[Trace]:
    found = []
    for number in range(RUNS):
        rng = random.Random(f"{seed}/{number}")
        trace = search(rng, f"run{number:02}")
        found.append(with_truth(trace, truth_of(trace, rng), revealed, rng))
    return found


@contextlib.contextmanager
def stored(traces: list[Trace]) -> Iterator[Store]:
    with tempfile.TemporaryDirectory() as folder:
        yield store_of(Path(folder), *traces)


def verdicts(traces: list[Trace]) -> list[Verdict]:
    with stored(traces) as store:
        return list(attribution.of_runs(store))


@few
@given(seed=seeds, revealed=st.sampled_from((0.3, 0.7, 1.0)))
def test_a_verdict_never_contradicts_its_flags(seed: int, revealed: float) -> None:
    for verdict in verdicts(searches(seed, revealed)):
        flags = list(verdict.flags.values())
        assert flags == sorted(flags, key=lambda held: {True: 0, None: 1, False: 1}[held]), "monotone: nothing holds after an earlier loss"
        failed = next((stage for stage, held in verdict.flags.items() if held is not True), None)
        if verdict.lost_at is not None:
            assert failed == verdict.lost_at and verdict.flags[verdict.lost_at] is False
        if verdict.verdict in ALLOWED:
            assert verdict.lost_at in ALLOWED[verdict.verdict]
        assert (verdict.verdict == "none") == (failed is None)
        assert (verdict.confidence is None) == (verdict.verdict in ("none", "cannot_tell"))
        assert verdict.verdict != "cannot_tell" or verdict.missing


@few
@given(seed=seeds)
def test_adding_truth_never_moves_the_loss_to_an_earlier_stage_of_the_same_node(seed: int) -> None:
    before, after = searches(seed, 0.4), []
    for number, trace in enumerate(before):
        rng = random.Random(f"{seed}/{number}")
        said = truth_of(search(rng, trace.run.run_id), rng)
        known_now = {row.node_id for row in trace.truth}
        more = [node for node in said if node in known_now or rng.random() < 0.5]
        after.append(with_truth(trace, {node: said[node] for node in more}, 1.0, rng))
    for one, two in zip(_stages(before), _stages(after), strict=True):
        for node in one.keys() & two.keys():
            assert stages.order(two[node]) >= stages.order(one[node])


def _stages(traces: list[Trace]) -> list[dict[str, Stage]]:
    found = []
    with stored(traces) as store:
        for run in (run for _, _, runs in known.of_runs(store) for run in runs):
            losses = [(loss, run.search.nodes[loss.node]) for loss in stages.losses(run) if loss.node is not None]
            found.append({node.node_id: loss.stage for loss, node in losses})
    return found


@few
@given(seed=seeds, revealed=st.sampled_from((0.5, 1.0)))
def test_renaming_ids_and_reordering_lines_changes_nothing(seed: int, revealed: float) -> None:
    traces = searches(seed, revealed)
    rng = random.Random(seed)
    others = [_renamed(trace, rng) for trace in traces]
    for one, two in zip(verdicts(traces), verdicts([other for other, _ in others]), strict=True):
        names = {new: old for other, renamed in others if other.run.run_id == one.run_id for old, new in renamed.items()}
        assert _without_names(one, {}) == _without_names(two, names)


def _renamed(trace: Trace, rng: random.Random) -> tuple[Trace, dict[str, str]]:
    ids = [node.node_id for node in trace.nodes]
    names = dict(zip(ids, rng.sample([f"x{i}" for i in range(len(ids))], len(ids)), strict=True))
    nodes = [dataclasses.replace(n, node_id=names[n.node_id], parent_ids=tuple(names[p] for p in n.parent_ids)) for n in trace.nodes]
    rng.shuffle(nodes)
    run = dataclasses.replace(trace.run, selected_path=tuple(names[node] for node in trace.run.selected_path or ()))
    truth = tuple(dataclasses.replace(row, node_id=names[row.node_id]) for row in trace.truth)
    return Trace(run, tuple(nodes), (), truth), names


def _without_names(verdict: Verdict, names: dict[str, str]) -> tuple[object, ...]:
    node = names.get(verdict.node_id, verdict.node_id) if verdict.node_id else None
    also = [(names.get(row["node_id"], row["node_id"]), row["lost_at"], row["mechanism"]) for row in verdict.also_lost]
    return verdict.verdict, verdict.lost_at, verdict.mechanism, node, verdict.depth, verdict.confidence, verdict.flags, also

"""Searches to record for the tests of what-if: a world whose every answer follows from a state and a seed, under each method and each cap."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from explorer.replay import methods
from explorer.replay.allocation import LevelByLevel, Unresolved
from explorer.replay.caps import Caps
from explorer.replay.deepening import deepen
from explorer.replay.endings import Settled
from explorer.replay.journal import Recording
from explorer.replay.loop import Result, Workers, search
from explorer.replay.node import UNKNOWN_CALL, CallFields, Evaluated, Expanded, Proposal, SearchNode, Spend
from explorer.replay.policies import ByChance, Majority, Policies, diverse, verified_only
from ingest.pipeline import ingest
from ingest.recorder import Recorder
from ingest.store import Store

DEPTH = 4
MOST_CALLS = {"most_calls": {"expansion": 1, "evaluation": 2, "check": 1}}
ROOT = Proposal(None, 1, record={"state_key": "1"})


class Clock:
    """Time that passes while a call is answered."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, ms: float) -> None:
        self.now += timedelta(milliseconds=ms)


@dataclass(frozen=True)
class World:
    """States are numbers below 97; what follows from one, and what it is worth, is drawn from the seed and the state."""

    seed: int
    clock: Clock

    def draw(self, *of: object) -> int:
        return int(hashlib.sha256(repr((self.seed, *of)).encode()).hexdigest()[:12], 16)

    def most(self, node: SearchNode, width: int | None = None) -> Spend:
        return UNKNOWN_CALL if width is not None or node.terminal else Spend(2, None, None)

    def expand(self, node: SearchNode, width: int) -> Expanded:
        drawn = self.draw(node.state)
        self.clock.pass_by(100 + drawn % 50)
        call = {"role": "proposer", "prompt": f"after {node.state}?", "response": "steps", "input_tokens": 100 + drawn % 7,
                "output_tokens": 20 + drawn % 11, "cost": 0.001 + drawn % 5 / 10_000, "latency_ms": 100.0 + drawn % 50}  # fmt: skip
        if drawn % 17 == 0 and node.parents:
            return Expanded([], [call], error="timeout")
        return Expanded([self._proposal(node, index) for index in range(min(width, 1 + drawn % 5))], [call])

    def _proposal(self, node: SearchNode, index: int) -> Proposal:
        state = (node.state * 7 + self.draw(node.state, index) % 13) % 97
        finished = node.depth + 1 >= DEPTH or self.draw(state, "finished") % 9 == 0
        return Proposal(f"step {index}", state, finished, {"state_key": str(state), **({"extra": {"finished": True}} if finished else {})})

    def wants(self, node: SearchNode) -> bool:
        return True

    def evaluate(self, node: SearchNode) -> Evaluated:
        drawn = self.draw("score", node.state, node.depth)
        self.clock.pass_by(40 if node.terminal else 80)
        if node.terminal:
            return Evaluated(drawn % 3 / 2, [{"role": "verifier", "response": "checked", "latency_ms": 40.0, "cost": 0.0}], verified=drawn % 23 == 0)
        said: list[CallFields] = [
            {"role": "evaluator", "response": str(at), "input_tokens": 30, "output_tokens": 2, "cost": 1e-4, "latency_ms": 40.0} for at in range(2)
        ]
        if drawn % 19 == 0:
            return Evaluated(None, said, error="no label")
        return Evaluated(drawn % 5 / 4, said, violations=int(drawn % 29 == 0), uncertainty=drawn % 3 / 3)


@dataclass(frozen=True)
class Method:
    """A way to search, and how a protocol says it."""

    protocol: Mapping[str, Any]
    make: Callable[[World], Policies]


def key(node: SearchNode) -> str:
    return str(node.state)


def _unsure(world: World) -> Policies:
    return replace(methods.beam(world, world, beam_width=2), allocation=Unresolved(LevelByLevel(2), 2, 0.3, 1), termination=Settled(0.2, 1))


METHODS: Mapping[str, Method] = {
    "beam": Method({"search": "beam", "beam_width": 3, "dedup": "state_key", "joins": True},
                   lambda world: methods.beam(world, world, beam_width=3, state_key=key, joins=True)),
    "chance": Method({"search": "beam", "beam_width": 2, "tie_break": "random:5"},
                     lambda world: methods.beam(world, world, beam_width=2, order=ByChance(5))),
    "diverse": Method({"search": "beam", "beam_width": 2, "tie_break": "diverse", "dedup": "state_key", "width": 3},
                      lambda world: methods.beam(world, world, beam_width=2, order=diverse, state_key=key, width=3)),
    "breadth_first": Method({"search": "breadth_first"}, lambda world: methods.breadth_first(world, world)),
    "best_first": Method({"search": "best_first", "dedup": "state_key"}, lambda world: methods.best_first(world, world, state_key=key)),
    "depth_first": Method({"search": "depth_first", "threshold": 0.5}, lambda world: methods.depth_first(world, world, threshold=0.5)),
    "mcts": Method({"search": "mcts", "width": 2}, lambda world: methods.mcts(world, world, width=2)),
    "best_of": Method({"search": "best_of", "count": 3}, lambda world: methods.best_of(world, world, count=3)),
    "unsure": Method({"search": "beam", "beam_width": 2, "width": 2, "extra_width": 2, "uncertainty_threshold": 0.3, "width_floor": 1,
                      "termination": "settled", "settled_margin": 0.2, "settled_turns": 1}, _unsure),
    "majority": Method({"search": "beam", "beam_width": 3, "select": "majority"},
                       lambda world: methods.beam(world, world, beam_width=3, choose=Majority(key))),
    "verifier": Method({"search": "beam", "beam_width": 3, "select": "verifier"},
                       lambda world: methods.beam(world, world, beam_width=3, choose=verified_only)),
    "deepening": Method({"search": "beam", "beam_width": 3, "dedup": "state_key", "deepening_start": 1},
                        lambda world: methods.beam(world, world, beam_width=3, state_key=key)),
}  # fmt: skip


def caps_of(seed: int, name: str) -> dict[str, Caps]:
    """No cap, and each cap somewhere within the search; a deepening search has a depth cap always."""
    draw = World(seed, Clock()).draw
    caps = {
        "none": Caps(), "nodes": Caps(max_nodes=5 + draw(name) % 25), "calls": Caps(max_calls=draw(name, 2) % 40),
        "tokens": Caps(max_tokens=draw(name, 3) % 3_000), "cost": Caps(max_cost=draw(name, 4) % 30 / 1_000),
        "clock": Caps(wall_clock_s=draw(name, 5) % 3_000 / 1_000), "depth": Caps(max_depth=draw(name, 6) % 5),
    }  # fmt: skip
    return {cap: replace(one, max_depth=max(1, one.max_depth or 3)) for cap, one in caps.items()} if name == "deepening" else caps


def live(name: str, seed: int, caps: Caps | None = None, at_once: int = 1, recorder: Recorder | None = None, run_id: str = "") -> Result:
    """Search for real, and write it down where there is a recorder."""
    clock, method, caps = Clock(), METHODS[name], caps or Caps()
    world = World(seed, clock)
    journal = None
    if recorder is not None:
        run = recorder.run(
            run_id, task_id="numbers", protocol={**method.protocol, **MOST_CALLS, "at_once": at_once}, budget_max_depth=caps.max_depth,
            budget_max_nodes=caps.max_nodes, budget_max_calls=caps.max_calls, budget_max_tokens=caps.max_tokens, budget_max_cost=caps.max_cost,
            budget_wall_clock_s=caps.wall_clock_s,
        )  # fmt: skip
        journal = Recording(run, lambda node: {"outcome": "right" if node and node.verified else "wrong"}, clock)
    if name == "deepening":
        return deepen(ROOT, method.make(world), caps, journal, workers=Workers(at_once), clock=clock)[0]
    return search(ROOT, method.make(world), caps, journal, workers=Workers(at_once), clock=clock)


def recorded(folder: Path, runs: Iterable[tuple[str, str, int, Caps, int]], payloads: str = "all") -> Store:
    """A store with these runs: id, method, seed, caps, calls at once."""
    with Recorder(folder / "runs.jsonl", payloads=payloads) as recorder:
        for run_id, name, seed, caps, at_once in runs:
            live(name, seed, caps, at_once, recorder, run_id)
    ingest(folder / "store", [str(folder / "runs.jsonl")])
    return Store(folder / "store")

"""Which searches do the property tests run? Random worlds, policies and caps, each search following from one number."""

from __future__ import annotations

import random
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from explorer.replay.allocation import BestFirst, Chains, DepthFirst, LevelByLevel, Uct, Unresolved
from explorer.replay.caps import Caps
from explorer.replay.endings import Exhaustion, Goal, Settled
from explorer.replay.loop import Result, Workers, search
from explorer.replay.node import SearchNode
from explorer.replay.policies import ByChance, Majority, Policies, best, by_order, diverse, verified_only
from explorer.replay.pruning import BeamWidth, Constraints, InOrder, KeepAll, PerParent, Threshold
from tests.explorer.replay.worlds import Clock, Watch, World


def state(node: SearchNode) -> Hashable:
    return str(node.state)


@dataclass(frozen=True)
class Setup:
    """One search, to be run once or several times."""

    world: World
    policies: dict[str, Any]
    caps: Caps
    at_once: int

    def run(self) -> tuple[Result, World, Watch]:
        """A run in simulated time."""
        clock, watch = Clock(), Watch()
        world = replace(self.world, clock=clock, asked=[])
        policies = Policies(world, world, **self.policies)
        return search(world.proposal(0), policies, self.caps, watch, workers=Workers(self.at_once), clock=clock), world, watch


def setup_of(seed: int) -> Setup:
    """A search that somebody might set up. All of it follows from one number, because searches made of the simplest parts hardly grow."""
    rng = random.Random(seed)
    width, few = rng.choice([1, 2, 3, 4, 5]), rng.choice([1, 2, 3, 4])
    level = LevelByLevel(width)
    unsure = Unresolved(BestFirst(width), extra=few, threshold=0.5)
    policies = {
        "allocation": rng.choice([level, BestFirst(width), DepthFirst(width), Uct(width), Chains(width), unsure]),
        "pruning": rng.choice([KeepAll(), BeamWidth(few), Threshold(0.25), PerParent(few), InOrder((Constraints(), BeamWidth(few)))]),
        "termination": rng.choice([Goal(), Exhaustion(), Settled(0.25, 2)]),
        "state_key": rng.choice([None, state]),
        "joins": rng.random() < 0.5,
        "order": rng.choice([by_order, ByChance(7), diverse]),
        "choose": rng.choice([best, verified_only, Majority(state)]),
    }
    cost = seldom(rng, 300)
    caps = Caps(
        max_depth=seldom(rng, 7), max_nodes=rng.choice([1, 7, 15, 30, 60, 60, 60]), max_calls=seldom(rng, 60), max_tokens=seldom(rng, 300),
        max_cost=None if cost is None else cost / 64, wall_clock_s=seldom(rng, 120),
    )  # fmt: skip
    world = World(rng.randrange(10**9), rng.randint(8, 50), rng.randint(2, 5), rng.random() < 0.5, rng.choice([0.0, 0.02, 0.15]))
    return Setup(world, policies, caps, rng.randint(1, 3))


def seldom(rng: random.Random, most: int) -> int | None:
    """Mostly no cap, so that searches grow."""
    return rng.randrange(most) if rng.random() < 0.3 else None


seeds = st.integers(0, 10**9)
setups = seeds.map(setup_of)

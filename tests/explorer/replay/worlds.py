"""What do the tests of the search loop search in? Small random worlds: proposer and evaluator are pure functions of the state, with every fault."""

from __future__ import annotations

import math
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from explorer.replay.journal import Silent
from explorer.replay.node import UNKNOWN_CALL, CallFields, Evaluated, Expanded, Proposal, SearchNode, Spend

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
MOST = Spend(1, 8, 8 / 64)
"""No call of a world costs more; all costs are sums of 64ths, so that they add up exactly."""


@dataclass
class Clock:
    """Simulated time, which calls move forward."""

    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now


def noon() -> datetime:
    return NOON


@dataclass(frozen=True)
class World:
    """States are numbers below ``states``: so few that equal ones meet again and again, and ancestors too."""

    seed: int
    states: int = 14
    gives: int = 3
    """Proposals of an expansion at most; it does not care how many are asked for."""
    known_costs: bool = True
    """Whether it says beforehand what a call may cost at most."""
    faults: float = 0.1
    """Share of failed calls, dead ends, useless scores, violations and unrecorded costs, each."""
    clock: Clock | None = None
    """Moved forward by each call."""
    sleeps: bool = False
    """Each call really takes a short time, each another one."""
    asked: list[tuple[str, SearchNode]] = field(default_factory=list)

    def draw(self, *parts: object) -> float:
        """A number in [0, 1) that depends on nothing but the seed and the arguments."""
        return random.Random(repr((self.seed, parts))).random()

    def most(self, node: SearchNode, width: int = 1) -> Spend:
        return MOST if self.known_costs else UNKNOWN_CALL

    def expand(self, node: SearchNode, width: int) -> Expanded:
        calls = [self.call("proposer", node)]
        if self.draw("expansion fails", node.state) < self.faults:
            return Expanded([], calls, error="no answer")
        if self.draw("a dead end", node.state) < self.faults:
            return Expanded([], calls)
        count = 1 + int(self.draw("children", node.state) * self.gives)
        return Expanded([self.proposal(int(self.draw(node.state, index) * self.states)) for index in range(count)], calls)

    def proposal(self, state: int) -> Proposal:
        return Proposal(f"to {state}", state, self.draw("terminal", state) < 0.12 and state > 0, {"state_key": str(state)})

    def wants(self, node: SearchNode) -> bool:
        return self.draw("wanted", node.state) > 0.1

    def evaluate(self, node: SearchNode) -> Evaluated:
        calls = [self.call("evaluator", node)]
        if self.draw("evaluation fails", node.state) < self.faults:
            return Evaluated(None, calls, error="no answer")
        if self.draw("useless", node.state) < self.faults:
            return Evaluated(random.Random(node.state).choice([math.nan, math.inf]), calls)
        score = int(self.draw("score", node.state, node.depth) * 4) / 4  # coarse: ties are common; by depth: equal states differ in evidence
        verified = self.draw("verified", node.state) < 0.3 if node.terminal else None
        violations = int(self.draw("violates", node.state) < self.faults)
        return Evaluated(score, calls, verified, violations, self.draw("uncertain", node.state))

    def call(self, role: str, node: SearchNode) -> CallFields:
        self.asked.append((role, node))
        if self.clock is not None:
            self.clock.now += timedelta(seconds=1 + int(self.draw("seconds", role, node.state) * 3))
        if self.sleeps:
            time.sleep(random.random() / 2000)
        fields: dict[str, Any] = {"role": role, "prompt": f"{role} {node.state}", "response": "yes"}
        if self.draw("unrecorded", role, node.state) < self.faults:
            return fields
        tokens = int(self.draw("tokens", role, node.state) * 5)
        return {**fields, "input_tokens": tokens, "output_tokens": 4, "cost": (tokens + 4) / 64}


@dataclass
class Watch(Silent):
    """A journal that counts: how often a node was settled, and the calls in the order in which the loop took notice of them."""

    fates: Counter[str] = field(default_factory=Counter)
    calls: list[CallFields] = field(default_factory=list)
    ends: int = 0

    def called(self, node: SearchNode, calls: Sequence[CallFields]) -> None:
        self.calls += calls

    def settled(self, node: SearchNode) -> None:
        self.fates[node.node_id] += 1

    def ended(self, **fields: Any) -> None:
        self.ends += 1


@dataclass(frozen=True)
class Drawn:
    """A world written down: each state with its children, scores and answers."""

    children: dict[str, str]
    """State to the states that follow it, separated by blanks; a state that is no key has none."""
    scores: dict[str, float] = field(default_factory=dict)
    """State to score; 0.5 where it is left out."""
    answers: str = ""
    """Terminal states, separated by blanks; those with a ``!`` pass their check."""
    unsure: dict[str, float] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    """States in the order in which they were expanded."""

    def most(self, node: SearchNode, width: int = 1) -> Spend:
        return Spend(1, 0, 0.0)

    def wants(self, node: SearchNode) -> bool:
        return True

    def expand(self, node: SearchNode, width: int) -> Expanded:
        self.asked.append(node.state)
        ends = [name.rstrip("!") for name in self.answers.split()]
        return Expanded([Proposal(name, name, name in ends) for name in self.children.get(node.state, "").split()], [{"role": "proposer"}])

    def evaluate(self, node: SearchNode) -> Evaluated:
        verified = f"{node.state}!" in self.answers.split() if node.terminal else None
        return Evaluated(self.scores.get(node.state, 0.5), [{"role": "evaluator"}], verified, uncertainty=self.unsure.get(node.state))


def judged(name: str, score: float | None, parent: SearchNode | None = None, *, seq: int = 0, terminal: bool = False, **found: Any) -> SearchNode:
    """A node as a policy meets it."""
    node = SearchNode(name, parent.depth + 1 if parent else 0, seq, 0, Proposal(name, name, terminal), [parent] if parent else [])
    node.evaluated = Evaluated(score, **found)
    return node


def ids(nodes: Sequence[SearchNode]) -> list[str]:
    return [node.node_id for node in nodes]

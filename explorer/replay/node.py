"""What does a search know about its states? What was proposed, what an evaluator said, what became of each, and which still wait."""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ingest.schema import Fate, Stage

CallFields: TypeAlias = Mapping[str, Any]
"""Keyword arguments of ``RunRecorder.call``: role, prompt, response, tokens, cost, …"""


@dataclass(frozen=True, slots=True)
class Spend:
    """What calls cost; None is not known, which is not zero."""

    calls: int = 0
    tokens: int | None = 0
    """Input and output together."""
    cost: float | None = 0.0
    """US dollars."""

    def __add__(self, other: Spend) -> Spend:
        return Spend(
            self.calls + other.calls,
            None if self.tokens is None or other.tokens is None else self.tokens + other.tokens,
            None if self.cost is None or other.cost is None else self.cost + other.cost,
        )

    @classmethod
    def of(cls, calls: Sequence[CallFields]) -> Spend:
        """What these calls recorded. A failed call without output tokens counts by its input tokens."""
        if not calls:
            return NO_SPEND
        spent = cls()
        for call in calls:
            known = [call[name] for name in ("input_tokens", "output_tokens") if call.get(name) is not None]
            spent += cls(1, sum(known) if known else None, call.get("cost"))
        return spent


NO_SPEND = Spend()
UNKNOWN_CALL = Spend(1, None, None)
"""One call of which nobody said beforehand what it may cost at most."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """One child, before anything is decided about it."""

    step: str | None
    state: Any
    """Whatever the policies need to go on from here; the loop never looks into it."""
    terminal: bool = False
    """There is nothing to expand: it is an answer, or a dead end."""
    record: Mapping[str, Any] = field(default_factory=dict)
    """Further columns of the node to record: state, state_key, action_kind, observation, env_checkpoint, …"""
    node_id: str | None = None
    """Given only where a recorded node is proposed again; the id is the parent's and the index of the request otherwise."""


@dataclass(frozen=True, slots=True)
class Expanded:
    """What asking for children of one node gave."""

    proposals: Sequence[Proposal] = ()
    calls: Sequence[CallFields] = ()
    error: str | None = None
    """Why there are no proposals, where the call failed."""
    known: bool = True
    """False: a recorded run was asked for an expansion that it does not hold; what would have come is not known."""


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What judging one node gave."""

    score: float | None = None
    """Higher is better; None where the evaluator failed or its answer could not be read."""
    calls: Sequence[CallFields] = ()
    verified: bool | None = None
    """The result of an external check of a terminal node."""
    violations: int = 0
    """Hard constraints that it breaks: such a node ranks behind every other, whatever its score."""
    uncertainty: float | None = None
    error: str | None = None
    record: Mapping[str, Any] = field(default_factory=dict)
    """Further columns of the node to record: score_raw, tier, evaluator, promise, progress, …"""


@dataclass(slots=True, eq=False)
class SearchNode:
    """One node while the search runs: the only thing here that changes."""

    node_id: str
    depth: int
    seq: int
    request_index: int
    proposal: Proposal
    parents: list[SearchNode]
    """The first is the primary one; more only where equal states were joined."""
    decision_id: str | None = None
    pass_bound: int | None = None
    """Depth bound of the deepening pass that made it."""
    turn: int = 0
    """Number of the decision in which it was proposed."""
    rank: int | None = None
    """Its place among the candidates of that decision, best first from 0."""
    evaluated: Evaluated | None = None
    """None where nobody was asked."""
    fate: Fate | None = None
    pruned_by: Stage | None = None
    prune_rule: str | None = None
    prune_reason: str | None = None
    merged_into: SearchNode | None = None
    expanded_seq: int | None = None
    error: str | None = None
    path_spend: Spend = Spend()
    """What was paid from the root to here: the expansions above it, the evaluations on the way, and its own."""
    children: list[SearchNode] = field(default_factory=list)
    """In order of creation."""
    exhausted: bool = False
    """Nothing waits below it any more, nor ever will: noticed by MCTS only."""
    visits: int = 0
    """How often a search went through here, and what it found in sum: kept by MCTS only."""
    value_sum: float = 0.0

    @property
    def parent(self) -> SearchNode | None:
        return self.parents[0] if self.parents else None

    @property
    def state(self) -> Any:
        return self.proposal.state

    @property
    def terminal(self) -> bool:
        return self.proposal.terminal

    @property
    def score(self) -> float | None:
        return self.evaluated.score if self.evaluated else None

    @property
    def verified(self) -> bool | None:
        return self.evaluated.verified if self.evaluated else None

    @property
    def path(self) -> list[SearchNode]:
        """From the root to here, by primary parents."""
        found = [self]
        while found[-1].parents:
            found.append(found[-1].parents[0])
        return found[::-1]


def rank_key(node: SearchNode) -> tuple[bool, float]:
    """Higher is better: a broken constraint is behind every score, and no score is behind every number."""
    found = node.evaluated
    if found is None:
        return True, -math.inf
    return not found.violations, -math.inf if found.score is None else found.score


class Frontier:
    """The nodes that may still be expanded, in the order in which they were kept; its best and its latest are found without a look at all."""

    def __init__(self) -> None:
        self._nodes: dict[SearchNode, None] = {}
        self._heap: list[tuple[bool, float, int, SearchNode]] = []
        self._turns: list[deque[SearchNode]] = []
        self._kept = 0

    def add(self, node: SearchNode) -> None:
        """Put a node behind all others."""
        self._nodes[node] = None
        unblocked, score = rank_key(node)
        heapq.heappush(self._heap, (not unblocked, -score, self._kept, node))
        self._kept += 1
        if not self._turns or not self._turns[-1] or self._turns[-1][-1].turn != node.turn:
            self._turns.append(deque())
        self._turns[-1].append(node)

    def discard(self, node: SearchNode) -> None:
        """Take a node out, if it is in."""
        self._nodes.pop(node, None)

    def best(self) -> SearchNode | None:
        """The best of all, of equals the one that was kept first; None where nothing waits."""
        while self._heap and self._heap[0][-1] not in self._nodes:
            heapq.heappop(self._heap)
        return self._heap[0][-1] if self._heap else None

    def latest(self) -> SearchNode | None:
        """The first of those that the latest turn kept and that still wait; None where nothing waits."""
        while self._turns and (not self._turns[-1] or self._turns[-1][0] not in self._nodes):
            if self._turns[-1]:
                self._turns[-1].popleft()
            else:
                self._turns.pop()
        return self._turns[-1][0] if self._turns else None

    def __contains__(self, node: object) -> bool:
        return node in self._nodes

    def __iter__(self) -> Iterator[SearchNode]:
        return iter(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)


@dataclass(slots=True, eq=False)
class Tree:
    """A search so far."""

    nodes: list[SearchNode] = field(default_factory=list)
    """All of them, in order of creation; the first is the root."""
    frontier: Frontier = field(default_factory=Frontier)
    finished: list[SearchNode] = field(default_factory=list)
    """Terminal nodes that were kept."""
    too_deep: dict[SearchNode, None] = field(default_factory=dict)
    """Kept, but at the depth cap: they stay open."""
    beyond: list[SearchNode] = field(default_factory=list)
    """Past the horizon of a recorded run: the search wanted to expand them, and the record does not hold it."""
    turns: int = 0
    """Decisions made."""

    @property
    def root(self) -> SearchNode:
        return self.nodes[0]

"""What does a search write down while it runs, and when must it stop? Its nodes, calls and caps, through the Recorder."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from ingest.recorder import ROOT, RunRecorder
from ingest.schema import StopReason
from sample_traces.record import puzzle
from sample_traces.record.players import LABELS, Answer, Judge, Proposer

CHECK_MS = 2.0
"""Simulated time of one exact check."""


@dataclass(frozen=True, slots=True)
class Caps:
    """Hard limits; None is no limit."""

    max_depth: int | None = None
    max_nodes: int | None = None
    max_calls: int | None = None


class CapFired(Exception):
    """A limit was reached; the search stops where it is."""

    def __init__(self, reason: StopReason) -> None:
        super().__init__(reason)
        self.reason = reason


class Died(Exception):
    """The program stops in the middle, as planned for one sample: nothing more is written, not even the end."""


@dataclass(slots=True)
class Clock:
    """Simulated time: it moves only when a call takes time, so that every recording shows the same times."""

    now: datetime

    def __call__(self) -> datetime:
        return self.now

    def advance(self, milliseconds: float) -> None:
        self.now += timedelta(milliseconds=milliseconds)


@dataclass(slots=True, eq=False)
class Candidate:
    """One node, as the search itself knows it."""

    node_id: str
    depth: int
    seq: int
    state: puzzle.State
    parents: list[Candidate]
    score: float | None = None
    verified: bool | None = None
    fate: str | None = None

    @property
    def is_terminal(self) -> bool:
        return len(self.state) == 1

    @property
    def path(self) -> list[str]:
        """Node ids from the root to here, by first parents."""
        return [*(self.parents[0].path if self.parents else []), self.node_id]

    @property
    def rank(self) -> tuple[float, int]:
        """Best first: by score, then by order of creation."""
        return (-(self.score or 0.0), self.seq)


@dataclass(slots=True)
class Ledger:
    """Grows one recorded tree: proposes, joins equal states, judges, prunes, counts, and stops at the caps."""

    run: RunRecorder
    question: str
    proposer: Proposer
    judge: Judge
    samples: int
    caps: Caps
    clock: Clock
    joins: bool = False
    """Also record the parent of a repeated state as a second parent of the node that stands for it."""
    dies_after: int | None = None
    """Number of calls after which the program dies, for the recording of a run without an end."""
    nodes: list[Candidate] = field(default_factory=list)
    best: Candidate | None = None
    best_so_far: list[dict[str, object]] = field(default_factory=list)
    totals: dict[str, float] = field(default_factory=lambda: dict.fromkeys(("calls", "input_tokens", "output_tokens", "cost"), 0))
    _of_state: dict[str, Candidate] = field(default_factory=dict)
    _expansions: int = 0
    _began: datetime = field(init=False)

    def __post_init__(self) -> None:
        self._began = self.clock()

    def plant(self) -> Candidate:
        """The root."""
        return self._add(ROOT, puzzle.start(self.question), None, None)

    def expand(self, node: Candidate, decision: str) -> list[Candidate]:
        """Ask for children of a node; returns those whose state is new.

        Equal states get equal prompts and so equal scores from the same judge: the first one stands for all.
        Raises CapFired before a call or a node too many.
        """
        if self.at_max_depth(node):
            raise CapFired(StopReason.MAX_DEPTH)
        self._count()
        answer = self.proposer.ask(node.state)
        steps = self.proposer.parse(answer.response or "")
        self.run.call(node.node_id, role="proposer", parsed=steps, seed=self.proposer.seed, model="proposer-program",
                      template_id="propose", template_version="1", **self._bill(answer))  # fmt: skip
        self._fate(node, "expanded", expanded_seq=self._expansions)
        self._expansions += 1
        children = []
        for step in steps:
            if self.caps.max_nodes is not None and len(self.nodes) >= self.caps.max_nodes:
                raise CapFired(StopReason.MAX_NODES)
            child = self._add(self.run.request(node.node_id), puzzle.after(node.state, step), node, step, decision_id=decision)
            if child.fate is None:
                children.append(child)
        return children

    def at_max_depth(self, node: Candidate) -> bool:
        """May this node get no children, because they would lie too deep?"""
        return self.caps.max_depth is not None and node.depth >= self.caps.max_depth

    def evaluate(self, node: Candidate) -> None:
        """Give a node its score: unfinished states from the judge's samples, finished ones by exact check."""
        if node.is_terminal:
            self._check(node)
            return
        labels = []
        for sample in range(self.samples):
            self._count()
            answer = self.judge.ask(node.state, sample)
            label = None if answer.response is None else self.judge.parse(answer.response)
            self.run.call(node.node_id, role="evaluator", parsed=label, error=answer.error, seed=self.judge.sample_seed(sample),
                          model="judge-program", template_id="judge", template_version="1", **self._bill(answer))  # fmt: skip
            if label is not None:
                labels.append(label)
        if not labels:
            self._fate(node, "unscored", error="the judge answered none of its samples")
            return
        node.score = sum(LABELS[label] for label in labels) / len(labels)
        shares = [labels.count(label) / len(labels) for label in set(labels)]
        self.run.node(node.node_id, score=node.score, score_raw=" ".join(labels), uncertainty=round(1 - max(shares), 6),
                      tier="judge", score_source="model", evaluator="judge-program")  # fmt: skip

    def finish(self, node: Candidate) -> None:
        """A finished state that the search keeps."""
        self._fate(node, "terminal")

    def prune(self, node: Candidate, rule: str, reason: str) -> None:
        """A scored node that is not continued."""
        self._fate(node, "pruned", pruned_by="survived", prune_rule=rule, prune_reason=reason)

    def note_best(self, node: Candidate) -> None:
        """Remember the node if it beats the best so far: finished before unfinished, then deeper, then better scored."""
        if self.best is None or _worth(node) > _worth(self.best):
            self.best = node
            elapsed = (self.clock() - self._began).total_seconds()
            self.best_so_far.append({"at_s": elapsed, "node_id": node.node_id, "score": node.score})

    def close(self, stop_reason: StopReason, complete: bool) -> None:
        """Leave no node without a fate, check the answer, and write the run's end."""
        for node in self.nodes:
            if node.fate is None:
                self._fate(node, "open")
        selected = self.best or self.nodes[0]
        answer = selected.state[0].expression if selected.is_terminal else None
        right = answer is not None and puzzle.is_right(self.question, answer)
        self.run.end(
            outcome="right" if right else "wrong",
            outcome_by="exact arithmetic" if answer else "exact arithmetic: there is no answer to check",
            answer=answer,
            stop_reason=stop_reason,
            complete=complete,
            depth_reached=max(node.depth for node in self.nodes),
            selected_path=selected.path,
            best_so_far=self.best_so_far,
            reported_nodes=len(self.nodes),
            reported_calls=self.totals["calls"],
            reported_input_tokens=self.totals["input_tokens"],
            reported_output_tokens=self.totals["output_tokens"],
            reported_cost=round(self.totals["cost"], 9),
        )

    def _add(
        self, node_id: str, state: puzzle.State, parent: Candidate | None, step: str | None, decision_id: str | None = None
    ) -> Candidate:
        node = Candidate(node_id, parent.depth + 1 if parent else 0, len(self.nodes), state, [parent] if parent else [])
        self.nodes.append(node)
        key = puzzle.state_key(state)
        origin: dict[str, Any] = {} if parent else {"parent_ids": []}  # a request has fixed the parent of every other node
        self.run.node(node_id, **origin, depth=node.depth, seq=node.seq, decision_id=decision_id, step=step, state_key=key,
                      state={"left": key.split(" "), "made": [number.expression for number in state]})  # fmt: skip
        first = self._of_state.setdefault(key, node)
        if first is not node:
            self._join(node, first)
        return node

    def _join(self, node: Candidate, first: Candidate) -> None:
        self._fate(node, "pruned", pruned_by="distinct", prune_rule="same_state_key", merged_into=first.node_id,
                   prune_reason=f"the numbers left are those of {first.node_id}, which came before it")  # fmt: skip
        if self.joins and not set(node.parents) <= set(first.parents):
            first.parents += node.parents
            self.run.node(first.node_id, parent_ids=[parent.node_id for parent in first.parents])

    def _check(self, node: Candidate) -> None:
        expression = node.state[0].expression
        right = puzzle.is_right(self.question, expression)
        self._count()
        response = "yes" if right else f"no: {node.state[0].value}"
        self.run.call(node.node_id, role="verifier", prompt=f"{expression} = 24?", response=response, parsed=right, cost=0,
                      latency_ms=CHECK_MS, started_at=self.clock())  # fmt: skip
        self.clock.advance(CHECK_MS)
        node.score, node.verified = float(right), right
        self.run.node(node.node_id, score=node.score, score_raw="yes" if right else "no", verified=right, tier="environment",
                      score_source="verifier", evaluator="exact arithmetic")  # fmt: skip

    def _fate(self, node: Candidate, fate: str, **fields: object) -> None:
        node.fate = fate
        self.run.node(node.node_id, fate=fate, **fields)

    def _bill(self, answer: Answer) -> dict[str, Any]:
        """The fields of a call that follow from its answer; adds them to the totals and lets the time pass."""
        began = self.clock()
        self.totals["input_tokens"] += answer.input_tokens
        self.totals["output_tokens"] += answer.output_tokens or 0
        self.totals["cost"] += answer.cost or 0
        self.clock.advance(answer.latency_ms)
        return {
            "prompt": answer.prompt, "response": answer.response, "input_tokens": answer.input_tokens,
            "output_tokens": answer.output_tokens, "cost": answer.cost, "latency_ms": answer.latency_ms, "started_at": began,
        }  # fmt: skip

    def _count(self) -> None:
        if self.dies_after is not None and self.totals["calls"] >= self.dies_after:
            raise Died
        if self.caps.max_calls is not None and self.totals["calls"] >= self.caps.max_calls:
            raise CapFired(StopReason.CALL_BUDGET)
        self.totals["calls"] += 1


def _worth(node: Candidate) -> tuple[bool, int, float]:
    return (node.is_terminal, node.depth, -1.0 if node.score is None else node.score)

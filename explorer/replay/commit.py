"""Which action is taken in a world that cannot be rolled back? Search over proposals and previews, then one execution.

Propose, prepare, preview, score, rank; then the best is prepared again, and executed if it still may be; else the next one.
What the log shows of it: a call of role ``tool`` for every ``prepare``, ``preview``, ``recheck`` and ``execute`` of a candidate, whose
``parsed`` holds that word as ``boundary``, its place in the course of events as ``boundary_order`` (from 1), and for the checks
``accepted``; and on the node, beside its score, the ``boundary_order`` of the evaluation. So a reader can check that at most one
action was executed, after a re-check that said yes, after the last score. The execution is written down before it begins
and again when it has ended: a crash in between leaves the first line.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

from explorer.analysis.votes import Votes
from explorer.replay.boundary import Accepted, Boundary, Check, Decision, Rejected, Widths, votes_of, votes_recorded
from explorer.replay.journal import Journal, Recording, Silent
from explorer.replay.node import Evaluated, Proposal, SearchNode
from explorer.replay.policies import Ordering, by_order
from explorer.replay.pruning import Constraints
from ingest.errors import TraceError
from ingest.recorder import ROOT, RunRecorder, utc_now
from ingest.schema import Fate, Role, Stage

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Commit:
    """What one boundary came to."""

    parent: SearchNode
    candidates: tuple[SearchNode, ...]
    """All that were proposed, in order of creation, each with its fate."""
    executed: SearchNode | None
    """None where no candidate passed the checks twice."""
    observation: str | None
    error: str | None
    """Of the execution; it was begun all the same."""
    votes: Votes
    widened: tuple[str, ...]
    """Why more candidates were asked for; empty where they were not."""


@dataclass(frozen=True, slots=True)
class _Failed:
    problem: str


def search_then_commit(
    start: Proposal | Commit,
    boundary: Boundary,
    widths: Widths | None = None,
    run: RunRecorder | None = None,
    *,
    order: Ordering = by_order,
    clock: Callable[[], datetime] = utc_now,
) -> Commit:
    """Choose one action and execute it at most once.

    Args:
        start: the state before the action, or the commit that came before in the same run.
        run: everything is recorded here, the run's beginning and end excepted.

    Raises TraceError where the commit before executed nothing. What ``propose`` raises reaches the caller; what a check, a preview, an
    evaluation or the execution raises is recorded as its failure.
    """
    at = _Boundary(start, boundary, run, order, clock)
    widths = widths or Widths()
    at.consider(widths.base)
    widened = widths.too_few(at.votes) if widths.extra else []
    if widened:
        at.consider(widths.extra)
    at.tell_votes(widened)
    executed, observation, error = at.commit()
    return Commit(at.parent, tuple(at.candidates), executed, observation, error, at.votes, tuple(widened))


class _Boundary:
    """One decision while it is made."""

    def __init__(
        self, start: Proposal | Commit, boundary: Boundary, run: RunRecorder | None, order: Ordering, clock: Callable[[], datetime]
    ) -> None:
        self._boundary, self._run, self._order, self._clock = boundary, run, order, clock
        self._journal: Journal = Recording(run, lambda _: {}, clock) if run else Silent()
        self._events = 0
        self._actions: dict[SearchNode, Any] = {}
        self.candidates: list[SearchNode] = []
        if isinstance(start, Proposal):
            self.parent, self._seq = SearchNode(ROOT, 0, 0, 0, start, []), 1
            self._journal.born(self.parent)
        elif start.executed is None:
            raise TraceError(f"nothing was executed at node {start.parent.node_id}, so there is no state to go on from")
        else:
            self.parent, self._seq = start.executed, 1 + max(node.seq for node in start.candidates)

    @property
    def votes(self) -> Votes:
        """One vote for each candidate that passed the checks."""
        return votes_of(list(self._actions.values()), self._boundary.vote)

    def consider(self, width: int) -> None:
        """Propose, prepare, preview, score."""
        self._journal.requested(self.parent)
        found = self._boundary.propose(self.parent, width)
        self._journal.called(self.parent, found.calls)
        if self.parent.fate is not Fate.EXPANDED:
            self.parent.expanded_seq = self.parent.depth
            self._settle(self.parent, Fate.EXPANDED)
        if found.error is not None:
            self._record(self.parent, error=found.error)
        for offset, proposal in enumerate(found.proposals):
            node = self._add(proposal)
            if offset < width:
                self._consider(node)
            else:
                self._prune(node, "width", f"proposal {offset + 1} of {len(found.proposals)}; {width} were asked for")

    def tell_votes(self, widened: Sequence[str]) -> None:
        """Record what the choice rests on."""
        self._record(self.parent, extra={**votes_recorded(self.votes), **({"widened": list(widened)} if widened else {})})

    def commit(self) -> tuple[SearchNode | None, str | None, str | None]:
        """Execute the best candidate that still may be: which one, what was observed, and how the execution failed."""
        scored = [node for node in self.candidates if node.fate is None]
        for cut in Constraints().keep(scored, ()):
            self._prune(cut.node, cut.rule, cut.reason)
        ranked = self._order(node for node in scored if node.fate is None)
        for place, node in enumerate(ranked):
            node.rank = place
        for place, node in enumerate(ranked):
            current = self._prepare(node, "recheck")
            if isinstance(current, Accepted):
                for other in ranked[place + 1 :]:
                    self._prune(other, "commit", f"rank {(other.rank or 0) + 1} of {len(ranked)}; one action is executed, and it was {node.node_id}")
                return node, *self._execute(node, current)
            self._prune(node, "boundary", f"rejected at the re-check right before execution: {current.check}: {current.reason}")
        return None, None, None

    def _add(self, proposal: Proposal) -> SearchNode:
        index, parent = len(self.candidates), self.parent
        name, decision = f"{parent.node_id}.{index}", f"commit at {parent.node_id}"
        node = SearchNode(name, parent.depth + 1, self._seq + index, index, proposal, [parent], decision)
        self.candidates.append(node)
        self._journal.born(node)
        return node

    def _consider(self, node: SearchNode) -> None:
        decision = self._prepare(node, "prepare")
        if isinstance(decision, Rejected):
            self._prune(node, "boundary", f"rejected at prepare: {decision.check}: {decision.reason}")
            return
        self._actions[node] = decision.action
        if decision.record:
            self._record(node, **decision.record)
        seen = self._preview(node, decision.action)
        self._evaluate(node, seen if isinstance(seen, _Failed) else _tried(lambda: self._boundary.evaluate(decision.action, seen)))

    def _prepare(self, node: SearchNode, name: str) -> Decision:
        """Ask the checks; whatever is not a clear yes to the same action is a no."""
        found = _decision(_tried(lambda: self._boundary.prepare(node.state)))
        if name == "recheck" and isinstance(found, Accepted) and not self._was_scored(node, found.action):
            found = Rejected(Check.VALIDATE, "it is another action now than the one that was scored")
        rejection = {"check": str(found.check), "reason": found.reason} if isinstance(found, Rejected) else {}
        self._tool(node, name, {"accepted": isinstance(found, Accepted), **rejection})
        return found

    def _was_scored(self, node: SearchNode, action: Any) -> bool:
        return _tried(lambda: self._boundary.same(action, self._actions[node])) is True

    def _preview(self, node: SearchNode, action: Any) -> Any:
        preview = self._boundary.preview
        if preview is None:
            return None
        seen = _tried(lambda: preview(action))
        if isinstance(seen, _Failed):
            seen = _Failed(f"the preview failed: {seen.problem}")
        self._tool(node, "preview", {}, response=seen if isinstance(seen, str) else None, error=seen.problem if isinstance(seen, _Failed) else None)
        return seen

    def _evaluate(self, node: SearchNode, found: Evaluated | _Failed) -> None:
        if isinstance(found, _Failed):
            found = Evaluated(error=found.problem)
        self._journal.called(node, found.calls)
        self._events += 1
        extra = {**found.record.get("extra", {}), "boundary_order": self._events}
        node.evaluated = replace(found, record={**found.record, "extra": extra})
        self._journal.judged(node)
        if found.score is None or not math.isfinite(found.score):
            node.evaluated = replace(node.evaluated, score=None)
            node.error = found.error or f"the evaluator gave no usable score: {found.score}"
            self._settle(node, Fate.UNSCORED)

    def _execute(self, node: SearchNode, accepted: Accepted) -> tuple[str | None, str | None]:
        """The one place that acts. Whatever comes of it, it is not tried again."""
        call_id = self._tool(node, "execute", {})
        began = self._clock()
        found = _tried(lambda: self._boundary.execute(accepted.action))
        node.error = found.problem if isinstance(found, _Failed) else None
        observation = None if isinstance(found, _Failed) or found is None else str(found)
        if self._run is not None and call_id is not None:
            took_ms = (self._clock() - began).total_seconds() * 1000
            index = int(call_id.rpartition(":")[2])
            self._run.call(node.node_id, role=Role.TOOL, call_index=index, response=observation, error=node.error, latency_ms=took_ms)
        self._record(node, observation=observation, **accepted.record)
        self._settle(node, Fate.TERMINAL)
        return observation, node.error

    def _tool(self, node: SearchNode, name: str, found: Mapping[str, Any], **fields: Any) -> str | None:
        self._events += 1
        if self._run is None:
            return None
        parsed = {"boundary": name, "boundary_order": self._events, **found}
        return self._run.call(node.node_id, role=Role.TOOL, started_at=self._clock(), parsed=parsed, **fields)

    def _record(self, node: SearchNode, **fields: Any) -> None:
        if self._run is not None:
            self._run.node(node.node_id, **fields)

    def _prune(self, node: SearchNode, rule: str, reason: str) -> None:
        node.pruned_by, node.prune_rule, node.prune_reason = Stage.SURVIVED, rule, reason
        self._settle(node, Fate.PRUNED)

    def _settle(self, node: SearchNode, fate: Fate) -> None:
        node.fate = fate
        self._journal.settled(node)


def _decision(found: object) -> Decision:
    if isinstance(found, (Accepted, Rejected)):
        return found
    return Rejected(Check.FAILED, found.problem if isinstance(found, _Failed) else f"prepare returned {type(found).__name__}")


def _tried(ask: Callable[[], T]) -> T | _Failed:
    try:
        return ask()
    except Exception as problem:  # noqa: BLE001 - a check that fails has not said yes, and an execution that fails has happened
        return _Failed(f"{type(problem).__name__}: {problem}")

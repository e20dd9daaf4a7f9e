"""How does a search run? One loop over resumable nodes; five policies decide, and the loop keeps the promises.

Promises: the caps are hard; a terminal node is never expanded; every node ends with one fate, and a pruned one with a stage,
a rule and a reason; equal states compete, and the better evidence stands for both; every exit has a name; ids are the
parent's id and the request index; given its calls a run is always the same, whatever order concurrent calls return in.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from explorer.replay.best_so_far import BestSoFar
from explorer.replay.caps import Caps, Meter
from explorer.replay.equality import Equals
from explorer.replay.journal import Journal, Silent
from explorer.replay.node import Evaluated, Expanded, Proposal, SearchNode, Spend, Tree
from explorer.replay.policies import Policies, at_least_one
from ingest.recorder import ROOT, utc_now
from ingest.schema import Fate, Stage, StopReason

Asked = TypeVar("Asked", Expanded, Evaluated)


@dataclass(frozen=True, slots=True)
class Workers:
    """How many calls are out at once."""

    at_once: int = 1

    def __post_init__(self) -> None:
        at_least_one("the number of calls at once", self.at_once)

    def run(self, asks: Sequence[Callable[[], Asked]]) -> list[Asked]:
        """The answers, in the order of the requests."""
        if len(asks) == 1:
            return [asks[0]()]
        with ThreadPoolExecutor(self.at_once) as pool:
            return list(pool.map(lambda ask: ask(), asks))


ONE_BY_ONE = Workers()


@dataclass(frozen=True, slots=True)
class Result:
    """What a search came to. There is always one, whichever cap fired."""

    selected: SearchNode
    """The best complete answer, else the best partial one; at worst the root."""
    partial: bool
    """The selected node is no finished answer."""
    stop_reason: StopReason
    complete: bool
    """False: a cap cut the search off, and this is the best so far."""
    tree: Tree
    spent: Spend
    best_so_far: list[dict[str, Any]]
    """Each time that the best changed: at_s, node_id, score, and the calls made until then."""

    @property
    def depth_reached(self) -> int:
        """Greatest depth of any node."""
        return max(node.depth for node in self.tree.nodes)


def search(
    root: Proposal,
    policies: Policies,
    caps: Caps | None = None,
    journal: Journal | None = None,
    *,
    workers: Workers = ONE_BY_ONE,
    clock: Callable[[], datetime] = utc_now,
) -> Result:
    """Search from a root and write the run's end into the journal."""
    best, journal = BestSoFar(Meter(caps or Caps(), clock)), journal or Silent()
    result = grow(root, policies, best, journal, workers=workers)
    journal.ended(**end_fields(result))
    return result


def grow(
    root: Proposal,
    policies: Policies,
    best: BestSoFar,
    journal: Journal,
    *,
    workers: Workers = ONE_BY_ONE,
    root_id: str = ROOT,
    bound: int | None = None,
) -> Result:
    """One tree, without the run's end: a whole search, or a deepening pass with a depth bound of its own."""
    return _Loop(policies, best, journal, workers, bound).run(root, root_id)


def end_fields(result: Result) -> dict[str, Any]:
    """What a journal's ``ended`` is told."""
    cost = result.spent.cost
    return {
        "selected": result.selected, "stop_reason": result.stop_reason, "complete": result.complete, "depth_reached": result.depth_reached,
        "best_so_far": result.best_so_far, "reported_nodes": len(result.tree.nodes), "reported_calls": result.spent.calls,
        "reported_tokens": result.spent.tokens, "reported_cost": None if cost is None else round(cost, 9), "extra": {"partial": result.partial},
    }  # fmt: skip


class _Loop:
    """One tree while it grows."""

    def __init__(self, policies: Policies, best: BestSoFar, journal: Journal, workers: Workers, bound: int | None) -> None:
        self._policies, self._best, self._journal, self._workers, self._bound = policies, best, journal, workers, bound
        self._meter = best.meter
        self._max_depth = self._meter.caps.max_depth if bound is None else bound
        self._tree = Tree()
        self._equals = Equals(policies, self._tree, journal)
        self._cap: StopReason | None = None

    def run(self, root: Proposal, root_id: str) -> Result:
        """Grow until a policy, the frontier or a cap ends it."""
        top = self._add(root_id, root, None, 0)
        reason = self._cap or StopReason.MAX_NODES
        if top is not None:
            self._equals.settle(top)
            self._wait_or_finish(top)
            self._best.note([top])
            reason = self._turns()
        for node in self._tree.nodes:
            if node.fate is None:
                self._settle(node, Fate.OPEN)
        chosen = self._policies.choose(self._tree, self._policies.order) or self._best.node
        complete = self._cap is None and reason is not StopReason.MAX_DEPTH
        return Result(chosen, not chosen.terminal, reason, complete, self._tree, self._meter.spent, self._best.entries)

    def _turns(self) -> StopReason:
        while True:
            reason = self._policies.termination.should_stop(self._tree)
            if reason is not None:
                return reason
            turn = list(self._policies.allocation.turn(self._tree))
            if not turn:
                return StopReason.MAX_DEPTH if self._tree.too_deep else StopReason.FRONTIER_EXHAUSTED
            self._decide(turn)
            if self._cap is not None:
                return self._cap

    def _decide(self, turn: Sequence[SearchNode]) -> None:
        """One decision: children of these nodes, judged, compared with their equals, ranked, cut."""
        self._tree.turns += 1
        children = self._expand(turn)
        if self._cap is None:
            self._evaluate(children)
        if self._cap is not None:
            self._discard(children)
            return
        self._rank(children)
        self._policies.allocation.learn([node for node in children if node.score is not None])

    def _rank(self, candidates: Sequence[SearchNode]) -> None:
        """Compare with their equals, rank, cut; what is left waits or is finished."""
        distinct = [node for node in candidates if node.fate is None and self._equals.settle(node)]
        ranked = self._policies.order(node for node in distinct if node.fate is None)
        for place, node in enumerate(ranked):
            node.rank = place
        for cut in self._policies.pruning.keep(ranked, self._tree.frontier):
            self._prune(cut.node, cut.rule, cut.reason)
        for node in ranked:
            if node.fate is None:
                self._wait_or_finish(node)
        self._best.note(node for node in ranked if node.fate is not Fate.PRUNED)

    def _expand(self, turn: Sequence[SearchNode]) -> list[SearchNode]:
        apart = "" if self._bound is None else f"pass {self._bound}, "  # candidates of different passes do not compete
        decision = apart + self._policies.allocation.decision(turn)
        requests = [(node, self._width(node)) for node in turn]
        children: list[SearchNode] = []
        expansion = self._policies.expansion
        mosts = [expansion.most(node, width) for node, width in requests]

        def ask(at: int) -> Callable[[], Expanded]:
            node, width = requests[at]
            self._journal.requested(node)
            return lambda: expansion.expand(node, width)

        for at, found in self._answers(mosts, ask, self._has_room):
            children += self._children(*requests[at], found, decision)
        return children

    def _children(self, node: SearchNode, width: int, found: Expanded, decision: str) -> Iterator[SearchNode]:
        self._tree.frontier.discard(node)
        self._journal.called(node, found.calls)
        if not found.known:
            self._tree.beyond.append(node)
            return
        node.expanded_seq, node.error = self._meter.expansions, found.error
        self._meter.expansions += 1
        self._settle(node, Fate.EXPANDED)
        paid = node.path_spend + Spend.of(found.calls)
        for index, proposal in enumerate(found.proposals):
            child = self._add(proposal.node_id or f"{node.node_id}.{index}", proposal, node, index, decision)
            if child is None:
                return
            child.path_spend = paid
            if index >= width:
                self._prune(child, "width", f"proposal {index + 1} of {len(found.proposals)}; {width} were asked for")
            yield child

    def _evaluate(self, children: Sequence[SearchNode]) -> None:
        judge = self._policies.evaluation
        wanted = [node for node in children if node.fate is None and judge.wants(node)]

        def ask(at: int) -> Callable[[], Evaluated]:
            return partial(judge.evaluate, wanted[at])

        for at, found in self._answers([judge.most(node) for node in wanted], ask, lambda: True):
            node = wanted[at]
            self._journal.called(node, found.calls)
            if found.calls:
                node.path_spend += Spend.of(found.calls)
            node.evaluated = found
            self._journal.judged(node)
            if found.score is None or not math.isfinite(found.score):
                node.evaluated = replace(found, score=None)
                node.error = found.error or f"the evaluator gave no usable score: {found.score}"
                self._settle(node, Fate.UNSCORED)

    def _answers(
        self, mosts: Sequence[Spend], ask: Callable[[int], Callable[[], Asked]], room: Callable[[], bool]
    ) -> Iterator[tuple[int, Asked]]:
        """Ask as long as the caps allow, so many at once, and give the answers in the order of the requests."""
        at = 0
        while at < len(mosts):
            batch: list[Callable[[], Asked]] = []
            refused: StopReason | None = None
            while len(batch) < self._workers.at_once and at + len(batch) < len(mosts) and refused is None:
                refused = self._meter.reserve(mosts[at + len(batch)], more_to_come=bool(batch)) if room() else StopReason.MAX_NODES
                if refused is None:
                    batch.append(ask(at + len(batch)))
            if not batch:
                self._cap = self._cap or refused
                return
            for offset, found in enumerate(self._workers.run(batch)):
                self._meter.settle(mosts[at + offset], Spend.of(found.calls))
                yield at + offset, found
            at += len(batch)
            if self._cap is not None:
                return

    def _add(self, node_id: str, proposal: Proposal, parent: SearchNode | None, index: int, decision: str | None = None) -> SearchNode | None:
        """A new node; None where the cap on nodes forbids it, which ends the search."""
        if not self._has_room():
            self._cap = self._cap or StopReason.MAX_NODES
            return None
        depth = parent.depth + 1 if parent else 0
        node = SearchNode(node_id, depth, self._meter.nodes, index, proposal, [parent] if parent else [], decision, self._bound, self._tree.turns)
        self._meter.nodes += 1
        self._tree.nodes.append(node)
        if parent is not None:
            parent.children.append(node)
        self._journal.born(node)
        return node

    def _has_room(self) -> bool:
        return self._meter.nodes_left > 0

    def _width(self, node: SearchNode) -> int:
        width = self._policies.allocation.width_for(node)
        at_least_one(f"the width for node {node.node_id}", width)
        return int(min(width, max(1, self._meter.nodes_left)))

    def _wait_or_finish(self, node: SearchNode) -> None:
        if node.terminal:
            self._settle(node, Fate.TERMINAL)
            self._tree.finished.append(node)
        elif self._max_depth is not None and node.depth >= self._max_depth:
            self._tree.too_deep[node] = None
        else:
            self._tree.frontier.add(node)

    def _discard(self, children: Sequence[SearchNode]) -> None:
        """A cap fired in the middle: what was not scored is not ranked; an answer that was is one all the same, unless pruning cuts it."""
        for node in children:
            if node.fate is None and node.evaluated is None and self._policies.evaluation.wants(node):
                node.prune_reason = f"the cap {self._cap} fired before it was scored"  # no error: nobody was asked
                self._settle(node, Fate.UNSCORED)
        self._rank([node for node in children if node.terminal])

    def _prune(self, node: SearchNode, rule: str, reason: str) -> None:
        node.pruned_by, node.prune_rule, node.prune_reason = Stage.SURVIVED, rule, reason
        self._settle(node, Fate.PRUNED)
        self._tree.frontier.discard(node)

    def _settle(self, node: SearchNode, fate: Fate) -> None:
        node.fate = fate
        self._journal.settled(node)

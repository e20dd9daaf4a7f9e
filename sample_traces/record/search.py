"""In which order is a tree grown, and what is cut? Beam and depth-first search with backtracking, over a Ledger."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ingest.schema import StopReason
from sample_traces.record.ledger import Candidate, CapFired, Ledger


@dataclass(frozen=True, slots=True)
class Beam:
    """Level by level: of all new states of a level the best ``width`` go on; equal scores go by order of creation."""

    width: int

    def run(self, ledger: Ledger) -> StopReason:
        """Grow the tree and say why it ended. Raises CapFired."""
        frontier = [ledger.plant()]
        while frontier:
            decision = f"level {frontier[0].depth + 1}"
            candidates = [child for node in frontier for child in ledger.expand(node, decision)]
            for node in candidates:
                ledger.evaluate(node)
            kept = self._keep(ledger, candidates)
            if any(node.verified for node in kept):
                return StopReason.GOAL
            frontier = [node for node in kept if not node.is_terminal]
        return StopReason.FRONTIER_EXHAUSTED

    def _keep(self, ledger: Ledger, candidates: list[Candidate]) -> list[Candidate]:
        ranked = sorted((node for node in candidates if node.score is not None), key=lambda node: node.rank)
        kept = ranked[: self.width]
        for position, node in enumerate(ranked[self.width :], start=self.width + 1):
            tie = "; the score is the same, the order decided" if node.score == kept[-1].score else ""
            rank = f"score {node.score:.3g} is rank {position} of {len(ranked)}"
            ledger.prune(node, "beam_width", f"{rank}; {self.width} are kept, down to {kept[-1].score:.3g}{tie}")
        for node in kept:
            if node.is_terminal:
                ledger.finish(node)
        if kept:
            ledger.note_best(kept[0])
        return kept


@dataclass(frozen=True, slots=True)
class DepthFirst:
    """The best child first, back to the next one where a branch ends; children scored under ``threshold`` are cut."""

    threshold: float

    def run(self, ledger: Ledger) -> StopReason:
        """Grow the tree and say why it ended. Raises CapFired."""
        stack = [ledger.plant()]
        too_deep = False
        while stack:
            node = stack.pop()
            if ledger.at_max_depth(node):
                too_deep = True  # it stays open; branches that are not as deep go on
                continue
            children = ledger.expand(node, f"children of {node.node_id}")
            for child in children:
                ledger.evaluate(child)
            kept = self._keep(ledger, children)
            if any(child.verified for child in kept):
                return StopReason.GOAL
            stack += reversed([child for child in kept if not child.is_terminal])
        if too_deep:
            raise CapFired(StopReason.MAX_DEPTH)
        return StopReason.FRONTIER_EXHAUSTED

    def _keep(self, ledger: Ledger, children: list[Candidate]) -> list[Candidate]:
        ranked = sorted((child for child in children if child.score is not None), key=lambda child: child.rank)
        kept = [child for child in ranked if child.is_terminal or (child.score or 0.0) >= self.threshold]
        for child in ranked:
            if child.is_terminal:
                ledger.finish(child)
            elif child not in kept:
                ledger.prune(child, "threshold", f"score {child.score:.3g} is under the threshold {self.threshold:.3g}")
        if kept:
            ledger.note_best(kept[0])
        return kept


def grow(ledger: Ledger, search: Callable[[Ledger], StopReason]) -> None:
    """Run a search to its end or to the first cap that fires, and close the run in either case."""
    try:
        reason, complete = search(ledger), True
    except CapFired as cap:
        reason, complete = cap.reason, False
    ledger.close(reason, complete)

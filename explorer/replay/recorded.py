"""How does a recorded run stand in for the models? Its proposals and scores behind the loop's two questions, and its clock."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from explorer.replay.loop import Asked, Workers
from explorer.replay.node import NO_SPEND, UNKNOWN_CALL, CallFields, Evaluated, Expanded, SearchNode, Spend
from explorer.replay.record import Record
from explorer.replay.settings import Settings
from ingest.schema import Role

UNKNOWN = Expanded(calls=({"role": Role.PROPOSER},), known=False)
"""Past the horizon: the call would have been made, and that is all that is known of it."""
_BEGAN = datetime(2000, 1, 1, tzinfo=UTC)


class Clock:
    """Time as the record holds it: it passes while a call is answered, and not otherwise."""

    def __init__(self) -> None:
        self._passed_ms = 0.0

    def __call__(self) -> datetime:
        return _BEGAN + timedelta(milliseconds=self._passed_ms)

    def pass_by(self, calls: Sequence[CallFields]) -> None:
        """The time that these calls took."""
        for call in calls:
            self._passed_ms += call.get("latency_ms") or 0.0


class InTurn(Workers):
    """As many calls are out at once as in the recorded run, which decides what a cap still allows; answers are at hand."""

    def run(self, asks: Sequence[Callable[[], Asked]]) -> list[Asked]:
        return [ask() for ask in asks]


class RecordedExpansion:
    """The recorded children of a node; where the record holds none, the horizon."""

    def __init__(self, record: Record, settings: Settings, clock: Clock) -> None:
        self._record, self._clock = record, clock
        most = settings.most_calls
        self._most = Spend(most[0], None, None) if most else UNKNOWN_CALL
        self._max_nodes = math.inf if settings.max_nodes is None else settings.max_nodes
        self._made = 0

    def most(self, node: SearchNode, width: int) -> Spend:
        return self._most

    def expand(self, node: SearchNode, width: int) -> Expanded:
        if not node.parents:
            self._made += 1
        i = place_of(self._record, node)
        found = self._record.expanded[i] if i is not None else None
        if found is None or (i in self._record.cut_short and self._made + len(found.proposals) <= self._max_nodes):
            return UNKNOWN
        self._made += len(found.proposals)
        self._clock.pass_by(found.calls)
        return found


class RecordedEvaluation:
    """The recorded score of a node. One that was a repetition has its first copy's score where that copy is not there, else none."""

    def __init__(self, record: Record, settings: Settings, clock: Clock) -> None:
        self._record, self._clock = record, clock
        self._finished_only = settings.evaluates == "finished"
        self._most_calls = settings.most_calls
        self._seen: set[int] = set()
        self.unjudged: list[SearchNode] = []
        """Nodes that the policy wanted to judge and the record does not."""

    def wants(self, node: SearchNode) -> bool:
        return node.proposal.terminal or not self._finished_only

    def most(self, node: SearchNode) -> Spend:
        if self._most_calls is not None:
            return Spend(self._most_calls[2 if node.proposal.terminal else 1], None, None)
        found = self._record.evaluated[node.proposal.state]
        return Spend(len(found.calls), None, None) if found is not None and found.calls else NO_SPEND

    def evaluate(self, node: SearchNode) -> Evaluated:
        record: Record = self._record
        i: int = node.proposal.state
        found = record.evaluated[i]
        if found is None:
            self.unjudged.append(node)
            return Evaluated(error="the record does not hold its evaluation")
        if record.copies and record.settings.inferred:
            first = record.copies.get(i, i)
            if first in self._seen:
                return Evaluated(0.0)
            self._seen.add(first)
        if found.calls:
            self._clock.pass_by(found.calls)
        return found


def place_of(record: Record, node: SearchNode) -> int | None:
    """Where the recorded node stands in its run; None for the start of a deepening pass that was never made."""
    if node.parents:
        place: int = node.proposal.state
        return place
    return record.search.place.get(node.node_id)

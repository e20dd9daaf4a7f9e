"""What does a search write down while it runs? Nodes, calls, fates and its end, through the Recorder, or nowhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from explorer.replay.node import CallFields, SearchNode
from ingest.recorder import RunRecorder, utc_now


class Journal(Protocol):
    """Is told everything that happens, in an order that depends on the requests alone."""

    def requested(self, node: SearchNode) -> None:
        """Children of this node are asked for now."""
        ...

    def born(self, node: SearchNode) -> None:
        """A node, as it was proposed."""
        ...

    def called(self, node: SearchNode, calls: Sequence[CallFields]) -> None:
        """Calls that worked on this node."""
        ...

    def judged(self, node: SearchNode) -> None:
        """The node's evaluation."""
        ...

    def settled(self, node: SearchNode) -> None:
        """The node's fate, rule and reason."""
        ...

    def joined(self, node: SearchNode) -> None:
        """The node has got a further parent."""
        ...

    def ended(self, **fields: Any) -> None:
        """Stop reason, selected path, totals: fields of ``RunRecorder.end``."""
        ...


class Silent:
    """Writes nothing."""

    def requested(self, node: SearchNode) -> None: ...
    def born(self, node: SearchNode) -> None: ...
    def called(self, node: SearchNode, calls: Sequence[CallFields]) -> None: ...
    def judged(self, node: SearchNode) -> None: ...
    def settled(self, node: SearchNode) -> None: ...
    def joined(self, node: SearchNode) -> None: ...
    def ended(self, **fields: Any) -> None: ...


class Recording:
    """Writes one run of a Recorder. ``verdict`` says what the selected node comes to: outcome, outcome_by, answer."""

    def __init__(
        self, run: RunRecorder, verdict: Callable[[SearchNode | None], Mapping[str, Any]], clock: Callable[[], datetime] = utc_now
    ) -> None:
        self._run, self._verdict, self._clock = run, verdict, clock
        self._asked: dict[str, datetime] = {}

    def requested(self, node: SearchNode) -> None:
        self._asked[node.node_id] = self._clock()

    def born(self, node: SearchNode) -> None:
        fields = {"depth": node.depth, "seq": node.seq, "decision_id": node.decision_id, "pass_bound": node.pass_bound,
                  "step": node.proposal.step, **node.proposal.record}  # fmt: skip
        if node.parent is None:
            self._run.node(node.node_id, parent_ids=[], **fields)
            return
        self._run.request(node.parent.node_id, node.request_index)
        self._run.node(node.node_id, started_at=self._asked[node.parent.node_id], **fields)

    def called(self, node: SearchNode, calls: Sequence[CallFields]) -> None:
        for call in calls:
            self._run.call(node.node_id, **call)

    def judged(self, node: SearchNode) -> None:
        found = node.evaluated
        if found is None:
            return
        fields = {"score": found.score, "verified": found.verified, "violations": found.violations or None,
                  "uncertainty": found.uncertainty, **found.record}  # fmt: skip
        if any(value is not None for value in fields.values()):
            self._run.node(node.node_id, **fields)

    def settled(self, node: SearchNode) -> None:
        merged_into = node.merged_into.node_id if node.merged_into else None
        self._run.node(node.node_id, fate=node.fate, pruned_by=node.pruned_by, prune_rule=node.prune_rule, prune_reason=node.prune_reason,
                       merged_into=merged_into, expanded_seq=node.expanded_seq, error=node.error)  # fmt: skip

    def joined(self, node: SearchNode) -> None:
        self._run.node(node.node_id, parent_ids=[parent.node_id for parent in node.parents])

    def ended(self, selected: SearchNode | None = None, **fields: Any) -> None:
        path = [node.node_id for node in selected.path] if selected else []
        self._run.end(selected_path=path, **self._verdict(selected), **fields)

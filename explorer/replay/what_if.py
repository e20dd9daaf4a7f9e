"""What would a recorded run have come to under another policy? The same loop over the record, after its own policy has passed the check."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from explorer.replay.assembly import policies
from explorer.replay.best_so_far import BestSoFar
from explorer.replay.caps import Caps, Meter
from explorer.replay.deepening import deepen
from explorer.replay.journal import Silent
from explorer.replay.loop import Result, grow
from explorer.replay.methods import ALL
from explorer.replay.node import Proposal, SearchNode
from explorer.replay.record import NOTHING_PAID, Paid, Record
from explorer.replay.recorded import Clock, InTurn, RecordedEvaluation, RecordedExpansion, place_of
from explorer.replay.settings import Refused, Settings
from ingest.schema import Fate, Role

KEPT = (Fate.EXPANDED, Fate.TERMINAL, Fate.OPEN)


@dataclass(frozen=True)
class Replay:
    """One run, searched again."""

    record: Record
    settings: Settings
    result: Result
    unjudged: tuple[int, ...] = ()
    """Nodes that the policy wanted to judge and the record does not."""

    @cached_property
    def at(self) -> dict[int, SearchNode]:
        """The nodes that were made again, by their place in the record."""
        made = ((place_of(self.record, node), node) for node in self.result.tree.nodes)
        return {place: node for place, node in made if place is not None}

    @property
    def horizon(self) -> list[int]:
        """Nodes whose expansion the policy wants and the record does not hold, in the order in which they were wanted."""
        return [place for node in self.result.tree.beyond if (place := place_of(self.record, node)) is not None]

    @property
    def past_horizon(self) -> bool:
        """Whether the policy wanted anything that the record does not hold: then what it comes to is known in bounds only."""
        return bool(self.result.tree.beyond or self.unjudged)

    @property
    def path(self) -> list[int]:
        """The selected path."""
        return self._places(self.result.selected.path)

    @property
    def finished(self) -> list[int]:
        """The answers that were kept."""
        return self._places(self.result.tree.finished)

    @property
    def right_kept(self) -> bool:
        """Whether a right answer is among those kept at the end, as far as the record goes."""
        return any(self.record.right(i) for i in self.finished)

    @property
    def right_selected(self) -> bool:
        """Whether the selected node is a right answer."""
        return not self.result.partial and self.record.right(self.path[-1]) is True

    @property
    def upper_right_kept(self) -> bool:
        """Whether one might be among them if all that is not known had gone well."""
        return self._could_go_well or any(self.record.right(i) is not False for i in self.finished)

    @property
    def upper_right_selected(self) -> bool:
        """Whether the selected one might be right if all that is not known had gone well."""
        return self._could_go_well or (not self.result.partial and self.record.right(self.path[-1]) is not False)

    @property
    def paid(self) -> Paid:
        """What its calls cost by the record; a call past the horizon counts as a call, and its tokens and cost are not known."""
        parts = [Paid({Role.PROPOSER.value: len(self.result.tree.beyond)}), Paid({Role.EVALUATOR.value: len(self.unjudged)})]
        for i, node in self.at.items():
            if node.fate is Fate.EXPANDED:
                parts.append(self.record.for_children.get(i, NOTHING_PAID))
            if node.evaluated is not None:
                parts.append(self.record.for_score.get(i, NOTHING_PAID))
        return together(parts)

    def viable_depth(self) -> int | None:
        """The greatest depth at which a viable node was kept; None where none was."""
        nodes = self.record.search.nodes
        return max((nodes[i].depth for i in self.record.known.viable_nodes() if i in self.at and self.at[i].fate in KEPT), default=None)

    @property
    def _could_go_well(self) -> bool:
        viable = self.record.known.beliefs.viable
        return any(viable(i) is not False for i in (*self.horizon, *self.unjudged)) or len(self.horizon) < len(self.result.tree.beyond)

    def _places(self, nodes: list[SearchNode]) -> list[int]:
        return [place for node in nodes if (place := place_of(self.record, node)) is not None]


def replay(record: Record, settings: Settings) -> Replay:
    """Search a recorded run again under a policy."""
    clock = Clock()
    expansion, evaluation = RecordedExpansion(record, settings, clock), RecordedEvaluation(record, settings, clock)
    chosen = policies(record, settings, expansion, evaluation)
    caps = Caps(settings.max_depth, settings.max_nodes, settings.max_calls, settings.max_tokens, settings.max_cost, settings.wall_clock_s)
    workers = InTurn(settings.at_once if caps != Caps() else ALL)  # how many are out at once matters to caps alone
    start = record.search.roots[0]
    root = record.proposals[start]
    if settings.deepening_start is not None:
        result, _ = deepen(Proposal(root.step, start), chosen, caps, start=settings.deepening_start, workers=workers, clock=clock)
    else:
        root_id = record.search.nodes[start].node_id
        result = grow(root, chosen, BestSoFar(Meter(caps, clock)), Silent(), workers=workers, root_id=root_id)
    return Replay(record, settings, result, tuple(node.state for node in evaluation.unjudged))


def first_difference(record: Record) -> str | None:
    """Where the run's own policy, replayed, does something else than the record; None where tree, fates and path are the same."""
    again = replay(record, record.settings)
    nodes, strict = record.search.nodes, not record.settings.inferred
    for node in sorted(nodes, key=lambda node: (node.seq is None, node.seq or 0, node.preorder)):
        made = again.at.get(node.preorder)
        if made is None:
            return f"node {node.node_id} ({node.fate or 'no fate'} in the record) is not made when its own policy is replayed"
        if made.fate != node.fate:
            return f"node {node.node_id} is {_fate(node.fate, node.prune_rule)} in the record, and {_fate(made.fate, made.prune_rule)} when replayed"
        if node.expanded_seq is not None and made.expanded_seq != node.expanded_seq:
            return f"node {node.node_id} is expansion {node.expanded_seq} of the record, and {made.expanded_seq} when replayed"
        merged = made.merged_into.node_id if made.merged_into else None
        if strict and (made.pruned_by, made.prune_rule, merged) != (node.pruned_by, node.prune_rule, node.merged_into):
            return f"node {node.node_id} is {_fate(node.fate, node.prune_rule)} in the record, and {_fate(made.fate, made.prune_rule)} when replayed"
        if strict and node.parent_ids and [parent.node_id for parent in made.parents] != list(node.parent_ids):
            return f"node {node.node_id} has other parents in the record than when replayed"
    return _different_end(record, again)


def checked(record: Record) -> None:
    """Raises Refused with the first difference where the run's own policy does not reproduce it."""
    found = first_difference(record)
    if found is not None:
        said = f" ({record.settings.assumed[0]})" if record.settings.assumed else ""
        raise Refused(record.run_id, f"does not follow its own policy: {found}{said}")


def together(parts: list[Paid]) -> Paid:
    """The sum of what was paid; None where no part recorded it."""
    roles: dict[str, int | None] = {}
    for part in parts:
        for role, calls in part.roles.items():
            before = roles.get(role, 0)
            roles[role] = None if calls is None or before is None else before + calls
    tokens = [part.tokens for part in parts if part.tokens is not None]
    costs = [part.cost for part in parts if part.cost is not None]
    asked = {role: roles[role] for role in sorted(roles) if roles[role] != 0}
    return Paid(asked, sum(tokens) if tokens else None, math.fsum(costs) if costs else None)


def _different_end(record: Record, again: Replay) -> str | None:
    run, ids = record.search.run, record.search.ids
    path = ids(again.path)
    if run["selected_path"] is not None and path != run["selected_path"]:
        return f"the record selects {run['selected_path'][-1] if run['selected_path'] else 'nothing'}, and the replay {path[-1]}"
    if not record.settings.inferred and run["stop_reason"] is not None and again.result.stop_reason != run["stop_reason"]:
        return f"the record stops by {run['stop_reason']}, and the replay by {again.result.stop_reason}"
    return None


def _fate(fate: str | None, rule: str | None) -> str:
    return f"{fate or 'without a fate'}{f' by {rule}' if rule else ''}"

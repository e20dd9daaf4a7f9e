"""What does a record hold for a replay? Who proposed what under whom, what was said and paid for each node, and where it ends."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from explorer import queries
from explorer.analysis import known
from explorer.analysis.known import NO_MARKS, Known, Marks, representative
from explorer.analysis.search import Candidate, Search, stretches
from explorer.replay import settings
from explorer.replay.node import CallFields, Evaluated, Expanded, Proposal
from explorer.replay.settings import Refused, Settings
from explorer.wording import CAPS
from ingest.schema import Fate, Role, Stage, StopReason
from ingest.store import Store

NO_ROOM = -1
"""State of the proposal for which a cap on nodes left no room: there was one, and the record does not hold it."""
_REPEATED = "repeated text"
_NO_COLUMNS: Mapping[str, Any] = {}
Calls = tuple[CallFields, ...]
_ByPlace = dict[int, list[CallFields]]


@dataclass(frozen=True, slots=True)
class Paid:
    """What the calls at one node cost, as far as recorded."""

    roles: Mapping[str, int | None]
    """Calls by role; None where the log does not hold the calls of that role."""
    tokens: int | None = None
    cost: float | None = None

    def document(self) -> dict[str, Any]:
        """As ``replay --json`` prints it; the cost without the tail that adding up in binary leaves."""
        return {"calls_by_role": dict(self.roles), "tokens": self.tokens, "cost": None if self.cost is None else round(self.cost, 9)}


NOTHING_PAID = Paid({})


@dataclass(frozen=True)
class Record:
    """One run, ready to be searched again without a call. Nodes are named by their place in preorder."""

    known: Known
    settings: Settings
    """The policy that made it."""
    proposals: Sequence[Proposal]
    expanded: Sequence[Expanded | None]
    """None: what its children would be is not in the record."""
    evaluated: Sequence[Evaluated | None]
    """None: nobody got to judge it."""
    copies: Mapping[int, int]
    """Nodes that the search took for a repetition and did not judge, with the first copy."""
    for_children: Mapping[int, Paid]
    for_score: Mapping[int, Paid]
    cut_short: frozenset[int] = frozenset()
    """Nodes some of whose children had no room left under the cap on nodes."""
    tokens: int | None = None
    """By the run's own count."""
    cost: float | None = None
    counts_calls: bool = True
    """False: the log holds no calls, so an expansion counts as one call of the proposer, and evaluations are not counted."""
    keys: dict[str, Mapping[int, str]] = field(default_factory=dict)
    """Values of further columns that name equal states."""

    @property
    def search(self) -> Search:
        return self.known.search

    @property
    def run_id(self) -> str:
        return str(self.search.run["run_id"])

    def right(self, i: int) -> bool | None:
        """Whether a finished node is a right answer; None where neither a check nor any other truth says so."""
        verified = self.search.nodes[i].verified
        return self.known.beliefs.viable(i) if verified is None else verified


def records(store: Store, run_ids: Sequence[str] | None = None, marks: Marks = NO_MARKS, keys: Sequence[str] = ()) -> Iterator[Record | Refused]:
    """The record of each of these runs (None: of all), or why it can be no base for a what-if; in order of the run ids.

    ``keys`` are columns, or fields of the state, whose values are wanted as names of equal states.
    """
    for first, last, found in known.of_runs(store, run_ids, marks):
        calls, marked = _calls(store, first, last), _marked(store, first, last)
        totals = {row["run_id"]: row for row in queries.run(store, "replay_totals", first_run=first, last_run=last).to_pylist()}
        named = {key: _values(store, first, last, key) for key in keys}
        for one in found:
            run_id = one.search.run["run_id"]
            try:
                policy = settings.recorded(one.search)
            except Refused as refused:
                yield refused
                continue
            reading, own = _Reading(one, policy, calls.get(run_id, ({}, {})), marked.get(run_id, {})), totals[run_id]
            record = reading.record(own["tokens"], own["cost"])
            record.keys.update({key: values.get(run_id, {}) for key, values in named.items()})
            yield record


class _Reading:
    """One run while its record is made."""

    def __init__(self, one: Known, policy: Settings, calls: tuple[_ByPlace, _ByPlace], marked: Mapping[int, tuple[bool, float | None]]) -> None:
        self._known, self._search, self._policy, self._marked = one, one.search, policy, marked
        self._for_children, self._for_score = calls
        self._last = settings.last_depth(one.search) if policy.inferred else None
        self._has_calls = bool(one.search.run["calls"])
        self._capped = one.search.run["stop_reason"] in CAPS

    def record(self, tokens: int | None, cost: float | None) -> Record:
        nodes, copies = self._search.nodes, self._copies()
        evaluated = [self._evaluated(node) for node in nodes]
        for i, first in copies.items():
            evaluated[i] = evaluated[first]
        proposals = [Proposal(node.step, node.preorder, self._terminal(node), _NO_COLUMNS, node.node_id) for node in nodes]
        below = self._below()
        cut_short = self._cut_short(below, evaluated)
        return Record(
            self._known, self._policy, proposals, [self._expanded(node, below, proposals, cut_short) for node in nodes], evaluated, copies,
            self._paid_for_children(), {i: _sum(calls) for i, calls in self._for_score.items()}, cut_short, tokens, cost, self._has_calls,
        )  # fmt: skip

    def _below(self) -> dict[int, list[int]]:
        """Children by primary parent, in the order in which they were proposed."""
        below: dict[int, list[int]] = {}
        for node in self._search.nodes:
            if node.parent_preorder is not None:
                below.setdefault(node.parent_preorder, []).append(node.preorder)
        nodes = self._search.nodes
        for children in below.values():
            if all(nodes[i].request_index is not None for i in children):
                children.sort(key=lambda i: nodes[i].request_index or 0)
        return below

    def _terminal(self, node: Candidate) -> bool:
        marked = self._marked.get(node.preorder, (False, None))[0]
        return marked or node.fate == Fate.TERMINAL or node.verified is not None or (self._last is not None and node.depth == self._last)

    def _expanded(self, node: Candidate, below: Mapping[int, list[int]], proposals: Sequence[Proposal], cut_short: frozenset[int]) -> Expanded | None:
        if not node.went_on and node.expanded_seq is None:
            return None
        calls: Calls = tuple(self._for_children.get(node.preorder, ())) if self._has_calls else ({"role": Role.PROPOSER},)
        found = [proposals[i] for i in below.get(node.preorder, ())]
        if node.preorder in cut_short:
            found.append(Proposal(None, NO_ROOM))
        return Expanded(found, calls, None if found else node.error)

    def _evaluated(self, node: Candidate) -> Evaluated | None:
        calls: Calls = tuple(self._for_score.get(node.preorder, ()))
        score = node.score
        if score is None and self._policy.inferred and node.score_raw is not None:
            score = _number(node.score_raw)
        if score is None and not calls and node.fate == Fate.UNSCORED and self._capped:
            return None
        verified = None if self._policy.inferred else node.verified  # a log read by its shape was checked after its search, not during it
        uncertainty = self._marked.get(node.preorder, (False, None))[1]
        return Evaluated(score, calls, verified, int(node.violations or 0), uncertainty, node.error if score is None else None)

    def _copies(self) -> dict[int, int]:
        """Nodes that were dropped as repetitions before anybody judged them, with the first copy."""
        found = {}
        for node in self._search.nodes:
            if node.score is None and node.pruned_at == Stage.DISTINCT and (first := representative(self._search, node.preorder)) is not None:
                found[node.preorder] = first
            elif node.score is None and node.remarks is not None and _REPEATED in node.remarks:
                same = (i for i in self._search.levels[node.depth, node.pass_bound] if self._text(i) == self._text(node.preorder))
                found[node.preorder] = next(same)
        return {i: first for i, first in found.items() if i != first}

    def _text(self, i: int | None) -> list[str | None]:
        """The steps that lead to a node."""
        steps = []
        while i is not None:
            steps.append(self._search.nodes[i].step)
            i = self._search.nodes[i].parent_preorder
        return steps

    def _cut_short(self, below: Mapping[int, list[int]], evaluated: Sequence[Evaluated | None]) -> frozenset[int]:
        """The last expansions of a run that the cap on nodes stopped while it expanded: nobody got to judge their children."""
        if self._search.run["stop_reason"] != StopReason.MAX_NODES:
            return frozenset()
        expanded = {node.preorder: node.expanded_seq for node in self._search.nodes if node.expanded_seq is not None}
        last = max((i for i in expanded if below.get(i)), key=lambda i: expanded[i], default=None)
        if last is None or any(evaluated[i] is not None for i in below[last]):
            return frozenset()
        return frozenset(i for i, seq in expanded.items() if seq >= expanded[last])

    def _paid_for_children(self) -> dict[int, Paid]:
        if self._has_calls:
            return {i: _sum(calls) for i, calls in self._for_children.items()}
        one = Paid({Role.PROPOSER.value: 1, Role.EVALUATOR.value: None})
        return {node.preorder: one for node in self._search.nodes if node.went_on or node.expanded_seq is not None}


def _sum(calls: Sequence[CallFields]) -> Paid:
    roles: dict[str, int | None] = {}
    tokens = cost = None
    for call in calls:
        role = call["role"] or "other"
        roles[role] = (roles.get(role) or 0) + 1
        if call["input_tokens"] is not None:
            tokens = (tokens or 0) + call["input_tokens"]
        if call["cost"] is not None:
            cost = (cost or 0.0) + call["cost"]
    return Paid(roles, tokens, cost)


def _number(raw: str) -> float | None:
    try:
        value = json.loads(raw)
    except ValueError:
        return None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _calls(store: Store, first: str, last: str) -> dict[str, tuple[_ByPlace, _ByPlace]]:
    """Calls by run and place: those that gave children, and those that gave a score.

    A tool that was used after the proposer was asked at a node worked for its children. Tokens stand under ``input_tokens``: only the
    sum is of interest here.
    """
    found: dict[str, tuple[_ByPlace, _ByPlace]] = {}
    for row in queries.run(store, "replay_calls", first_run=first, last_run=last).to_pylist():
        call = {"role": row["role"], "input_tokens": row["tokens"], "cost": row["cost"], "latency_ms": row["latency_ms"]}
        for_children, for_score = found.setdefault(row["run_id"], ({}, {}))
        is_for_children = row["role"] == Role.PROPOSER or (row["role"] == Role.TOOL and row["preorder"] in for_children)
        (for_children if is_for_children else for_score).setdefault(row["preorder"], []).append(call)
    return found


def _marked(store: Store, first: str, last: str) -> dict[str, dict[int, tuple[bool, float | None]]]:
    found: dict[str, dict[int, tuple[bool, float | None]]] = {}
    for row in queries.run(store, "replay_nodes", first_run=first, last_run=last).to_pylist():
        found.setdefault(row["run_id"], {})[row["preorder"]] = (row["finished"], row["uncertainty"])
    return found


def _values(store: Store, first: str, last: str, key: str) -> dict[str, dict[int, str]]:
    table = queries.run(store, "replay_keys", first_run=first, last_run=last, path=f'$."{key}"')
    return {run_id: _told(table.slice(start, end - start)) for run_id, start, end in stretches(table["run_id"])} if table.num_rows else {}


def _told(rows: pa.Table) -> dict[int, str]:
    pairs = zip(rows["preorder"].to_pylist(), rows["value"].to_pylist(), strict=True)
    return {i: value for i, value in pairs if value is not None}

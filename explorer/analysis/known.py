"""What is known about the nodes of a search: which are viable, who says so, and is that complete where a step is missing?"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from explorer import queries
from explorer.analysis.search import Search, searches, stretches, without_collector
from explorer.truth import routes
from explorer.truth.routes import Match
from explorer.truth.spread import Beliefs, Statement, believe
from ingest.errors import TraceError
from ingest.schema import Stage, Truth
from ingest.store import Store

States: TypeAlias = Mapping[int, str | None]
Said: TypeAlias = dict[int, tuple[Statement, ...]]
"""What is said about the nodes of one run, by place."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Truth that stands outside the store's tables: what reviewers said."""

    truth: tuple[Truth, ...] = ()
    none_right: Collection[tuple[str, str]] = ()
    """Run and node where a reviewer marked that none of its children is right."""


NO_MARKS = Marks()


@dataclass(frozen=True)
class Known:
    """A search with what is believed about its nodes."""

    search: Search
    beliefs: Beliefs
    matches: tuple[Match, ...] = ()
    """The known-good routes that were given for it."""
    closed: frozenset[int] = frozenset()
    """Nodes of which a reviewer marked that none of their children is right."""
    states: States = field(default_factory=dict)
    """Recorded states of nodes that were dropped as equal to another, and of those others."""

    def viable_nodes(self) -> Iterator[int]:
        """Nodes that are believed to be viable, in order."""
        return iter(sorted(i for i, belief in self.beliefs.of.items() if belief.viable))

    def open_children(self, i: int) -> list[int]:
        """Children about which nothing is known."""
        return [child for child in self.search.children(i) if self.beliefs.viable(child) is None]

    def complete_at(self, i: int) -> bool:
        """Whether it is known of every child whether it is right: judged one by one, by a route that goes on here, or by a reviewer."""
        return i in self.closed or any(i in match.last and match.rest for match in self.matches) or not self.open_children(i)


def of_runs(store: Store, run_ids: Sequence[str] | None = None, marks: Marks = NO_MARKS) -> Iterator[tuple[str, str, list[Known]]]:
    """What is known about these runs (None: all), some at a time: the first and last run id of the range that was read, and its runs."""
    for first, last, found, statements in searches(store, run_ids):
        with without_collector():
            known = _all_known(store, first, last, found, statements, marks)
        yield first, last, known


def of_run(store: Store, run_id: str, marks: Marks = NO_MARKS) -> Known:
    """What is known about one run. Raises TraceError when there is no such run."""
    for _, _, found in of_runs(store, [run_id], marks):
        for one in found:
            return one
    raise TraceError(f"no run is called {run_id!r} in this store", str(store.folder), "branchlight runs lists them.")


def representative(search: Search, i: int) -> int | None:
    """The node into which this one was merged: as recorded, else the one with the same state key that was not dropped itself."""
    seen = {i}
    while search.nodes[i].pruned_at == Stage.DISTINCT:
        node = search.nodes[i]
        following = search.place.get(node.merged_into) if node.merged_into is not None else _by_key(search, i)
        if following is None or following in seen:
            return None
        seen.add(following)
        i = following
    return i


def dropped(search: Search) -> list[tuple[int, int]]:
    """Every node that was dropped as equal to another, with that other."""
    pairs = ((node.preorder, representative(search, node.preorder)) for node in search.nodes if node.pruned_at == Stage.DISTINCT)
    return [(i, other) for i, other in pairs if other is not None]


def differences(left: str | None, right: str | None) -> list[str] | None:
    """Fields in which two recorded states differ; None where one of them was not recorded; ["state"] where they are no objects."""
    if left is None or right is None:
        return None
    if left == right:
        return []
    one, other = json.loads(left), json.loads(right)
    if isinstance(one, dict) and isinstance(other, dict):
        return sorted(key for key in one.keys() | other.keys() if one.get(key) != other.get(key))
    return [] if one == other else ["state"]


def read_states(
    store: Store, first: str, last: str, found: Iterable[Search], pairs: Mapping[str, Sequence[tuple[int, int]]]
) -> dict[str, dict[int, str | None]]:
    """The recorded states of all nodes in these pairs, by run and place."""
    by_id = {one.run["run_id"]: one for one in found}
    wanted = [(run_id, by_id[run_id].nodes[i].node_id) for run_id, listed in pairs.items() for i in sorted({i for pair in listed for i in pair})]
    states: dict[str, dict[int, str | None]] = {run_id: {} for run_id in by_id}
    if wanted:
        runs, nodes = map(list, zip(*wanted, strict=True))
        for row in queries.run(store, "states_of", first_run=first, last_run=last, node_runs=runs, nodes=nodes).to_pylist():
            states[row["run_id"]][by_id[row["run_id"]].place[row["node_id"]]] = row["state"]
    return states


def _all_known(store: Store, first: str, last: str, found: Sequence[Search], statements: pa.Table, marks: Marks) -> list[Known]:
    said, given = _statements(statements), store.routes
    if marks.truth:
        _add_marks(store, first, last, marks, said)
    own = {one.run["run_id"]: routes.of_run(given, one.run["run_id"], one.run["task_id"]) for one in found} if given else {}
    pairs = {one.run["run_id"]: dropped(one) if own.get(one.run["run_id"]) else [] for one in found}
    states = read_states(store, first, last, found, pairs)
    known = []
    for one in found:
        run_id = one.run["run_id"]
        known.append(_known(one, said.setdefault(run_id, {}), own.get(run_id, []), states[run_id], marks))
    return _with_equals(store, first, last, known, said)


def _by_key(search: Search, i: int) -> int | None:
    key = search.nodes[i].state_key
    if key is None:
        return None
    same = [search.nodes[k] for k in search.of_key.get(key, ()) if k != i and search.nodes[k].pruned_at != Stage.DISTINCT]
    depth = search.nodes[i].depth
    best = min(same, key=lambda node: (abs(node.depth - depth), -(node.score or 0.0), node.step or ""), default=None)
    return best.preorder if best else None


def _statements(table: pa.Table) -> dict[str, Said]:
    """All statements by run and place. Equal ones are one object, alone in one tuple, because there may be one for every node."""
    found: dict[str, Said] = {}
    if table.num_rows:
        alone, places = _alone(table), table["preorder"].to_numpy()
        again = np.flatnonzero(places[1:] == places[:-1]) + 1  # rows are sorted: what a second source says of a node comes next
        listed = places.tolist()
        for run_id, start, end in stretches(table["run_id"]):
            said = dict(zip(listed[start:end], alone[start:end], strict=True))
            for row in again[np.searchsorted(again, start + 1) : np.searchsorted(again, end)].tolist():
                heard = alone[row - 1] if row - 1 == start or listed[row - 2] != listed[row] else said[listed[row]]
                said[listed[row]] = (*heard, *alone[row])
            found[run_id] = said
    return found


def _alone(table: pa.Table) -> list[tuple[Statement, ...]]:
    """What each row says, in a tuple; rows that say the same share it."""
    words = [table[name].combine_chunks().dictionary_encode() for name in ("viable_by", "detail")]
    sizes = [len(one.dictionary) + 1 for one in words]
    codes = table["viable"].combine_chunks().cast(pa.int64()).to_numpy(zero_copy_only=False)
    for one, size in zip(words, sizes, strict=True):
        codes = codes * size + one.indices.fill_null(size - 1).to_numpy(zero_copy_only=False)
    kinds, first, of_row = np.unique(codes, return_index=True, return_inverse=True)
    shared = np.empty(len(kinds), dtype=object)
    for place, row in enumerate(first.tolist()):
        shared[place] = (Statement(*(table[name][row].as_py() for name in ("viable", "viable_by", "detail"))),)
    found: list[tuple[Statement, ...]] = shared[of_row].tolist()
    return found


def _add_marks(store: Store, first: str, last: str, marks: Marks, found: dict[str, Said]) -> None:
    here = [row for row in marks.truth if first <= row.run_id <= last]
    for run_id in sorted({row.run_id for row in here}):
        nodes = store.query("select node_id, preorder from nodes where run_id = $run_id", run_id=run_id).to_pydict()
        place = dict(zip(nodes["node_id"], nodes["preorder"], strict=True))
        for row in here:
            if row.run_id == run_id and row.node_id in place:
                _say(found.setdefault(run_id, {}), place[row.node_id], Statement(row.viable, row.viable_by, row.detail))


def _say(said: Said, place: int, statement: Statement) -> None:
    said[place] = (*said.get(place, ()), statement)


def _known(search: Search, said: Said, own: Sequence[Sequence[Mapping[str, str]]], states: States, marks: Marks) -> Known:
    def stands_for(i: int) -> int | None:
        other = representative(search, i)
        return other if other is not None and other != i and differences(states.get(i), states.get(other)) == [] else None

    matches = tuple(routes.match(route, search.nodes, search.roots, search.children, stands_for) for route in own)
    for match in matches:
        for i in (*match.start, *(i for nodes in match.nodes for i in nodes)):
            _say(said, i, Statement(True, "label", "known-good route"))
    closed = frozenset(search.place[node] for run, node in marks.none_right if run == search.run["run_id"] and node in search.place)
    return Known(search, believe(said, search.parents), matches, closed, dict(states))


def _with_equals(store: Store, first: str, last: str, known: list[Known], said: dict[str, Said]) -> list[Known]:
    """Where a viable node was dropped for one with exactly the same state, that one is viable too."""
    pairs = {one.search.run["run_id"]: _unsure(one) for one in known}
    if not any(pairs.values()):
        return known
    states = read_states(store, first, last, [one.search for one in known], pairs)
    return [
        _believing_equals(one, pairs[run_id], {**one.states, **states[run_id]}, said.setdefault(run_id, {})) if pairs[run_id] else one
        for one in known
        for run_id in [one.search.run["run_id"]]
    ]


def _unsure(one: Known) -> list[tuple[int, int]]:
    """Viable nodes that were dropped for another that is not known to be viable, with that other."""
    viable = (i for i in one.viable_nodes() if one.search.nodes[i].pruned_at == Stage.DISTINCT)
    pairs = ((i, representative(one.search, i)) for i in viable)
    return [(i, other) for i, other in pairs if other is not None and not one.beliefs.viable(other)]


def _believing_equals(one: Known, pairs: Sequence[tuple[int, int]], states: States, said: Said) -> Known:
    for i, other in pairs:
        if one.beliefs.viable(other) is None and differences(states.get(i), states.get(other)) == []:
            belief = one.beliefs.of[i]
            detail = f"the same state as {one.search.nodes[i].node_id}" + (f" ({belief.detail})" if belief.detail else "")
            _say(said, other, Statement(True, belief.viable_by, detail))
    return Known(one.search, believe(said, one.search.parents), one.matches, one.closed, states)

"""What does the log say about one search, for a verdict? Its run, its candidates in preorder, and who is whose parent and child."""

from __future__ import annotations

import contextlib
import gc
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, partial
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from explorer import graph, queries
from ingest.schema import Fate, Stage
from ingest.store import Store

Range: TypeAlias = tuple[str, str]
"""The first and the last of some run ids that follow each other."""
Tables: TypeAlias = dict[str, pa.Table]
CHUNK_NODES = 100_000
"""Nodes that are read at a time when many runs are judged."""


class Candidate(NamedTuple):
    """One node, as the query ``attribution_nodes`` describes it; a tuple, because millions are made."""

    run_id: str
    node_id: str
    preorder: int
    subtree_size: int
    parent_preorder: int | None
    parent_ids: list[str] | None
    orphan: bool
    depth: int
    pass_bound: int | None
    request_index: int | None
    seq: int | None
    decision_id: str | None
    step: str | None
    state_key: str | None
    score: float | None
    score_raw: str | None
    tier: str | None
    score_source: str | None
    evaluator: str | None
    violations: float | None
    fate: str | None
    pruned_by: str | None
    prune_rule: str | None
    prune_reason: str | None
    merged_into: str | None
    error: str | None
    expanded_seq: int | None
    verified: bool | None
    env_checkpoint: str | None
    resumed_from: str | None
    action_effect: str | None
    n_children: int
    remarks: str | None

    @property
    def pruned_at(self) -> str | None:
        """The stage at which it was pruned, ``survived`` where the log names none; None where it was not."""
        return (self.pruned_by or Stage.SURVIVED) if self.fate == Fate.PRUNED else None

    @property
    def went_on(self) -> bool:
        """Whether it was expanded."""
        return self.n_children > 0 or self.fate == Fate.EXPANDED

    @property
    def kept(self) -> bool:
        """Whether the search kept it when it cut: expanded, terminal, or still open at the end."""
        return self.went_on or self.fate in (Fate.TERMINAL, Fate.OPEN)


@dataclass(frozen=True)
class Search:
    """One run. Nodes are named by their place in preorder, which is their index in ``nodes``."""

    run: dict[str, Any]
    """The row of the query ``attribution_runs``."""
    nodes: Sequence[Candidate]
    families: tuple[dict[int, list[int]], dict[int, list[int]]] | None = field(default=None, repr=False)
    """All parents and all children, for a run with merged nodes; None for a tree, where the labels say it."""

    @cached_property
    def place(self) -> dict[str, int]:
        """Where each node id stands."""
        return {node.node_id: node.preorder for node in self.nodes}

    @cached_property
    def roots(self) -> list[int]:
        """The tops of the search; a node whose parent is missing from the log is none."""
        return [i for i in self.children_of_top() if not self.nodes[i].orphan]

    @cached_property
    def selected(self) -> list[int] | None:
        """The selected path, as far as the log holds its nodes; None where none is recorded."""
        path = self.run["selected_path"]
        return None if path is None else [self.place[node_id] for node_id in path if node_id in self.place]

    @cached_property
    def levels(self) -> dict[tuple[int, int | None], list[int]]:
        """The nodes of each depth (and deepening pass)."""
        found: defaultdict[tuple[int, int | None], list[int]] = defaultdict(list)
        for place, level in enumerate(map(attrgetter("depth", "pass_bound"), self.nodes)):
            found[level].append(place)
        return found

    @cached_property
    def decisions(self) -> dict[str, list[int]]:
        """The nodes of each recorded decision."""
        found: dict[str, list[int]] = {}
        for node in self.nodes:
            if node.decision_id is not None:
                found.setdefault(node.decision_id, []).append(node.preorder)
        return found

    @cached_property
    def of_key(self) -> dict[str, list[int]]:
        """The nodes of each state key."""
        found: dict[str, list[int]] = {}
        for node in self.nodes:
            if node.state_key is not None:
                found.setdefault(node.state_key, []).append(node.preorder)
        return found

    def children_of_top(self) -> Iterator[int]:
        """All tops, in order."""
        at = 0
        while at < len(self.nodes):
            yield at
            at += self.nodes[at].subtree_size

    def children(self, i: int) -> list[int]:
        """Children through any parent pointer, in order."""
        if self.families is not None:
            return self.families[1].get(i, [])
        found, at = [], i + 1
        while at < i + self.nodes[i].subtree_size:
            found.append(at)
            at += self.nodes[at].subtree_size
        return found

    def parents(self, i: int) -> Sequence[int]:
        """Parents that the log holds, all of them."""
        if self.families is not None:
            return self.families[0].get(i, [])
        parent = self.nodes[i].parent_preorder
        return () if parent is None else (parent,)

    def ids(self, places: Sequence[int]) -> list[str]:
        return [self.nodes[i].node_id for i in places]


def searches(store: Store, run_ids: Sequence[str] | None = None) -> Iterator[tuple[str, str, list[Search], pa.Table]]:
    """The searches of these runs (None: of all), some at a time.

    Each time the first and the last run id of the range that was read, its searches, and what is said to be true of the nodes in the range.
    """
    sizes = store.query("select run_id, nodes from runs order by run_id").to_pydict()
    wanted = None if run_ids is None else set(run_ids)
    for (first, last), tables in ahead(partial(_tables, store), ranges(sizes["run_id"], sizes["nodes"], wanted)):
        found = _searches(store, tables["attribution_runs"].to_pylist(), tables["attribution_nodes"])
        yield first, last, found if wanted is None else [one for one in found if one.run["run_id"] in wanted], tables["truth_statements"]


def ahead(work: Callable[[Range], Tables], ranges: Iterator[Range]) -> Iterator[tuple[Range, Tables]]:
    """What ``work`` gives for each range; while the caller is busy with one, the next is being read."""
    following = next(ranges, None)
    if following is None:
        return
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(work, following)
        while following is not None:
            current, tables = following, reading.result()
            following = next(ranges, None)
            if following is not None:
                reading = pool.submit(work, following)
            yield current, tables


def ranges(ids: list[str], sizes: list[int], wanted: set[str] | None) -> Iterator[Range]:
    """Ranges of run ids of at most CHUNK_NODES nodes; each begins and ends with a wanted run, and leaves out long stretches of others."""
    start: str | None = None
    last, nodes, idle = "", 0, 0
    for run_id, size in zip(ids, sizes, strict=True):
        if wanted is not None and run_id not in wanted:
            idle += size
            continue
        if start is not None and (nodes + idle + size > CHUNK_NODES or idle > CHUNK_NODES // 20):
            yield start, last
            start = None
        if start is None:
            start, nodes, idle = run_id, 0, 0
        nodes, last, idle = nodes + idle + size, run_id, 0
    if start is not None:
        yield start, last


@contextlib.contextmanager
def without_collector() -> Iterator[None]:
    """Keep the cyclic collector from walking over millions of new tuples again and again; none of them can be part of a cycle."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def stretches(run_ids: pa.ChunkedArray) -> Iterator[tuple[str, int, int]]:
    """Each run of a column that is sorted by run: its id, the first row, and the row after the last one."""
    codes = pc.run_end_encode(run_ids.combine_chunks())
    start = 0
    for run_id, end in zip(codes.values.to_pylist(), codes.run_ends.to_pylist(), strict=True):
        yield run_id, start, end
        start = end


def _tables(store: Store, ids: Range) -> Tables:
    names = ("attribution_runs", "attribution_nodes", "truth_statements")
    return {name: queries.run(store, name, first_run=ids[0], last_run=ids[1]) for name in names}


def _searches(store: Store, runs: list[dict[str, Any]], table: pa.Table) -> list[Search]:
    nodes = _candidates(table)
    found, at = [], 0
    for run in runs:
        end = at + run["nodes"]
        families = _families(store, run["run_id"]) if run["merged"] else None
        found.append(Search(run, nodes[at:end], families))
        at = end
    return found


def _candidates(table: pa.Table) -> list[Candidate]:
    """The rows as tuples, made without a line of Python for each: there may be millions."""
    if not table.num_rows:
        return []
    with without_collector():
        return list(map(partial(tuple.__new__, Candidate), zip(*map(_values, table.columns), strict=True)))


def _values(column: pa.ChunkedArray) -> Sequence[Any]:
    """A column as Python values; words that occur again and again are one object each."""
    if column.null_count == len(column):
        return [None] * len(column)
    if pa.types.is_string(column.type):
        coded = column.combine_chunks().dictionary_encode()
        words = np.array([*coded.dictionary.to_pylist(), None], dtype=object)
        texts: list[str | None] = words[coded.indices.fill_null(len(words) - 1).to_numpy(zero_copy_only=False)].tolist()
        return texts
    if column.null_count == 0 and not pa.types.is_nested(column.type):
        values: list[Any] = column.to_numpy().tolist()
        return values
    listed: list[Any] = column.to_pylist()
    return listed


def _families(store: Store, run_id: str) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """Parents and children of every node in a run with merged nodes, by place."""
    found = graph.of_run(store, run_id)
    place = {node: data["preorder"] for node, data in found.nodes(data=True) if not data["stub"]}
    above: dict[int, list[int]] = {}
    below: dict[int, list[int]] = {}
    for parent, child in found.edges:
        if parent in place:
            above.setdefault(place[child], []).append(place[parent])
            below.setdefault(place[parent], []).append(place[child])
    return {i: sorted(up) for i, up in above.items()}, {i: sorted(down) for i, down in below.items()}

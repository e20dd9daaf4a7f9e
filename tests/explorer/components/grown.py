"""Runs of any size and shape for the tests of the drawings: grown with numpy, labelled by the ingest's own labels, seeded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from explorer import queries
from ingest.labels import label

_WORDS = "read parser fixture checkout redirect diff failing the test and compare cart session stale id inspect built".split()
_RULES = ("beam_width", "score_threshold", "duplicate_state", "budget")


def bushy(n: int, seed: int = 7) -> list[int]:
    """Parents of a run that searched wide near the root and deep in a few places; -1 for the root."""
    rng = np.random.default_rng(seed)
    rows = np.arange(1, n)
    near = rng.random(n - 1) < 0.75
    recent = np.maximum(0, rows - 1 - rng.integers(0, 6, n - 1))
    anywhere = (rng.random(n - 1) ** 2.2 * rows).astype(int)
    return [-1, *np.where(near, recent, anywhere).tolist()]


def beam(n: int, kept: int = 5, children: int = 9) -> list[int]:
    """Parents of a beam search: ``kept`` nodes a level with so many children each."""
    parents, level = [-1], [0]
    while len(parents) < n:
        begin = len(parents)
        parents += [node for node in level for _ in range(children)]
        born = list(range(begin, len(parents)))
        level = born[:: max(1, len(born) // kept)][:kept]
    return parents[:n]


def chain(n: int) -> list[int]:
    """Parents of a run that never branched."""
    return list(range(-1, n - 1))


def nodes_of(parents: Sequence[int], **columns: Sequence[Any]) -> pa.Table:
    """The ``nodes`` view of one run ``r`` whose nodes are n0, n1, …; ``columns`` replace what is grown.

    Scores are missing for one node in twenty; a node with children is expanded, a leaf pruned, terminal, unscored or open.
    """
    n = len(parents)
    parent = np.array(parents, dtype=np.int64)
    order = np.arange(n)
    places = label(parent, np.zeros(n, dtype=np.int64), order)
    rng = np.random.default_rng(7)
    children = np.bincount(parent[parent >= 0], minlength=n)
    score = np.round(rng.random(n), 4)
    fate = np.where(children > 0, "expanded", rng.choice(["pruned", "pruned", "pruned", "terminal", "unscored", "open"], n))
    unscored = (fate == "unscored") | (rng.random(n) < 0.05)
    rule = rng.choice(_RULES, n)
    phrases = [" ".join(rng.choice(_WORDS, 7)) for _ in range(min(n, 1_000))]
    grown: dict[str, Any] = {
        "run_id": ["r"] * n,
        "node_id": [f"n{i}" for i in range(n)],
        "parent_ids": [[f"n{p}"] if p >= 0 else [] for p in parents],
        "preorder": places.preorder, "subtree_size": places.subtree_size, "lo": places.lo, "hi": places.hi, "depth": places.depth,
        "parent_preorder": pa.array(np.where(parent < 0, 0, places.preorder[parent]), mask=parent < 0),
        "n_children": children,
        "score": pa.array(score, mask=unscored),
        "fate": fate.tolist(),
        "prune_rule": [r if f == "pruned" else None for r, f in zip(rule.tolist(), fate.tolist(), strict=True)],
        "error": [None] * n,
        "verified": pa.array([None] * n, pa.bool_()),
        "step": [None if p < 0 else phrases[i % 1_000] for i, p in enumerate(parents)],
        "action_kind": [None] * n, "action_target": [None] * n, "state": [None] * n,
    }
    table = pa.table({**grown, **columns})
    types = {"parent_ids": pa.list_(pa.string()), "score": pa.float64(), "verified": pa.bool_()}
    types |= dict.fromkeys(("preorder", "parent_preorder", "subtree_size", "lo", "hi", "depth", "n_children"), pa.int64())
    return table.cast(pa.schema([(name, types.get(name, pa.string())) for name in table.column_names]))


def path_to(parents: Sequence[int], node: int) -> list[str]:
    """Ids from the root down to a node."""
    way = [node]
    while parents[way[-1]] >= 0:
        way.append(parents[way[-1]])
    return [f"n{at}" for at in reversed(way)]


def deepest(parents: Sequence[int]) -> int:
    """The last node of the greatest depth; parents must stand before their children."""
    depth = [0] * len(parents)
    for at, parent in enumerate(parents):
        depth[at] = depth[parent] + 1 if parent >= 0 else 0
    return max(range(len(parents)), key=depth.__getitem__)


def answer(nodes: pa.Table, selected_path: Sequence[str], name: str, **params: Any) -> pa.Table:
    """What a query of the explorer says about these nodes."""
    with duckdb.connect() as connection:
        runs = pa.table({"run_id": ["r"], "selected_path": pa.array([list(selected_path)], pa.list_(pa.string()))})
        connection.register("nodes", nodes)
        connection.register("runs", runs)
        found: pa.Table = connection.sql(queries.text(name), params={"run_id": "r", **params}).to_arrow_table()
        return found

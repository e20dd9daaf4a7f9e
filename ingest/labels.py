"""Where does each node stand in its tree? Interval labels that turn ancestors, subtrees and viewports into range queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
"""Half of the memory of numpy's own integers; enough for the tour over a thousand million nodes."""
Integers = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class Labels:
    """One value a node, in the order of the input rows; all but ``cycle`` count within the node's run."""

    preorder: Ints
    """0 for the first top of a run; a subtree is the range [preorder, preorder + subtree_size)."""
    subtree_size: Ints
    """Nodes below and including the node."""
    lo: Ints
    """First leaf below the node, counted from 0 within the run; a leaf has lo = hi."""
    hi: Ints
    """Last leaf below the node."""
    depth: Ints
    """Links up to the top of the node's tree; a top has 0."""
    parent: Ints
    """Row of the parent after cycles were cut; -1 for a top."""
    cycle: Ints
    """Number of the cycle that the node is part of, from 0; -1 for all others."""


def label(parent: Integers, run: Integers, order: Integers) -> Labels:
    """Label a forest of many runs at once.

    Args:
        parent: row of each node's primary parent, -1 for a top. Shape (n,).
        run: number of the run of each row; must not decrease. Shape (n,).
        order: order of arrival of each row; a cycle is cut at its latest link. Shape (n,).

    Children stand in the order of their rows. Every shape of tree costs O(n log n): an Euler tour (each node is entered
    and left once) is ranked by pointer doubling, so that neither a chain of 100,000 levels nor a star is special.
    """
    n = len(parent)
    parent, cycle = _cut_cycles(parent.astype(np.int32), order)
    if n == 0:
        return Labels(parent, parent, parent, parent, parent, parent, cycle)
    first = np.searchsorted(run, run, side="left").astype(np.int32)  # of the node's run; runs are contiguous in rows and in the tour
    enter, leave = _tour_positions(parent, run, first)
    leaf = np.ones(n, dtype=np.int32)
    leaf[parent[parent >= 0]] = 0
    leaves = _running_sum(2 * n, (enter, leaf))
    leaves_before = np.concatenate([np.zeros(1, dtype=np.int32), leaves])[2 * first]  # those of earlier runs
    return Labels(
        preorder=_running_sum(2 * n, (enter, 1))[enter] - 1 - first,
        subtree_size=(leave - enter + 1) // 2,
        lo=leaves[enter] - leaf - leaves_before,
        hi=leaves[leave] - 1 - leaves_before,
        depth=_running_sum(2 * n, (enter, 1), (leave, -1))[enter] - 1,
        parent=parent,
        cycle=cycle,
    )


def _running_sum(size: int, *steps: tuple[Ints, Ints | int]) -> Ints:
    """The sum up to each of ``size`` positions of the values that ``steps`` put at theirs."""
    values = np.zeros(size, dtype=np.int32)
    for position, value in steps:
        values[position] = value
    return np.cumsum(values, dtype=np.int32)


def _tour_positions(parent: Ints, run: Integers, first: Ints) -> tuple[Ints, Ints]:
    """Positions of each node's entry and exit in the Euler tour over all runs, one run after another."""
    n = len(parent)
    # children of one parent side by side, in row order; tops of one run count as children of that run
    group = np.where(parent >= 0, parent, n + run.astype(np.int32))
    by_parent = np.argsort(group, kind="stable").astype(np.int32)
    group = group[by_parent]
    last = np.ones(n, dtype=bool)
    last[:-1] = group[1:] != group[:-1]
    opens = np.ones(n, dtype=bool)
    opens[1:] = last[:-1]
    following = np.empty(2 * n, dtype=np.int32)
    following[:n] = np.arange(n, 2 * n)  # enter a leaf: leave it next
    first_child, its_parent = by_parent[opens], parent[by_parent[opens]]
    inner = its_parent >= 0
    following[its_parent[inner]] = first_child[inner]  # enter a parent: enter its first child
    following[n + by_parent[~last]] = by_parent[1:][~last[:-1]]  # leave a child: enter its next sibling
    ends = by_parent[last]
    following[n + ends] = np.where(parent[ends] >= 0, parent[ends] + n, -1)  # leave the last child: leave the parent
    remaining = _distance_to_end(following)
    end_of_run = 2 * (first + np.bincount(run).astype(np.int32)[run])
    return end_of_run - remaining[:n], end_of_run - remaining[n:]


def _distance_to_end(following: Ints) -> Ints:
    """Steps from each element to the end of its list, itself included, by pointer doubling."""
    end = len(following)
    pointer = np.append(np.where(following < 0, end, following), end).astype(np.int32)
    distance = np.ones(end + 1, dtype=np.int32)
    distance[end] = 0
    while True:
        reach = distance[pointer]
        if not reach.any():
            return distance[:end]
        distance += reach
        pointer = pointer[pointer]


def _cut_cycles(parent: Ints, order: Integers) -> tuple[Ints, Ints]:
    """Parents with every cycle cut at its latest link, and the number of the cycle that each row is part of (or -1)."""
    n = len(parent)
    cycle = np.full(n, -1, dtype=np.int32)
    pointer = np.append(np.where(parent < 0, n, parent), n).astype(np.int32)
    for _ in range(max(n, 1).bit_length()):
        pointer = pointer[pointer]
        if (pointer == n).all():
            return parent, cycle
    number = 0
    for row in np.unique(pointer[:-1][pointer[:-1] < n]):  # after enough doublings, only rows inside a cycle are pointed at
        if cycle[row] >= 0:
            continue
        members = [int(row)]
        while (following := int(parent[members[-1]])) != row:
            members.append(following)
        cycle[members] = number
        parent[max(members, key=lambda member: int(order[member]))] = -1
        number += 1
    return parent, cycle

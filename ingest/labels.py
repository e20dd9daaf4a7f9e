"""Where does each node stand in its tree? Interval labels that turn ancestors, subtrees and viewports into range queries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


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


def label(parent: Ints, run: Ints, order: Ints) -> Labels:
    """Label a forest of many runs at once.

    Args:
        parent: row of each node's primary parent, -1 for a top. Shape (n,).
        run: number of the run of each row; must not decrease. Shape (n,).
        order: order of arrival of each row; a cycle is cut at its latest link. Shape (n,).

    Children stand in the order of their rows. Every shape of tree costs O(n log n): an Euler tour (each node is entered
    and left once) is ranked by pointer doubling, so that neither a chain of 100,000 levels nor a star is special.
    """
    n = len(parent)
    parent, cycle = _cut_cycles(parent.copy(), order)
    if n == 0:
        return Labels(parent, parent, parent, parent, parent, parent, cycle)
    position = _tour_positions(parent, run)
    enter, leave = position[:n], position[n:]
    has_child = np.zeros(n, dtype=bool)
    has_child[parent[parent >= 0]] = True
    steps = np.empty(2 * n, dtype=np.int64)
    entered = np.zeros(2 * n, dtype=np.int64)
    leaves = np.zeros(2 * n, dtype=np.int64)
    steps[enter], steps[leave] = 1, -1
    entered[enter] = 1
    leaves[enter] = ~has_child
    level, count, leaf = np.cumsum(steps), np.cumsum(entered), np.cumsum(leaves)
    first = np.searchsorted(run, run, side="left")  # first row of the node's run; runs are contiguous in rows and in the tour
    leaf_before = _before_run(leaf, count, first)
    preorder = count[enter] - 1 - first
    lo = leaf[enter] - leaves[enter] - leaf_before
    return Labels(
        preorder=preorder,
        subtree_size=(leave - enter + 1) // 2,
        lo=lo,
        hi=leaf[leave] - 1 - leaf_before,
        depth=level[enter] - 1,
        parent=parent,
        cycle=cycle,
    )


def _before_run(leaf: Ints, count: Ints, first: Ints) -> Ints:
    """Leaves seen in the tour before each node's run began."""
    start = np.searchsorted(count, first + 1, side="left")  # where the first node of the run is entered
    total = np.concatenate([np.zeros(1, dtype=np.int64), leaf])
    return total[start]


def _tour_positions(parent: Ints, run: Ints) -> Ints:
    """Position of each node's entry (first n) and exit (last n) in the Euler tour over all runs, one run after another."""
    n = len(parent)
    rows = np.arange(n, dtype=np.int64)
    # children of one parent side by side, in row order; tops of one run count as children of that run
    group = np.where(parent >= 0, parent, n + run)
    by_parent = np.argsort(group, kind="stable")
    sorted_group = group[by_parent]
    last = np.ones(n, dtype=bool)
    last[:-1] = sorted_group[1:] != sorted_group[:-1]
    opens = np.ones(n, dtype=bool)
    opens[1:] = last[:-1]
    following = np.empty(2 * n, dtype=np.int64)
    following[:n] = rows + n  # enter a leaf: leave it next
    first_child, its_parent = by_parent[opens], parent[by_parent[opens]]
    inner = its_parent >= 0
    following[its_parent[inner]] = first_child[inner]  # enter a parent: enter its first child
    following[n + by_parent[~last]] = by_parent[1:][~last[:-1]]  # leave a child: enter its next sibling
    ends = by_parent[last]
    following[n + ends] = np.where(parent[ends] >= 0, parent[ends] + n, -1)  # leave the last child: leave the parent
    remaining = _distance_to_end(following)
    size = np.bincount(run, minlength=int(run[-1]) + 1)
    end_of_run = 2 * np.cumsum(size)[run]
    return np.concatenate([end_of_run, end_of_run]) - remaining


def _distance_to_end(following: Ints) -> Ints:
    """Steps from each element to the end of its list, itself included, by pointer doubling."""
    end = len(following)
    pointer = np.append(np.where(following < 0, end, following), end)
    distance = np.ones(end + 1, dtype=np.int64)
    distance[end] = 0
    while True:
        reach = distance[pointer]
        if not reach.any():
            return distance[:end]
        distance += reach
        pointer = pointer[pointer]


def _cut_cycles(parent: Ints, order: Ints) -> tuple[Ints, Ints]:
    """Parents with every cycle cut at its latest link, and the number of the cycle that each row is part of (or -1)."""
    n = len(parent)
    cycle = np.full(n, -1, dtype=np.int64)
    pointer = np.append(np.where(parent < 0, n, parent), n)
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

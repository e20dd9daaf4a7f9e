"""Do the labels agree with walking every tree? Compared with a plain walk over random forests, and worked by hand for the odd shapes."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pytest

from ingest.labels import Labels, label

Row = tuple[int, int, int, int, int, int]
"""preorder, subtree_size, lo, hi, depth, parent"""


def labelled(parent: Sequence[int], run: Sequence[int] | None = None, order: Sequence[int] | None = None) -> Labels:
    n = len(parent)
    return label(*(np.array(column, dtype=np.int64) for column in (parent, run or [0] * n, order or range(n))))


def rows(labels: Labels) -> list[Row]:
    columns = (labels.preorder, labels.subtree_size, labels.lo, labels.hi, labels.depth, labels.parent)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def walked(parent: Sequence[int], run: Sequence[int]) -> list[Row]:
    """The same labels by a walk along the children, run by run; expects no cycle."""
    children: defaultdict[int, list[int]] = defaultdict(list)
    for row, above in enumerate(parent):
        children[above].append(row)
    found: dict[int, Row] = {}
    for number in sorted(set(run)):
        nodes, leaves = 0, 0
        stack = [(top, 0, False) for top in reversed(children[-1]) if run[top] == number]
        while stack:
            row, depth, done = stack.pop()
            if done:
                first, _, lo, *_ = found[row]
                found[row] = (first, nodes - first, lo, leaves - 1, depth, parent[row])
                continue
            found[row] = (nodes, 0, leaves, 0, depth, parent[row])
            nodes += 1
            leaves += not children[row]
            stack.append((row, depth, True))
            stack += [(child, depth + 1, False) for child in reversed(children[row])]
    return [found[row] for row in range(len(parent))]


def forest(rng: random.Random) -> tuple[list[int], list[int]]:
    """Parents and runs of up to 40 rows in which a parent may stand before or behind its children."""
    parent: list[int] = []
    run: list[int] = []
    for number in range(rng.randrange(1, 5)):
        first, size = len(parent), rng.randrange(1, 11)
        rank = rng.sample(range(size), size)  # a parent has a smaller rank, wherever it stands
        for row in range(size):
            above = [first + other for other in range(size) if rank[other] < rank[row]]
            parent.append(rng.choice([-1, *above]) if rng.random() < 0.9 else -1)
            run.append(number)
    return parent, run


@pytest.mark.parametrize("seed", range(8))
def test_any_forest_of_any_runs_is_labelled_as_a_walk_labels_it(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(60):
        parent, run = forest(rng)
        labels = labelled(parent, run)
        assert rows(labels) == walked(parent, run)
        assert set(labels.cycle.tolist()) == {-1}


def test_nothing_gives_nothing() -> None:
    assert rows(labelled([])) == []


def test_a_single_node_is_its_own_only_leaf() -> None:
    assert rows(labelled([-1])) == [(0, 1, 0, 0, 0, -1)]


def test_worked_by_hand_with_the_children_written_before_the_root() -> None:
    #   row 3 is the root of 1 and 0; row 1 is the parent of 2
    assert rows(labelled([3, 3, 1, -1])) == [
        (1, 1, 0, 0, 1, 3),
        (2, 2, 1, 1, 1, 3),
        (3, 1, 1, 1, 2, 1),
        (0, 4, 0, 1, 0, -1),
    ]


def test_each_run_counts_from_zero() -> None:
    assert rows(labelled([-1, 0, -1, -1, 3], [0, 0, 1, 2, 2])) == [
        (0, 2, 0, 0, 0, -1),
        (1, 1, 0, 0, 1, 0),
        (0, 1, 0, 0, 0, -1),
        (0, 2, 0, 0, 0, -1),
        (1, 1, 0, 0, 1, 3),
    ]


def test_several_tops_of_one_run_follow_each_other() -> None:
    assert rows(labelled([-1, -1, 0])) == [(0, 2, 0, 0, 0, -1), (2, 1, 1, 1, 0, -1), (1, 1, 0, 0, 1, 0)]


@pytest.mark.parametrize("reverse", [False, True])
def test_a_chain_of_100000_levels(reverse: bool) -> None:
    n = 100_000
    down = np.arange(n)
    depth = down[::-1] if reverse else down
    parent = [row + 1 if row + 1 < n else -1 for row in range(n)] if reverse else list(range(-1, n - 1))
    labels = labelled(parent)
    assert np.array_equal(labels.depth, depth)
    assert np.array_equal(labels.preorder, depth)
    assert np.array_equal(labels.subtree_size, n - depth)
    assert not labels.lo.any()
    assert not labels.hi.any()


def test_a_star_of_100000_leaves() -> None:
    n = 100_000
    labels = labelled([-1, *[0] * n])
    assert rows(labels)[0] == (0, n + 1, 0, n - 1, 0, -1)
    assert np.array_equal(labels.preorder, np.arange(n + 1))
    assert np.array_equal(labels.lo[1:], np.arange(n))
    assert np.array_equal(labels.hi[1:], np.arange(n))
    assert set(labels.depth[1:].tolist()) == {1}


def test_a_cycle_is_cut_at_its_latest_link_and_numbered() -> None:
    #   a → c → b → a, written in the order b, c, a: the link above a came last
    labels = labelled([2, 0, 1], order=[10, 20, 30])
    assert labels.cycle.tolist() == [0, 0, 0]
    assert rows(labels) == [(1, 2, 0, 0, 1, 2), (2, 1, 0, 0, 2, 0), (0, 3, 0, 0, 0, -1)]


def test_a_node_that_is_its_own_parent_becomes_a_top() -> None:
    labels = labelled([0, 0])
    assert labels.cycle.tolist() == [0, -1]
    assert rows(labels) == [(0, 2, 0, 0, 0, -1), (1, 1, 0, 0, 1, 0)]


@pytest.mark.parametrize("seed", range(4))
def test_with_cycles_every_row_is_labelled_once_and_only_cycles_are_cut(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(100):
        n = rng.randrange(1, 25)
        parent = [rng.randrange(-1, n) for _ in range(n)]
        order = rng.sample(range(n), n)
        labels = labelled(parent, order=order)
        cut = labels.parent.tolist()
        assert rows(labels) == walked(cut, [0] * n)
        for number in range(labels.cycle.max() + 1):
            (members,) = np.nonzero(labels.cycle == number)
            latest = max(members.tolist(), key=order.__getitem__)
            assert [row for row in members.tolist() if cut[row] != parent[row]] == [latest]
        assert all(cut[row] == parent[row] for row in range(n) if labels.cycle[row] < 0)


def test_a_cycle_of_100000_rows_is_cut_once() -> None:
    n = 100_000
    labels = labelled([n - 1, *range(n - 1)])
    assert set(labels.cycle.tolist()) == {0}
    assert labels.parent[-1] == -1
    assert labels.subtree_size.max() == n


def test_the_parents_that_were_given_are_not_changed() -> None:
    parent = np.array([1, 0], dtype=np.int64)
    label(parent, np.zeros(2, dtype=np.int64), np.arange(2))
    assert parent.tolist() == [1, 0]

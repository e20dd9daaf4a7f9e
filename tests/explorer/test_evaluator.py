"""Evaluator quality where truth is known: AUC, kept share, ties, reliability."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import pytest

from explorer.analysis import evaluator
from explorer.analysis.evaluator import Bin, Judged, Quality, auc, by_depth, quality, reliability
from ingest.schema import Truth
from ingest.store import Store
from tests.stores import store_of, tree

LEVEL = """
    root fate=expanded
      good score=0.9 fate=expanded
      fair score=0.5 fate=pruned pruned_by=survived
      poor score=0.5 fate=expanded
      bad score=0.1 fate=pruned pruned_by=survived
      unknown score=0.7 fate=pruned pruned_by=survived
      unscored fate=unscored
"""


def judged(folder: Path) -> tuple[Judged, ...]:
    viable = {"good": True, "fair": True, "poor": False, "bad": False, "unscored": True}
    truth = tuple(Truth(run_id="run", node_id=node, viable=said, viable_by="oracle") for node, said in viable.items())
    return evaluator.of_run(store_of(folder, dataclasses.replace(tree(LEVEL, level_by_level=True), truth=truth)), "run")


def row(score: float, viable: bool, depth: int = 1, run_id: str = "run") -> Judged:
    return Judged(run_id, "n", depth, None, score, viable, None)


def test_nothing_judged_is_undefined_not_zero(tmp_path: Path) -> None:
    assert evaluator.of_run(Store(tmp_path / "nothing"), "run") == () and by_depth([]) == () and reliability([]) == ()
    none = quality([])
    assert all(map(math.isnan, (none.auc, none.kept_share, none.tied_share)))


def test_a_single_candidate_cannot_be_told_from_anything() -> None:
    assert math.isnan(quality([row(0.5, True)]).auc)


def test_one_depth_worked_by_hand(tmp_path: Path) -> None:
    (found,) = by_depth(judged(tmp_path))
    # pairs: good > poor, good > bad, fair = poor, fair > bad; two were kept, fair is third by score
    assert found == Quality(depth=1, viable=2, others=2, auc=3.5 / 4, pairs=4, tied_pairs=1, kept_width=1, ranked=2)
    assert (found.kept_share, found.tied_share) == (0.5, 0.25)


@pytest.mark.parametrize(
    ("viable", "others", "area"), [([2, 3], [0, 1], 1.0), ([0, 1], [2, 3], 0.0), ([1, 1], [1, 1, 1], 0.5), ([0.5], [0.1, 0.9], 0.5)]
)
def test_the_area_is_the_share_of_pairs_in_order(viable: list[float], others: list[float], area: float) -> None:
    assert auc(viable, others) == area


def test_identity_turning_the_scores_turns_the_area() -> None:
    good, bad = [0.1, 0.5, 0.5, 0.9], [0.2, 0.5, 0.8]
    assert math.isclose(auc(good, bad) + auc([-s for s in good], [-s for s in bad]), 1.0)


def test_candidates_of_different_runs_and_depths_do_not_compete() -> None:
    assert quality([row(0.9, True, run_id="a"), row(0.1, False, run_id="b")]).pairs == 0
    assert quality([row(0.9, True, depth=1), row(0.1, False, depth=2)]).pairs == 0


def test_reliability_is_counted_in_ten_bins_and_only_for_scores_between_0_and_1() -> None:
    rows = [row(0.05, False), row(0.95, True), row(1.0, True), row(0.91, False)]
    assert reliability(rows) == (Bin(0.0, 0.1, 1, 0.05, 0), Bin(0.9, 1.0, 3, (0.95 + 1.0 + 0.91) / 3, 2))
    assert reliability([*rows, row(3.0, True)]) is None

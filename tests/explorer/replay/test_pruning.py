"""What is not continued, by which rule and for which reason?"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import pytest

from explorer.replay.node import Frontier, SearchNode
from explorer.replay.policies import Cut, Pruning
from explorer.replay.pruning import BeamWidth, Constraints, InOrder, KeepAll, PerParent, Threshold
from ingest.errors import TraceError
from tests.explorer.replay.worlds import judged

ROOT = judged("0", None)
LEFT, RIGHT = judged("0.0", 0.5, ROOT), judged("0.1", 0.5, ROOT)
RANKED = [judged("a", 0.9, LEFT), judged("b", 0.5, LEFT), judged("c", 0.5, RIGHT), judged("d", None, LEFT)]


def cuts(pruning: Pruning, ranked: Sequence[SearchNode] = RANKED) -> list[tuple[str, str, str]]:
    return [(cut.node.node_id, cut.rule, cut.reason) for cut in pruning.keep(ranked, Frontier())]


def test_the_beam_keeps_its_width_and_says_where_the_order_decided_between_equal_scores() -> None:
    assert cuts(BeamWidth(2)) == [
        ("c", "beam_width", "score 0.5 is rank 3 of 4; 2 are kept, down to 0.5; the score is the same, the order decided"),
        ("d", "beam_width", "no score is rank 4 of 4; 2 are kept, down to 0.5"),
    ]
    assert cuts(BeamWidth(4)) == cuts(BeamWidth(2), []) == []


def test_the_threshold_cuts_unfinished_states_under_it_and_nothing_without_a_score() -> None:
    ranked = [*RANKED, judged("answer", 0.1, LEFT, terminal=True), judged("low", 0.1, LEFT)]
    assert cuts(Threshold(0.5), ranked) == [("low", "threshold", "score 0.1 is under the threshold 0.5")]


def test_of_each_parent_only_the_best_children_go_on() -> None:
    assert cuts(PerParent(1)) == [
        ("b", "per_parent", "rank 2 among its siblings; 1 of them are kept"),
        ("d", "per_parent", "rank 3 among its siblings; 1 of them are kept"),
    ]


def test_a_broken_constraint_is_cut_however_well_it_scored() -> None:
    ranked = [judged("a", 0.9, LEFT, violations=1), judged("b", 0.1, LEFT), judged("c", 0.5, LEFT, violations=2)]
    assert cuts(Constraints(), ranked) == [
        ("a", "constraint", "violates 1 hard constraint"), ("c", "constraint", "violates 2 hard constraints"),
    ]  # fmt: skip


def test_keep_all_cuts_nothing() -> None:
    assert cuts(KeepAll()) == []


def test_prunings_in_a_row_rank_what_the_earlier_ones_left() -> None:
    ranked = [judged("blocked", 0.9, LEFT, violations=1), *RANKED]
    assert [cut[:2] for cut in cuts(InOrder((Constraints(), BeamWidth(3))), ranked)] == [("blocked", "constraint"), ("d", "beam_width")]


@dataclass(frozen=True)
class OldOnes:
    """Cuts all that waits."""

    def keep(self, ranked: Sequence[SearchNode], frontier: Collection[SearchNode]) -> Sequence[Cut]:
        return [Cut(node, "old", "it waited") for node in frontier]


def test_what_one_pruning_took_from_the_frontier_is_not_shown_to_the_next() -> None:
    frontier = Frontier()
    frontier.add(judged("waiting", 0.5, ROOT))
    assert [cut.node.node_id for cut in InOrder((OldOnes(), OldOnes())).keep(RANKED, frontier)] == ["waiting"]


def test_widths_under_one_and_a_threshold_that_is_no_number_are_refused() -> None:
    with pytest.raises(TraceError, match="the beam width is 0, expected 1 or more"):
        BeamWidth(0)
    with pytest.raises(TraceError, match="the number kept per parent is -1, expected 1 or more"):
        PerParent(-1)
    with pytest.raises(TraceError, match="the threshold is not a number"):
        Threshold(math.nan)

"""Score distribution per depth: what is counted, when a depth is flat, and when arrival order is said to have decided."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from explorer import queries
from explorer.analysis import path, scores
from explorer.analysis.scores import DepthScores
from explorer.figures.palette import GREYS
from explorer.figures.scores import score_distribution, tie_offsets
from ingest.pipeline import ingest
from ingest.schema import Node, Run, Trace
from ingest.store import Store
from tests.stores import store_of, tree

REAL = Path(__file__).parents[3] / "shared/real_traces/tot-bfs/game24_gpt-4_0.7_propose1_value3_greedy5.json"
BEAM = """
    root fate=expanded
      a score=3 fate=expanded
      b score=3 fate=expanded
      c score=3 fate=pruned prune_rule=beam_width pruned_by=survived
      d score=1 fate=pruned prune_rule=beam_width pruned_by=survived
"""


def depths(folder: Path, *traces: Trace) -> tuple[DepthScores, ...]:
    return scores.of_run(store_of(folder, *traces), "run")


def test_a_run_that_is_not_there_has_no_depths(tmp_path: Path) -> None:
    assert scores.of_run(Store(tmp_path / "nothing"), "run") == ()


def test_one_scored_node_has_one_value_and_no_spread(tmp_path: Path) -> None:
    (only,) = depths(tmp_path, tree("root score=0.5 fate=terminal"))
    assert (only.scored, only.distinct, only.min, only.q1, only.median, only.q3, only.max, only.mean) == (1, 1, *[0.5] * 6)
    assert (only.stdev, only.top_ties, only.cut_ties, only.flat) == (None, 1.0, (0, 0), False)
    assert sum(only.histogram) == 1


def test_a_depth_without_scores_has_counts_and_nothing_else(tmp_path: Path) -> None:
    (only,) = depths(tmp_path, tree("root fate=open"))
    assert (only.candidates, only.scored, only.unscored) == (1, 0, 1)
    assert (only.min, only.mean, only.top_ties, only.mode_share, scores.tie_sentence(only)) == (None, None, None, None, None)


def test_worked_by_hand(tmp_path: Path) -> None:
    drawn = tree(
        """
        root
          a score=1
          b score=2
          c score=2
          d score=4
          e
        """
    )
    _, one = depths(tmp_path, drawn)
    assert (one.candidates, one.scored, one.unscored, one.distinct) == (5, 4, 1, 3)
    assert (one.min, one.q1, one.median, one.q3, one.max, one.mean) == (1, 1.75, 2, 2.5, 4, 2.25)
    assert one.stdev == pytest.approx(1.2583, abs=1e-4)
    assert (one.mode, one.mode_nodes, one.top_ties) == (2, 2, 0.25)


def test_equal_scores_on_both_sides_of_the_cut_are_said_in_words(tmp_path: Path) -> None:
    _, one = depths(tmp_path, tree(BEAM, level_by_level=True))
    assert one.cut_ties == (2, 1)
    assert scores.tie_sentence(one) == "3 of 4 candidates scored 3.0; arrival order chose the 2 kept"


def test_a_better_one_that_was_kept_anyway_is_not_counted_among_those_that_order_chose(tmp_path: Path) -> None:
    _, one = depths(tmp_path, tree(BEAM.replace("a score=3", "a score=5"), level_by_level=True))
    assert scores.tie_sentence(one) == "2 of 4 candidates scored 3.0; arrival order chose 1 of the 2 kept"


def test_a_late_arrival_that_was_kept_denies_that_order_decided(tmp_path: Path) -> None:
    drawn = BEAM.replace("a score=3 fate=expanded", "a score=3 fate=pruned pruned_by=survived")
    _, one = depths(tmp_path, tree(drawn, level_by_level=True))
    assert scores.tie_sentence(one) == "3 of 4 candidates scored 3.0; 1 of them kept and 2 cut, not in order of arrival"


def test_no_tie_is_claimed_where_the_score_decided(tmp_path: Path) -> None:
    _, one = depths(tmp_path, tree(BEAM.replace("c score=3", "c score=2"), level_by_level=True))
    assert (one.undecided, one.cut_ties, one.flat, scores.tie_sentence(one)) == (0, (0, 0), False, None)


def test_a_duplicate_is_not_on_the_cut_side(tmp_path: Path) -> None:
    _, one = depths(tmp_path, tree(BEAM.replace("c score=3 fate=pruned prune_rule=beam_width pruned_by=survived",
                                                "c score=3 fate=pruned pruned_by=distinct"), level_by_level=True))  # fmt: skip
    assert (one.kept, one.cut, one.cut_ties) == (2, 1, (0, 0))


def test_flat_needs_an_interquartile_range_of_zero_and_a_tie_at_the_cut(tmp_path: Path) -> None:
    eight = "\n".join(["root", *[f"  n{i} score=3 fate={'expanded' if i < 5 else 'pruned'}" for i in range(8)], "  n8 score=0.003 fate=pruned"])
    _, one = depths(tmp_path, tree(eight, level_by_level=True))
    assert one.flat
    assert scores.tie_sentence(one) == "8 of 9 candidates scored 3.0; arrival order chose the 5 kept"


def test_cousins_compete_only_where_the_run_is_level_by_level(tmp_path: Path) -> None:
    drawn = """
        root
          p
            a score=3 fate=expanded
          q
            b score=3 fate=pruned
    """
    *_, apart = depths(tmp_path / "apart", tree(drawn, level_by_level=False))
    *_, together = depths(tmp_path / "together", tree(drawn, level_by_level=True))
    assert (apart.decisions, apart.undecided, scores.tie_sentence(apart)) == (2, 0, None)
    assert scores.tie_sentence(together) == "2 of 2 candidates scored 3.0; arrival order chose the one kept"


def test_several_decisions_of_one_depth_are_counted(tmp_path: Path) -> None:
    drawn = """
        root
          p
            a score=3 fate=expanded
            b score=3 fate=pruned
          q
            c score=1 fate=expanded
    """
    *_, two = depths(tmp_path, tree(drawn))
    assert scores.tie_sentence(two) == "in 1 of 2 decisions the cut went through equal scores: 1 kept and 1 cut, in order of arrival"


def test_identity_every_scored_candidate_stands_in_one_bin(tmp_path: Path) -> None:
    for depth in depths(tmp_path, tree(BEAM, level_by_level=True)):
        assert sum(depth.histogram) == depth.scored == depth.candidates - depth.unscored
        assert len(depth.histogram) == 20


@pytest.mark.parametrize(("score", "text"), [(3.0, "3.0"), (0.003, "0.003"), (2.001, "2.001"), (1e-9, "1e-09"), (None, "–"), (-1.0, "-1.0")])
def test_a_score_is_written_as_people_compare_it(score: float | None, text: str) -> None:
    assert scores.score_text(score) == text


def test_the_same_points_are_sampled_every_time_and_no_more_than_asked_for(tmp_path: Path) -> None:
    nodes = [Node(run_id="run", node_id="root", fate="expanded")]
    nodes += [Node(run_id="run", node_id=f"n{i}", parent_ids=("root",), score=i, fate="pruned") for i in range(50)]
    store = store_of(tmp_path, Trace(Run(run_id="run"), tuple(nodes)))
    first, again = (queries.run(store, "score_points", run_id="run", per_fate=10) for _ in range(2))
    assert first.equals(again)
    assert (first.num_rows, set(first["of_fate"].to_pylist())) == (10, {50})


def test_points_with_one_score_stand_side_by_side_inside_their_depth() -> None:
    offsets = tie_offsets(np.array([1.0, 1.0, 1.0, 2.0]), np.array([3.0, 3.0, 0.0, 3.0]))
    assert offsets.tolist() == [-0.0375, 0.0375, 0.0, 0.0]
    assert np.abs(tie_offsets(np.ones(500), np.ones(500))).max() <= 0.34 + 1e-9
    assert tie_offsets(np.zeros(0), np.zeros(0)).tolist() == []


def test_the_figure_is_strict_json_escapes_steps_and_keeps_every_mark_when_one_is_clicked(tmp_path: Path) -> None:
    store = store_of(tmp_path, tree(BEAM, selected_path=("root", "a")), tree("root score=1 step=<b>x</b>", run_id="other"))
    for run_id in ("run", "other"):
        points = queries.run(store, "score_points", run_id=run_id, per_fate=100)
        figure = score_distribution(scores.of_run(store, run_id), points, path.of_run(store, run_id), "dark")
        drawn = figure.to_json()
        json.loads(drawn, parse_constant=lambda constant: pytest.fail(f"bare {constant}"))
        assert "<b>x" not in drawn
        assert all(trace.unselected.marker.opacity == 1 for trace in figure.data)
        assert figure.layout.font.color == GREYS["dark"].text


def test_the_figure_of_a_run_without_scores_says_so(tmp_path: Path) -> None:
    store = store_of(tmp_path, tree("root"))
    points = queries.run(store, "score_points", run_id="run", per_fate=100)
    figure = score_distribution(scores.of_run(store, "run"), points, (), "light")
    assert [note.text for note in figure.layout.annotations] == ["No node of this run has a score."]


@pytest.mark.skipif(not REAL.exists(), reason="the real trace files are not on this machine")
def test_run_914_of_the_published_game_of_24_log(tmp_path: Path) -> None:
    ingest(tmp_path, [str(REAL)])
    store = Store(tmp_path)
    (run_id,) = store.query("select run_id from runs where task_id = '914'")["run_id"].to_pylist()
    _, one, *_ = scores.of_run(store, run_id)
    assert (one.candidates, one.scored, one.kept, one.cut, one.mode, one.mode_nodes) == (9, 9, 5, 4, 3.0, 8)
    assert (one.cut_ties, one.top_ties, one.flat) == ((5, 3), 8 / 9, True)
    assert scores.tie_sentence(one) == "8 of 9 candidates scored 3.0; arrival order chose the 5 kept"

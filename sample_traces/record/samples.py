"""Which searches over the Game of 24 are recorded? One for each way to search, each place where a path can be lost, and each cap.

No tree is written by hand: each is what the programs of ``players.py`` and the search loop did with the seed given here. The seeds were
chosen by trying them; ``tests/test_samples.py`` checks that each run shows what its name says.
"""

from __future__ import annotations

import math
from dataclasses import replace

from explorer.replay.caps import Caps
from sample_traces.record.arithmetic import HIGHEST_LEFT, NUMBERS_LEFT
from sample_traces.record.game24 import Sample
from sample_traces.record.plan import Plan

QUESTION = "4 5 6 10"
CAPS = Caps(max_depth=3, max_nodes=80, max_calls=200)
TWO_SAMPLES, ONE_SAMPLE = (1, 2, 1), (1, 1, 1)
"""Calls that an expansion, an evaluation and a check make at most."""
BEAM = Plan(search="beam", pruning=("constraint", "beam_width"), beam_width=3, state_key=NUMBERS_LEFT, most_calls=TWO_SAMPLES, caps=CAPS)
BEAM_ONE = replace(BEAM, most_calls=ONE_SAMPLE)
BEST_FIRST = Plan(search="best_first", state_key=NUMBERS_LEFT, most_calls=TWO_SAMPLES, caps=CAPS)
DEPTH_FIRST = replace(BEST_FIRST, search="depth_first", pruning=("constraint", "threshold"), threshold=0.75)
MCTS = replace(BEST_FIRST, search="mcts", exploration=math.sqrt(2))
BEST_OF = Plan(
    search="best_of", count=4, pruning=(), termination="exhaustion", dedup="off", state_key=NUMBERS_LEFT, evaluates="finished",
    most_calls=ONE_SAMPLE, caps=CAPS,
)  # fmt: skip

RIGHT = (
    Sample("right_by_beam", QUESTION, BEAM, seed=9),
    Sample("right_by_best_first", QUESTION, BEST_FIRST, seed=1),
    Sample("right_by_breadth_first", QUESTION, replace(BEAM_ONE, search="breadth_first", pruning=("constraint",), beam_width=None),
           seed=12, lists=4, samples=1),
    Sample("right_by_depth_first", QUESTION, DEPTH_FIRST, seed=10, lists=8),
    Sample("right_by_mcts", QUESTION, replace(MCTS, most_calls=ONE_SAMPLE), seed=17, lists=4, samples=1),
    Sample("right_by_deepening", QUESTION, replace(BEAM, deepening_start=1), seed=19, lists=4),
    Sample("right_by_best_of", QUESTION, BEST_OF, seed=30, samples=1, checks=False),
    Sample("merged_states", QUESTION, replace(BEAM, joins=True), seed=23, lists=8),
    Sample("tiny", "4 6", replace(BEAM, beam_width=2, caps=Caps(max_depth=1)), seed=1),
)  # fmt: skip
LOST = (
    Sample("lost_by_generation", QUESTION, BEAM, seed=16),
    Sample("lost_by_evaluation", QUESTION, BEAM, seed=26),
    Sample("lost_by_failed_judge", QUESTION, BEAM, seed=41),
    Sample("lost_by_flat_scores", QUESTION, BEAM, seed=11, errs=0.0, unsure=1.0),
    Sample("lost_by_wrong_constraint", QUESTION, BEAM, seed=10, most_number=24),
    Sample("lost_by_misread_answer", QUESTION, BEAM_ONE, seed=10, samples=1, shouts=0.3),
    Sample("lost_by_final_score", QUESTION, replace(BEAM_ONE, termination="exhaustion"), seed=10, lists=4, errs=0.25, samples=1, checks=False),
    Sample("lost_by_unsound_key", QUESTION, replace(BEAM, state_key=HIGHEST_LEFT), seed=21),
    Sample("lost_by_tie", QUESTION, BEAM, seed=47),
    Sample("lost_by_per_parent", QUESTION, replace(BEAM, pruning=("constraint", "per_parent"), beam_width=None, per_parent=2), seed=22),
    Sample("lost_by_allocation", QUESTION, replace(MCTS, caps=Caps(max_calls=40)), seed=0),
    Sample("lost_by_selection", QUESTION, replace(BEST_OF, select="majority"), seed=13, samples=1, checks=False),
)
CUT_OFF = (
    Sample("cut_off_by_max_depth", QUESTION, replace(BEAM, caps=Caps(max_depth=2)), seed=9),
    Sample("cut_off_by_max_nodes", QUESTION, replace(BEAM, caps=replace(CAPS, max_nodes=26)), seed=9),
    Sample("cut_off_by_calls", QUESTION, replace(BEAM, caps=replace(CAPS, max_calls=40)), seed=9),
    Sample("cut_off_by_tokens", QUESTION, replace(BEAM, caps=replace(CAPS, max_tokens=1500)), seed=9),
    Sample("cut_off_by_cost", QUESTION, replace(BEAM, caps=replace(CAPS, max_cost=0.002)), seed=9, fails=0.0),
    Sample("cut_off_by_wall_clock", QUESTION, replace(BEAM, caps=replace(CAPS, wall_clock_s=5)), seed=9, fails=0.0),
    Sample("died", QUESTION, BEAM, seed=9, dies_after=30),
)
SAMPLES = (*RIGHT, *LOST, *CUT_OFF)

"""Which searches have names? Beam, breadth-first, best-first, depth-first, MCTS, one trajectory, best of N: each a choice of policies."""

from __future__ import annotations

import math
from typing import Any

from explorer.replay.allocation import BestFirst, Chains, DepthFirst, LevelByLevel, Uct
from explorer.replay.endings import Exhaustion, Goal
from explorer.replay.policies import Evaluation, Expansion, Policies
from explorer.replay.pruning import BeamWidth, Constraints, InOrder, KeepAll, Threshold

ALL = 1_000_000
"""A width that nobody reaches: as many children as the proposer gives."""


def beam(expansion: Expansion, evaluation: Evaluation, *, beam_width: int, width: int = ALL, **others: Any) -> Policies:
    """Level by level, the best ``beam_width`` of a level go on. ``others`` are further fields of Policies."""
    pruning = InOrder((Constraints(), BeamWidth(beam_width)))
    return Policies(expansion, evaluation, LevelByLevel(width), pruning, Goal(), **others)


def breadth_first(expansion: Expansion, evaluation: Evaluation, *, width: int = ALL, **others: Any) -> Policies:
    """Level by level, everything goes on that breaks no constraint."""
    return Policies(expansion, evaluation, LevelByLevel(width), Constraints(), Goal(), **others)


def best_first(expansion: Expansion, evaluation: Evaluation, *, width: int = ALL, **others: Any) -> Policies:
    """The best node of the frontier next, nothing is cut that breaks no constraint."""
    return Policies(expansion, evaluation, BestFirst(width), Constraints(), Goal(), **others)


def depth_first(expansion: Expansion, evaluation: Evaluation, *, threshold: float = -math.inf, width: int = ALL, **others: Any) -> Policies:
    """The best child first, back where a branch ends; children scored under ``threshold`` are cut."""
    pruning = InOrder((Constraints(), Threshold(threshold)))
    return Policies(expansion, evaluation, DepthFirst(width), pruning, Goal(), **others)


def mcts(expansion: Expansion, evaluation: Evaluation, *, exploration: float = math.sqrt(2), width: int = ALL, **others: Any) -> Policies:
    """UCT; the score of a new child is what its simulation found."""
    return Policies(expansion, evaluation, Uct(width, exploration), Constraints(), Goal(), **others)


def best_of(expansion: Expansion, evaluation: Evaluation, *, count: int, **others: Any) -> Policies:
    """So many complete trajectories, and one choice at the end; with a count of 1 a single trajectory."""
    return Policies(expansion, evaluation, Chains(count), KeepAll(), Exhaustion(), **others)

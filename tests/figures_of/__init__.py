"""What do independent programs find in a log? The figures of every expected.json, counted here from records; one module a family of formats."""

from __future__ import annotations

from tests.figures_of import agent_runs, agent_trees, programs, solutions, tree_of_thoughts
from tests.figures_of.counting import Figures

FIGURES: dict[str, Figures] = {
    **tree_of_thoughts.FIGURES,
    **agent_trees.FIGURES,
    **programs.FIGURES,
    **solutions.FIGURES,
    **agent_runs.FIGURES,
}
"""One entry a format: the figures of one file."""

"""How much of the spend went to the selected path, and how much into futures that were not chosen?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from explorer.analysis.budget import Amounts, Currency, RunBudget


@dataclass(frozen=True, slots=True)
class Committed:
    """Over many runs, in one currency."""

    runs: int
    """Runs that recorded the selected path and spend on nodes."""
    committed: float
    """Spent on the nodes of the selected paths."""
    speculative: float
    """Spent on everything else, calls that name no node included."""

    @property
    def speculative_share(self) -> float:
        """In [0, 1]; nan for 0 ÷ 0."""
        whole = self.committed + self.speculative
        return self.speculative / whole if whole else math.nan


def speculative(run: RunBudget) -> Amounts:
    """What one run spent off its selected path; None in each currency in which one of both is not recorded."""
    return run.spent.minus(run.committed)


def committed_over(runs: Sequence[RunBudget], currency: Currency) -> Committed:
    """The two totals; 0 runs where nothing is recorded."""
    known = [(run.committed.of(currency), speculative(run).of(currency)) for run in runs]
    sums = [(committed, rest) for committed, rest in known if committed is not None and rest is not None]
    return Committed(len(sums), math.fsum(committed for committed, _ in sums), math.fsum(rest for _, rest in sums))

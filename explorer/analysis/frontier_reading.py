"""How is the price of a right answer under each protocol laid out for a reader, and how is a search compared with a baseline in words?"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import pyarrow as pa

from explorer import wording
from explorer.analysis import frontier
from explorer.analysis.budget import Currency, RunBudget
from explorer.analysis.budget_reading import share_of
from explorer.analysis.fact import Fact
from explorer.analysis.frontier import Against, Mean, Protocol

MOST_AGAINST = 4
"""Comparisons with a baseline that a page shows."""


def protocols(found: Sequence[Protocol], dominated: Collection[str | None], currency: Currency) -> pa.Table:
    """One row a protocol; a figure that is not recorded is null, an undefined one nan."""
    unit = currency.value
    return pa.table({
        "protocol": pa.array([one.fingerprint or wording.NOT_RECORDED for one in found], pa.string()),
        "regime": pa.array([one.regime for one in found], pa.string()),
        "runs": pa.array([one.runs for one in found], pa.int64()),
        "tasks": pa.array([one.tasks for one in found], pa.int64()),
        "right": pa.array([share_of(one.right) for one in found], pa.string()),
        "share_right": pa.array([one.right.value for one in found], pa.float64()),
        f"{unit}_per_run": pa.array([one.spent[currency].value for one in found], pa.float64()),
        "spend_known": pa.array([_known(one.spent[currency], one.runs) for one in found], pa.string()),
        f"{unit}_per_right_run": pa.array([one.per_right[currency].value for one in found], pa.float64()),
        "verified": pa.array([share_of(one.verified) for one in found], pa.string()),
        f"{unit}_per_verified_success": pa.array([one.per_verified[currency].value for one in found], pa.float64()),
        "dominated": pa.array([one.fingerprint in dominated for one in found], pa.bool_()),
        "evaluations_per_score": pa.array([one.evaluations_per_score for one in found], pa.float64()),
        "decisions_changed_by_scores": pa.array([share_of(one.decisions_changed) for one in found], pa.string()),
        "evaluations_per_changed_decision": pa.array([one.evaluations_per_change for one in found], pa.float64()),
        "evaluation_share_of_calls": pa.array([one.evaluation_share for one in found], pa.float64()),
        "finished_checked": pa.array([share_of(one.checked) for one in found], pa.string()),
    })  # fmt: skip


def notes(runs: Sequence[RunBudget]) -> Iterator[str]:
    """What must be read beside the points."""
    if not frontier.same_tasks(runs):
        yield "The protocols did not run the same tasks, so their shares differ by these as well; one is dominated only on the tasks that it ran."


def baselines(found: Sequence[Against]) -> list[Fact]:
    """One chip a comparison: over the most tasks first, then those that the search has not beaten; of many the first, and how many more."""
    ordered = sorted(found, key=lambda one: (-one.tasks, one.beats))
    more = len(ordered) - MOST_AGAINST
    rest = [Fact(text=f"and {more:,} more: branchlight budget --json lists them", tone="muted")] if more > 0 else []
    return [baseline_words(one) for one in ordered[:MOST_AGAINST]] + rest


def baseline_words(found: Against) -> Fact:
    """Whether a search beat a simpler way on the tasks of both."""
    says = "beats the baseline" if found.beats else "search has not beaten the baseline"
    shares = f"{share_of(found.search_right)} right against {share_of(found.baseline_right)}"
    text = f"{found.search[:7]} and {found.baseline[:7]} ({found.regime}): {says}, {shares} on {wording.count(found.tasks, 'task')}"
    return Fact(text=text, tone="green" if found.beats else "orange", hint="by recorded outcome, on the tasks that both ran")


def _known(mean: Mean, runs: int) -> str:
    return f"{mean.runs:,} of {runs:,}"

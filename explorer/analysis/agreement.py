"""Do reviewers agree with each other, and with the computed verdict? Disagreements run by run, Cohen's kappa, and who said what against whom."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

COMPUTED = "computed"
"""The verdict that follows from the log, as one of those who judge."""
WORDS = ("generation", "evaluation", "control", "not_lost", "unsure")
"""The verdicts of a reviewer; the computed ``none`` and ``cannot_tell`` are called by the reviewers' words."""
_AS_REVIEWED = {"none": "not_lost", "cannot_tell": "unsure"}

Said = Mapping[str, Mapping[str, str]]
"""Verdict by run, for each who judged."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two who judged the same runs."""

    one: str
    other: str
    runs: int
    """Runs that both judged."""
    agreed: int
    kappa: float
    """Cohen's kappa, in [-1, 1]; nan without a run in common, or where both always said one and the same."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One run about which verdicts differ."""

    run_id: str
    verdicts: tuple[tuple[str, str], ...]
    """Who said what; the computed verdict first."""


def said(reviewed: Sequence[tuple[str, str, str]], computed: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Verdict by run of each reviewer, and of the computation for the runs that somebody reviewed.

    Args:
        reviewed: reviewer, run and verdict of each current review of a run.
        computed: the computed verdict by run.
    """
    runs = {run for _, run, _ in reviewed}
    found: dict[str, dict[str, str]] = {COMPUTED: {run: as_reviewed(computed[run]) for run in sorted(runs) if run in computed}}
    for reviewer, run, verdict in reviewed:
        found.setdefault(_name(reviewer), {})[run] = verdict
    return found


def as_reviewed(verdict: str) -> str:
    """A computed verdict in the words of a reviewer."""
    return _AS_REVIEWED.get(verdict, verdict)


def pairs(verdicts: Said) -> tuple[Agreement, ...]:
    """One Agreement for any two who judged a run in common; the computed verdict is one of them."""
    found = []
    for one, other in combinations(verdicts, 2):
        common = sorted(verdicts[one].keys() & verdicts[other].keys())
        if common:
            left, right = [verdicts[one][run] for run in common], [verdicts[other][run] for run in common]
            agreed = sum(a == b for a, b in zip(left, right, strict=True))
            found.append(Agreement(one, other, len(common), agreed, kappa(left, right)))
    return tuple(found)


def kappa(one: Sequence[str], other: Sequence[str]) -> float:
    """Agreement beyond what chance would give (Cohen 1960); ``unsure`` is a verdict like the others.

    Returns:
        In [-1, 1]; nan for no verdicts, or where chance alone would agree on every one.
    """
    if len(one) != len(other):
        raise ValueError(f"{len(one)} verdicts against {len(other)}")
    n = len(one)
    if not n:
        return math.nan
    observed = sum(a == b for a, b in zip(one, other, strict=True)) / n
    left, right = Counter(one), Counter(other)
    chance = sum(left[word] * right[word] for word in left) / (n * n)
    return (observed - chance) / (1 - chance) if chance < 1 else math.nan


def confusion(verdicts: Said) -> dict[tuple[str, str], int]:
    """Reviews by computed and reviewed verdict; each reviewer of a run counts once. Empty where nobody reviewed."""
    computed = verdicts.get(COMPUTED, {})
    reviewers = [runs for name, runs in verdicts.items() if name != COMPUTED]
    return dict(Counter((computed[run], word) for runs in reviewers for run, word in runs.items() if run in computed))


def disagreements(verdicts: Said) -> tuple[Disagreement, ...]:
    """The runs about which not all say the same, by run id."""
    found = []
    for run in sorted({run for runs in verdicts.values() for run in runs}):
        here = tuple((name, runs[run]) for name, runs in verdicts.items() if run in runs)
        if len({word for _, word in here}) > 1:
            found.append(Disagreement(run, here))
    return tuple(found)


def _name(reviewer: str) -> str:
    return f"{reviewer} (a reviewer)" if reviewer == COMPUTED else reviewer

"""How settled is a choice among votes? How much they disagree, and whether there was anyone to disagree with; never who is right."""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from typing import Any, TypeAlias

Votes: TypeAlias = Mapping[Any, int]
"""Each alternative with the number of its votes."""


class Standing(enum.StrEnum):
    """What a choice rests on. Agreement needs several votes: one that is left alone agrees with nobody."""

    NONE = "no vote"
    ONLY_ONE = "only one vote left"
    AGREED = "several votes agree"
    DIVIDED = "votes are divided"


def standing(votes: Votes) -> Standing:
    """Which of the four it is; alternatives without a vote do not count."""
    counts = _counts(votes)
    if sum(counts) < 2:
        return Standing.ONLY_ONE if counts else Standing.NONE
    return Standing.AGREED if len(counts) == 1 else Standing.DIVIDED


def vote_entropy(votes: Votes) -> float:
    """Shannon entropy over its greatest value for as many alternatives.

    Returns:
        A share: 0 where all agree, 1 where all alternatives have as many votes; nan for fewer than two votes, which cannot disagree.
    """
    counts = _counts(votes)
    total = sum(counts)
    if total < 2:
        return math.nan
    if len(counts) == 1:
        return 0.0
    return -math.fsum(count / total * math.log(count / total) for count in counts) / math.log(len(counts))


def top_two_margin(votes: Votes) -> float:
    """Votes by which the first alternative leads the second, over all votes.

    Returns:
        A share: 1 where all agree, 0 where two share the lead; nan for fewer than two votes.
    """
    first, second, *_ = [*sorted(_counts(votes), reverse=True), 0, 0]
    total = sum(_counts(votes))
    return (first - second) / total if total > 1 else math.nan


def _counts(votes: Votes) -> list[int]:
    return [count for count in votes.values() if count > 0]

"""What stands between a proposed action and the real world? Checks without side effects, a preview in isolation, and one execution."""

from __future__ import annotations

import enum
import math
import operator
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from explorer.analysis.votes import Standing, Votes, standing, top_two_margin, vote_entropy
from explorer.replay.node import Evaluated, Expanded, SearchNode
from explorer.replay.policies import at_least_one
from ingest.errors import TraceError


class Check(enum.StrEnum):
    """The checks of an action, in their order."""

    PARSE = "parse"
    VALIDATE = "validate"
    AUTHORISE = "authorise"
    PRECONDITION = "precondition"
    FAILED = "failed"
    """A check ended in an error of its own, which is no consent."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """The action may be executed, as things stand at this moment."""

    action: Any
    record: Mapping[str, Any] = field(default_factory=dict)
    """Columns of the node to record: action_kind, action_target, action_effect, …"""


@dataclass(frozen=True, slots=True)
class Rejected:
    """It may not."""

    check: Check
    reason: str


Decision: TypeAlias = Accepted | Rejected


@dataclass(frozen=True, slots=True)
class Boundary:
    """The six things that an application decides about its own actions. Only ``execute`` may touch the real world."""

    propose: Callable[[SearchNode, int], Expanded]
    """Continuations of a node, at most so many. The state of a proposal is whatever ``prepare`` reads."""
    prepare: Callable[[Any], Decision]
    """Parses, validates, authorises and checks preconditions, now. Called when proposed and again right before execution."""
    evaluate: Callable[[Any, Any], Evaluated]
    """Judges an action by what its preview showed; None where there is no preview."""
    execute: Callable[[Any], object]
    """Acts, and says what was observed; anything but None is recorded as its text."""
    vote: Callable[[Any], Hashable]
    """The alternative that an action stands for."""
    preview: Callable[[Any], Any] | None = None
    """Shows what an action would do, in isolation; None where nothing can show that safely."""
    same: Callable[[Any, Any], bool] = operator.eq
    """Whether the action accepted now is the one that was scored."""


@dataclass(frozen=True, slots=True)
class Widths:
    """How many candidates are asked for, and when that was too few."""

    base: int = 2
    """Asked for at first; where fewer pass the checks, ``extra`` more are asked for, once."""
    extra: int = 3
    """0: never."""
    entropy: float = 0.35
    """Votes with a greater entropy are unresolved."""
    margin: float = 0.0
    """Votes whose first two alternatives lie closer together are unresolved."""
    floor: int = 1
    """Alternatives that are explored at least, however much the votes agree."""

    def __post_init__(self) -> None:
        at_least_one("the base width", self.base)
        at_least_one("the floor of exploration", self.floor)
        if self.extra < 0 or math.isnan(self.entropy) or math.isnan(self.margin):
            raise TraceError(f"extra width {self.extra}, entropy {self.entropy}, margin {self.margin}: a width from 0 up and two numbers are needed")

    def too_few(self, votes: Votes) -> list[str]:
        """Why the candidates so far are too few; empty where they are enough."""
        passed, alternatives = sum(votes.values()), sum(count > 0 for count in votes.values())
        entropy, margin = vote_entropy(votes), top_two_margin(votes)
        reasons = []
        if passed < self.base:
            reasons.append(f"{passed} of {self.base} passed the checks")
        if alternatives < self.floor:
            reasons.append(f"{alternatives} of at least {self.floor} alternatives")
        if entropy > self.entropy:
            reasons.append(f"vote entropy {entropy:.3g}, over {self.entropy:.3g}")
        if margin < self.margin:
            reasons.append(f"top-two margin {margin:.3g}, under {self.margin:.3g}")
        return reasons


def votes_of(actions: Sequence[Any], vote: Callable[[Any], Hashable]) -> Votes:
    """One vote an accepted action."""
    return Counter(map(vote, actions))


def votes_recorded(votes: Votes) -> dict[str, Any]:
    """The votes as fields to record; what is undefined is left out. One vote that is left alone is not agreement, and does not look like it."""
    entropy, margin = vote_entropy(votes), top_two_margin(votes)
    told: dict[str, Any] = {"votes": sum(votes.values()), "alternatives": len(votes), "standing": str(standing(votes))}
    if standing(votes) in (Standing.AGREED, Standing.DIVIDED):
        told |= {"vote_entropy": round(entropy, 6), "top_two_margin": round(margin, 6)}
    return told

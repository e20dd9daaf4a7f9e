"""At which depth are right answers found, is that where a cap cuts the search, and which depth would suffice?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from explorer.analysis.budget import RunBudget
from explorer.analysis.funnel import Share

Answers = Literal["selected", "kept"]
SHOWN = (0.5, 0.9, 0.95)
"""Percentiles that are always shown, beside the maximum."""


@dataclass(frozen=True, slots=True)
class DepthCap:
    """The greatest depth that a run was allowed."""

    depth: int
    inferred: bool
    """True: no cap is recorded, but all runs of the protocol (two or more, level by level) end at this very depth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RightDepths:
    """Where right answers were found, one depth a run."""

    answers: Answers
    """selected: the selected answer of runs that ended right. kept: the shallowest finished node that is known to be right, selected or not."""
    depths: tuple[int, ...]
    """Rising; empty where none was found."""
    of: int
    """selected: runs that ended right, whether or not the log holds their answer. kept: runs with a finished node known to be right or wrong."""
    at_cap: Share
    """Of the right answers whose run has a known depth cap, those at that very depth: nothing deeper could have been found."""
    caps_inferred: int
    """How many of these caps were inferred."""

    @property
    def counts(self) -> dict[int, int]:
        """Runs by depth."""
        return dict(sorted(Counter(self.depths).items()))

    @property
    def deepest(self) -> int | None:
        return self.depths[-1] if self.depths else None

    def percentile(self, share: float) -> int | None:
        """The smallest depth that covers this share of the right answers; None without any."""
        return percentile(self.depths, share)


def right_depths(runs: Sequence[RunBudget], answers: Answers) -> RightDepths:
    """Over these runs; with none, no depths and 0 of 0."""
    caps, found = depth_caps(runs), {}
    for run in runs:
        depth = run.right_selected if answers == "selected" else run.right_kept
        if depth is not None:
            found[run.run_id] = depth
    capped = {run_id: depth for run_id, depth in found.items() if run_id in caps}
    return RightDepths(
        answers=answers,
        depths=tuple(sorted(found.values())),
        of=sum(run.is_right is True if answers == "selected" else run.finished_known > 0 for run in runs),
        at_cap=Share(sum(depth >= caps[run_id].depth for run_id, depth in capped.items()), len(capped)),
        caps_inferred=sum(caps[run_id].inferred for run_id in capped),
    )


def percentile(values: Sequence[int], share: float) -> int | None:
    """The nearest rank: the smallest of the rising values that covers this share of them, in (0, 1]; None without values."""
    if not values:
        return None
    rank = math.ceil(share * len(values) - 1e-9)  # 0.95 * 20 is a little more than 19
    return values[max(rank, 1) - 1]


def depth_caps(runs: Sequence[RunBudget]) -> dict[str, DepthCap]:
    """The depth cap of each run that has one, recorded or inferred."""
    caps = {run.run_id: DepthCap(run.run["budgets"]["max_depth"], False) for run in runs if run.run["budgets"]["max_depth"] is not None}
    for members in _by_protocol([run for run in runs if run.run_id not in caps]).values():
        deepest = {run.run["max_depth"] for run in members}
        depth = deepest.pop()
        if len(members) > 1 and not deepest and depth and all(run.run["level_by_level"] for run in members):
            caps |= {run.run_id: DepthCap(depth, True) for run in members}
    return caps


def _by_protocol(runs: Sequence[RunBudget]) -> Mapping[str, Sequence[RunBudget]]:
    groups: dict[str, list[RunBudget]] = {}
    for run in runs:
        if run.fingerprint is not None:
            groups.setdefault(run.fingerprint, []).append(run)
    return groups

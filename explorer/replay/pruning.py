"""What is not continued? Pruning policies: beam width, threshold, siblings, hard constraints; several can stand in a row."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from explorer.replay.node import SearchNode, rank_key
from explorer.replay.policies import Cut, Pruning, at_least_one
from ingest.errors import TraceError


@dataclass(frozen=True, slots=True)
class BeamWidth:
    """The best of a decision go on."""

    width: int

    def __post_init__(self) -> None:
        at_least_one("the beam width", self.width)

    def keep(self, ranked: Sequence[SearchNode], frontier: Collection[SearchNode]) -> Sequence[Cut]:
        if len(ranked) <= self.width:
            return []
        last, cuts = ranked[self.width - 1], []
        down_to = "" if last.score is None else f", down to {last.score:.3g}"
        among, worst = f"of {len(ranked)}; {self.width} are kept{down_to}", rank_key(last)
        before: float | None = math.nan
        for place, node in enumerate(ranked[self.width :], start=self.width + 1):
            if node.score != before:  # equal scores stand together, and read the same
                before, score = node.score, "no score" if node.score is None else f"score {node.score:.3g}"
            tie = "; the score is the same, the order decided" if rank_key(node) == worst else ""
            cuts.append(Cut(node, "beam_width", f"{score} is rank {place} {among}{tie}"))
        return cuts


@dataclass(frozen=True, slots=True)
class Threshold:
    """Unfinished states scored under it are not continued."""

    least: float

    def __post_init__(self) -> None:
        if math.isnan(self.least):
            raise TraceError("the threshold is not a number")

    def keep(self, ranked: Sequence[SearchNode], frontier: Collection[SearchNode]) -> Sequence[Cut]:
        under = [node for node in ranked if not node.terminal and node.score is not None and node.score < self.least]
        return [Cut(node, "threshold", f"score {node.score:.3g} is under the threshold {self.least:.3g}") for node in under]


@dataclass(frozen=True, slots=True)
class PerParent:
    """Of the children of one node only the best go on."""

    most: int

    def __post_init__(self) -> None:
        at_least_one("the number kept per parent", self.most)

    def keep(self, ranked: Sequence[SearchNode], frontier: Collection[SearchNode]) -> Sequence[Cut]:
        seen: dict[SearchNode | None, int] = {}
        cuts = []
        for node in ranked:
            seen[node.parent] = seen.get(node.parent, 0) + 1
            if seen[node.parent] > self.most:
                cuts.append(Cut(node, "per_parent", f"rank {seen[node.parent]} among its siblings; {self.most} of them are kept"))
        return cuts


@dataclass(frozen=True, slots=True)
class Constraints:
    """A state that breaks a hard constraint is not continued, however well it scored."""

    def keep(self, ranked: Sequence[SearchNode], frontier: Collection[SearchNode]) -> Sequence[Cut]:
        broken = [(node, node.evaluated.violations) for node in ranked if node.evaluated and node.evaluated.violations]
        return [Cut(node, "constraint", f"violates {count} hard constraint{'s' * (count > 1)}") for node, count in broken]


@dataclass(frozen=True, slots=True)
class KeepAll:
    """Nothing is cut."""

    def keep(self, ranked: Sequence[SearchNode], frontier: Collection[SearchNode]) -> Sequence[Cut]:
        return []


@dataclass(frozen=True, slots=True)
class InOrder:
    """Several prunings, one after the other over what is left."""

    prunings: tuple[Pruning, ...]

    def keep(self, ranked: Sequence[SearchNode], frontier: Collection[SearchNode]) -> Sequence[Cut]:
        cuts: list[Cut] = []
        for pruning in self.prunings:
            gone = {cut.node for cut in cuts}
            waiting = [n for n in frontier if n not in gone] if any(n in frontier for n in gone) else frontier
            cuts += pruning.keep([n for n in ranked if n not in gone], waiting)
        return cuts

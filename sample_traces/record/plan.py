"""Which policies does a recorded search have? One plan says it twice: as the objects that the loop runs, and as the protocol in the log."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from explorer.replay import assembly
from explorer.replay.caps import Caps
from explorer.replay.deepening import deepen
from explorer.replay.journal import Journal
from explorer.replay.loop import Result, search
from explorer.replay.node import Proposal, Spend
from explorer.replay.policies import Choice, Evaluation, Expansion, Majority, Policies, StateKey, best, verified_only
from explorer.replay.settings import Settings
from sample_traces.record.clock import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The settings of one search. None: the setting does not apply, and the protocol leaves it out."""

    search: str
    """beam, breadth_first, best_first, depth_first, mcts or best_of."""
    width: int | None = None
    """Children asked for in one expansion; None: as many as the proposer gives."""
    count: int | None = None
    """Chains of a best-of."""
    exploration: float | None = None
    extra_width: int | None = None
    """More children where the evaluation was unsure; then the next two are given as well."""
    uncertainty_threshold: float | None = None
    width_floor: int | None = None
    pruning: tuple[str, ...] = ("constraint",)
    beam_width: int | None = None
    threshold: float | None = None
    per_parent: int | None = None
    termination: str = "goal"
    """goal or exhaustion."""
    tie_break: str = "order"
    dedup: str = "state_key"
    state_key: str | None = None
    """What the key holds, in words; the key itself stands at each node."""
    joins: bool = False
    prefer: str = "better_evidence"
    select: str = "best"
    evaluates: str = "all"
    """all, or finished: only finished states are judged."""
    most_calls: tuple[int, int, int] = (1, 1, 1)
    """Calls that an expansion, an evaluation and the check of a finished state make at most."""
    at_once: int = 1
    deepening_start: int | None = None
    """First bound of an iterative deepening; None: one search."""
    caps: Caps = field(default_factory=Caps)

    @property
    def level_by_level(self) -> bool:
        """Whether the candidates of one depth compete."""
        return self.search in ("beam", "breadth_first", "best_of")

    def run_fields(self, **programs: Any) -> dict[str, Any]:
        """Protocol and budgets of the run's first line. ``programs`` are settings of the proposer and the evaluator."""
        settings: dict[str, Any] = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "caps"}
        settings["most_calls"] = dict(zip(("expansion", "evaluation", "check"), self.most_calls, strict=True))
        settings = {name: value for name, value in settings.items() if value is not None}
        caps = self.caps
        return {
            "protocol": {**settings, **programs}, "level_by_level": self.level_by_level, "budget_max_depth": caps.max_depth,
            "budget_max_nodes": caps.max_nodes, "budget_max_calls": caps.max_calls, "budget_max_tokens": caps.max_tokens,
            "budget_max_cost": caps.max_cost, "budget_wall_clock_s": caps.wall_clock_s,
        }  # fmt: skip

    def policies(self, expansion: Expansion, evaluation: Evaluation, key: StateKey) -> Policies:
        """The same as objects. ``key`` is used where the plan deduplicates, and to count answers where the majority chooses."""
        choices: dict[str, Choice] = {"best": best, "verifier": verified_only, "majority": Majority(key)}
        settings = Settings(**{one.name: getattr(self, one.name) for one in fields(Settings) if hasattr(self, one.name)})
        return Policies(
            expansion, evaluation, assembly.allocation(settings), assembly.pruning(settings), assembly.termination(settings),
            key if self.dedup == "state_key" else None, joins=self.joins, order=assembly.order(settings), choose=choices[self.select],
        )  # fmt: skip

    def run(self, root: Proposal, policies: Policies, journal: Journal, clock: Clock) -> Result:
        """Search, once or deeper and deeper."""
        if self.deepening_start is None:
            return search(root, policies, self.caps, journal, clock=clock)
        return deepen(root, policies, self.caps, journal, start=self.deepening_start, clock=clock)[0]

    def most(self, what: int) -> Spend:
        """What a call of this place in ``most_calls`` may cost: tokens and dollars are not known beforehand."""
        return Spend(self.most_calls[what], None, None)

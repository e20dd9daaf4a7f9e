"""When must a search stop, whatever its policies want? Six limits that run together; the first to fire is named."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import datetime

from explorer.replay.node import NO_SPEND, Spend
from ingest.errors import TraceError
from ingest.schema import StopReason


@dataclass(frozen=True, slots=True)
class Caps:
    """Hard limits; None is no limit. Raises TraceError for a limit that is negative or no number."""

    max_depth: int | None = None
    """Nodes at this depth are not expanded; the root has depth 0."""
    max_nodes: int | None = None
    """The root counts."""
    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    """US dollars."""
    wall_clock_s: float | None = None
    """No call begins once it is over; the answers to those that are out are awaited."""

    def __post_init__(self) -> None:
        for one in fields(self):
            limit = getattr(self, one.name)
            if limit is not None and (math.isnan(limit) or limit < (1 if one.name == "max_nodes" else 0)):
                least = "1, for the root," if one.name == "max_nodes" else "0"
                raise TraceError(f"the cap {one.name} is {limit}, expected {least} or more", hint="Leave it out for no limit.")


class Meter:
    """Counts what a search spends, and says before each call whether a cap forbids it. Deepening passes share one."""

    def __init__(self, caps: Caps, clock: Callable[[], datetime]) -> None:
        self.caps = caps
        self.spent = Spend()
        self.nodes = 0
        """Nodes made so far."""
        self.expansions = 0
        """Expansions made so far."""
        self._counted = Spend()
        self._reserved = Spend()
        self._limits = tuple((reason, name, limit) for reason, name, limit in (
            (StopReason.CALL_BUDGET, "calls", caps.max_calls), (StopReason.TOKEN_BUDGET, "tokens", caps.max_tokens),
            (StopReason.COST_BUDGET, "cost", caps.max_cost)) if limit is not None)  # fmt: skip
        self._clock = clock
        self._began = clock()

    @property
    def elapsed_s(self) -> float:
        """Seconds since the search began."""
        return (self._clock() - self._began).total_seconds()

    @property
    def nodes_left(self) -> float:
        """How many nodes may still be made; inf without a cap on them."""
        return math.inf if self.caps.max_nodes is None else self.caps.max_nodes - self.nodes

    def reserve(self, most: Spend, *, more_to_come: bool) -> StopReason | None:
        """Set aside what the next call may cost at most; returns the cap that forbids it, and then nothing was set aside.

        A call whose most is not known can go over a token or cost cap by its own size and no more: it is asked only
        alone (``more_to_come`` says that others wait for their answers) and only while the cap is not reached.
        """
        if self.caps.wall_clock_s is not None and self.elapsed_s >= self.caps.wall_clock_s:
            return StopReason.WALL_CLOCK
        for reason, name, limit in self._limits:
            used, wanted = getattr(self._counted, name) + getattr(self._reserved, name), getattr(most, name)
            if (wanted is None and (more_to_come or used >= limit)) or (wanted is not None and round(used + wanted, 12) > limit):
                return reason
        if not self._limits:  # nothing is held to a limit, so nothing has to be set aside
            return None
        self._reserved += Spend(most.calls, most.tokens or 0, most.cost or 0.0)
        return None

    def settle(self, most: Spend, spent: Spend) -> None:
        """An answer came: what was set aside for it is replaced by what it cost. What it did not record counts as its most."""
        if spent is not NO_SPEND:
            self.spent += spent
        if not self._limits:
            return
        self._reserved = Spend(
            self._reserved.calls - most.calls,
            (self._reserved.tokens or 0) - (most.tokens or 0),
            max(0.0, (self._reserved.cost or 0.0) - (most.cost or 0.0)),
        )
        tokens = spent.tokens if spent.tokens is not None else most.tokens
        cost = spent.cost if spent.cost is not None else most.cost
        self._counted += Spend(spent.calls, tokens or 0, cost or 0.0)

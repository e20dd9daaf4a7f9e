"""What happened at each depth of a run, as one document? The ``depths`` of ``show RUN --json``."""

from __future__ import annotations

from typing import Any

from explorer import queries
from explorer.analysis import spend
from explorer.analysis.spend import Part, Unit
from ingest.store import Store


def depths(store: Store, run_id: str) -> list[dict[str, Any]]:
    """One entry a depth, root first: nodes, scores and fates, then the spend in all and by role.

    ``calls`` is 0 where the log has calls but none here, and None where it has no calls at all; ``tokens`` and ``cost`` are None
    where no call recorded them. Calls that name no node belong to no depth: ``unplaced_spend`` has them.
    """
    placed = spend.parts(queries.run(store, "spend_by_depth", run_id=run_id))
    return [
        {**row, **_spend([part for part in placed if part.depth == row["depth"]], bool(placed))}
        for row in queries.run(store, "depths", run_id=run_id).to_pylist()
    ]


def unplaced_spend(store: Store, run_id: str) -> dict[str, Any]:
    """The same spend keys for the calls that name no node."""
    placed = spend.parts(queries.run(store, "spend_by_depth", run_id=run_id))
    return _spend([part for part in placed if part.depth is None], bool(placed))


def _spend(some: list[Part], has_calls: bool) -> dict[str, Any]:
    by_role = {part.role or "not_recorded": _figures([part]) for part in some}
    if not has_calls:
        return {"calls": None, "tokens": None, "cost": None, "calls_with_cost": None, "calls_with_tokens": None, "by_role": {}}
    return {**_figures(some), "by_role": by_role}


def _figures(some: list[Part]) -> dict[str, Any]:
    cost, tokens = spend.total(some, Unit.USD), spend.total(some, Unit.TOKENS)
    return {
        "calls": cost.calls,
        "tokens": tokens.value,
        "cost": cost.value,
        "calls_with_cost": cost.recorded,
        "calls_with_tokens": tokens.recorded,
    }

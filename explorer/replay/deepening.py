"""How deep is deep enough, where nobody knows beforehand? Iterative deepening: the same search again and again, each time deeper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from explorer.replay.best_so_far import BestSoFar
from explorer.replay.caps import Caps, Meter
from explorer.replay.journal import Journal, Silent
from explorer.replay.loop import ONE_BY_ONE, Result, Workers, end_fields, grow
from explorer.replay.node import Proposal, Tree
from explorer.replay.policies import Policies
from ingest.errors import TraceError
from ingest.recorder import utc_now
from ingest.schema import StopReason


@dataclass(frozen=True, slots=True)
class Pass:
    """One finished bound, with the answer that could be shipped then."""

    bound: int
    node_id: str
    score: float | None
    partial: bool
    calls: int
    """Calls of this pass alone."""
    at_s: float


def deepen(
    root: Proposal,
    policies: Policies,
    caps: Caps,
    journal: Journal | None = None,
    *,
    start: int = 1,
    workers: Workers = ONE_BY_ONE,
    clock: Callable[[], datetime] = utc_now,
) -> tuple[Result, list[Pass]]:
    """Search to depth ``start``, then deeper by one, until an answer stops it, a cap fires, or ``caps.max_depth`` is done.

    All passes share the caps. The root of the first pass has the id "0", that of the next "1", and so on. Returns the result
    of the run with all nodes of all passes, and its finished passes. Raises TraceError without a depth cap, or where it lies under the start.
    """
    if caps.max_depth is None or not 1 <= start <= caps.max_depth:
        raise TraceError(f"deepening from {start} to {caps.max_depth}: a start of 1 or more and a depth cap that is not below it are needed")
    best, journal = BestSoFar(Meter(caps, clock)), journal or Silent()
    results: list[Result] = []
    passes: list[Pass] = []
    for number, bound in enumerate(range(start, caps.max_depth + 1)):
        before = best.meter.spent.calls
        last = grow(root, policies, best, journal, workers=workers, root_id=str(number), bound=bound)
        results.append(last)
        if not (last.complete or last.stop_reason is StopReason.MAX_DEPTH):
            break
        calls = best.meter.spent.calls - before
        passes.append(Pass(bound, last.selected.node_id, last.selected.score, last.partial, calls, best.meter.elapsed_s))
        if last.complete:
            break
    result = _united(results, best)
    journal.ended(**end_fields(result) | {"extra": {"partial": result.partial, "passes": [asdict(one) for one in passes]}})
    return result, passes


def _united(results: Sequence[Result], best: BestSoFar) -> Result:
    """All passes as one run; it answers with the last pass if that went through, else with the best that any pass had."""
    last = results[-1]
    selected = last.selected if last.complete or last.stop_reason is StopReason.MAX_DEPTH else best.node
    tree = Tree(
        nodes=[node for one in results for node in one.tree.nodes],
        frontier=last.tree.frontier,
        finished=[node for one in results for node in one.tree.finished],
        too_deep=last.tree.too_deep,
        beyond=[node for one in results for node in one.tree.beyond],
        turns=sum(one.tree.turns for one in results),
    )
    return Result(selected, not selected.terminal, last.stop_reason, last.complete, tree, best.meter.spent, best.entries)

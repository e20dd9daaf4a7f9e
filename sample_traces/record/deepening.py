"""What does iterative deepening cost beside one direct search to the same depth? Measured, with the estimate (D + 1) / 2 beside it.

    python -m sample_traces.record.deepening

The estimate holds where every level costs the same, as under a fixed beam; the first level of a search is cheaper, because one node
is expanded, and the last one may be dearer or cheaper, because finished states are checked instead of judged.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import mean

from explorer.replay.caps import Caps
from explorer.replay.journal import Silent
from explorer.replay.loop import Result
from sample_traces.record import ladder
from sample_traces.record.clock import FIRST_START, Clock
from sample_traces.record.game24 import Sample
from sample_traces.record.incident import DEPTH
from sample_traces.record.plan import Plan
from sample_traces.record.samples import BEAM, QUESTION

RUNS = 40


@dataclass(frozen=True, slots=True)
class Cost:
    """Calls of the same searches, once straight to the depth and once deeper and deeper; means per run."""

    what: str
    depth: int
    direct: float
    deepening: float

    @property
    def ratio(self) -> float:
        return self.deepening / self.direct

    @property
    def estimate(self) -> float:
        return (self.depth + 1) / 2


def measure() -> list[Cost]:
    """Both tasks, both ways. No answer is found before the full depth, so every pass is made."""
    beam = replace(BEAM, termination="exhaustion")
    trap = next(rung for rung in ladder.RUNGS if rung.name == "evidence")
    uncapped = replace(trap.plan, termination="exhaustion", caps=Caps(max_depth=DEPTH))
    return [
        _cost("Game of 24, beam of 3", 3, beam, lambda plan, seed: Sample("x", QUESTION, plan, seed).try_out()),
        _cost(
            "incidents, beam of 3", DEPTH, uncapped,
            lambda plan, number: ladder.run(replace(trap, plan=plan), number, Silent(), Clock(FIRST_START)),
        ),
    ]  # fmt: skip


def table(costs: Sequence[Cost]) -> str:
    """As text."""
    lines = [f"{'search':<24} {'depth':>5} {'direct':>7} {'deepening':>9} {'ratio':>6} {'(D+1)/2':>8}"]
    lines += [f"{one.what:<24} {one.depth:>5} {one.direct:>7.1f} {one.deepening:>9.1f} {one.ratio:>6.2f} {one.estimate:>8.2f}" for one in costs]
    return "\n".join(lines) + "\n"


def _cost(what: str, depth: int, plan: Plan, run: Callable[[Plan, int], Result]) -> Cost:
    direct = mean(run(plan, number).spent.calls for number in range(RUNS))
    deepening = mean(run(replace(plan, deepening_start=1), number).spent.calls for number in range(RUNS))
    return Cost(what, depth, direct, deepening)


def main(arguments: Sequence[str]) -> int:
    """The command line."""
    if arguments:
        sys.stderr.write("usage: python -m sample_traces.record.deepening\n")
        return 2
    sys.stdout.write(table(measure()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

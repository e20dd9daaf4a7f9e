"""Does each step up from one trajectory to a full search earn its place? Six searches over the same incidents, under the same cost envelope.

    python -m sample_traces.record.ladder

prints one table. Proposer, tools, rehearsal and envelope are the same for all six; only policies and the evaluator of unfinished states
differ, one thing at a time. Each row says what it changed against the row above it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from statistics import mean
from typing import Any

from explorer.analysis.funnel import wilson
from explorer.replay.caps import Caps
from explorer.replay.journal import Journal, Recording, Silent
from explorer.replay.loop import Result
from explorer.replay.node import SearchNode
from ingest.recorder import Recorder
from sample_traces.record.clock import FIRST_START, Clock
from sample_traces.record.incident import DEPTH, Incident
from sample_traces.record.plan import Plan
from sample_traces.record.responder import MOST, Belief, Routes

INCIDENTS = range(3000, 3300)
"""The rates of the world, the widths and the envelope were set while looking at incidents 0 to 119; nobody had looked at these."""
SEED = 7
ENVELOPE = Caps(max_depth=DEPTH, max_cost=0.09)
"""US dollars a run, the made-up ones of the programs; the same for every row."""
SHOWN = 107
"""The incident that is recorded once for each row; chosen because the rows differ on it."""


@dataclass(frozen=True, slots=True)
class Rung:
    """One row: a plan, and what judges unfinished states."""

    name: str
    title: str
    plan: Plan
    evidence: bool = False


KEY = "suspect, what was seen, trouble, remedy"
CHAIN = Plan(
    search="best_of", count=1, pruning=(), termination="exhaustion", dedup="off", evaluates="finished", most_calls=(1 + MOST, 1, 1), caps=ENVELOPE
)
BEAM = replace(CHAIN, search="beam", count=None, width=4, pruning=("constraint", "beam_width"), beam_width=3, termination="goal", evaluates="all")
ADAPTIVE = replace(
    BEAM, search="best_first", pruning=("constraint",), beam_width=None, extra_width=2, uncertainty_threshold=0.5, width_floor=2
)
RUNGS = (
    Rung("one_trajectory", "one trajectory", CHAIN),
    Rung("best_of_n", "best of 8 trajectories", replace(CHAIN, count=8)),
    Rung("beam", "beam of 3 over partial states", BEAM),
    Rung("evidence", "+ objective evidence", BEAM, evidence=True),
    Rung("adaptive", "+ adaptive allocation", ADAPTIVE, evidence=True),
    Rung("equal_states_once", "+ equal states once", replace(ADAPTIVE, dedup="state_key", state_key=KEY), evidence=True),
)


@dataclass(frozen=True, slots=True)
class Row:
    """One rung over all incidents; calls, tokens and cost are means per run."""

    title: str
    solved: tuple[bool, ...]
    calls: float
    tokens: float
    cost: float

    @property
    def cost_per_success(self) -> float:
        """US dollars for each incident that was solved and verified; inf without one."""
        return self.cost * len(self.solved) / sum(self.solved) if any(self.solved) else math.inf

    def against(self, below: Row) -> tuple[int, int]:
        """Incidents that this rung solved and the other did not, and the other way round."""
        pairs = list(zip(self.solved, below.solved, strict=True))
        return pairs.count((True, False)), pairs.count((False, True))

    def earned(self, below: Row) -> bool:
        """Whether it solved more, beyond chance: a sign test over the incidents that only one of the two solved, at 0.05, one-sided."""
        won, lost = self.against(below)
        as_many = sum(math.comb(won + lost, k) for k in range(won, won + lost + 1))
        return as_many <= 0.05 * 2.0 ** (won + lost)


def run(rung: Rung, number: int, journal: Journal, clock: Clock) -> Result:
    """One incident."""
    incident = Incident(number)
    routes, belief = Routes(rung.plan, incident, SEED, clock), Belief(rung.plan, incident, SEED, clock, rung.evidence)
    policies = rung.plan.policies(routes, belief, lambda node: node.state.key)
    return rung.plan.run(routes.root(), policies, journal, clock)


def climb(rungs: Sequence[Rung] = RUNGS, incidents: Sequence[int] = INCIDENTS) -> list[Row]:
    """Every rung over every incident; nothing is written."""
    return [_row(rung.title, [run(rung, number, Silent(), Clock(FIRST_START)) for number in incidents]) for rung in rungs]


def table(rows: Sequence[Row]) -> str:
    """The rows as text, with what each won and lost against the one above it."""
    lines = [_HEAD]
    for row, below in zip(rows, [None, *rows], strict=False):
        low, high = wilson(sum(row.solved), len(row.solved))
        success = f"{sum(row.solved)} of {len(row.solved)}"
        won = "" if below is None else "+{} -{}".format(*row.against(below))
        earned = "" if below is None else "yes" if row.earned(below) else "no"
        lines.append(f"{row.title:<29} {success:>10}  {low:.2f}-{high:.2f} {row.calls:>6.1f} {row.tokens:>6.0f} {row.cost:>7.4f} "
                     f"{row.cost_per_success:>12.3f}  {won:>8}  {earned:>6}".rstrip())  # fmt: skip
    if len(rows) > 2:
        earned = "earned" if rows[-1].earned(rows[1]) else "not earned"
        lines.append("the last row against the second: +{} -{}, {}".format(*rows[-1].against(rows[1]), earned))
    return "\n".join(lines) + "\n"


_HEAD = (
    f"{'search':<29} {'verified':>10}  {'95 % int.':>9} {'calls':>6} {'tokens':>6} {'dollars':>7} "
    f"{'$ / verified':>12}  {'won lost':>8}  {'earned':>6}"
)


def record_all(folder: Path) -> list[Path]:
    """One incident, once for each rung, a file each, an hour apart on the simulated clock."""
    return [_record(rung, folder, FIRST_START + timedelta(hours=hour)) for hour, rung in enumerate(RUNGS)]


def _record(rung: Rung, folder: Path, start: datetime) -> Path:
    path, clock, incident = folder / f"{rung.name}.jsonl", Clock(start), Incident(SHOWN)
    path.unlink(missing_ok=True)
    with Recorder(path, clock=clock) as recorder:
        evaluator = "evidence counter 1" if rung.evidence else "belief-program 1"
        fields = rung.plan.run_fields(proposer="responder-program 1", evaluator=evaluator, seed=SEED)
        opened = recorder.run(f"trap-{rung.name}", task_id=f"incident {incident.number}", question=incident.question, **fields)
        run(rung, incident.number, Recording(opened, _outcome, clock), clock)
    return path


def _outcome(node: SearchNode | None) -> dict[str, Any]:
    right = bool(node and node.verified)
    by = "rehearsal" if node and node.terminal else "rehearsal: there is no remedy to rehearse"
    return {"outcome": "right" if right else "wrong", "outcome_by": by, "answer": node.state.key if node and node.terminal else None}


def _row(title: str, results: Sequence[Result]) -> Row:
    spent = [result.spent for result in results]
    solved = tuple(result.selected.verified is True for result in results)
    return Row(title, solved, mean(one.calls for one in spent), mean(one.tokens or 0 for one in spent), mean(one.cost or 0.0 for one in spent))


def main(arguments: Sequence[str]) -> int:
    """The command line."""
    if arguments:
        sys.stderr.write("usage: python -m sample_traces.record.ladder\n")
        return 2
    sys.stdout.write(table(climb()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

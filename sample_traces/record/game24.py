"""How is one sample of the Game of 24 recorded? A puzzle, a plan, the faults of its programs and a seed, behind the search loop."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from explorer.replay.journal import Journal, Recording, Silent
from explorer.replay.loop import Result
from explorer.replay.node import SearchNode
from ingest.recorder import Recorder
from sample_traces.record import puzzle
from sample_traces.record.arithmetic import Moves, Scores
from sample_traces.record.clock import FIRST_START, Clock, Died
from sample_traces.record.plan import Plan
from sample_traces.record.players import LABELS, Judge, Proposer


@dataclass(frozen=True, slots=True)
class Sample:
    """One run to record."""

    name: str
    """File name without suffix, and the run id after ``game24-``."""
    question: str
    plan: Plan
    seed: int
    forgets: float = 0.2
    lists: int = 6
    errs: float = 0.15
    fails: float = 0.05
    unsure: float = 0.4
    shouts: float = 0.0
    samples: int = 2
    checks: bool = True
    most_number: int | None = None
    dies_after: int | None = None

    def programs(self) -> dict[str, Any]:
        """The settings of proposer and judge, for the protocol."""
        settings = {
            "proposer": "proposer-program 1", "proposer_forgets": self.forgets, "proposer_lists": self.lists, "evaluator": "judge-program 1",
            "evaluator_errs": self.errs, "evaluator_fails": self.fails, "evaluator_unsure": self.unsure, "evaluator_shouts": self.shouts,
            "evaluator_samples": self.samples, "label_values": LABELS, "most_number": self.most_number, "seed": self.seed,
            "verifier": "exact arithmetic" if self.checks else "none: the judge scores finished states too",
        }  # fmt: skip
        return {name: value for name, value in settings.items() if value is not None}

    def search(self, journal: Journal, clock: Clock) -> Result:
        """Run it."""
        moves = Moves(self.plan, Proposer(self.seed, self.forgets, self.lists), clock)
        judge = Judge(self.seed, self.errs, self.fails, self.unsure, self.shouts)
        scores = Scores(self.plan, self.question, judge, clock, self.samples, self.checks, self.most_number)
        policies = self.plan.policies(moves, scores, lambda node: node.proposal.record["state_key"])
        return self.plan.run(moves.root(self.question), policies, journal, clock)

    def try_out(self) -> Result:
        """Run it and write nothing: for finding a seed."""
        return self.search(Silent(), Clock(FIRST_START))

    def outcome(self, node: SearchNode | None) -> Mapping[str, Any]:
        """What the selected node comes to, by exact arithmetic."""
        answer = node.state[0].expression if node and node.terminal else None
        right = answer is not None and puzzle.is_right(self.question, answer)
        by = "exact arithmetic" if answer else "exact arithmetic: there is no answer to check"
        return {"outcome": "right" if right else "wrong", "outcome_by": by, "answer": answer}


def record(sample: Sample, folder: Path, start: datetime = FIRST_START) -> Path:
    """Record one run into ``<folder>/<name>.jsonl``, in place of what is there, and return the file."""
    path = folder / f"{sample.name}.jsonl"
    path.unlink(missing_ok=True)
    clock = Clock(start, sample.dies_after)
    with Recorder(path, clock=clock) as recorder, suppress(Died):
        fields = sample.plan.run_fields(**sample.programs())
        run = recorder.run(f"game24-{sample.name}", task_id=f"game24 {sample.question}", question=sample.question, **fields)
        sample.search(Recording(run, sample.outcome, clock), clock)
    return path

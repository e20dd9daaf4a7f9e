"""Which runs do the native samples show? Ten small searches over Game of 24, recorded again by

    python -m sample_traces.record.game24 sample_traces/native/1

No tree is written by hand: each is what the two programs in ``players.py`` and the searches in ``search.py`` did with the seed
given here. The seeds were chosen by trying them; ``tests/test_samples.py`` checks that each run shows what its name says.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ingest.recorder import Recorder
from sample_traces.record.ledger import Caps, Clock, Died, Ledger
from sample_traces.record.players import LABELS, Judge, Proposer
from sample_traces.record.search import Beam, DepthFirst, grow

FIRST_START = datetime(2026, 1, 5, 9, tzinfo=UTC)
USUAL_CAPS = Caps(max_depth=3, max_nodes=80, max_calls=200)


@dataclass(frozen=True, slots=True)
class Recording:
    """One sample: a puzzle, a search, the faults of its programs, its caps."""

    name: str
    """File name without suffix, and the run id after ``game24-``."""
    question: str
    search: Beam | DepthFirst
    seed: int
    forgets: float = 0.2
    lists: int = 6
    errs: float = 0.15
    fails: float = 0.05
    samples: int = 2
    caps: Caps = USUAL_CAPS
    joins: bool = False
    dies_after: int | None = None

    @property
    def protocol(self) -> dict[str, object]:
        """Every setting that can change the outcome."""
        beam = isinstance(self.search, Beam)
        return {
            "search": "beam" if beam else "depth_first",
            **({"beam_width": self.search.width} if isinstance(self.search, Beam) else {"threshold": self.search.threshold}),
            "tie_break": "order", "dedup": "state_key", "state_key": "numbers left, by size", "joins": self.joins,
            "select": "best", "proposer": "proposer-program 1", "proposer_forgets": self.forgets, "proposer_lists": self.lists,
            "evaluator": "judge-program 1", "evaluator_errs": self.errs, "evaluator_fails": self.fails,
            "evaluator_samples": self.samples, "label_values": LABELS, "verifier": "exact arithmetic", "seed": self.seed,
        }  # fmt: skip


RECORDINGS: tuple[Recording, ...] = (
    Recording("right_by_beam", "4 5 6 10", Beam(3), seed=9),
    Recording("lost_by_generation", "4 5 6 10", Beam(3), seed=16),
    Recording("lost_by_evaluation", "4 5 6 10", Beam(3), seed=26),
    Recording("lost_by_failed_judge", "4 5 6 10", Beam(3), seed=41),
    Recording("lost_by_tie", "4 5 6 10", Beam(3), seed=47),
    Recording("cut_off_by_max_nodes", "4 5 6 10", Beam(3), seed=9, caps=replace(USUAL_CAPS, max_nodes=22)),
    Recording("died", "4 5 6 10", Beam(3), seed=9, dies_after=30),
    Recording("right_by_depth_first", "4 5 6 10", DepthFirst(0.75), seed=10, lists=8),
    Recording("merged_states", "4 5 6 10", Beam(3), seed=23, lists=8, joins=True),
    Recording("tiny", "4 6", Beam(2), seed=1, caps=Caps(max_depth=1)),
)


def record(recording: Recording, folder: Path, start: datetime) -> Path:
    """Record one run into ``<folder>/<name>.jsonl``, in place of what is there, and return the file."""
    path = folder / f"{recording.name}.jsonl"
    path.unlink(missing_ok=True)
    clock = Clock(start)
    with Recorder(path, clock=clock) as recorder, suppress(Died):
        run = recorder.run(
            f"game24-{recording.name}",
            task_id=f"game24 {recording.question}",
            question=recording.question,
            protocol=recording.protocol,
            budget_max_depth=recording.caps.max_depth,
            budget_max_nodes=recording.caps.max_nodes,
            budget_max_calls=recording.caps.max_calls,
            level_by_level=isinstance(recording.search, Beam),
        )
        ledger = Ledger(
            run,
            recording.question,
            Proposer(recording.seed, recording.forgets, recording.lists),
            Judge(recording.seed, recording.errs, recording.fails),
            recording.samples,
            recording.caps,
            clock,
            recording.joins,
            recording.dies_after,
        )
        grow(ledger, recording.search.run)
    return path


def record_all(folder: Path) -> list[Path]:
    """Every sample, one file each, an hour apart on the simulated clock."""
    return [record(recording, folder, FIRST_START + timedelta(hours=hour)) for hour, recording in enumerate(RECORDINGS)]


def main(arguments: list[str]) -> int:
    """The command line: one folder to write into."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.stderr.write("usage: python -m sample_traces.record.game24 FOLDER\n")
        return 2
    for path in record_all(Path(arguments[0])):
        sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

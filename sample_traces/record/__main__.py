"""How are the recorded samples made? All of them again, to the same bytes, by one command:

    python -m sample_traces.record sample_traces/native
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from sample_traces.record import ladder, repair
from sample_traces.record.clock import FIRST_START
from sample_traces.record.game24 import record
from sample_traces.record.samples import SAMPLES


def record_all(folder: Path) -> list[Path]:
    """Every sample, a file each, into ``1``, ``trap`` and ``repair``; those of one folder an hour apart on the simulated clock."""
    games = [record(sample, folder / "1", FIRST_START + timedelta(hours=hour)) for hour, sample in enumerate(SAMPLES)]
    return [*games, *ladder.record_all(folder / "trap"), *repair.record_all(folder / "repair")]


def main(arguments: Sequence[str]) -> int:
    """The command line: one folder to write into."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.stderr.write("usage: python -m sample_traces.record FOLDER\n")
        return 2
    for path in record_all(Path(arguments[0])):
        sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

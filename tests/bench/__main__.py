"""What do loading and looking cost on this machine? One line a goal, and ``bench.json``.

    python -m tests.bench                 # up to 100,000 nodes, some minutes
    python -m tests.bench --full          # up to 1,000,000 nodes
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from tests.bench import growing, live, loading, looking, mutations, replaying, verdicts
from tests.bench.generate import SHAPES
from tests.bench.measure import Line, write


def main() -> None:
    """Measure, print each line as it is known, and write them all. Never fails because something is slow."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="every shape, and 1,000,000 nodes")
    parser.add_argument("--folder", type=Path, help="where logs and stores are kept between calls; default: a temporary folder")
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    found: list[Line] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        work = [loading.lines(folder, 100_000, SHAPES, args.repeats), loading.lines(folder, 1_000_000, ("runs60",), args.repeats)]
        if args.full:
            work.append(loading.lines(folder, 1_000_000, SHAPES[1:], args.repeats))
        work.append(loading.by_turns(folder, 1_000_000 if args.full else 100_000, args.repeats))
        work.append(looking.lines(folder, (5_000, 100_000, 1_000_000) if args.full else (5_000, 100_000), args.repeats))
        work.append(verdicts.lines(folder, 10_000))
        work.append(replaying.lines(folder, (100_000, 1_000_000) if args.full else (10_000, 100_000), args.repeats))
        work.append(growing.lines())
        work.append(live.lines(folder, (10_000, 1_000_000) if args.full else (10_000, 100_000), args.repeats))
        work.append(mutations.lines(10_000))
        for lines in work:
            for line in lines:
                print(line, flush=True)
                found.append(line)
    write(found, Path("bench.json"))
    print(f"{sum(line.holds for line in found)} of {len(found)} hold; bench.json has the figures")


if __name__ == "__main__":
    main()

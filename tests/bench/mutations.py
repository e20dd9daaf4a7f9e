"""Does a bad log ever break a reader, or lose a record in silence? A table: one row a format, 10,000 mutated logs in all.

    python -m tests.bench.mutations                             # 10,000, some minutes
    python -m tests.bench.mutations --count 500                 # fewer
    python -m tests.bench.mutations --again FORMAT SPECIMEN NUMBER    # one of them, as it was

What is mutated and how, and when a record counts as lost: ``tests/mutate``. The same logs every time. ``named``: logs with a problem; ``refused``: no
run is left of them, and a problem says why; ``crashes`` and ``lost`` are listed with what repeats them, and make the status 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from ingest.readers import READERS
from tests.bench.measure import Line
from tests.mutate.changes import KINDS, change
from tests.mutate.specimens import TRACES, specimens
from tests.mutate.trial import Tally, trial

_HEADS = ("format", "logs", *KINDS, "named", "refused", "crashes", "lost", "seconds")


def table(count: int) -> list[Tally]:
    """Print one row a format as it is known, then the sum; give the tallies."""
    if not TRACES.is_dir():
        print("the folder of real traces does not stand beside the project: the samples alone are mutated")
    print(_row(_HEADS))
    found = []
    for at, reader in enumerate(READERS):
        start = time.monotonic()
        share = count * (at + 1) // len(READERS) - count * at // len(READERS)
        tally = trial(specimens(reader.NAME), share)
        found.append(tally)
        print(_row(_cells(tally, time.monotonic() - start)), flush=True)
        for failure in (*tally.crashes, *tally.losses):
            print(failure, file=sys.stderr)
    print(_row(_sum(found)))
    return found


def lines(count: int) -> Iterator[Line]:
    """The table, and its two sums as goals of the bench."""
    found = table(count)
    yield Line("mutated logs that broke a reader", sum(len(tally.crashes) for tally in found), "logs", 0, f"of {count:,}")
    yield Line("mutated logs that lost something in silence", sum(len(tally.losses) for tally in found), "logs", 0, f"of {count:,}")


def _cells(tally: Tally, seconds: float) -> tuple[object, ...]:
    kinds = (tally.kinds.get(kind, 0) for kind in KINDS)
    return (tally.format, tally.logs, *kinds, tally.named, tally.refused, len(tally.crashes), len(tally.losses), round(seconds, 1))


def _sum(found: list[Tally]) -> tuple[object, ...]:
    rows = [_cells(tally, 0) for tally in found]
    return ("all", *(sum(int(str(row[at])) for row in rows) for at in range(1, len(_HEADS) - 1)), "")


def _row(cells: tuple[object, ...]) -> str:
    return "".join(f"{cell!s:26}" if at == 0 else f"{cell!s:>9}" for at, cell in enumerate(cells))


def again(format_name: str, name: str, number: int) -> None:
    """Write one mutated log below ``build/mutated/`` and say what was changed."""
    (specimen,) = (one for one in specimens(format_name) if one.name == name)
    done = change(specimen.files, f"{name}:{number}")
    for file, data in done.files.items():
        path = Path("build") / "mutated" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    print(f"{done.kind}: {done.where}; it is build/mutated/{specimen.main}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--again", nargs=3, metavar=("FORMAT", "SPECIMEN", "NUMBER"))
    args = parser.parse_args()
    if args.again:
        again(args.again[0], args.again[1], int(args.again[2]))
        return 0
    found = table(args.count)
    return 1 if any(tally.crashes or tally.losses for tally in found) else 0


if __name__ == "__main__":
    sys.exit(main())

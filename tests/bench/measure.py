"""How long, how much memory? Each piece of work runs in a process of its own, A B A B, and the medians are compared."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

_CHILD = """
import json, resource, sys, time
exec(sys.argv[1])
start = time.perf_counter()
work(*sys.argv[2:])
print(json.dumps([time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6]))
"""


@dataclass(frozen=True, slots=True)
class Line:
    """One goal as it was measured."""

    figure: str
    value: float
    unit: str
    limit: float
    note: str = ""

    @property
    def holds(self) -> bool:
        return self.value <= self.limit

    def __str__(self) -> str:
        return f"{self.figure:58} {self.value:9.2f} {self.unit:8} limit {self.limit:g}  {'holds' if self.holds else 'MISSED'}  {self.note}"


@dataclass(frozen=True, slots=True)
class Sample:
    seconds: float
    peak_mb: float


def in_process(code: str, *arguments: str) -> Sample:
    """Run ``work(*arguments)`` as defined by ``code`` in a new process. Raises CalledProcessError when it fails."""
    done = subprocess.run([sys.executable, "-c", _CHILD, code, *arguments], check=True, stdout=subprocess.PIPE, text=True)
    seconds, peak = json.loads(done.stdout.splitlines()[-1])
    return Sample(seconds, peak)


def alternately(repeats: int, *works: Sequence[str]) -> list[Sample]:
    """Medians of several works, each ``(code, *arguments)``, run in turns so that a slow minute hits all of them."""
    found: list[list[Sample]] = [[] for _ in works]
    for _ in range(repeats):
        for index, (code, *arguments) in enumerate(works):
            found[index].append(in_process(code, *arguments))
    return [Sample(statistics.median(s.seconds for s in one), max(s.peak_mb for s in one)) for one in found]


def write(lines: Sequence[Line], target: Path) -> None:
    """The lines as JSON."""
    target.write_text(json.dumps([asdict(line) | {"holds": line.holds} for line in lines], indent=1), "utf-8")

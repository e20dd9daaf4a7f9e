"""What becomes of so many mutated logs of a format? Each is read by its reader, and each is loaded; crashes and silent losses are counted."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ingest.jobs import Report
from ingest.pipeline import ingest
from ingest.readers import READERS, native
from ingest.store import Store
from tests.mutate import accounts, native_lines
from tests.mutate.accounts import Account
from tests.mutate.changes import Change, change
from tests.mutate.specimens import Specimen

READER = {reader.NAME: reader for reader in READERS}
TOGETHER = 40
"""Mutated logs that are loaded in one call."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One mutated log that broke something; the same again with ``python -m tests.bench.mutations --again FORMAT SPECIMEN NUMBER``."""

    format: str
    specimen: str
    number: int
    what: str
    where: str

    def __str__(self) -> str:
        return f"{self.what}\n  {self.where}\n  again: python -m tests.bench.mutations --again {self.format} {self.specimen} {self.number}"


@dataclass(slots=True)
class Tally:
    """One row of the table."""

    format: str
    logs: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    refused: int = 0
    """Logs of which no run is left; a problem says why."""
    named: int = 0
    """Logs with at least one problem."""
    crashes: list[Failure] = field(default_factory=list)
    losses: list[Failure] = field(default_factory=list)


def trial(specimens: Sequence[Specimen], count: int) -> Tally:
    """``count`` mutated logs of one format, spread over its specimens, at least five of each: the same ones every time."""
    tally = Tally(specimens[0].format)
    specimens = specimens[: max(1, count // 5)]
    for at, specimen in enumerate(specimens):
        share = range(count * at // len(specimens), count * (at + 1) // len(specimens))
        numbers = [number - share.start for number in share]
        for start in range(0, len(numbers), TOGETHER):
            _batch(tally, specimen, numbers[start : start + TOGETHER])
    return tally


def _batch(tally: Tally, specimen: Specimen, numbers: Sequence[int]) -> None:
    space = Path(tempfile.mkdtemp(prefix="mutated-"))
    try:
        changes = {number: change(specimen.files, f"{specimen.name}:{number}") for number in numbers}
        for number, done in changes.items():
            tally.logs += 1
            tally.kinds[done.kind] = tally.kinds.get(done.kind, 0) + 1
            files = native_lines.renamed(done.files, number) if specimen.format == native.NAME else done.files
            _write(space / str(number), files)
        if specimen.format == native.NAME:
            _load_lines(tally, specimen, changes, space)
        else:
            _load(tally, specimen, changes, dict(_read(tally, specimen, changes, space)), space)
    finally:
        shutil.rmtree(space)


def _read(tally: Tally, specimen: Specimen, changes: Mapping[int, Change], space: Path) -> Iterator[tuple[int, Account]]:
    """What the reader makes of each, held against what it made of the log as it was."""
    reader = READER[specimen.format]
    _write(space / "before", specimen.files)
    was = accounts.before(reader, specimen.files, space / "before" / specimen.main)
    for number, done in changes.items():
        try:
            now = accounts.account(reader, space / str(number) / specimen.main)
            without = None
            if done.without is not None:
                _write(space / "without", done.without)
                without = accounts.account(reader, space / "without" / specimen.main)
        except Exception as error:  # noqa: BLE001 - whatever a reader raises is what we look for
            tally.crashes.append(Failure(specimen.format, specimen.name, number, repr(error)[:300], done.where))
            continue
        yield number, now
        tally.refused += now.runs == 0
        tally.named += bool(now.problems)
        if found := accounts.lost(was, now, done, without):
            tally.losses.append(Failure(specimen.format, specimen.name, number, "; ".join(found), done.where))


def _load(tally: Tally, specimen: Specimen, changes: Mapping[int, Change], read: Mapping[int, Account], space: Path) -> None:
    """Load them all; the store holds what the reader found, and every problem."""
    for number, report, _ in _loaded(tally, specimen, {number: changes[number] for number in read}, space):
        if what := _differs(read[number], report):
            tally.losses.append(Failure(specimen.format, specimen.name, number, what, changes[number].where))


def _load_lines(tally: Tally, specimen: Specimen, changes: Mapping[int, Change], space: Path) -> None:
    """Our own logs are read by no reader, but in bulk."""
    for number, report, store in _loaded(tally, specimen, changes, space):
        tally.refused += not report.counts.get("runs")
        tally.named += bool(report.problems)
        log = (space / str(number) / specimen.main).read_bytes()
        if report.status != "unchanged" and (found := native_lines.lost(log, store, report)):
            tally.losses.append(Failure(specimen.format, specimen.name, number, "; ".join(found), changes[number].where))


def _loaded(tally: Tally, specimen: Specimen, changes: Mapping[int, Change], space: Path) -> Iterator[tuple[int, Report, Store]]:
    """Each with its report; together, or one by one to find the one that breaks loading."""
    name = specimen.format if "/" in specimen.main else None  # a folder is recognised, not named
    paths = {str(space / str(number) / specimen.main): number for number in changes}
    try:
        found = [(report, space / "store") for report in ingest(space / "store", list(paths), name)]
    except Exception:  # noqa: BLE001 - found below
        found = []
        for path, number in paths.items():
            try:
                found += [(report, space / f"store-{number}") for report in ingest(space / f"store-{number}", [path], name)]
            except Exception as error:  # noqa: BLE001 - whatever is raised is what we look for
                tally.crashes.append(Failure(specimen.format, specimen.name, number, f"while loading: {error!r}"[:300], changes[number].where))
    stores = {folder: Store(folder) for folder in {folder for _, folder in found}}
    yield from ((paths[report.source], report, stores[folder]) for report, folder in found if report.source in paths)


def _differs(read: Account, report: Report) -> str:
    """What the store does not hold of what was read and no problem names."""
    if any(problem["kind"] in ("same_file", "unknown_format", "empty") for problem in report.problems):
        return ""
    nodes, runs = report.counts.get("nodes") or 0, report.counts.get("runs") or 0
    distinct = len({(trace.run.run_id, node.node_id) for trace in read.traces for node in trace.nodes})
    if (runs, nodes) != (read.runs, distinct) or (read.nodes > distinct and not report.counts["rejected"]):
        return f"{read.runs} runs and {read.nodes} nodes were read, {runs} and {nodes} stored"
    if (report.counts.get("problems") or 0) < len(read.problems):
        return f"{len(read.problems)} problems were named, {report.counts.get('problems')} are stored"
    return ""


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

"""How do lines that were appended to native logs get into the store? Staged with the other lines of the runs that they speak of.

What a log says about a run is worked out from all of the run's lines at once, so the lines of a run that is in the store already are staged
again beside the new ones (its typed rows do not say enough: a fate that was worked out looks like one that was logged). Every other line
of the log stays unread: what this costs depends on the runs that grew, not on what else there is.
"""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingest import bulk, commit, count, lines, tail
from ingest.check import check
from ingest.errors import Problem
from ingest.redact import Redactor
from ingest.shape import shape
from ingest.source import Source
from ingest.staging import Staging
from ingest.store import Entry, Store
from ingest.tail import Lines
from ingest.write import write

_SUMS = ("runs", "nodes", "edges", "roots", "orphans", "merged", "problems", "rejected")
_ELSEWHERE = """
with of_runs as (
    select count(*) as runs, sum(nodes) as nodes, sum(edges) as edges, sum(roots) as roots, sum(orphans) as orphans, sum(merged) as merged,
        max(max_depth) as max_depth
    from runs where source = $source and not list_contains($runs, run_id)
), of_problems as (
    select count(*) as problems, count(*) filter (where rejected) as rejected
    from problems where source = $source and (run_id is null or not list_contains($runs, run_id))
)
select * from of_runs, of_problems
"""


@dataclass(slots=True)
class Grown:
    """One log with the runs that its new lines speak of."""

    source: Source
    key: str
    lines: Lines
    before: int
    """Bytes of it that were read before."""
    first: int
    """Number of its first new line; behind its last line where it only shares a run with a log that grew."""
    runs: set[str]
    mtime_ns: int


def take_in(folder: Path, grown: Sequence[Grown], others: Sequence[Grown], redactor: Redactor | None, payloads: str) -> set[str]:
    """Make the new lines of ``grown`` visible by one commit; the keys of those that have to be loaded as a whole instead.

    ``others`` are the logs that are followed and did not grow: a run may have lines there, too. A log has to be loaded as a whole where its
    run is in the store from a log that it was never read with. Raises TraceError when the store cannot be written.
    """
    with commit.writing(folder):
        store = Store(folder)
        entries = {entry.key: entry for entry in store.manifest.entries}
        whole = _apart(store, entries, grown, others)
        grown = [one for one in grown if one.key not in whole]
        runs = {run for one in grown for run in one.runs}
        if not grown:
            return whole
        beside = [dataclasses.replace(one, first=len(one.lines) + 1, runs=runs) for one in others if any(map(one.lines.knows, runs))]
        aside = commit.workspace(folder)
        try:
            staging = Staging(aside, redactor, payloads)
            try:
                together = sorted([*grown, *beside], key=lambda one: one.key)
                counted = _staged(staging, together, runs, new=True)
                (aside / "out").mkdir()
                write(staging, aside / "out")
            finally:
                staging.close()
            before = _before(aside, together, runs, redactor) if beside or _share(grown) else None
            new = [_entry(store, entries[one.key], one, runs, counted, before) for one in together]
            commit.grow(folder, aside / "out", new, _known(store, runs))
            commit.compact(folder)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    return whole


def _apart(store: Store, entries: dict[str, Entry], grown: Sequence[Grown], others: Sequence[Grown]) -> set[str]:
    """Logs of which the store knows something else than we do, or that share a run with a log that they were never read with."""
    group_of = {entry.source: entry.group for entry in entries.values()}
    known = {one.key for one in (*grown, *others) if one.key in entries and entries[one.key].bytes == one.before}
    apart = {one.key for one in grown if one.key not in known}
    runs = sorted({run for one in grown for run in one.runs})
    rows = store.query("select run_id, source from runs where list_contains($runs, run_id)", runs=runs).to_pylist()
    groups = {row["run_id"]: {group_of.get(row["source"], "")} for row in rows}
    present = [one for one in grown if one.key in known]
    for one in present:
        for run in one.runs:
            groups.setdefault(run, set()).add(entries[one.key].group)
    for one in present:
        mates = {entry.key for entry in entries.values() if entry.group == entries[one.key].group}
        if not mates <= known or any(len(groups[run]) > 1 for run in one.runs):
            apart.add(one.key)
    with_others = {entries[key].group for key in apart if key in entries}
    return apart | {one.key for one in present if entries[one.key].group in with_others}


def _share(grown: Sequence[Grown]) -> bool:
    return len({run for one in grown for run in one.runs}) < sum(len(one.runs) for one in grown)


def _known(store: Store, runs: set[str]) -> set[str]:
    return set(store.query("select run_id from runs where list_contains($runs, run_id)", runs=sorted(runs))["run_id"].to_pylist())


def _staged(staging: Staging, grown: Sequence[Grown], runs: Collection[str], new: bool) -> dict[str, dict[str, int | None]]:
    """Stage these runs with the ``new`` lines or as they were without them; what came out of each log."""
    staged: list[lines.Piece] = []
    for index, one in enumerate(grown):
        numbers, blocks = one.lines.of(runs, one.first, None if new else one.first)
        raw = staging.folder / f"appended-{index}.jsonl"
        with raw.open("wb") as file:
            file.writelines(blocks)
        bad: list[Problem] = []
        excerpt = Source(raw, label=one.source.name)
        for item in lines.pieces(staging.con, excerpt, staging.folder, f"native-{index}", staging.redactor):
            if isinstance(item, lines.Piece):
                at = numbers if item.lines is None and item.rows == len(numbers) else numbers[lines.physical_lines(item) - 1]
                staged.append(dataclasses.replace(item, lines=at))
            elif item.line is None or numbers[item.line - 1] >= one.first:  # what was wrong with older lines was said before
                bad.append(_placed(item, one.source.name, None if item.line is None else int(numbers[item.line - 1])))
        staging.add_problems(bad, one.source.name)
        raw.unlink()
    bulk.take(staging, staged)
    shape(staging)
    check(staging)
    bulk.name_problems(staging, staged)
    return count.of_sources(staging, [one.source.name for one in grown])


def _placed(problem: Problem, name: str, number: int | None) -> Problem:
    return problem if number is None else dataclasses.replace(problem, line=number, where=f"{name}:{number}")


def _before(aside: Path, grown: Sequence[Grown], runs: Collection[str], redactor: Redactor | None) -> dict[str, dict[str, int | None]]:
    """What had come out of each log for these runs before it grew: of a run with lines in several logs the store only knows the sum."""
    (aside / "before").mkdir()
    staging = Staging(aside / "before", redactor)
    try:
        return _staged(staging, grown, runs, new=False)
    finally:
        staging.close()


def _entry(
    store: Store,
    known: Entry,
    grown: Grown,
    runs: Collection[str],
    counted: dict[str, dict[str, int | None]],
    before: dict[str, dict[str, int | None]] | None,
) -> Entry:
    """What the store now knows of a log."""
    now = counted[grown.source.name]
    if before is None:
        rest = store.query(_ELSEWHERE, source=grown.source.name, runs=sorted(runs)).to_pylist()[0]
    else:
        rest = {name: (known.counts.get(name) or 0) - (before[grown.source.name][name] or 0) for name in _SUMS}
        rest["max_depth"] = known.counts.get("max_depth")
    counts: dict[str, int | None] = {name: int(rest[name] or 0) + int(now[name] or 0) for name in _SUMS}
    counts["max_depth"] = max((depth for depth in (rest["max_depth"], now["max_depth"]) if depth is not None), default=None)
    end, path = grown.lines.end, grown.source.path
    return dataclasses.replace(known, bytes=end, mtime_ns=grown.mtime_ns, digest="", counts=counts, mark=tail.mark(path, end))

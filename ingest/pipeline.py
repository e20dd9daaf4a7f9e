"""How do logs get into the store? Find, recognise, read, check, write, make visible: one commit for many small logs."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ingest import bulk, commit, count, lines
from ingest.check import check, make_unique
from ingest.errors import Problem, TraceError
from ingest.fingerprint import fingerprint
from ingest.jobs import Following, Job, Progress, Report, as_problem, jobs, jobs_of, shown
from ingest.readers import native
from ingest.redact import Redactor
from ingest.schema import Trace
from ingest.shape import shape
from ingest.staging import Staging
from ingest.store import Entry, Store
from ingest.write import write

COMMIT_NODES = 400_000
"""Foreign logs are made visible together until they hold this many nodes."""
STAGE_RECORDS, STAGE_RUNS = 5_000, 200
"""Foreign runs are staged together up to so many: a statement for each small run costs more than reading it."""
COMMIT_BYTES = 4 << 30
"""Native logs are staged together up to this size: any of them may share runs."""


@dataclass(frozen=True, slots=True)
class _Work:
    """One call of ingest: where to, how, and what came of it so far."""

    folder: Path
    redactor: Redactor | None
    payloads: str
    tell: Progress
    reports: dict[str, Report] = field(default_factory=dict)


def ingest(
    folder: Path,
    paths: Sequence[str],
    format_name: str | None = None,
    progress: Progress | None = None,
    redactor: Redactor | None = None,
    payloads: str = "all",
    following: Following | None = None,
) -> list[Report]:
    """Load everything behind ``paths`` into the store at ``folder``.

    A source that has not changed is left alone, one that has (or that was loaded with other redaction or payloads) is replaced. Reports
    stand in the order of the sources. ``redactor`` is applied before anything reaches the disk; ``payloads`` says whose prompts and
    responses are kept: all | failed | sample:RATE | none. ``following`` is given by those who go on watching the logs. Raises TraceError
    when the store cannot be written or a named format is unknown; whatever is wrong with a source is in its report.
    """
    work = _Work(folder, redactor, _policy(payloads), progress or _silently)
    handling = handling_of(redactor, payloads)
    with commit.writing(folder):
        space = commit.workspace(folder)
        try:
            found = jobs(Store(folder), space, paths, format_name, work.reports, work.tell, handling, following)
            for group in _native_groups([job for job in found if job.native]):
                _load_native(work, group)
            others = [job for job in found if not job.native]
            while others:
                others = _load_foreign(work, others)
            commit.compact(folder)
            if following is None:
                commit.settle(folder)
        finally:
            shutil.rmtree(space, ignore_errors=True)
    return [*work.reports.values(), *_no_log_at_all(list(work.reports.values()), paths)]


def handling_of(redactor: Redactor | None, payloads: str) -> str:
    """Names redaction and payload policy."""
    return f"{redactor.rules.name if redactor else ''} {payloads}".strip()


def _policy(payloads: str) -> str:
    rate = payloads.removeprefix("sample:")
    if payloads in ("all", "failed", "none") or (rate != payloads and re.fullmatch(r"0(\.\d+)?|1(\.0+)?|\.\d+", rate)):
        return payloads
    raise TraceError(f"payloads is {payloads!r}, expected all, failed, none or sample:RATE with a rate from 0 to 1")


def _no_log_at_all(reports: list[Report], paths: Sequence[str]) -> Iterator[Report]:
    """A report of its own where every file of the given folders was left alone."""
    if reports and all(report.status == "rejected" and not report.rejected for report in reports):
        given = ", ".join(str(path) for path in paths)
        message = f"none of the {len(reports)} files there is a log that a reader knows"
        hint = "branchlight formats lists what can be read; name a file itself to see what was looked for in it."
        yield Report(given, None, "rejected", {}, [shown(Problem(message, given, hint, kind="unknown_format", rejected=True))])


def _silently(_what: str, _done: int, _total: int) -> None:
    """Progress for callers that want none."""


def _native_groups(found: list[Job]) -> list[list[Job]]:
    groups: list[list[Job]] = []
    size = COMMIT_BYTES
    for job in found:
        if size + job.bytes > COMMIT_BYTES:
            groups.append([])
            size = 0
        groups[-1].append(job)
        size += job.bytes
    return groups


def _load_native(work: _Work, group: list[Job]) -> None:
    """Stage native logs; where they share runs with loaded ones, those are read again beside them."""
    while True:
        group = sorted(group, key=lambda job: job.key)  # which line is the later one does not depend on what was loaded when
        with _staging(work) as (staging, aside):
            staged = bulk.stage(staging, [job.source for job in group], work.tell)
            added = _sharing_runs(work, staging, group)
            if not added:
                first = bulk.groups(staging)
                key_of = {job.source.name: job.key for job in group}
                groups = {job.key: key_of[first.get(job.source.name, job.source.name)] for job in group}
                _finish(work, staging, staged, aside, group, groups)
                return
            group = group + added


def _sharing_runs(work: _Work, staging: Staging, group: list[Job]) -> list[Job]:
    """Loaded native logs that hold a run of this staging and are not part of it yet. A run whose other log is gone is left out and named."""
    store = Store(work.folder)
    keys = {job.key for job in group}
    rows = store.query("select run_id, source from runs").to_pydict()
    source_of = dict(zip(rows["run_id"], rows["source"], strict=True))
    here = {e.source for e in store.manifest.entries if e.key in keys}
    shared = {run for (run,) in staging.con.execute("select run_id from s_runs").fetchall() if source_of.get(run) not in (None, *here)}
    if not shared:
        return []
    owners = {source_of[run] for run in shared}
    groups = {e.group for e in store.manifest.entries if e.source in owners and e.format == native.NAME}
    known = [e for e in store.manifest.entries if e.group in groups and e.key not in keys]
    following = Following() if any(job.mark for job in group) else None
    mates = jobs_of(known, work.reports, work.tell, group[0].handling, following)
    if not mates:
        bulk.leave_out(staging, shared, source_of)
    return mates


def _load_foreign(work: _Work, waiting: list[Job]) -> list[Job]:
    """Read foreign logs until a commit is full; returns those that are left."""
    with _staging(work) as (staging, aside):
        taken = _taken_runs(work.folder, {job.key for job in waiting})
        total, nodes, read = len(waiting), 0, 0
        while read < total and nodes < COMMIT_NODES:
            work.tell(f"reading {waiting[read].source.name}", read, total)
            nodes += _read(staging, waiting[read], taken)
            read += 1
        group = waiting[:read]
        _finish(work, staging, [], aside, group, {job.key: job.key for job in group})
    return waiting[read:]


def _read(staging: Staging, job: Job, taken: set[str]) -> int:
    """Stage one foreign log; returns its number of nodes."""
    problems = [job.failure] if job.failure else []
    nodes = 0
    waiting: list[Trace] = []
    try:
        for item in job.reader.read(job.source) if job.reader else ():
            if isinstance(item, Problem):
                problems.append(item)
                continue
            waiting.append(_named(item, job, taken))
            nodes += len(item.nodes)
            if sum(len(trace.nodes) + len(trace.calls) for trace in waiting) > STAGE_RECORDS or len(waiting) > STAGE_RUNS:
                staging.add_traces(waiting)
                waiting.clear()
    except TraceError as error:
        problems.append(as_problem(error, job.source.name))
    staging.add_traces(waiting)
    staging.add_problems(problems, job.source.name)
    return nodes


def _named(trace: Trace, job: Job, taken: set[str]) -> Trace:
    """The run with its source, format and fingerprint, under an id that no other log's run has."""
    name = job.reader.NAME if job.reader else ""
    run = dataclasses.replace(trace.run, source=job.source.name, source_format=name, fingerprint=fingerprint(trace.run.protocol))
    if run.run_id not in taken:
        taken.add(run.run_id)
        return dataclasses.replace(trace, run=run)
    new = f"{run.run_id}@{hashlib.blake2b(job.key.encode(), digest_size=3).hexdigest()}"
    while new in taken:
        new += "+"
    taken.add(new)
    warning = f"another run is called {run.run_id!r}; this one is shown as {new!r}"
    run = dataclasses.replace(run, run_id=new, warnings=(*run.warnings, warning))
    return Trace(
        run,
        tuple(dataclasses.replace(node, run_id=new) for node in trace.nodes),
        tuple(dataclasses.replace(call, run_id=new) for call in trace.calls),
        tuple(dataclasses.replace(row, run_id=new) for row in trace.truth),
    )


def _taken_runs(folder: Path, replaced: set[str]) -> set[str]:
    store = Store(folder)
    gone = {entry.source for entry in store.manifest.entries if entry.key in replaced}
    rows = store.query("select run_id, source from runs").to_pydict()
    return {run_id for run_id, source in zip(rows["run_id"], rows["source"], strict=True) if source not in gone}


@contextlib.contextmanager
def _staging(work: _Work) -> Iterator[tuple[Staging, Path]]:
    aside = commit.workspace(work.folder)
    staging = Staging(aside, work.redactor, work.payloads)
    try:
        yield staging, aside
    finally:
        staging.close()
        shutil.rmtree(aside, ignore_errors=True)


def _finish(work: _Work, staging: Staging, staged: list[lines.Piece], aside: Path, group: list[Job], groups: dict[str, str]) -> None:
    """Label, check, count, write and make visible what is staged for ``group``."""
    if not staged:  # lines of native logs that name one node are one node
        make_unique(staging)
    shape(staging)
    check(staging)
    bulk.name_problems(staging, staged)
    counted = count.of_sources(staging, [job.source.name for job in group])
    out = aside / "out"
    out.mkdir()
    with staging.progress(work.tell, "writing"):
        write(staging, out)
    entries = []
    for job in group:
        counts, report = counted[job.source.name], work.reports[job.key]
        report.counts, report.problems = counts, count.problems_of(staging, job.source.name) if counts["problems"] else []
        if counts["rejected"] and not counts["runs"]:
            report.status = "rejected"
        name = job.reader.NAME if job.reader else ""
        entry = Entry(job.key, job.source.name, name, groups[job.key], "", job.bytes, job.mtime_ns, job.digest, counts, job.handling)
        entries.append(dataclasses.replace(entry, mark=job.mark))
    replaced = {job.key for job in group if job.known is not None}
    commit.commit(work.folder, out, entries, replaced, _runs_of(work.folder, replaced))


def _runs_of(folder: Path, keys: set[str]) -> set[str]:
    store = Store(folder)
    sources = sorted(entry.source for entry in store.manifest.entries if entry.key in keys)
    rows = store.query("select run_id from runs where list_contains($sources, source)", sources=sources) if sources else None
    return set(rows["run_id"].to_pylist()) if rows is not None else set()

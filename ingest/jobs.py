"""Which sources have to be read? Found, recognised, and compared with what the store knows about them."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ingest import tail
from ingest.discover import discover, spool_stdin
from ingest.errors import Problem, TraceError
from ingest.readers import Reader, find_reader, native
from ingest.source import Source
from ingest.store import Entry, Store

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""
DIGEST_BYTES = 64 << 20
"""Smaller files are compared by content, larger ones by size and time of change: reading them only to compare would cost too much."""

_LOG_SUFFIXES = (".json", ".jsonl", ".ndjson", ".log", ".traj", ".eval", ".gz", ".zst")


@dataclass(slots=True)
class Report:
    """What became of one source: a row of ``ingest --json``."""

    source: str
    format: str | None
    status: str
    """loaded | unchanged | replaced | rejected"""
    counts: dict[str, int | None] = field(default_factory=dict)
    problems: list[dict[str, object]] = field(default_factory=list)
    """The first thousand; all of them are in the store."""

    @property
    def rejected(self) -> bool:
        """Whether anything was left out that should not have been: a file of a folder that is no log is left alone, which is no fault."""
        return any(problem["rejected"] for problem in self.problems) or bool(self.counts.get("rejected"))


@dataclass(frozen=True, slots=True)
class Job:
    """One source to be read, with what the store knew about it."""

    source: Source
    key: str
    reader: Reader | None
    """None where no reader claims it; then ``failure`` says why."""
    digest: str
    bytes: int
    mtime_ns: int
    known: Entry | None
    failure: Problem | None = None
    handling: str = "all"
    """Redaction and payload policy that it is read with."""
    mark: str = ""
    """Names the bytes that are read of a log that is followed; see ``ingest/tail.py``."""

    @property
    def native(self) -> bool:
        """Whether it is one of our own logs, which are read in bulk."""
        return self.reader is not None and self.reader.NAME == native.NAME


@dataclass(frozen=True, slots=True)
class Following:
    """How logs are read that may still be written."""

    only: Collection[str] | None = None
    """Keys of those that are to be looked at; None: all."""
    whole: Collection[str] = ()
    """Keys of those that are to be loaded again even where they only grew."""


def jobs(
    store: Store,
    space: Path,
    paths: Sequence[str],
    format_name: str | None,
    reports: dict[str, Report],
    tell: Progress,
    handling: str = "all",
    following: Following | None = None,
) -> list[Job]:
    """What has to be read, in a stable order; everything else gets its report at once.

    ``handling`` names redaction and payload policy: a log that was loaded with another is read again. With ``following`` native logs are
    read up to their last complete line, and one that only grew is no job: what was appended is taken in without it. Raises TraceError when
    the named format is unknown.
    """
    known = {entry.key: entry for entry in store.manifest.entries}
    given = _given(store, space, paths, format_name, tell, handling, following)
    changed = {job.key for job in given.values() if isinstance(job, Job) and job.known is not None and not _same(job, job.known)}
    steady = [entry for entry in known.values() if entry.format and entry.key not in changed and entry.handling == handling]
    loaded = {entry.digest: entry for entry in steady if entry.digest}
    found: dict[str, Job] = {}
    first: dict[str, Job] = {}
    for key, job in given.items():
        if isinstance(job, Problem):
            reports[key] = Report(key, None, "rejected", {}, [shown(job)])
        elif job.failure is not None and _no_log(job):
            reports[key] = Report(job.source.name, None, "rejected", {}, [shown(dataclasses.replace(job.failure, rejected=False))])
        elif job.known is not None and key not in changed:
            reports[key] = _unchanged(store, job.known)
        elif (twin := _twin(job, loaded, first)) and (job.known is None or job.known.digest == job.digest):
            reports[key] = Report(job.source.name, job.reader.NAME if job.reader else None, "unchanged", {}, [shown(twin)])
        else:
            found[key] = dataclasses.replace(job, reader=None, failure=twin) if twin else first.setdefault(job.digest or key, job)
            reports[key] = Report(job.source.name, job.reader.NAME if job.reader else None, "replaced" if job.known else "loaded")
    groups = {job.known.group for job in found.values() if job.known is not None and job.native}
    mates = [e for e in known.values() if e.group in groups and e.format == native.NAME and e.key not in found]
    return [*found.values(), *jobs_of(mates, reports, tell, handling, following)]


def _as_followed(job: Job, following: Following) -> Job:
    """A plain native log up to its last complete line, as the store holds it where it only grew; any other job as it is."""
    if not job.native or not can_grow(job.source):
        return job
    path, known = job.source.path, None if job.key in following.whole else job.known
    try:
        if known is not None and known.mark and known.handling == job.handling and tail.appended(path, known.bytes, known.mark) is not None:
            source = dataclasses.replace(job.source, limit=known.bytes)
            return dataclasses.replace(job, source=source, bytes=known.bytes, mtime_ns=known.mtime_ns, digest=known.digest, mark=known.mark)
        whole = tail.whole_lines(path, job.bytes)
        source = dataclasses.replace(job.source, limit=whole)
        return dataclasses.replace(job, source=source, bytes=whole, digest=job.digest if whole == job.bytes else "", mark=tail.mark(path, whole))
    except OSError:  # gone again: reading it will say so
        return job


def can_grow(source: Source) -> bool:
    """Whether lines can be appended to it: a plain file, neither packed nor a member of an archive."""
    if source.member is not None or not source.path.is_file():
        return False
    with source.path.open("rb") as stream:
        start = stream.read(4)
    return start[:2] != b"\x1f\x8b" and start != b"\x28\xb5\x2f\xfd"


def jobs_of(
    entries: Iterable[Entry], reports: dict[str, Report], tell: Progress, handling: str = "all", following: Following | None = None
) -> list[Job]:
    """Jobs that read loaded native logs once more; those whose file is gone are left out."""
    again = []
    for entry in entries:
        if (place := _place(entry.key)) is not None:
            path, member = place
            source = Source(path, member, label=entry.source.removesuffix(f"!{member}"))
            job = _job(source, entry.key, entry, native.NAME, tell, handling)
            job = job if following is None else _as_followed(job, following)
            again.append(job)
            reports.setdefault(entry.key, Report(entry.source, entry.format, "unchanged" if _same(job, entry) else "replaced"))
    return again


def _given(
    store: Store, space: Path, paths: Sequence[str], format_name: str | None, tell: Progress, handling: str, following: Following | None
) -> dict[str, Job | Problem]:
    """Every log behind the paths by its key, once, compared with what the store knows of it."""
    known = {entry.key: entry for entry in store.manifest.entries}
    named = {entry.source: entry.key for entry in known.values()}
    inside = store.folder.resolve()
    found: dict[str, Job | Problem] = {}
    for item in discover([str(path) for path in paths]):
        if isinstance(item, Problem):
            found[item.where] = item
            continue
        source = spool_stdin(space, handling) if item.path == Path("-") else item
        place = source.path.resolve()
        key = source.name if item.path == Path("-") else key_of(source)
        if key in found or (place.is_relative_to(inside) and item.path != Path("-")):
            continue
        if following is not None and following.only is not None and key not in following.only:
            continue
        if named.setdefault(source.name, key) != key:  # two files of one relative name, loaded from two folders
            source = dataclasses.replace(source, label=str(place))
        job = _job(source, key, known.get(key), format_name, tell, handling)
        found[key] = job if following is None else _as_followed(job, following)
    return found


def key_of(source: Source) -> str:
    """Absolute path, with ``!member`` inside an archive."""
    return f"{source.path.resolve()}{'!' + source.member if source.member else ''}"


def _place(key: str) -> tuple[Path, str | None] | None:
    """The file behind a key, and the member in it; None where it is gone. Names may hold the mark, too."""
    if Path(key).is_file():
        return Path(key), None
    marks = [at for at, mark in enumerate(key) if mark == "!"]
    return next(((Path(key[:at]), key[at + 1 :]) for at in marks if Path(key[:at]).is_file()), None)


def shown(problem: Problem) -> dict[str, object]:
    """A problem as ``ingest --json`` lists it."""
    return {"where": problem.where, "message": problem.message, "hint": problem.hint, "kind": problem.kind, "rejected": problem.rejected}


def as_problem(error: TraceError, name: str) -> Problem:
    """A log that cannot be read further, as a problem of that log."""
    return Problem(error.message, error.where or name, error.hint, kind=error.kind, rejected=True)


def _job(source: Source, key: str, known: Entry | None, format_name: str | None, tell: Progress, handling: str) -> Job:
    size, mtime_ns, digest = 0, 0, ""
    try:
        size, mtime_ns = _extent(source)
        if known is not None and (known.bytes, known.mtime_ns) == (size, mtime_ns):
            digest = known.digest
        elif 0 < size <= DIGEST_BYTES:
            digest = _digest(source, tell)
        return Job(source, key, find_reader(source, format_name), digest, size, mtime_ns, known, None, handling)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        failure = Problem(f"cannot be read: {reason}", source.name, "Check its permissions.", "unreadable", rejected=True)
    except TraceError as error:
        if format_name is not None and not error.where:
            raise
        failure = as_problem(error, source.name)
    return Job(source, key, None, digest, size, mtime_ns, known, failure, handling)


def _digest(source: Source, tell: Progress) -> str:
    """blake2b over the stored bytes and the name of the member; of a folder over the names and bytes of its files."""
    state = hashlib.blake2b((source.member or "").encode(), digest_size=16)
    tell(f"reading {source.name}", 0, 1)
    for path in source.files():
        if path != source.path:
            state.update(f"{path.relative_to(source.path).as_posix()}\0{path.stat().st_size}\0".encode("utf-8", "surrogateescape"))
        with path.open("rb") as stream:
            while block := stream.read(1 << 22):
                state.update(block)
    return state.hexdigest()


def _extent(source: Source) -> tuple[int, int]:
    """Bytes and latest time of change."""
    infos = [path.stat() for path in source.files()]
    return sum(info.st_size for info in infos), max((info.st_mtime_ns for info in infos), default=0)


def _same(job: Job, known: Entry) -> bool:
    if job.handling != known.handling:
        return False
    if (job.bytes, job.mtime_ns) == (known.bytes, known.mtime_ns):
        return (job.reader.NAME if job.reader else "") == known.format
    return bool(job.digest) and job.digest == known.digest and (job.reader.NAME if job.reader else "") == known.format


def _unchanged(store: Store, entry: Entry) -> Report:
    sql = (
        "select coalesce(path, source || coalesce(':' || line, '')) as \"where\", message, hint, kind, rejected from problems "
        "where source = $source order by line nulls last limit 1000"
    )
    problems = store.query(sql, source=entry.source).to_pylist() if entry.counts.get("problems") else []
    return Report(entry.source, entry.format or None, "unchanged" if entry.format else "rejected", dict(entry.counts), problems)


def _no_log(job: Job) -> bool:
    """Whether a file was only met on the way through a folder and is no log, so that it is left alone."""
    failure, name = job.failure, (job.source.member or job.source.path.name).lower()
    if failure is None or not job.source.walked or (job.known is not None and job.known.format):
        return False
    return failure.kind == "unknown_format" or (failure.kind == "empty" and not name.endswith(_LOG_SUFFIXES))


def _twin(job: Job, loaded: dict[str, Entry], first: dict[str, Job]) -> Problem | None:
    """Says that another log holds the same bytes, where one does."""
    if not job.digest:
        return None
    if (entry := loaded.get(job.digest)) is not None:
        return Problem(f"holds the same bytes as {entry.source}, which is loaded already", job.source.name, kind="same_file")
    if (other := first.get(job.digest)) is not None:
        return Problem(f"holds the same bytes as {other.source.name}; counted once", job.source.name, kind="same_file")
    return None

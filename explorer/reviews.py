"""What did people say about runs and nodes? Append-only JSON Lines inside the store, one file a reviewer, that git can merge.

A line is never changed. What was said can be said anew: of the lines of one reviewer about one thing the last one counts, and it
names the one that it stands in for (``supersedes``). Two tabs or two processes may write at once: each line is one write to the
end of the file. Reviewers of one name share a file.
"""

from __future__ import annotations

import dataclasses
import json
import os
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from explorer import queries
from explorer.analysis.known import Marks
from ingest.errors import Problem, TraceError
from ingest.schema import Truth
from ingest.store import Store

FOLDER = "reviews"
KINDS = ("mark", "verdict", "note", "bookmark")
MARKS = ("right", "not_right", "none_of_its_children")
VERDICTS = ("generation", "evaluation", "control", "not_lost", "unsure")
CONFIDENCES = ("sure", "likely", "guess")
LONGEST = 100_000
"""Characters of one text; a longer one is refused, never cut."""
_TEXTS = ("id", "kind", "run_id", "reviewer", "at")
_OR_NULL = ("run_digest", "node_id", "mark", "verdict", "better", "confidence", "note", "tool", "supersedes")
_NOT_SAID = frozenset({"id", "at", "tool", "supersedes", "run_digest"})
"""Fields in which a repeat may differ and still says nothing new."""
_NAME_LIMIT = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """One line: one thing that one reviewer said."""

    id: str
    kind: str
    """mark | verdict | note | bookmark"""
    run_id: str
    run_digest: str | None = None
    """What the run's nodes were then; see ``queries/run_contents.sql``."""
    node_id: str | None = None
    """What a mark, note or bookmark is about; for a verdict the decisive node."""
    mark: str | None = None
    """right | not_right | none_of_its_children"""
    verdict: str | None = None
    """generation | evaluation | control | not_lost | unsure"""
    better: str | None = None
    """The better alternative: a node, or in words the step that was never proposed."""
    evidence: tuple[str, ...] = ()
    """Nodes that the verdict rests on."""
    confidence: str | None = None
    """sure | likely | guess"""
    note: str | None = None
    reviewer: str
    at: str
    """UTC, ISO 8601."""
    tool: str | None = None
    """Version of branchlight that wrote the line."""
    supersedes: str | None = None
    """The line that this one stands in for."""
    withdrawn: bool = False
    """What was said before is taken back, and nothing is said in its place."""

    @property
    def about(self) -> tuple[str, str, str, str | None]:
        """What it speaks of: of several lines with the same one the last counts. A run has one verdict a reviewer."""
        return self.reviewer, self.kind, self.run_id, None if self.kind == "verdict" else self.node_id


@dataclass(frozen=True)
class Reviews:
    """All that was said, and what was wrong with the files."""

    lines: tuple[Review, ...] = ()
    """In order of time; repeats and lines that stand for nothing are gone."""
    problems: tuple[Problem, ...] = ()

    @property
    def current(self) -> tuple[Review, ...]:
        """What counts now: the last line about each thing, unless it takes back what was said."""
        last = {line.about: line for line in self.lines}
        return tuple(line for line in last.values() if not line.withdrawn)


def read(folder: Path) -> Reviews:
    """The reviews of a store; empty where there are none. A torn or bad line is a problem that names file and line, the rest counts."""
    lines: list[Review] = []
    problems: list[Problem] = []
    for path in _files(folder):
        try:
            content = path.read_bytes()
        except OSError as error:
            problems.append(Problem(f"the reviews cannot be read: {os.strerror(error.errno or 0).lower()}", str(path), kind="review"))
            continue
        for number, raw in enumerate(content.split(b"\n"), start=1):
            if not raw.strip():
                continue
            parsed = _parse(raw, f"{path}:{number}", number)
            if isinstance(parsed, Problem):
                problems.append(parsed)
            else:
                lines.append(parsed)
    return Reviews(_without_repeats(sorted(lines, key=lambda line: line.at)), tuple(problems))


def state_of(folder: Path) -> str:
    """Changes whenever a review was added: a key for caches."""
    stamps = ((path.name, path.stat()) for path in _files(folder))
    return "-".join(f"{name}.{stat.st_size}.{stat.st_mtime_ns}" for name, stat in stamps) or "none"


def add(store: Store, said: Mapping[str, Any]) -> Review:
    """Write what a reviewer said as one line, and return it; an identical repeat returns the line that is there.

    Args:
        said: fields of Review; ``kind``, ``run_id`` and ``reviewer`` at least. The rest is filled in here.

    Raises TraceError when something that was said is not allowed, or the line cannot be written; then nothing was.
    """
    given = {name: value.strip() or None if isinstance(value, str) else value for name, value in said.items() if value is not None}
    now = {"id": uuid.uuid4().hex, "at": datetime.now(UTC).isoformat(timespec="microseconds"), "tool": version("branchlight")}
    line = _checked({**now, **given})
    before = next((one for one in reversed(read(store.folder).lines) if one.about == line.about), None)
    if before is not None and (before.id == line.id or _same(before, line)):
        return before
    digest = queries.run(store, "run_contents", run_id=line.run_id)["digest"].to_pylist()[0]
    line = dataclasses.replace(line, run_digest=digest, supersedes=before.id if before else None)
    _append(file_of(store.folder, line.reviewer), line)
    return line


def marks(reviews: Iterable[Review]) -> Marks:
    """What reviewers say about nodes, as truth for the verdict."""
    said = [line for line in reviews if line.kind == "mark" and line.node_id is not None]
    truth = tuple(
        Truth(run_id=line.run_id, node_id=line.node_id, viable=line.mark == "right", viable_by="reviewer", detail=line.reviewer)
        for line in said
        if line.node_id is not None and line.mark in ("right", "not_right")
    )
    return Marks(truth, frozenset((line.run_id, line.node_id) for line in said if line.node_id and line.mark == "none_of_its_children"))


def file_of(folder: Path, reviewer: str) -> Path:
    """Where a reviewer's lines are kept. Any name gives a safe file name: it never leaves the folder, and is never hidden or too long."""
    name = quote(" ".join(reviewer.split()), safe="").replace(".", "%2E").replace("~", "%7E")
    if len(name) > _NAME_LIMIT:
        name = f"{name[:_NAME_LIMIT].rsplit('%', 1)[0]}-{sha256(reviewer.encode()).hexdigest()[:8]}"
    return folder / FOLDER / f"{name}.jsonl"


def document(line: Review) -> dict[str, Any]:
    """One line as it is written and exported."""
    return dataclasses.asdict(line)


def _files(folder: Path) -> Sequence[Path]:
    return sorted((folder / FOLDER).glob("*.jsonl"))


def _append(path: Path, line: Review) -> None:
    data = json.dumps(document(line), ensure_ascii=False).encode("utf-8") + b"\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            if _is_torn(handle):  # a line that a killed writer left unfinished must not swallow this one
                data = b"\n" + data
            written = os.write(handle, data)
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        raise _not_written(path, os.strerror(error.errno or 0).lower()) from error
    if written < len(data):
        raise _not_written(path, "no space left on device")


def _is_torn(handle: int) -> bool:
    size = os.lseek(handle, 0, os.SEEK_END)
    if not size:
        return False
    os.lseek(handle, size - 1, os.SEEK_SET)
    return os.read(handle, 1) != b"\n"


def _not_written(path: Path, why: str) -> TraceError:
    return TraceError(f"the review cannot be written: {why}", str(path), "What was recorded before is kept; record it again when there is room.")


def _parse(raw: bytes, where: str, number: int) -> Review | Problem:
    shown = raw.decode("utf-8", "replace")[:4_000]
    hint = "The other lines count. Mend the line or delete it."
    try:
        found = json.loads(raw.decode("utf-8"))
        if not isinstance(found, dict):
            raise TraceError(f"it is {type(found).__name__}, expected an object")
        return _checked(found)
    except (ValueError, RecursionError):
        message = "this line is not a whole JSON object: it was torn, or edited by hand"
    except TraceError as error:
        message = f"this line is no review: {error.message}"
    return Problem(message, where, hint, kind="review", line=number, raw=shown, rejected=True)


def _checked(found: Mapping[str, Any]) -> Review:
    """The fields as a Review. Raises TraceError naming the one that is wrong; fields of a later version are left out."""
    known = {field.name for field in dataclasses.fields(Review)}
    values = {name: _clean(value) for name, value in found.items() if name in known}
    for name in (*_TEXTS, *_OR_NULL):
        value = values.get(name)
        if (value is None and name in _TEXTS) or not isinstance(value, str | None) or (name in _TEXTS and not value):
            raise TraceError(f"{name!r} is {value!r}, expected text")
        if value is not None and len(value) > LONGEST:
            raise TraceError(f"{name!r} has {len(value):,} characters, at most {LONGEST:,} are kept")
    evidence = values.get("evidence", ())
    if not isinstance(evidence, (list, tuple)) or not all(isinstance(node, str) for node in evidence):
        raise TraceError(f"'evidence' is {evidence!r}, expected a list of node ids")
    if not isinstance(values.get("withdrawn", False), bool):
        raise TraceError(f"'withdrawn' is {values['withdrawn']!r}, expected true or false")
    line = Review(**{**values, "evidence": tuple(evidence)})
    _check_words(line)
    return line


def _check_words(line: Review) -> None:
    allowed = (("kind", KINDS), ("mark", (None, *MARKS)), ("verdict", (None, *VERDICTS)), ("confidence", (None, *CONFIDENCES)))
    for name, words in allowed:
        if getattr(line, name) not in words:
            raise TraceError(f"{name!r} is {getattr(line, name)!r}, expected one of {', '.join(str(word) for word in words if word)}")
    if line.kind != "verdict" and line.node_id is None:
        raise TraceError(f"a {line.kind} names no node")
    needed = {"mark": line.mark, "verdict": line.verdict, "note": line.note}
    if line.kind in needed and needed[line.kind] is None and not line.withdrawn:
        raise TraceError(f"a {line.kind} that says nothing")


def _clean(value: Any) -> Any:
    """Texts that can be written as UTF-8, whatever a browser sent."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value


def _without_repeats(lines: Sequence[Review]) -> tuple[Review, ...]:
    """Each line that says something new: two writers may have recorded the same at once, and a merge may hold a line twice."""
    last: dict[tuple[str, str, str, str | None], Review] = {}
    kept = []
    for line in lines:
        before = last.get(line.about)
        if before is None or not (_same(before, line) or before.id == line.id):
            last[line.about] = line
            kept.append(line)
    return tuple(kept)


def _same(one: Review, other: Review) -> bool:
    said, again = document(one), document(other)
    return all(said[name] == again[name] for name in said if name not in _NOT_SAID)

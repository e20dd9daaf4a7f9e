"""What does one program file of an OpenEvolve database hold? For ``openevolve_db`` only."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingest.errors import Problem, TraceError
from ingest.readers import fields
from ingest.readers.fields import Malformed
from ingest.schema import Call, Fate, Node, Role, ScoreSource, Tier
from ingest.source import Source

_COLUMNS = ("id", "code", "parent_id", "artifacts_json", "prompts")
_NO_SCORE = "the evaluation gave no combined_score"


@dataclass(frozen=True, slots=True)
class Folder:
    """One checkpoint: its program files, and the files that are no part of it."""

    name: str
    metadata: Path
    files: list[Path]
    others: list[Path]


@dataclass(frozen=True, slots=True)
class Entry:
    """One program as logged, and the last checkpoint that holds it."""

    node_id: str
    parent_id: str | None
    folder: str
    raw: dict[str, Any]

    @property
    def order(self) -> tuple[float, float, str]:
        """Order of making: the iteration, then the time, as far as they are logged."""
        found, at = fields.number(self.raw.get("iteration_found")), fields.number(self.raw.get("timestamp"))
        return (found if found is not None else float("inf"), at if at is not None else float("inf"), self.node_id)


def programs(folder: Folder, source: Source) -> Iterator[Entry | Problem | dict[str, Any]]:
    """Every program, what is wrong with any file, and last the metadata as an object."""

    def named(file: Path) -> str:
        return f"{source.name}/{file.relative_to(source.path).as_posix()}"

    for file in folder.files:
        document: Any = None
        try:
            document = Source(file, label=named(file)).json()
            yield _program(document, folder.name)
        except TraceError as error:
            yield Problem(error.message, error.where or named(file), error.hint, kind="bad_record", rejected=True)
        except Malformed as error:
            yield error.problem(named(file), document)
    for file in folder.others:
        yield Problem("is no part of this program database and was left alone", named(file), "Name the file to load it.", kind="left_alone")
    if folder.metadata.is_file():
        try:
            metadata = Source(folder.metadata, label=named(folder.metadata)).json()
        except TraceError as error:
            yield Problem(error.message, error.where or named(folder.metadata), error.hint, kind="bad_record", rejected=True)
            return
        if isinstance(metadata, dict):
            yield metadata
        else:
            wrong = Malformed("$", f"{fields.kind_of(metadata)} where an object was expected")
            yield wrong.problem(named(folder.metadata), metadata)


def _program(raw: Any, folder: str) -> Entry:
    if not isinstance(raw, dict):
        raise Malformed("$", f"{fields.kind_of(raw)} where a program was expected")
    node_id, parent = raw.get("id"), raw.get("parent_id")
    if not isinstance(node_id, str) or not node_id:
        raise Malformed("$.id", f"{fields.kind_of(node_id) if node_id != '' else 'nothing'} where the id of a program was expected")
    if parent is not None and (not isinstance(parent, str) or not parent):
        raise Malformed("$.parent_id", f"{fields.kind_of(parent)} where the id of a program was expected")
    try:
        fields.json_text(raw)
    except RecursionError:
        raise Malformed("$", "a value is nested too deeply") from None
    return Entry(node_id, parent, folder, raw)


def node_of(run_id: str, entry: Entry, seq: int, has_children: bool, dropped: bool) -> Node:
    """The node record. ``generation`` is the logged depth: where parents are missing, it is larger than the links tell."""
    raw = entry.raw
    value = fields.object_or_empty(raw, "metrics").get("combined_score")
    score, started = fields.number(value), fields.instant(raw.get("timestamp"))
    generation = fields.whole(raw.get("generation"))
    fate = Fate.EXPANDED if has_children else Fate.PRUNED if dropped else Fate.UNSCORED if score is None else Fate.OPEN
    taken = {*_COLUMNS, *(("timestamp",) if started else ()), *(("generation",) if generation is not None else ())}
    return Node(
        run_id=run_id,
        node_id=entry.node_id,
        parent_ids=(entry.parent_id,) if entry.parent_id is not None else (),
        depth=generation,
        seq=seq,
        step=fields.text(fields.object_or_empty(raw, "metadata").get("changes")) or fields.text(raw.get("changes_description")),
        state=fields.json_text(raw["code"]) if raw.get("code") is not None else None,
        observation=fields.text(raw.get("artifacts_json")),
        score=score,
        score_raw=fields.json_text(value) if value is not None else None,
        score_source=ScoreSource.VERIFIER if score is not None else None,
        tier=Tier.DOMAIN_SIGNAL if score is not None else None,
        error=_NO_SCORE if score is None else None,
        fate=fate,
        started_at=started,
        extra=fields.extra_text(fields.without(raw, taken) | ({"last_checkpoint": entry.folder} if dropped else {})),
    )


def calls_of(run_id: str, entry: Entry, known: Collection[str]) -> Iterator[Call]:
    """Each kept response that the program was made from, at its parent; the database keeps no tokens, no cost and no model."""
    prompts, asked_at = entry.raw.get("prompts"), entry.parent_id if entry.parent_id in known else None
    for name, asked in prompts.items() if isinstance(prompts, dict) else ():
        said = [{"role": key, "content": asked[key]} for key in ("system", "user") if key in asked] if isinstance(asked, dict) else asked
        answers = fields.list_or_empty(asked, "responses") or [None]
        rest = fields.without(asked, ("system", "user", "responses")) if isinstance(asked, dict) else {}
        for at, answer in enumerate(answers):
            yield Call(
                run_id=run_id, call_id=f"{entry.node_id}/{name}/{at}", node_id=asked_at, role=Role.PROPOSER, template_id=name,
                prompt=fields.json_text(said), response=fields.text(answer), extra=fields.extra_text(rest),
            )  # fmt: skip

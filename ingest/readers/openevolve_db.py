"""OpenEvolve program databases: a folder is one run, each program a file; all checkpoints of a folder are united.

Format: what ``ProgramDatabase.save`` of openevolve writes: ``programs/<id>.json`` and ``metadata.json``, or the program files alone. A parent that
the database dropped before it was saved is not in the folder: its children are orphans, not roots. The score is ``combined_score``; other metrics
are kept beside it and never averaged. A program that an earlier checkpoint holds and the last one does not was dropped: pruned, by no recorded rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from ingest.errors import Problem
from ingest.readers import fields
from ingest.readers.openevolve_db_programs import Entry, Folder, calls_of, node_of, programs
from ingest.schema import Run, Trace
from ingest.source import Source

NAME = "openevolve-db"
PRODUCER = "OpenEvolve: program databases, with all their checkpoints"
LOOKS_FOR = "a folder (name the folder) of <id>.json files that are objects with id and code, or of checkpoint_<n> folders that hold them"
TELLS = {
    "generation": "request indices; prompts and responses where they were not kept",
    "evaluation": "evaluator's responses (metrics and artifacts are there)",
    "control": "pruning rules, stop reason, programs that the database dropped",
    "spend": "tokens, cost and time",
    "replay": "yes, where prompts are kept",
    "compare": "protocol, whether the answer is right",
}
_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_GENERIC = re.compile(r"checkpoints?|checkpoint_\d+|programs")
_LOOKED_AT = 3


def sniff(source: Source) -> bool:
    """One file is never the whole run."""
    return source.path.is_dir() and source.member is None and sniff_folder(source.path)


def sniff_folder(path: Path) -> bool:
    """Whether the folder is one database, or holds the checkpoints of one."""
    try:
        return any(_holds_programs(folder) for folder in islice(_checkpoints(path), _LOOKED_AT))
    except OSError:
        return False


def read(source: Source) -> Iterator[Trace | Problem]:
    """A Problem for every file that could not be read, then the run."""
    try:
        folders = [_folder(folder) for folder in _checkpoints(source.path)]
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        yield Problem(f"cannot be read as a folder: {reason}", source.name, f"Looked for {LOOKS_FOR}.", kind="bad_record", rejected=True)
        return
    if not any(folder.files for folder in folders):
        yield Problem("a folder of program files was expected", source.name, f"Looked for {LOOKS_FOR}.", kind="bad_record", rejected=True)
        return
    found: dict[str, Entry] = {}
    metadata: dict[str, Any] = {}
    for folder in folders:
        for item in programs(folder, source):
            if isinstance(item, Problem):
                yield item
            elif isinstance(item, Entry):
                found[item.node_id] = item
            else:
                metadata = item
    yield _trace(_run_id(source), sorted(found.values(), key=lambda entry: entry.order), metadata, folders)


def _trace(run_id: str, found: Sequence[Entry], metadata: dict[str, Any], folders: Sequence[Folder]) -> Trace:
    parents, ids = {entry.parent_id for entry in found if entry.parent_id is not None}, {entry.node_id for entry in found}
    last = folders[-1].name
    dropped = [entry for entry in found if entry.folder != last]
    nodes = tuple(node_of(run_id, entry, seq, entry.node_id in parents, entry.folder != last) for seq, entry in enumerate(found))
    best = metadata.get("best_program_id")
    return Trace(
        Run(
            run_id=run_id,
            selected_path=fields.path_to(best, nodes) if isinstance(best, str) else None,
            level_by_level=False,
            source_format=NAME,
            warnings=tuple(_warnings(found, metadata, dropped)),
            extra=fields.extra_text(metadata | ({"checkpoints": [folder.name for folder in folders]} if len(folders) > 1 else {})),
        ),
        nodes,
        tuple(call for entry in found for call in calls_of(run_id, entry, ids)),
    )


def _warnings(found: Sequence[Entry], metadata: dict[str, Any], dropped: Sequence[Entry]) -> Iterator[str]:
    ids = {entry.node_id for entry in found}
    if not metadata:
        yield "no metadata.json: which program was chosen is not recorded"
    last = fields.whole(metadata.get("last_iteration"))
    if last is not None and last >= len(found):
        yield f"the search made {last} iterations and {len(found)} programs are left: what the database dropped before it was saved is not recorded"
    if dropped:
        yield f"{len(dropped)} programs are in earlier checkpoints only: the database dropped them, by no recorded rule"
    gone = [key for key in ("best_program_id",) if isinstance(metadata.get(key), str) and metadata[key] not in ids]
    if gone:
        yield "best_program_id names a program that is not in the folder: no selected path was taken"
    missing = sum(entry.parent_id is not None and entry.parent_id not in ids for entry in found)
    if missing:
        yield f"{missing} programs name a parent that is not in the folder: they hang from a stand-in and are no roots"


def _checkpoints(path: Path) -> Iterator[Path]:
    """The checkpoints in a folder by number, or the folder itself."""
    numbered = [(int(match[1]), child) for child in path.iterdir() if (match := re.fullmatch(r"checkpoint_(\d+)", child.name)) and child.is_dir()]
    yield from (child for _, child in sorted(numbered)) if numbered else (path,)


def _folder(path: Path) -> Folder:
    inside = path / "programs" if (path / "programs").is_dir() else path
    files = sorted(file for file in inside.glob("*.json") if re.fullmatch(_UUID, file.stem) or inside != path)
    known = {*files, *(path / name for name in ("metadata.json", "best_program_info.json"))}
    others = [file for file in Source(path).files() if file not in known and file.stem != "best_program"]
    return Folder(path.name, path / "metadata.json", files, others)


def _holds_programs(path: Path) -> bool:
    inside = path / "programs" if (path / "programs").is_dir() else path
    first = next((file for file in sorted(inside.glob("*.json")) if re.fullmatch(_UUID, file.stem)), None)
    if first is None:
        return False
    with first.open("rb") as stream:
        head = stream.read(1_000).decode("utf-8", "replace")
    return re.match(rf'\s*\{{\s*"id"\s*:\s*"{first.stem}"\s*,\s*"code"\s*:', head) is not None


def _run_id(source: Source) -> str:
    return source.within(1) if _GENERIC.fullmatch(source.stem) else source.stem

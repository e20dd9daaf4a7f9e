"""ShinkaEvolve databases: one SQLite file, one run; a program is a node below its parent, with the programs that inspired it as further parents.

Format: ``evolution_db.sqlite`` of SakanaAI/ShinkaEvolve. A copy without its ``-wal`` file can hold no table at all, which is said. ``generation``
counts rounds, not parents: it stands in ``extra``. ``correct`` is the verifier's; the score is ``combined_score``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ingest.errors import Problem
from ingest.readers import fields, sqlite_file
from ingest.schema import Call, Fate, Node, Role, Run, ScoreSource, Tier, Trace
from ingest.source import Source

NAME = "shinka-sqlite"
PRODUCER = "ShinkaEvolve databases"
LOOKS_FOR = "a SQLite database with the tables programs and archive, or one without a table"
TELLS = {
    "generation": "request indices, prompts and responses",
    "evaluation": "yes",
    "control": "prune reasons, stop reason",
    "spend": "tokens (cost is there)",
    "replay": "prompts and responses",
    "compare": "protocol",
}
_TABLES = ("programs", "archive", "metadata_store")
_COLUMNS = ("id", "code", "parent_id", "timestamp", "combined_score", "correct", "text_feedback", "metadata")
_INSPIRED = ("archive_inspiration_ids", "top_k_inspiration_ids")
_COSTS = {"api_costs": Role.PROPOSER, "novelty_cost": Role.EVALUATOR, "embed_cost": Role.TOOL, "meta_cost": None}


def sniff(source: Source) -> bool:
    """A SQLite database with the producer's tables; or with none, as a copy without its ``-wal`` is."""
    found = sqlite_file.tables(source)
    return found is not None and (not found or {"programs", "archive"} <= found)


def read(source: Source) -> Iterator[Trace | Problem]:
    """A Problem for every program without an id, then the run."""
    with sqlite_file.connected(source) as database:
        tables = sqlite_file.names(database)
        stored = {name: list(map(_shown, sqlite_file.rows(database, f"select * from {name} order by rowid"))) for name in _TABLES if name in tables}
    if not stored:
        hint = "Copy the database with its -wal file, or checkpoint it first."
        yield Problem("the database holds no table: its rows were probably in a -wal file that is not beside it", source.name, hint, kind="empty")
        return
    programs, archive = stored.get("programs", []), {fields.text(row.get("program_id")) for row in stored.get("archive", ())}
    kept = {str(row.get("key")): row.get("value") for row in stored.get("metadata_store", ())}
    whole = [row for row in programs if fields.text(row.get("id"))]
    yield from (Problem("a program without an id", f"{source.name}: programs", kind="bad_record", rejected=True) for _ in programs[len(whole) :])
    parents = {fields.text(row.get("parent_id")) for row in whole}
    strays = len(archive - {fields.text(row["id"]) for row in whole})
    nodes = tuple(_node(source.place, seq, row, fields.text(row["id"]) in parents, archive) for seq, row in enumerate(whole))
    yield Trace(
        Run(
            run_id=source.place,
            selected_path=fields.path_to(fields.text(kept.get("best_program_id")), nodes),
            level_by_level=False,
            source_format=NAME,
            warnings=(
                *(() if nodes else ("no program was stored",)),
                *((f"the archive names {strays} program(s) that are not stored",) if strays else ()),
            ),
            extra=fields.extra_text({"metadata_store": kept} if kept else {}),
        ),
        nodes,
        tuple(call for row in whole for call in _calls(source.place, row)),
    )


def _node(run_id: str, seq: int, row: dict[str, Any], has_children: bool, archive: set[str | None]) -> Node:
    node_id, metadata = fields.text(row["id"]) or "", _json(row.get("metadata"))
    details = metadata if isinstance(metadata, dict) else {}
    inspired = {key: read for key in _INSPIRED if isinstance(read := _json(row.get(key)), list)}
    parent, score = fields.text(row.get("parent_id")), fields.number(row.get("combined_score"))
    others = [str(name) for names in inspired.values() for name in names if isinstance(name, str | int) and str(name) not in (parent, node_id)]
    started, checked = fields.instant(row.get("timestamp")), row.get("correct")
    verified = {1: True, 0: False}.get(checked) if isinstance(checked, int) else None
    unread = {key for key, value in (("timestamp", started), ("correct", verified)) if value is None}
    rest = fields.without(row, set(_COLUMNS) - unread) | inspired | ({"metadata": metadata} if metadata is not None else {})
    kept = Fate.OPEN if node_id in archive else None
    return Node(
        run_id=run_id,
        node_id=node_id,
        parent_ids=tuple(dict.fromkeys([parent, *others])) if parent else (),
        seq=seq,
        step=fields.text(details.get("patch_description")) or fields.text(details.get("patch_name")),
        state=fields.json_text(row["code"]) if "code" in row else None,
        observation=fields.text(row.get("text_feedback")),
        score=score,
        score_raw=fields.text(row.get("combined_score")),
        tier=Tier.DOMAIN_SIGNAL if score is not None else None,
        score_source=ScoreSource.VERIFIER if score is not None else None,
        fate=Fate.EXPANDED if has_children else kept,
        verified=verified,
        started_at=started,
        extra=fields.extra_text(rest | {"in_archive": node_id in archive}),
    )


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    """The row with blobs as their sizes: the program writes none."""
    return {key: f"{len(value)} bytes" if isinstance(value, bytes) else value for key, value in row.items()}


def _calls(run_id: str, row: dict[str, Any]) -> Iterator[Call]:
    """What making and judging a program cost, as far as it is logged; tokens are not."""
    metadata = _json(row.get("metadata"))
    for key, role in _COSTS.items():
        cost = fields.number(metadata.get(key)) if isinstance(metadata, dict) else None
        if cost is not None:
            node_id, model = fields.text(row["id"]) or "", fields.text(metadata.get("model_name")) if role is Role.PROPOSER else None
            yield Call(run_id=run_id, call_id=f"{node_id}/{key}", node_id=node_id, role=role, cost=cost, model=model)


def _json(raw: Any) -> Any:
    try:
        return json.loads(raw) if isinstance(raw, str) else raw
    except (ValueError, RecursionError):
        return raw

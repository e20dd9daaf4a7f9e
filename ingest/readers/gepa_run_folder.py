"""What do the JSON files of a GEPA run folder tell? ``candidates.json`` and ``run_log.json``, one entry an iteration. For ``gepa`` only.

The scores of the validation set are in ``gepa_state.bin`` alone: a pickle, which can run code when it is opened, so it never is.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ingest.errors import Problem, TraceError
from ingest.readers import fields
from ingest.readers.fields import Malformed
from ingest.readers.gepa_run_log import Log, add_iteration
from ingest.schema import Fate, Node, Run, Stage, Trace
from ingest.source import Source

FILES = ("candidates.json", "run_log.json")
_NO_SCORES = "scores of the validation set are in gepa_state.bin, a pickle, which is not opened: no candidate has a score"
_UNKNOWN = "parents of candidates {0} are not recorded: no iteration names them, or it tried several parents at once"
_MIXED = "{0} rejected proposals have no node: others of their iteration were accepted, and which is which is not recorded"
_RULE = "minibatch"


def folder_trace(name: str, source: Source) -> Iterator[Trace | Problem]:
    """A Problem for everything that could not be read, then the run."""
    made: dict[str, dict[str, Any]] = {}
    log = Log()
    for file in FILES:
        where = f"{source.name}/{file}"
        for place, raw in _members(source.path / file, where):
            try:
                if isinstance(raw, Problem):
                    yield raw
                elif not isinstance(raw, dict):
                    raise Malformed(f"$[{place}]", f"{fields.kind_of(raw)} where an object was expected")
                elif file == FILES[0]:
                    fields.json_text(raw)
                    made[str(place)] = raw
                else:
                    add_iteration(raw, f"$[{place}]", log)
            except Malformed as error:
                yield error.problem(where, raw)
            except RecursionError:
                yield Problem("a value is nested too deeply", f"{where}: $[{place}]", kind="bad_record", rejected=True)
    yield _trace(name, source.place, made, log, len(source.files()) - len(FILES))


def _members(path: Path, where: str) -> Iterator[tuple[int, Any]]:
    try:
        listed = Source(path, label=where).json()
    except TraceError as error:
        yield 0, Problem(error.message, error.where or where, error.hint, kind="bad_record", rejected=True)
        return
    if not isinstance(listed, list):
        yield 0, Malformed("$", f"{fields.kind_of(listed)} where a list was expected").problem(where, listed)
        return
    yield from enumerate(listed)


def _trace(name: str, run_id: str, made: dict[str, dict[str, Any]], log: Log, others: int) -> Trace:
    seeds = [node_id for node_id in made if node_id not in log.entries]
    order = [*seeds, *log.entries]
    unknown = [node_id for node_id in made if node_id not in log.parents and node_id != "0"]
    inner = {parent for parents in [*log.parents.values(), *(parents for parents, _ in log.rejected.values())] for parent in parents}
    said = {
        _NO_SCORES: True, _UNKNOWN.format(", ".join(unknown)): unknown, _MIXED.format(log.mixed): log.mixed,
        f"other files of the folder, which are not read: {others}": others,
    }  # fmt: skip
    nodes = [_node(run_id, node_id, seq, made.get(node_id), log, node_id in inner) for seq, node_id in enumerate(order)]
    return Trace(
        Run(
            run_id=run_id,
            level_by_level=False,
            source_format=name,
            warnings=tuple(text for text, holds in said.items() if holds),
            extra=fields.extra_text({"iterations_without_a_proposal": log.idle} if log.idle else {}),
        ),
        tuple(nodes),
    )


def _node(run_id: str, node_id: str, seq: int, raw: dict[str, Any] | None, log: Log, has_children: bool) -> Node:
    parents, reason = log.rejected.get(node_id, (log.parents.get(node_id, ()), None))
    return Node(
        run_id=run_id,
        node_id=node_id,
        parent_ids=parents,
        seq=seq,
        state=fields.json_text(raw) if raw is not None else None,
        fate=Fate.EXPANDED if has_children else Fate.PRUNED if reason else None,
        pruned_by=Stage.SURVIVED if reason else None,
        prune_rule=_RULE if reason else None,
        prune_reason=reason,
        extra=fields.extra_text({"iteration": log.entries[node_id]} if node_id in log.entries else {}),
    )

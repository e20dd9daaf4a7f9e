"""Which nodes does a journal of AIDE hold, or of AI-Scientist-v2, which grew out of it? For ``aide_journal`` and ``ai_scientist_v2_journal``.

The nodes' own ``parent`` and ``children`` are empty in these files: the links stand in ``node2parent`` alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from ingest.errors import Problem
from ingest.readers import fields
from ingest.readers.fields import Malformed
from ingest.schema import Call, Fate, Node, Role

_COLUMNS = ("id", "plan", "code", "exc_type")


@dataclass(frozen=True, slots=True)
class Entry:
    """One node as logged, and its parent as ``node2parent`` names it."""

    node_id: str
    parent_id: str | None
    position: int
    raw: dict[str, Any]

    @property
    def metric(self) -> object:
        """``metric.value``; None where the step failed or was never judged."""
        return fields.object_or_empty(self.raw, "metric").get("value")

    @property
    def failed(self) -> bool:
        return self.raw.get("is_buggy") is True


def entries(document: dict[str, Any], source: str) -> Iterator[Entry | Problem]:
    """Every node in file order. Raises Malformed where there is no list of nodes."""
    links: dict[str, Any] = {}
    try:
        links = fields.object_at(document, "node2parent", "$")
    except Malformed as error:
        yield error.problem(source, document.get("node2parent"))
    seen: set[str] = set()
    for position, raw in enumerate(fields.list_at(document, "nodes", "$")):
        node_id = raw.get("id") if isinstance(raw, dict) else None
        wrong = _wrong(raw, node_id, seen)
        if wrong is not None:
            yield Malformed(f"$.nodes[{position}]", wrong).problem(source, raw)
            continue
        seen.add(str(node_id))
        own = raw.get("parent", raw.get("parent_id"))
        parent = links.get(str(node_id), own)
        if parent is not None and (not isinstance(parent, str) or not parent):
            yield Malformed(f"$.node2parent.{node_id}", f"{fields.kind_of(parent)} where the id of a node was expected").problem(source, parent)
            parent = None
        yield Entry(str(node_id), parent, position, raw)


def _wrong(raw: object, node_id: object, seen: Collection[str]) -> str | None:
    if not isinstance(raw, dict):
        return f"{fields.kind_of(raw)} where a node was expected"
    if not isinstance(node_id, str) or not node_id:
        return f"id is {fields.kind_of(node_id) if node_id != '' else 'empty'}, a text was expected"
    return f"id {node_id} stands in this file before" if node_id in seen else None


def node_of(run_id: str, entry: Entry, parents: Collection[str], **judged: Any) -> Node:
    """The node record; ``judged`` are the columns of its score, which the two formats log differently."""
    raw, value = entry.raw, entry.metric
    output = raw.get("_term_out")
    lines = output if isinstance(output, list) and all(isinstance(line, str) for line in output) else None
    started = fields.instant(raw.get("ctime"))
    fate = Fate.EXPANDED if entry.node_id in parents else Fate.UNSCORED if entry.failed or value is None else Fate.OPEN
    columns: dict[str, Any] = {
        "step": fields.text(raw.get("plan")),
        "state": fields.json_text(raw["code"]) if raw.get("code") is not None else None,
        "observation": "".join(lines) if lines is not None else fields.text(output),
        "score_raw": fields.json_text(value) if value is not None else None,
        "error": fields.text(raw.get("exc_type")) or ("is_buggy" if entry.failed else None),
        "started_at": started,
        "fate": fate,
    }
    return Node(
        run_id=run_id, node_id=entry.node_id, parent_ids=(entry.parent_id,) if entry.parent_id is not None else (), seq=entry.position,
        extra=fields.extra_text(_leftovers(entry, started is not None)), **{**columns, **judged},
    )  # fmt: skip


def calls_of(run_id: str, entry: Entry) -> Iterator[Call]:
    """Running the program is the only call whose price is logged: ``exec_time`` seconds."""
    seconds = fields.number(entry.raw.get("exec_time"))
    if seconds is not None:
        error = fields.text(entry.raw.get("exc_type"))
        yield Call(run_id=run_id, call_id=f"{entry.node_id}/run", node_id=entry.node_id, role=Role.TOOL, latency_ms=seconds * 1000, error=error)


def unknown_links(document: dict[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Entries of ``node2parent`` whose child is not among the nodes."""
    return fields.without(fields.object_or_empty(document, "node2parent"), known)


def _leftovers(entry: Entry, timed: bool) -> dict[str, Any]:
    raw = entry.raw
    taken = {*_COLUMNS, "_term_out", *(("ctime",) if timed else ())}
    taken |= {key for key, empty in (("parent", None), ("parent_id", None), ("children", [])) if key in raw and raw[key] == empty}
    if raw.get("step") == entry.position:
        taken.add("step")
    if fields.number(raw.get("exec_time")) is not None:
        taken.add("exec_time")
    rest = fields.without(raw, taken)
    if isinstance(raw.get("metric"), dict):
        rest["metric"] = fields.without(raw["metric"], ("value",))
    return rest

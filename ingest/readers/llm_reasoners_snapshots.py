"""What does one snapshot of an llm-reasoners tree log hold? For ``llm_reasoners_treelog`` only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ingest.errors import Problem
from ingest.readers import fields
from ingest.readers.fields import Malformed


@dataclass(frozen=True, slots=True)
class Edge:
    """A link from a parent, with what was said of the step along it."""

    parent_id: str
    data: dict[str, Any]
    raw: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The tree after one iteration."""

    place: int
    nodes: dict[str, dict[str, Any]]
    edges: dict[str, list[Edge]]
    """By the node that they lead to; more than one would be a merged state."""
    children: dict[str, list[str]]
    targets: dict[str, str]
    """Where each edge leads, by its own id, which means nothing outside of this snapshot."""
    rated: bool
    """Whether edges have a Q, as only those of MCTS do."""

    def reached(self, node_id: str) -> bool:
        """Whether a node was ever simulated: it has a state or children. Roots are; where there is no Q, everything is."""
        stated = any(value is not None for value in self.nodes[node_id]["data"].values())
        return stated or not self.rated or node_id not in self.edges or node_id in self.children


def snapshots(document: dict[str, Any], source: str) -> Iterator[Snapshot | Problem]:
    """Every snapshot in order, after a Problem for each of its nodes and edges that could not be read."""
    for place, raw in enumerate(fields.list_at(document, "logs", "$")):
        where = f"$.logs[{place}]"
        try:
            if not isinstance(raw, dict):
                raise Malformed(where, f"{fields.kind_of(raw)} where a snapshot was expected")
            listed = {key: fields.object_at(raw, key, where) for key in ("nodes", "edges")}
        except Malformed as error:
            yield error.problem(source, raw)
            continue
        yield from _snapshot(place, where, listed["nodes"], listed["edges"], source)


def _snapshot(place: int, where: str, listed: dict[str, Any], links: dict[str, Any], source: str) -> Iterator[Snapshot | Problem]:
    nodes: dict[str, dict[str, Any]] = {}
    for key, raw in listed.items():
        try:
            nodes[key] = _part(raw, f"{where}.nodes.{key}")
            if str(raw.get("id", key)) != key:
                raise Malformed(f"{where}.nodes.{key}.id", f"{fields.json_text(raw['id'])} where {key} was expected, the key of the node")
        except Malformed as error:
            nodes.pop(key, None)
            yield error.problem(source, raw)
    found = Snapshot(place, nodes, {}, {}, {}, any(isinstance(raw, dict) and "Q" in fields.object_or_empty(raw, "data") for raw in links.values()))
    for key, raw in links.items():
        spot = f"{where}.edges.{key}"
        try:
            data = _part(raw, spot)["data"]
            parent_id, node_id = _end(raw, "source", spot), _end(raw, "target", spot)
            if node_id not in nodes:
                raise Malformed(f"{spot}.target", f"node {node_id}, which this snapshot does not hold")
        except Malformed as error:
            yield error.problem(source, raw)
            continue
        found.edges.setdefault(node_id, []).append(Edge(parent_id, data, raw))
        found.children.setdefault(parent_id, []).append(node_id)
        found.targets[key] = node_id
    yield found


def _part(raw: Any, where: str) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise Malformed(where, f"{fields.kind_of(raw)} where an object was expected")
    fields.object_at(raw, "data", where)
    return raw


def _end(raw: Mapping[str, Any], key: str, where: str) -> str:
    value = raw.get(key)
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise Malformed(f"{where}.{key}", f"{fields.kind_of(value)} where the id of a node was expected")
    return str(value)

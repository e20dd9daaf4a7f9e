"""llm-reasoners: one tree, saved again after every iteration; a file is a run, and its last snapshot is the tree.

Format: ``TreeLog`` of maitrix-org/llm-reasoners (reasoners/visualization/tree_log.py and tree_snapshot.py at commit e6f5a26). Node ids count up
as nodes are made and are the same in all snapshots; edge ids begin at 0 in each. Of MCTS, Q is the mean of what was backed up: it stands in
``extra`` with its history, and the score is ``reward``, that of the step itself. A node without a state was never simulated: what its edge says
is a first estimate and no score. A selected edge is the one that the iteration walked or the exporter's choice, so no path counts as selected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ingest.errors import Problem
from ingest.readers import documents, fields
from ingest.readers.fields import Malformed
from ingest.readers.llm_reasoners_snapshots import Snapshot, snapshots
from ingest.schema import Fate, Node, Run, Trace
from ingest.source import Source

NAME = "llm-reasoners-treelog"
PRODUCER = "llm-reasoners: tree logs of MCTS, beam and depth-first search"
LOOKS_FOR = "a JSON object with logs, a list of snapshots with nodes and edges"
TELLS = {
    "generation": "prompts and responses",
    "evaluation": "evaluator's prompts and responses (rewards, Q and its history are there)",
    "control": "pruning, selected path, stop reason",
    "spend": "calls, tokens, cost and time",
    "replay": "prompts and responses",
    "compare": "protocol, whether the answer is right",
}
_SELECTED = "a selected edge may be the exporter's choice (the highest Q or reward): no selected path is recorded"
_MEAN = "Q is the mean of what was backed up, so it is no score: it stands with each node, and the score is the reward of its step"
_ESTIMATES = "{0} nodes were never simulated: their Q and reward are estimates made before, kept apart from the scores"
_GONE = "{0} nodes stand in earlier snapshots and not in the last one: they are kept with the run and are no part of its tree"
_EARLIER = "the last snapshot could not be read: the tree is the one before it"
_RATES = ("Q", "reward")
_DRAWN = ("convert_images",)
"""How the producer's own page shows a state."""


def sniff(source: Source) -> bool:
    return re.match(r'\s*\{\s*"logs"\s*:\s*\[\s*\{\s*"(nodes|edges)"\s*:\s*\{', source.head()) is not None


def read(source: Source) -> Iterator[Trace | Problem]:
    """A Problem for every node, edge and snapshot that could not be read, then the run."""
    yield from documents.one_run(
        source,
        "an object with logs",
        lambda document: snapshots(document, source.name),
        lambda document, found: _trace(source.place, document, found),
    )


def _trace(run_id: str, document: dict[str, Any], found: Sequence[Snapshot]) -> Trace:
    if not found:
        raise Malformed("$.logs", "no snapshot where at least one was expected")
    last = found[-1]
    counted = all(node_id.isdecimal() for node_id in last.nodes)
    made = sorted(last.nodes, key=int) if counted else list(last.nodes)
    gone = {node_id: raw for snapshot in found for node_id, raw in snapshot.nodes.items() if node_id not in last.nodes}
    guessed = sum(not last.reached(node_id) for node_id in last.nodes)
    said = {
        _SELECTED: True, _MEAN: last.rated, _ESTIMATES.format(guessed): guessed, _GONE.format(len(gone)): gone,
        _EARLIER: last.place + 1 < len(document["logs"]),
    }  # fmt: skip
    return Trace(
        Run(
            run_id=run_id,
            level_by_level=False if last.rated else None,
            source_format=NAME,
            warnings=tuple(text for text, holds in said.items() if holds),
            extra=fields.extra_text(fields.without(document, ("logs",)) | {"snapshots": len(found)} | ({"gone": gone} if gone else {})),
        ),
        tuple(_node(run_id, node_id, seq, found) for seq, node_id in enumerate(made)),
    )


def _node(run_id: str, node_id: str, seq: int, found: Sequence[Snapshot]) -> Node:
    last = found[-1]
    raw, edges, reached = last.nodes[node_id], last.edges.get(node_id, []), last.reached(node_id)
    data = edges[0].data if edges else {}
    reward = data.get("reward") if reached else None
    score = fields.number(reward)
    return Node(
        run_id=run_id,
        node_id=node_id,
        parent_ids=tuple(dict.fromkeys(edge.parent_id for edge in edges)),
        seq=seq,
        step=fields.text(data.get("action")),
        state=fields.json_text(raw["data"]) if raw["data"] else None,
        score=score,
        score_raw=fields.json_text(reward) if reward is not None else None,
        error="the logged reward is not a finite number" if reward is not None and score is None else None,
        fate=Fate.EXPANDED if node_id in last.children else None if reached else Fate.OPEN,
        extra=fields.extra_text(_extra(node_id, found)),
    )


def _extra(node_id: str, found: Sequence[Snapshot]) -> dict[str, Any]:
    """Q and its history since the node was simulated, the last estimate before that, and everything that has no column."""
    last = found[-1]
    raw, edges = last.nodes[node_id], last.edges.get(node_id, [])
    rates = [
        (snapshot.reached(node_id), {key: snapshot.edges[node_id][0].data.get(key) for key in _RATES})
        for snapshot in found
        if snapshot.rated and node_id in snapshot.nodes and node_id in snapshot.edges
    ]
    history, guesses = [rate["Q"] for reached, rate in rates if reached], [rate for reached, rate in rates if not reached]
    selected = fields.text(raw.get("selected_edge"))
    said: dict[str, Any] = {
        "simulated": last.reached(node_id) if last.rated else None,
        "Q": history[-1] if history else None,
        "Q_history": history or None,
        "estimate": guesses[-1] if guesses else None,
        "selected_child": last.targets.get(selected) if selected else None,
        "first_snapshot": next(snapshot.place for snapshot in found if node_id in snapshot.nodes),
        "details": fields.without(edges[0].data, (*_RATES, "action")) if edges else None,
        "edge": fields.without(edges[0].raw, (*_DRAWN, "id", "source", "target", "data")) if edges else None,
        "other_edges": [edge.raw for edge in edges[1:]] or None,
    }
    kept = {key: value for key, value in said.items() if value not in (None, {})}
    return kept | fields.without(raw, (*_DRAWN, "id", "data", *(("selected_edge",) if "selected_child" in kept or selected is None else ())))

"""mcts-reasoning: a search tree over texts in one JSON object, or summaries of runs without their trees, one JSON object a line.

Format: what the experiments of queelius/mcts-reasoning write. Nodes have no ids: the root is ``r``, its children ``r.0``, ``r.1``, … by
position. ``value`` is the mean of what was backed up and ``visits`` counts it: both stand in ``extra``, never as score. The evaluator's scores
stand in ``terminal_states`` with texts that were cut, so they cannot be joined to nodes; they are kept with the run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.errors import Problem
from ingest.readers import documents, fields
from ingest.readers.fields import Malformed
from ingest.schema import Fate, Node, Outcome, Run, Trace
from ingest.source import Source

NAME = "mcts-reasoning"
PRODUCER = "mcts-reasoning: Monte Carlo tree search over texts, trees and run summaries"
LOOKS_FOR = "a JSON object with simulations_run, terminal_states and a root, or lines with mcts_node_count or mcts_nodes"
TELLS = {
    "generation": "prompts and responses",
    "evaluation": "a score for each node (visits and mean values are there)",
    "control": "pruning, selected path, stop reason",
    "spend": "calls, tokens and cost (a summary has the time of its run)",
    "replay": "prompts, responses and scores",
    "compare": "whether the answer is right (only summaries say so)",
}
MAX_LEVELS = 1_000
"""Far above any rollout. Ids and states grow with the depth: deeper nesting is refused instead of filling the memory."""
_CAPS = ("exploration_constant", "max_children_per_node", "max_rollout_depth")
_MEANS = "value is the mean of what was backed up, so it is no score; visits and value stand with each node"
_CUT = "scores of terminal states are kept with the run: their texts are cut, so they cannot be joined to nodes"
_SUMMARY = "a summary of a run without its tree"


@dataclass(frozen=True, slots=True)
class _Entry:
    node_id: str
    parent_id: str | None
    position: int
    raw: dict[str, Any]
    above: str
    """The text of the parent."""


def sniff(source: Source) -> bool:
    """The object of a tree, or a line of a summary."""
    head = source.head()
    if head.lstrip().startswith("{") and {"simulations_run", "terminal_states", "max_rollout_depth"} <= fields.keys_in(head):
        return True
    first = source.first_object()
    return first is not None and "question" in first and ("mcts_node_count" in first or {"mcts_nodes", "mcts_terminals"} <= first.keys())


def read(source: Source) -> Iterator[Trace | Problem]:
    """Every node that could not be read and the run; or a run a line."""
    first = source.first_object()
    if first is not None and any(key.startswith("mcts_") for key in first):
        ids = documents.Ids()
        yield from documents.run_a_line(source, lambda where, record: [_summary(source.stem, where, record, ids)])
        return

    def parts_of(document: dict[str, Any]) -> Iterator[_Entry | Problem]:
        yield from _entries(fields.object_at(document, "root", "$"), source.name)

    def trace_of(document: dict[str, Any], found: list[_Entry]) -> Trace:
        return _tree(source.stem, document, found)

    yield from documents.one_run(source, "an object with a root", parts_of, trace_of)


def _entries(root: dict[str, Any], source: str) -> Iterator[_Entry | Problem]:
    """Every node, parents first; what hangs below a node that cannot be read is kept and names it as parent."""
    stack: list[tuple[str, str | None, int, Any, str, str]] = [("r", None, 0, root, "$.root", "")]
    while stack:
        node_id, parent_id, position, raw, path, above = stack.pop()
        if not isinstance(raw, dict) or node_id.count(".") >= MAX_LEVELS:
            wrong = f"more than {MAX_LEVELS} levels" if isinstance(raw, dict) else f"{fields.kind_of(raw)} where a node was expected"
            yield Malformed(path, wrong).problem(source, raw if not isinstance(raw, dict) else None)
            continue
        yield _Entry(node_id, parent_id, position, raw, above)
        children = raw.get("children", [])
        if not isinstance(children, list):
            yield Malformed(f"{path}.children", f"{fields.kind_of(children)} where a list was expected").problem(source, children)
            children = []
        text = raw["state"] if isinstance(raw.get("state"), str) else ""
        stack.extend(reversed([(f"{node_id}.{i}", node_id, i, child, f"{path}.children[{i}]", text) for i, child in enumerate(children)]))


def _tree(run_id: str, document: dict[str, Any], found: Sequence[_Entry]) -> Trace:
    settings = {key: document[key] for key in _CAPS if key in document}
    asked, visits = fields.whole(document.get("simulations_run")), fields.whole(found[0].raw.get("visits")) if found else None
    fewer = [f"the root has {visits} visits of {asked} simulations: the others failed"] if (visits or 0) < (asked or 0) else []
    return Trace(
        Run(
            run_id=run_id,
            question=fields.text(document.get("question")),
            protocol=fields.json_text(settings, sort_keys=True) if settings else None,
            level_by_level=False,
            source_format=NAME,
            warnings=(*fewer, _MEANS, *([_CUT] if document.get("terminal_states") else [])),
            extra=fields.extra_text(fields.without(document, ("root", "question", *_CAPS))),
        ),
        tuple(_node(run_id, entry, seq) for seq, entry in enumerate(found)),
    )


def _node(run_id: str, entry: _Entry, seq: int) -> Node:
    raw = entry.raw
    state = raw.get("state")
    step = state.removeprefix(entry.above).strip() if isinstance(state, str) else None
    kind = re.match(r"\[(\w+)\]", step or "") if entry.parent_id is not None else None
    parent = bool(raw.get("children"))
    return Node(
        run_id=run_id,
        node_id=entry.node_id,
        parent_ids=(entry.parent_id,) if entry.parent_id is not None else (),
        depth=entry.node_id.count("."),
        request_index=entry.position,
        seq=seq,
        step=step if entry.parent_id is not None else None,
        state=fields.json_text(state) if state is not None else None,
        action_kind=kind[1] if kind else None,
        fate=Fate.EXPANDED if parent else Fate.TERMINAL if raw.get("is_terminal") is True else Fate.OPEN,
        extra=fields.extra_text(fields.without(raw, ("state", "children") if isinstance(raw.get("children", []), list) else ("state",))),
    )


def _summary(stem: str, where: str, record: dict[str, Any], ids: documents.Ids) -> Trace:
    name, config = record.get("problem_id", where.rpartition(":")[2]), record.get("config")
    by = next((key for key in ("mcts_correct", "mcts_ok") if isinstance(record.get(key), bool)), None)
    right = record[by] if by else None
    nodes = record.get("mcts_node_count", record.get("mcts_nodes"))
    columns = ("problem_id", "question", "mcts_answer", "config")
    return Trace(
        Run(
            run_id=ids.of(f"{stem}/{name}"),
            task_id=fields.text(record.get("problem_id")),
            question=fields.text(record.get("question")),
            answer=fields.text(record.get("mcts_answer")),
            outcome={True: Outcome.RIGHT, False: Outcome.WRONG, None: Outcome.UNKNOWN}[right],
            outcome_by=f"log: {by}" if by else None,
            protocol=fields.json_text(config, sort_keys=True) if isinstance(config, dict) else None,
            depth_reached=fields.whole(record.get("mcts_max_depth")),
            wall_clock_s=fields.number(record.get("mcts_time_seconds")),
            reported_nodes=fields.whole(nodes),
            source_format=NAME,
            warnings=(_SUMMARY,),
            extra=fields.extra_text(fields.without(record, columns if isinstance(config, dict) else columns[:3])),
        )
    )

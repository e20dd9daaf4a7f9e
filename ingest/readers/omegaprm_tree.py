"""OmegaPRM (Math-APS) rollout trees: one JSON object a line, one question a run; nested, or a flat list of prefixes without parents.

Format: the sample lines of openreasoner/openr. Nodes have no ids: a root is ``r``, its children ``r.0``, ``r.1``, … by position; the
entries of a flat list are ``s0``, ``s1``, …. The score is ``mc_value``, the share of rollouts from a prefix that reached the reference
answer. Above 0 it proves that this answer can still be reached, which is kept as truth; 0 proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.errors import Problem
from ingest.readers import documents, fields
from ingest.readers.fields import Malformed
from ingest.schema import Fate, Node, Run, ScoreSource, Tier, Trace, Truth
from ingest.source import Source

NAME = "omegaprm-tree"
PRODUCER = "OmegaPRM (Math-APS): trees of rollouts from prefixes of a solution"
LOOKS_FOR = "lines that are objects with question, final_answer and reasoning_steps"
TELLS = {
    "generation": "prompts, responses and the model",
    "evaluation": "the rollouts behind each mc_value",
    "control": "pruning and selected path: nothing was pruned or selected",
    "spend": "calls, tokens, cost and time",
    "replay": "prompts and responses",
    "compare": "protocol, and an answer of the run",
}
MAX_LEVELS = 1_000
_FLAT = "parents are not recorded: each prefix stands for itself; that one extends another would have to be read from its text"
_REFERENCE = "final_answer is the reference answer; what a run answered is not recorded"


@dataclass(frozen=True, slots=True)
class _Entry:
    node_id: str
    parent_id: str | None
    position: int
    raw: dict[str, Any]
    text: str


def sniff(source: Source) -> bool:
    first = source.first_object()
    return first is not None and {"question", "final_answer", "reasoning_steps"} <= first.keys()


def read(source: Source) -> Iterator[Trace | Problem]:
    """The nodes that cannot be read and the run, line by line."""
    ids = documents.Ids()
    yield from documents.run_a_line(source, lambda where, record: _line(source.stem, where, record, ids))


def _line(stem: str, where: str, record: dict[str, Any], ids: documents.Ids) -> Iterator[Problem | Trace]:
    steps = record.get("reasoning_steps")
    if not isinstance(steps, dict | list):
        raise Malformed("$.reasoning_steps", f"{fields.kind_of(steps)} where a tree or a list of prefixes was expected")
    found = list(_nested(steps, where) if isinstance(steps, dict) else _prefixes(steps, where))
    yield from (item for item in found if isinstance(item, Problem))
    task = fields.text(record.get("question_id"))
    run_id = ids.of(f"{stem}/{task or where.rpartition(':')[2]}")
    entries = [item for item in found if isinstance(item, _Entry)]
    parents = {entry.parent_id for entry in entries}
    nodes = tuple(_node(run_id, entry, seq, entry.node_id in parents) for seq, entry in enumerate(entries))
    yield Trace(
        Run(
            run_id=run_id,
            task_id=task,
            question=fields.text(record.get("question")),
            level_by_level=False if isinstance(steps, dict) else None,
            source_format=NAME,
            warnings=(*([] if isinstance(steps, dict) else [_FLAT]), _REFERENCE),
            extra=fields.extra_text(fields.without(record, ("question", "question_id", "reasoning_steps"))),
        ),
        nodes,
        (),
        tuple(_truth(nodes)),
    )


def _nested(root: dict[str, Any], where: str) -> Iterator[_Entry | Problem]:
    stack: list[tuple[str, str | None, int, Any, str]] = [("r", None, 0, root, "$.reasoning_steps")]
    while stack:
        node_id, parent_id, position, raw, path = stack.pop()
        text = raw.get("text") if isinstance(raw, dict) else None
        if not isinstance(text, str) or node_id.count(".") >= MAX_LEVELS:
            wrong = f"{fields.kind_of(raw if not isinstance(raw, dict) else text)} where the text of a node was expected"
            yield Malformed(path, wrong if not isinstance(text, str) else f"more than {MAX_LEVELS} levels").problem(where, None)
        else:
            yield _Entry(node_id, parent_id, position, raw, text)
        children = raw.get("children", []) if isinstance(raw, dict) and node_id.count(".") < MAX_LEVELS else []
        if not isinstance(children, list):
            yield Malformed(f"{path}.children", f"{fields.kind_of(children)} where a list was expected").problem(where, children)
            continue
        stack.extend(reversed([(f"{node_id}.{i}", node_id, i, child, f"{path}.children[{i}]") for i, child in enumerate(children)]))


def _prefixes(steps: Sequence[Any], where: str) -> Iterator[_Entry | Problem]:
    for at, raw in enumerate(steps):
        text = raw.get("solution_prefix") if isinstance(raw, dict) else None
        if isinstance(text, str):
            yield _Entry(f"s{at}", None, at, raw, text)
        else:
            yield Malformed(f"$.reasoning_steps[{at}]", f"{fields.kind_of(text)} where a solution_prefix was expected").problem(where, raw)


def _node(run_id: str, entry: _Entry, seq: int, has_children: bool) -> Node:
    value = entry.raw.get("mc_value")
    score = fields.number(value)
    unread = value is not None and score is None
    return Node(
        run_id=run_id,
        node_id=entry.node_id,
        parent_ids=(entry.parent_id,) if entry.parent_id is not None else (),
        request_index=entry.position,
        seq=seq,
        step=entry.text,
        score=score,
        score_raw=fields.json_text(value) if value is not None else None,
        score_source=ScoreSource.VERIFIER if score is not None else None,
        tier=Tier.DOMAIN_SIGNAL if score is not None else None,
        fate=Fate.EXPANDED if has_children else None,
        error="the logged mc_value is not a finite number" if unread else None,
        extra=fields.extra_text(fields.without(entry.raw, ("text", "solution_prefix", "mc_value", "children"))),
    )


def _truth(nodes: Sequence[Node]) -> Iterator[Truth]:
    for node in nodes:
        if node.score is not None and 0 < node.score <= 1:
            detail = f"mc_value {node.score_raw}: rollouts from here reached the reference answer"
            yield Truth(run_id=node.run_id, node_id=node.node_id, viable=True, viable_by="environment", detail=detail)

"""AIDE journals: a tree search over programs, one JSON object, one run; ids and times are the logged ones.

Format: ``journal.json`` of WecoAI/aideml. Whether higher is better stands at each metric (``maximize``), as a model said it. Where lower is
better, scores are turned round; where the nodes contradict each other, no node has a score. A failed program is unscored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ingest.errors import Problem
from ingest.readers import documents, fields
from ingest.readers.journal_nodes import Entry, calls_of, entries, node_of, unknown_links
from ingest.schema import Run, ScoreSource, Tier, Trace
from ingest.source import Source

NAME = "aide-journal"
PRODUCER = "AIDE (aideml): tree search over programs"
LOOKS_FOR = "a JSON object with nodes that have ctime, code, plan and is_buggy, and none of AI-Scientist-v2's plots"
TELLS = {
    "generation": "prompts and responses",
    "evaluation": "evaluator's prompts and responses",
    "control": "pruning, stop reason, selected path",
    "spend": "tokens and cost (the running time of each program is there)",
    "replay": "prompts and responses",
    "compare": "protocol (it stands in config.yaml), whether the answer is right",
}
_UNREAD = "model, settings and the chosen program are not in the journal: AIDE writes them to other files"


def sniff(source: Source) -> bool:
    """A list of program nodes; the nodes of AI-Scientist-v2 have the same keys and their plots besides."""
    head = source.head()
    keys = fields.keys_in(head)
    return head.lstrip().startswith("{") and {"nodes", "ctime", "code", "plan", "is_buggy"} <= keys and not keys & {"plot_code", "is_seed_node"}


def read(source: Source) -> Iterator[Trace | Problem]:
    """A Problem for every node that could not be read, then the run."""

    def trace_of(document: dict[str, Any], found: list[Entry]) -> Trace:
        return _trace(source.place, document, found)

    yield from documents.one_run(source, "an object with nodes", lambda document: entries(document, source.name), trace_of)


def _trace(run_id: str, document: dict[str, Any], found: Sequence[Entry]) -> Trace:
    higher, doubts = _direction(found)
    parents = {entry.parent_id for entry in found if entry.parent_id is not None}
    unknown = unknown_links(document, {entry.node_id for entry in found})
    if unknown:
        doubts.append(f"node2parent has {len(unknown)} entries for nodes that the journal does not hold")
    rest = fields.without(document, ("nodes", "node2parent")) | ({"node2parent": unknown} if unknown else {})
    return Trace(
        Run(run_id=run_id, level_by_level=False, source_format=NAME, warnings=(*doubts, _UNREAD), extra=fields.extra_text(rest)),
        tuple(node_of(run_id, entry, parents, **_score(entry, higher)) for entry in found),
        tuple(call for entry in found for call in calls_of(run_id, entry)),
    )


def _direction(found: Sequence[Entry]) -> tuple[bool | None, list[str]]:
    """Whether higher is better (None: not known, or contradicted), and what has to be said about it."""
    said = [(entry.node_id, _maximize(entry)) for entry in found if fields.number(entry.metric) is not None and not entry.failed]
    count = Counter(direction for _, direction in said if direction is not None)
    silent = sum(direction is None for _, direction in said)
    doubts = [f"{silent} metrics do not say whether higher is better: these nodes have no score"] if silent else []
    if len(count) == 2:
        rarer = min(count, key=lambda direction: count[direction])
        against = ", ".join(node_id for node_id, direction in said if direction is rarer)
        which = "higher" if rarer else "lower"
        wrong = f"the direction of the score is contradicted: {against} says that {which} is better, the others do not; no node has a score"
        return None, [wrong, *doubts]
    if count and False in count:
        doubts.append("lower is better here (maximize is false): score is the logged value with its sign turned, score_raw is as logged")
    return next(iter(count), None), doubts


def _maximize(entry: Entry) -> bool | None:
    value = fields.object_or_empty(entry.raw, "metric").get("maximize")
    return value if isinstance(value, bool) else None


def _score(entry: Entry, higher: bool | None) -> dict[str, Any]:
    """The columns of the score: the program's own validation metric, as a model read it from the output."""
    value = fields.number(entry.metric)
    if entry.metric is None or entry.failed:
        return {}
    if value is None:
        return {"error": "the logged metric is not a finite number"}
    if higher is None or _maximize(entry) is None:
        return {}
    return {"score": value if higher else -value, "score_source": ScoreSource.VERIFIER, "tier": Tier.DOMAIN_SIGNAL}

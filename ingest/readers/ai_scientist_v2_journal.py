"""AI-Scientist-v2 stages: a tree search over experiments; ``journal.json`` with ids, or ``tree_data.json`` with positions instead.

Format: what SakanaAI/AI-Scientist-v2 writes for each of its stages. A metric is several metrics on several data sets, of either
direction: no single number stands for the node, so there is no score; ``score_raw`` holds all of them. In ``tree_data.json`` nodes have no ids:
this reader takes their positions, "0", "1", …. Both files of a stage hold the same nodes, and each is a run of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ingest.errors import Problem
from ingest.readers import documents, fields
from ingest.readers.ai_scientist_v2_tree import Spot, parallel, spot_of, spots
from ingest.readers.journal_nodes import Entry, calls_of, entries, node_of, unknown_links
from ingest.schema import Run, Trace
from ingest.source import Source

NAME = "ai-scientist-v2-journal"
PRODUCER = "AI-Scientist-v2: journal and drawn tree of one stage"
LOOKS_FOR = "a JSON object with nodes that have ctime and plot_code or is_seed_node, or with edges, layout and plan"
TELLS = {
    "generation": "prompts and responses",
    "evaluation": "a single score, evaluator's prompts and responses",
    "control": "pruning, stop reason (the best node is in tree_data.json)",
    "spend": "tokens and cost (the running time of each program is there)",
    "replay": "prompts, responses and scores",
    "compare": "protocol, whether the answer is right",
}
_MANY = "a metric is several metrics on several data sets: no single score is recorded; score_raw holds all of them"
_SAME_PLAN = "{0} nodes repeat a program with another random seed (is_seed_node); they are kept apart, as logged"
_TWICE = "the same nodes stand in journal.json beside such a file, with ids: each of the two files is a run here"
_NO_FAILURE = "whether a program failed is in journal.json alone; here its exception says so"


def sniff(source: Source) -> bool:
    """A list of program nodes with their plots, or the parallel lists of the drawn tree."""
    head = source.head()
    keys = fields.keys_in(head)
    journal = {"nodes", "ctime", "code", "plan"} <= keys and bool(keys & {"plot_code", "is_seed_node"})
    drawn = re.match(r'\s*\{\s*"edges"\s*:\s*\[', head) is not None and {"layout", "plan"} <= keys
    return head.lstrip().startswith("{") and (journal or drawn)


def read(source: Source) -> Iterator[Trace | Problem]:
    """A Problem for every node that could not be read, then the run."""

    def parts_of(document: dict[str, Any]) -> Iterator[Entry | Spot | Problem]:
        yield from spots(document, source.name) if "edges" in document else entries(document, source.name)

    def trace_of(document: dict[str, Any], found: list[Entry | Spot]) -> Trace:
        if "edges" in document:
            return _drawn(source.within(2), document, [part for part in found if isinstance(part, Spot)])
        return _journal(source.within(2), document, [part for part in found if isinstance(part, Entry)])

    yield from documents.one_run(source, "an object with nodes, or with edges", parts_of, trace_of)


def _journal(run_id: str, document: dict[str, Any], found: Sequence[Entry]) -> Trace:
    parents = {entry.parent_id for entry in found if entry.parent_id is not None}
    unknown = unknown_links(document, {entry.node_id for entry in found})
    rest = fields.without(document, ("nodes", "node2parent")) | ({"node2parent": unknown} if unknown else {})
    doubts = [f"node2parent has {len(unknown)} entries for nodes that the journal does not hold"] if unknown else []
    warnings = (*doubts, *_seeds([entry.raw for entry in found]), _MANY)
    return Trace(
        Run(run_id=run_id, level_by_level=False, source_format=NAME, warnings=warnings, extra=fields.extra_text(rest)),
        tuple(node_of(run_id, entry, parents) for entry in found),
        tuple(call for entry in found for call in calls_of(run_id, entry)),
    )


def _drawn(run_id: str, document: dict[str, Any], found: Sequence[Spot]) -> Trace:
    parents = {parent for spot in found for parent in spot.parent_ids}
    nodes = tuple(spot_of(run_id, spot, spot.entry.node_id in parents) for spot in found)
    best = [spot.entry.node_id for spot in found if spot.entry.raw.get("is_best_node") is True]
    marked = [f"is_best_node marks {len(best)} nodes, not one: no selected path was taken"] if len(best) != 1 else []
    return Trace(
        Run(
            run_id=run_id,
            selected_path=fields.path_to(best[0], nodes) if len(best) == 1 else None,
            level_by_level=False,
            source_format=NAME,
            warnings=(*marked, *_seeds([spot.entry.raw for spot in found]), _MANY, _NO_FAILURE, _TWICE),
            extra=fields.extra_text(fields.without(document, {"edges", *parallel(document)})),
        ),
        nodes,
        tuple(call for spot in found for call in calls_of(run_id, spot.entry)),
    )


def _seeds(raws: Sequence[dict[str, Any]]) -> list[str]:
    repeats = sum(raw.get("is_seed_node") is True for raw in raws)
    return [_SAME_PLAN.format(repeats)] if repeats else []

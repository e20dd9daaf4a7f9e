"""Tree of Thoughts of the swarms packages: one JSON object a run, thoughts without parents; pruned ones with the reason in words.

Format: what kyegomez/tree-of-thoughts writes. Thoughts have neither ids nor parents nor depths. This reader names those that were kept
``t0``, ``t1``, …, the pruned ones ``p0``, ``p1``, … and a final one that repeats none of them ``final``. The lists are sorted by
evaluation: their order is no time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.errors import Problem
from ingest.readers import documents, fields
from ingest.readers.fields import Malformed
from ingest.schema import Fate, Node, Run, ScoreSource, Stage, Tier, Trace
from ingest.source import Source

NAME = "swarms-tot"
PRODUCER = "tree-of-thoughts of the swarms packages"
LOOKS_FOR = "a JSON object with final_thoughts and pruned_branches, with all_thoughts, or with thought and evaluation alone"
TELLS = {
    "generation": "parents, depths, prompts and responses",
    "evaluation": "evaluator's prompts and responses (a model rated its own thought)",
    "control": "parents, the threshold (reasons are there)",
    "spend": "calls, tokens, cost and time",
    "replay": "parents, prompts and responses",
    "compare": "the task, protocol, whether the answer is right",
}
_LISTS = {"final_thoughts": "t", "all_thoughts": "t", "pruned_branches": "p"}
_FINALS = ("highest_rated_thought", "final_thought")
_NO_PARENTS = "parents and depths are not recorded: every thought stands for itself"
_SORTED = "the lists are sorted by evaluation: the order of the thoughts is no order in time"
_EMPTY = "the run holds no thought"


@dataclass(frozen=True, slots=True)
class _Entry:
    node_id: str
    raw: dict[str, Any]


def sniff(source: Source) -> bool:
    """One of the three shapes; a single thought has its two keys and no others."""
    head = source.head()
    keys = fields.keys_in(head)
    lists = {"final_thoughts", "pruned_branches"} <= keys or {"all_thoughts", "thought", "evaluation"} <= keys
    opening = re.match(r'\s*\{\s*"(final_thoughts|pruned_branches|highest_rated_thought|all_thoughts|final_thought|thought|evaluation)"', head)
    return opening is not None and (lists or keys == {"thought", "evaluation"})


def read(source: Source) -> Iterator[Trace | Problem]:
    """A Problem for every thought that could not be read, then the run."""

    def trace_of(document: dict[str, Any], found: list[_Entry]) -> Trace:
        return _trace(source.stem, document, found)

    yield from documents.one_run(source, "an object with thoughts", lambda document: _entries(document, source.name), trace_of)


def _entries(document: dict[str, Any], source: str) -> Iterator[_Entry | Problem]:
    texts = set()
    known = [key for key in (*_LISTS, *_FINALS, "thought") if key in document]
    if not known:
        raise Malformed("$", "an object without thoughts")
    places = [("t0", document, "$")] if "thought" in document else []
    for key, letter in _LISTS.items():
        listed = document.get(key, [])
        if not isinstance(listed, list):
            yield Malformed(f"$.{key}", f"{fields.kind_of(listed)} where a list was expected").problem(source, listed)
            continue
        begin = sum(node_id.startswith(letter) for node_id, _, _ in places)
        places += [(f"{letter}{begin + at}", raw, f"$.{key}[{at}]") for at, raw in enumerate(listed)]
    for node_id, raw, path in places:
        if not isinstance(raw, dict) or not isinstance(raw.get("thought"), str):
            wrong = f"{fields.kind_of(raw.get('thought') if isinstance(raw, dict) else raw)} where a thought was expected"
            yield Malformed(path, wrong).problem(source, raw)
            continue
        texts.add(raw["thought"])
        yield _Entry(node_id, raw)
    final = _final(document)
    if final is not None and final["thought"] not in texts:
        yield _Entry("final", final)


def _final(document: dict[str, Any]) -> dict[str, Any] | None:
    finals = (document.get(key) for key in _FINALS)
    return next((final for final in finals if isinstance(final, dict) and isinstance(final.get("thought"), str)), None)


def _trace(run_id: str, document: dict[str, Any], found: Sequence[_Entry]) -> Trace:
    final = _final(document)
    chosen = next((e.node_id for e in found if final is not None and e.raw["thought"] == final["thought"] and e.node_id[0] != "p"), None)
    warnings = [_NO_PARENTS, *([_SORTED] if len(found) > 1 else [])] if found else [_EMPTY]
    used = (*_LISTS, "thought", "evaluation", *(key for key in _FINALS if final is not None and document.get(key) == final))
    rest = {key: value for key, value in document.items() if key not in used or (key in _LISTS and not isinstance(value, list))}
    return Trace(
        Run(
            run_id=run_id,
            answer=final["thought"] if final is not None else None,
            selected_path=(chosen,) if chosen is not None else None,
            source_format=NAME,
            warnings=tuple(warnings),
            extra=fields.extra_text(rest),
        ),
        tuple(_node(run_id, entry, entry.node_id == chosen) for entry in found),
    )


def _node(run_id: str, entry: _Entry, chosen: bool) -> Node:
    value = entry.raw.get("evaluation")
    score, pruned = fields.number(value), entry.node_id.startswith("p")
    alone = entry.raw.keys() & {*_LISTS, *_FINALS}  # a single thought that stands at the top of the document
    return Node(
        run_id=run_id,
        node_id=entry.node_id,
        step=entry.raw["thought"],
        score=score,
        score_raw=fields.json_text(value) if value is not None else None,
        score_source=ScoreSource.MODEL if score is not None else None,
        tier=Tier.JUDGE if score is not None else None,
        fate=Fate.PRUNED if pruned else Fate.TERMINAL if chosen else None,
        pruned_by=Stage.SURVIVED if pruned else None,
        prune_reason=fields.text(entry.raw.get("reason")) if pruned else None,
        error="the logged evaluation is not a finite number" if value is not None and score is None else None,
        extra=fields.extra_text(fields.without(entry.raw, ("thought", "evaluation", *(("reason",) if pruned else ()), *alone))),
    )

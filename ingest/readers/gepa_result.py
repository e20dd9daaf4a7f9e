"""What does the result document of a GEPA run hold? For ``gepa`` only."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.errors import Problem
from ingest.readers import fields
from ingest.readers.fields import Malformed
from ingest.schema import Fate, Node, Run, ScoreSource, Tier, Trace

_LISTS = {"parents": "", "val_aggregate_scores": "", "val_subscores": "val_subscores", "val_aggregate_subscores": "objectives",
          "discovery_eval_counts": "discovery_eval_counts"}  # fmt: skip
"""The lists beside the candidates, and where an entry stands in ``extra`` when it has no column."""
_ACCEPTED = "only accepted candidates are in such a file: the proposals that GEPA rejected are not recorded"
_UNEVEN = "{0} is not a list of one entry for each of {1} candidates"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One accepted candidate, by its position."""

    place: int
    raw: dict[str, Any]
    parent_ids: tuple[str, ...]


def candidates(document: dict[str, Any], source: str) -> Iterator[Candidate | Problem]:
    """Every candidate in order of discovery, or what is wrong with it."""
    parents = fields.list_at(document, "parents", "$")
    for place, raw in enumerate(fields.list_at(document, "candidates", "$")):
        try:
            if not isinstance(raw, dict):
                raise Malformed(f"$.candidates[{place}]", f"{fields.kind_of(raw)} where a candidate was expected")
            yield Candidate(place, raw, parents_of(parents[place] if place < len(parents) else None, f"$.parents[{place}]"))
        except Malformed as error:
            yield error.problem(source, raw)


def parents_of(raw: Any, where: str) -> tuple[str, ...]:
    """Ids of the parents; a seed has the one parent null."""
    if not isinstance(raw, list):
        raise Malformed(where, f"{fields.kind_of(raw)} where a list was expected")
    for at, parent in enumerate(raw):
        if parent is not None and not is_place(parent):
            raise Malformed(f"{where}[{at}]", f"{fields.kind_of(parent)} where the position of a candidate was expected")
    return tuple(dict.fromkeys(str(parent) for parent in raw if parent is not None))


def is_place(value: object) -> bool:
    """Whether it is a whole number, as positions are."""
    return isinstance(value, int) and not isinstance(value, bool)


def trace_of(name: str, run_id: str, document: dict[str, Any], found: Sequence[Candidate]) -> Trace:
    """The run. ``best_idx`` is where its selected path ends."""
    count, best = len(document["candidates"]), document.get("best_idx")
    given = {key: document[key] for key in _LISTS if document.get(key) is not None}
    uneven = [key for key, values in given.items() if not isinstance(values, list) or len(values) != count]
    parents = {parent for candidate in found for parent in candidate.parent_ids}
    nodes = tuple(_node(run_id, candidate, document, parents) for candidate in found)
    return Trace(
        Run(
            run_id=run_id,
            selected_path=fields.path_to(str(best), nodes) if is_place(best) else None,
            level_by_level=False,
            source_format=name,
            warnings=(_ACCEPTED, *(_UNEVEN.format(key, count) for key in uneven)),
            extra=fields.extra_text(fields.without(document, {"candidates", *_LISTS} - set(uneven))),
        ),
        nodes,
    )


def _node(run_id: str, candidate: Candidate, document: dict[str, Any], parents: Collection[str]) -> Node:
    place, node_id = candidate.place, str(candidate.place)
    said = {key: values[place] for key in _LISTS if place < len(values := fields.list_or_empty(document, key))}
    value = said.get("val_aggregate_scores")
    score, fronts = fields.number(value), document.get("per_val_instance_best_candidates")
    listed = fronts.items() if isinstance(fronts, dict) else enumerate(fronts) if isinstance(fronts, list) else ()
    best_on = [instance for instance, front in listed if isinstance(front, list) and any(is_place(one) and one == place for one in front)]
    extra = {name: said[key] for key, name in _LISTS.items() if name and said.get(key) is not None}
    return Node(
        run_id=run_id,
        node_id=node_id,
        parent_ids=candidate.parent_ids,
        seq=place,
        state=fields.json_text(candidate.raw),
        score=score,
        score_raw=fields.json_text(value) if value is not None else None,
        tier=Tier.DOMAIN_SIGNAL if score is not None else None,
        score_source=ScoreSource.VERIFIER if score is not None else None,
        error="the logged score is not a finite number" if value is not None and score is None else None,
        fate=Fate.EXPANDED if node_id in parents else Fate.OPEN if best_on else None,
        extra=fields.extra_text(extra | ({"best_on": best_on} if best_on else {})),
    )

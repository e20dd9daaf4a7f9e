"""ADAS archives: one JSON list, one run, one agent design an entry, in the order of discovery; no parents, no ids.

Format: what the meta agent search of ShengranHu/ADAS keeps. Fitness is a sentence with a bootstrap interval and a median, in percent: the median
of ``fitness`` (validation) is the score, ``test_fitness`` (held out, which the search never saw) stays in ``extra``. Ids are the positions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest.errors import Problem
from ingest.readers import fields
from ingest.readers.documents import one_list
from ingest.schema import Node, Run, ScoreSource, Tier, Trace
from ingest.source import Source

NAME = "adas-archive"
PRODUCER = "ADAS meta agent search, archives of agent designs"
LOOKS_FOR = "a JSON list of designs with thought, code, generation and fitness"
TELLS = {
    "generation": "parents",
    "evaluation": "parents (every design has its score)",
    "control": "fates, prune reasons, selected path",
    "spend": "tokens, cost and calls",
    "replay": "prompts, responses and parents",
    "compare": "protocol",
}
_MEDIAN = re.compile(r"Interval: \((-?[\d.]+)%?, (-?[\d.]+)%?\), Median: (-?[\d.]+)%")
_COLUMNS = ("name", "thought", "code")


def sniff(source: Source) -> bool:
    """A list whose entries carry the producer's keys."""
    head = source.head()
    return re.match(r"\s*\[\s*\{", head) is not None and {"thought", "code", "generation", "fitness"} <= fields.keys_in(head)


def read(source: Source) -> Iterator[Trace | Problem]:
    """A Problem for every entry that could not be read, then the run."""
    yield from one_list(source, "a list of designs", lambda at, raw: _node(source.stem, at, raw), lambda nodes: _trace(source.stem, nodes))


def _node(run_id: str, at: int, raw: dict[str, Any]) -> Node:
    fitness = raw.get("fitness")
    (low, high, median), (_, _, tested) = _parts(fitness), _parts(raw.get("test_fitness"))
    more: dict[str, Any] = {"interval": [low, high]} if low is not None else {}
    more |= {"test_median": tested} if tested is not None else {}
    name, thought = fields.text(raw.get("name")), fields.text(raw.get("thought"))
    return Node(
        run_id=run_id,
        node_id=str(at),
        seq=at,
        step="\n".join(part for part in (name, thought) if part) or None,
        state=fields.json_text(raw["code"]) if raw.get("code") is not None else None,
        score=median,
        score_raw=fields.text(fitness),
        tier=Tier.DOMAIN_SIGNAL if median is not None else None,
        score_source=ScoreSource.VERIFIER if median is not None else None,
        error="the fitness holds no median" if fitness is not None and median is None else None,
        extra=fields.extra_text(fields.without(raw, (*_COLUMNS, "fitness")) | {"name": raw.get("name")} | more),
    )


def _parts(fitness: object) -> tuple[float | None, float | None, float | None]:
    """Low end, high end and median of a fitness sentence."""
    found = _MEDIAN.search(fitness) if isinstance(fitness, str) else None
    try:
        low, high, median = (float(part) for part in found.groups()) if found else (None, None, None)
    except ValueError:
        return None, None, None
    return low, high, median


def _trace(run_id: str, nodes: list[Node]) -> Trace:
    return Trace(Run(run_id=run_id, source_format=NAME, warnings=tuple(_warnings(nodes))), tuple(nodes))


def _warnings(nodes: list[Node]) -> Iterator[str]:
    yield "an archive in order of discovery: parents are not recorded, so every design is a root"
    yield "scores are medians in percent"
    outside = 0
    for node in nodes:
        low, high, median = _parts(node.score_raw)
        outside += median is not None and low is not None and high is not None and not low <= median <= high
    if outside:
        yield f"in {outside} entries the median lies outside of the interval that stands beside it: they measure different things"

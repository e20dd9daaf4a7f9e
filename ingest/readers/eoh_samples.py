"""EoH samples: one JSON list of programs, one run; no parents, no generation: the operator that made a program is all that is recorded.

Format: ``results`` of FeiLiu36/EoH. ``objective`` is minimised, so the score is its negative. Beside the samples lie the populations that survived
(matched by their code) and a text log with the generations (matched by number and objective); alone, those files hold no run of their own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingest.errors import Problem, TraceError
from ingest.readers import fields
from ingest.readers.documents import one_list
from ingest.readers.fields import Malformed
from ingest.schema import Fate, Node, Run, ScoreSource, Stage, Tier, Trace
from ingest.source import Source

NAME = "eoh-samples"
PRODUCER = "EoH (evolution of heuristics) samples, populations and run logs"
LOOKS_FOR = "a JSON list of programs with algorithm, code and objective, or EoH's text log"
TELLS = {
    "generation": "parents",
    "evaluation": "parents (every sample has its objective)",
    "control": "prune reasons, stop reason, selected path",
    "spend": "tokens, cost and calls",
    "replay": "prompts, responses and parents",
    "compare": "protocol",
}
_COLUMNS = ("sample_order", "operator", "algorithm", "code", "objective")
_LIST = re.compile(r"\s*\[\s*\{")
_LINE = re.compile(r"#(\d+)\s+\[(\w+)\]\s+(\S+)")
_GENERATION = re.compile(r"\[Gen (\d+)/\d+\]|\[Init\]")
_LOG = re.compile(r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] .*\n(.*\n){0,8}.*\]   EoH\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Beside:
    """What lies beside the samples: the last population, and the generation and objective of each sample in the text log."""

    population: str | None
    survivors: tuple[str, ...]
    logged: dict[str, tuple[int, str]]


def sniff(source: Source) -> bool:
    """A list of programs with an objective, or the text log of the same program."""
    head = source.head()
    if _LIST.match(head):
        return {"algorithm", "code", "objective"} <= fields.keys_in(head)
    return _LOG.match(head) is not None


def read(source: Source) -> Iterator[Trace | Problem]:
    """A Problem for every program that could not be read, then the run; a population or a log alone says what it is."""
    if re.match(r"\s*\[\d{4}-", source.head()):
        yield Problem("a text log of EoH, which holds no program: it is read with the samples beside it", source.name, kind="empty")
    elif {"algorithm", "objective"} <= fields.keys_in(source.head()) and "sample_order" not in fields.keys_in(source.head()):
        yield Problem("a population of EoH, a copy of some samples: it is read with the samples beside it", source.name, kind="empty")
    else:
        beside, seen = _beside(source), set[int]()
        yield from one_list(
            source, "a list of programs", lambda at, raw: _node(source.place, at, raw, beside, seen), lambda nodes: _trace(nodes, beside)
        )


def _node(run_id: str, at: int, raw: dict[str, Any], beside: _Beside, seen: set[int]) -> Node:
    order = fields.whole(raw.get("sample_order"))
    if order is None:
        raise Malformed(f"$[{at}].sample_order", f"{fields.kind_of(raw.get('sample_order'))} where the number of a sample was expected")
    if order in seen:
        raise Malformed(f"$[{at}].sample_order", f"sample {order} stands in this file before")
    seen.add(order)
    objective, code = fields.number(raw.get("objective")), raw.get("code")
    survived = code in beside.survivors if beside.population else None
    generation, logged = beside.logged.get(str(order), (None, ""))
    more = {"generation": generation, "logged_objective": logged} if generation is not None else {}
    died: dict[str, Any] = (
        {"pruned_by": Stage.SURVIVED, "prune_rule": f"not in {beside.population}"} if survived is False and objective is not None else {}
    )
    alive = {None: None, True: Fate.OPEN, False: Fate.PRUNED}[survived]
    return Node(
        run_id=run_id,
        node_id=str(order),
        seq=at,
        step=fields.text(raw.get("algorithm")),
        state=fields.json_text(code) if code is not None else None,
        action_kind=fields.text(raw.get("operator")),
        score=-objective if objective is not None else None,
        score_raw=fields.json_text(raw["objective"]) if raw.get("objective") is not None else None,
        tier=Tier.DOMAIN_SIGNAL if objective is not None else None,
        score_source=ScoreSource.VERIFIER if objective is not None else None,
        fate=Fate.UNSCORED if objective is None else alive,
        extra=fields.extra_text(fields.without(raw, _COLUMNS) | more),
        **died,
    )


def _trace(nodes: list[Node], beside: _Beside) -> Trace:
    warnings = ["parents are not recorded: every program is a root", "objective is minimised: the score is its negative"]
    if beside.population:
        warnings.append(f"{beside.population} is the last population beside the samples; a program is in it when its code is")
    facts = {"population": beside.population, "population_size": len(beside.survivors)} if beside.population else {}
    run = Run(run_id=nodes[0].run_id, source_format=NAME, warnings=tuple(warnings), extra=fields.extra_text(facts))
    return Trace(run, tuple(nodes))


def _beside(source: Source) -> _Beside:
    """Populations and log of the run whose samples these are, in this folder or the one above."""
    if source.member is not None:
        return _Beside(None, (), {})
    folders = (source.path.parent, source.path.resolve().parent.parent)
    found = [path for folder in folders for path in folder.glob("pops/population_generation_*.json")]
    last = max(found, key=_generation, default=None)
    log = next((folder / "run_log.txt" for folder in folders if (folder / "run_log.txt").is_file()), None)
    return _Beside(last.name if last else None, tuple(_codes(last)) if last else (), _logged(Source(log)) if log else {})


def _generation(path: Path) -> int:
    found = re.search(r"(\d{1,9})$", path.stem)
    return int(found[1]) if found else -1


def _codes(path: Path) -> Iterator[str]:
    try:
        members = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        members = []
    for member in members if isinstance(members, list) else ():
        if isinstance(member, dict) and isinstance(member.get("code"), str):
            yield member["code"]


def _logged(log: Source) -> dict[str, tuple[int, str]]:
    """Generation and objective of each sample by its number."""
    generation, found = 0, dict[str, tuple[int, str]]()
    try:
        for _, raw in log.lines():
            line = raw.decode("utf-8", "replace")
            if begins := _GENERATION.search(line):
                generation = int(begins[1] or 0)
            elif sample := _LINE.search(line):
                found[sample[1]] = (generation, sample[3])
    except TraceError:
        return {}
    return found

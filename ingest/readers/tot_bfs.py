"""Breadth-first Tree of Thoughts logs and their best-of-N baselines: one JSON list a file, one record a task.

Format: what ``run.py`` of princeton-nlp/tree-of-thought-llm writes. It has no ids, so this reader invents them: a start state is
``r``, its candidates are ``r.0``, ``r.1``, … in the order of ``new_ys``, theirs ``r.0.0``, …; best-of-N samples are ``s0``, ….
The parent is the kept state whose text a candidate extends. In a log of values an integer 0 is not the evaluator's: no score.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ingest.errors import Problem
from ingest.readers import fields
from ingest.readers.fields import Malformed
from ingest.readers.tot_bfs_levels import Level, Zeros, first_copies, level_at, tree
from ingest.readers.tot_bfs_name import protocol_of
from ingest.schema import Fate, Node, Outcome, Run, Trace
from ingest.source import Source

NAME = "tot-bfs"
PRODUCER = "run.py of tree-of-thought-llm: breadth-first Tree of Thoughts and its best-of-N baselines"
LOOKS_FOR = "a JSON list of records with new_ys, values and select_new_ys, or with idx, ys and usage_so_far"
TELLS = {
    "generation": "yes",
    "evaluation": "yes",
    "control": "yes",
    "spend": "tokens and cost of each node (a run's totals are there)",
    "replay": "prompts and responses (what-if over the recorded scores works)",
    "compare": "protocol (only where the file name carries it)",
}
_Checked = tuple[tuple[Node, ...], bool | None, str | None, list[str]]
_FROM_NAME = "protocol read from the file name; the log itself holds no setting"
_NONE_CHOSEN = "independent samples: the program chose none, so the first one stands as the answer"
_SPEND = {"prompt_tokens": "reported_input_tokens", "completion_tokens": "reported_output_tokens", "cost": "reported_cost"}


def sniff(source: Source) -> bool:
    """A list of objects with the producer's keys; ``thoughts``, ``answer`` and ``select`` are a fork's, which logs otherwise."""
    head = source.head()
    keys = fields.keys_in(head)
    tree_log = {"new_ys", "values", "select_new_ys"} <= keys and not keys & {"thoughts", "answer", "select"}
    sample_log = {"idx", "ys", "usage_so_far"} <= keys and "steps" not in keys
    return re.match(r"\s*\[\s*\{", head) is not None and (tree_log or sample_log)


def read(source: Source) -> Iterator[Trace | Problem]:
    """One Trace or one Problem for every record, in file order."""
    records = source.json()
    if not isinstance(records, list) or not records:
        found = "an empty list" if isinstance(records, list) else fields.kind_of(records)
        yield Problem(f"{found} where a list of records was expected", f"{source.name}: $", kind="bad_record", rejected=True)
        return
    zeros, seen, protocol = Zeros(votes=not _holds_fractions(records)), Counter[str](), protocol_of(source.stem)
    for at, record in enumerate(records):
        try:
            yield _trace(source.stem, records, at, zeros, seen, protocol)
        except Malformed as error:
            yield error.problem(source.name, record)
        except RecursionError:
            yield Problem("the record is nested too deeply", f"{source.name}: $[{at}]", kind="bad_record", rejected=True)


def _trace(stem: str, records: list[Any], at: int, zeros: Zeros, seen: Counter[str], protocol: str | None) -> Trace:
    record, path = records[at], f"$[{at}]"
    if not isinstance(record, dict):
        raise Malformed(path, f"{fields.kind_of(record)} where a record was expected")
    idx = record.get("idx")
    if isinstance(idx, bool) or not isinstance(idx, int | str):
        raise Malformed(f"{path}.idx", f"{fields.kind_of(idx)} where the number of a task was expected")
    steps = fields.list_at(record, "steps", path) if "steps" in record else []
    levels = [level_at(steps, place, f"{path}.steps[{place}]") for place in range(len(steps))]
    ys = fields.texts_at(record, "ys", path)
    seen[str(idx)] += 1
    run_id = f"{stem}/{idx}" if seen[str(idx)] == 1 else f"{stem}/{idx}#{seen[str(idx)]}"
    nodes, ends, warnings = _tree(run_id, levels, ys, zeros) if levels else _samples(run_id, ys)
    marked, right, outcome_by, doubts = _checked(nodes, ends, record)
    spend, gaps = _spend(records, at)
    return Trace(
        Run(
            run_id=run_id,
            task_id=str(idx),
            question=levels[0].question if levels else None,
            answer=ys[0] if ys else None,
            outcome={True: Outcome.RIGHT, False: Outcome.WRONG, None: Outcome.UNKNOWN}[right],
            outcome_by=outcome_by,
            protocol=protocol,
            selected_path=fields.path_to(ends[0], nodes) if ends else None,
            level_by_level=True if levels else None,
            source_format=NAME,
            warnings=(*warnings, *doubts, *gaps, *([_FROM_NAME] if protocol else [])),
            extra=fields.extra_text(_leftovers(record, steps)),
            **spend,
        ),
        marked,
    )


def _tree(run_id: str, levels: list[Level], ys: Sequence[str], zeros: Zeros) -> tuple[list[Node], list[str | None], list[str]]:
    """Nodes, the ids of the final candidates (best first), warnings."""
    nodes, kept, warnings = tree(run_id, levels, zeros)
    ends = [kept[place] if place is not None else None for place in first_copies(ys, levels[-1].select_new_ys)]
    if tuple(ys) != levels[-1].select_new_ys:
        warnings.append("ys is not what the last step kept; where a text stands in both, its place in ys counts")
    return nodes, ends, warnings


def _samples(run_id: str, ys: Sequence[str]) -> tuple[list[Node], list[str | None], list[str]]:
    """Best of N: nothing was searched, every sample is a root of its own."""
    nodes = [
        Node(
            run_id=run_id, node_id=f"s{place}", depth=0, request_index=place, seq=place, step=text, state=fields.json_text(text),
            fate=Fate.TERMINAL,
        )
        for place, text in enumerate(ys)
    ]  # fmt: skip
    return nodes, [node.node_id for node in nodes], [_NONE_CHOSEN]


def _checked(nodes: list[Node], ends: list[str | None], record: dict[str, Any]) -> _Checked:
    """Nodes with the result of their check, the result of the first, what gave it, warnings."""
    name = "infos" if "infos" in record else "accs"
    checks = record.get(name)
    if not isinstance(checks, list) or len(checks) != len(ends):
        return tuple(nodes), None, None, [f"{name} does not hold one result for each text of ys, so no result was taken"]
    of_node = {node_id: check for node_id, check in zip(ends, checks, strict=True) if node_id is not None}
    marked = tuple(_with_check(node, of_node[node.node_id]) if node.node_id in of_node else node for node in nodes)
    first, key = _result(checks[0]) if checks else (None, "")
    unread = sum(_result(check)[0] is None for check in checks)
    doubts = [f"{name}: {unread} of {len(checks)} entries are not a right or wrong (a judge's mark, or never filled in)"] if unread else []
    return marked, first, f"log: {name}[0]{key}" if first is not None else None, doubts


def _with_check(node: Node, check: object) -> Node:
    """The node with its result; what a check says beyond right or wrong goes to ``extra``."""
    plain = isinstance(check, bool) or (isinstance(check, dict) and set(check) == {"r"} and _result(check)[0] is not None)
    extra = node.extra if plain else fields.json_text({**json.loads(node.extra or "{}"), "check": check})
    return replace(node, verified=_result(check)[0], extra=extra)


def _result(check: object) -> tuple[bool | None, str]:
    """Right, wrong or None, and the key that says so. Only 0, 1, true and false say it: other numbers are marks of a judge."""
    if isinstance(check, bool):
        return check, ""
    if not isinstance(check, dict) or "rs" in check:
        return None, ""
    key = "r_game" if "r_game" in check else "r"
    value = check.get(key)
    return (bool(value), f".{key}") if isinstance(value, int) and value in (0, 1) else (None, "")


def _spend(records: Sequence[Any], at: int) -> tuple[dict[str, Any], list[str]]:
    """The run's own tokens and cost: ``usage_so_far`` runs on over the file, so the record before is taken off."""
    start: dict[str, float | None] = dict.fromkeys(_SPEND, 0)
    total, before = _usage(records[at]), _usage(records[at - 1]) if at else start
    warnings = []
    if any(now is not None and then is not None and now < then for now, then in zip(total.values(), before.values(), strict=True)):
        warnings.append("usage_so_far falls here, as after a restart of the program: its own value is taken as this run's spend")
        before = start
    elif None in before.values() and total != dict.fromkeys(_SPEND):
        warnings.append("the record before holds no whole usage_so_far, so this run's spend is not known")
    spend = {key: now - then for key, now in total.items() if now is not None and (then := before[key]) is not None}
    # rounded, because 0.21 - 0.12 in binary has a tail that the log does not have
    return {_SPEND[key]: round(value, 10) if key == "cost" else value for key, value in spend.items()}, warnings


def _usage(record: object) -> dict[str, float | None]:
    usage = fields.object_or_empty(record, "usage_so_far")
    return {key: (fields.number if key == "cost" else fields.whole)(usage.get(key)) for key in _SPEND}


def _leftovers(record: dict[str, Any], steps: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What has no column: the running total and the results as logged, and fields that the format does not know."""
    of_steps = {}
    for place, step in enumerate(steps):
        question = ("x",) if isinstance(step.get("x"), str) and step["x"] == steps[0].get("x") else ()
        number = ("step",) if step.get("step") == place else ()
        of_steps[str(place)] = fields.without(step, ("ys", "new_ys", "values", "select_new_ys", *question, *number))
    rest = {place: left for place, left in of_steps.items() if left}
    taken = ("steps", "idx") if steps and record["ys"] != steps[-1]["select_new_ys"] else ("steps", "idx", "ys")
    return fields.without(record, taken) | ({"steps": rest} if rest else {})


def _holds_fractions(records: Sequence[Any]) -> bool:
    """Whether any value is written with a decimal point: the evaluator's values are, votes are not."""
    lists = (record.get("steps") for record in records if isinstance(record, dict))
    steps = (step for listed in lists if isinstance(listed, list) for step in listed)
    values = (step["values"] for step in steps if isinstance(step, dict) and isinstance(step.get("values"), list))
    return any(isinstance(value, float) for listed in values for value in listed)

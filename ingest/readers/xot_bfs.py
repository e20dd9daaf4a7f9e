"""Everything-of-Thoughts logs (a fork of the Tree of Thoughts logger): one JSON list a file, one record a task.

Format: what microsoft/Everything-of-Thoughts-XoT writes with the methods tot, got and xot. Ids and parents are invented as in ``tot_bfs``.
``got`` files choose by ``select``, places counted from 1, and hold no scores; ``xot`` files hold answers and no search. The last step of a search
turns the kept thoughts into answers, which are no nodes: they stand in ``extra`` of the thought, which is verified when any of them is right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ingest.errors import Problem
from ingest.readers import documents, fields
from ingest.readers.fields import Malformed
from ingest.readers.tot_bfs_levels import Level, Zeros, level_at, tree
from ingest.schema import Fate, Node, Outcome, Run, Stage, Trace
from ingest.source import Source

NAME = "xot-bfs"
PRODUCER = "Everything-of-Thoughts: breadth-first search with the methods tot, got and xot"
LOOKS_FOR = "a JSON list of records whose steps have new_ys and select_new_ys, and thoughts, answer or select; or that have model_call_phase1"
TELLS = {
    "generation": "yes (not in xot files, which hold no search)",
    "evaluation": "yes where values are logged (got files have none)",
    "control": "yes (not in xot files)",
    "spend": "calls, tokens, cost and time",
    "replay": "prompts and responses (what-if over recorded scores works)",
    "compare": "protocol (only where the file name carries it)",
}
_FILE_NAME = re.compile(r"(?:(?P<task>game24|cube|npuzzle)_)?(?P<backend>.+?)(?:_(?P<temperature>\d+\.\d+))?_(?P<method>tot|got|xot)_(?P<rest>\w+)")
_FROM_NAME = "protocol read from the file name; the log itself holds no setting"
_NO_SEARCH = "this record holds answers and no search: there is nothing to draw"
_NO_SCORES = "candidates were chosen by a model's list of places (select): there are no scores"


def sniff(source: Source) -> bool:
    """A list of records with the fork's keys."""
    head = source.head()
    keys = fields.keys_in(head)
    search = {"new_ys", "select_new_ys"} <= keys and bool(keys & {"thoughts", "answer", "select"})
    return re.match(r"\s*\[\s*\{", head) is not None and (search or {"idx", "ys", "model_call_phase1"} <= keys)


def read(source: Source) -> Iterator[Trace | Problem]:
    """One Trace or one Problem for every record, in file order."""
    zeros, ids = Zeros(votes=False), documents.Ids()
    protocol = _protocol(source.stem)
    yield from documents.run_an_item(source, lambda path, record: [_trace(source.stem, path, record, zeros, ids, protocol)])


def _trace(stem: str, path: str, record: dict[str, Any], zeros: Zeros, ids: documents.Ids, protocol: str | None) -> Trace:
    idx = record.get("idx")
    if isinstance(idx, bool) or not isinstance(idx, int | str):
        raise Malformed(f"{path}.idx", f"{fields.kind_of(idx)} where the number of a task was expected")
    ys = fields.texts_at(record, "ys", path)
    levels, last = _levels(record, path)
    run_id = ids.of(f"{stem}/{idx}")
    nodes, kept, warnings = tree(run_id, levels, zeros) if levels else ([], [], [_NO_SEARCH])
    if any("select" in step for step in fields.list_or_empty(record, "steps")):
        nodes = [_chosen(node) for node in nodes]
        warnings.append(_NO_SCORES)
    checks = fields.list_or_empty(record, "infos")
    nodes = _answered(nodes, kept, fields.list_or_empty(last, "answer"), checks, warnings)
    first, key = _first_result(checks[0]) if checks else (None, "")
    question = next((step.get("x") for step in fields.list_or_empty(record, "steps") if isinstance(step, dict)), None)
    return Trace(
        Run(
            run_id=run_id,
            task_id=str(idx),
            question=fields.text(question),
            answer=ys[0] if ys else None,
            outcome={True: Outcome.RIGHT, False: Outcome.WRONG, None: Outcome.UNKNOWN}[first],
            outcome_by=f"log: infos[0].{key}" if first is not None else None,
            protocol=protocol,
            selected_path=fields.path_to(kept[0], nodes) if kept else None,
            level_by_level=True if levels else None,
            source_format=NAME,
            warnings=(*warnings, *([_FROM_NAME] if protocol else [])),
            extra=fields.extra_text(_leftovers(record, levels)),
        ),
        tuple(nodes),
    )


def _levels(record: dict[str, Any], path: str) -> tuple[list[Level], dict[str, Any]]:
    """The steps that are search levels, and the step that made answers of the kept thoughts."""
    steps = fields.list_at(record, "steps", path) if "steps" in record else []
    searched = [step for step in steps if not isinstance(step, dict) or "new_ys" in step]
    whole = [{"values": [None] * len(fields.list_or_empty(s, "new_ys")), **s} if isinstance(s, dict) and "select" in s else s for s in searched]
    last = next((step for step in steps if isinstance(step, dict) and "answer" in step), {})
    return [level_at(whole, at, f"{path}.steps[{at}]") for at in range(len(whole))], last


def _chosen(node: Node) -> Node:
    """A candidate of a file without scores: the model's choice decided."""
    by_choice = node.fate == Fate.PRUNED and node.pruned_by == Stage.SURVIVED
    plain = replace(node, score_raw=None, error=None) if node.score is None and node.score_raw == "null" else node
    return replace(plain, prune_rule="select") if by_choice else plain


def _answered(nodes: list[Node], kept: Sequence[str | None], answers: list[Any], checks: list[Any], warnings: list[str]) -> list[Node]:
    """Kept thoughts with what the program made of them and whether any of it is right."""
    if not nodes:
        return nodes
    if not len(kept) == len(checks) == len(answers):
        warnings.append("answers, results and kept thoughts differ in number: no result was taken")
        return nodes
    of_node = {node_id: at for at, node_id in enumerate(kept) if node_id is not None}
    found = []
    for node in nodes:
        at = of_node.get(node.node_id)
        if at is not None:
            results = list(_results(checks[at]))
            verified = True if True in results else False if False in results else None
            more = {**json.loads(node.extra or "{}"), "answer": answers[at], "check": checks[at]}
            node = replace(node, verified=verified, extra=fields.json_text(more))
        found.append(node)
    return found


def _results(check: object) -> Iterator[bool | None]:
    """Every result in one entry of ``infos``: 1 right, 0 wrong, anything else not judged."""
    value = check.get("r") if isinstance(check, dict) else None
    for one in value.values() if isinstance(value, dict) else (value,):
        result = one.get("r") if isinstance(one, dict) else one
        yield bool(result) if isinstance(result, int | float) and result in (0, 1) else None


def _first_result(check: object) -> tuple[bool | None, str]:
    value = check.get("r") if isinstance(check, dict) else None
    key = f"r.{next(iter(value), '')}" if isinstance(value, dict) else "r"
    return next(_results(check), None), key


def _leftovers(record: dict[str, Any], levels: Sequence[Level]) -> dict[str, Any]:
    """What has no column: results, counts, the choices, the thoughts that became answers, answers of records without a search."""
    taken = ("new_ys", "values", "select_new_ys", "ys", "x", "step")
    rest = {str(at): left for at, step in enumerate(fields.list_or_empty(record, "steps")) if (left := fields.without(step, taken))}
    known = ("steps", "idx", "ys") if levels else ("steps", "idx")
    return fields.without(record, known) | ({"steps": rest} if rest else {})


def _protocol(stem: str) -> str | None:
    match = _FILE_NAME.fullmatch(stem)
    if match is None:
        return None
    found: dict[str, Any] = {key: value for key, value in match.groupdict().items() if value and key != "rest"}
    numbers = {word: int(digits) for word, digits in re.findall(r"([a-z]+)(\d+)(?=_|$)", match["rest"])}
    temperature = {"temperature": float(found.pop("temperature"))} if "temperature" in found else {}
    return fields.json_text(found | temperature | numbers, sort_keys=True)

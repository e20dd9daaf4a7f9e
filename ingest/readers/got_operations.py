"""Graph of Thoughts: one JSON list of operations, one run; no edges, neither between operations nor between thoughts.

Format: what ``Controller.output_graph`` of graph-of-thoughts writes. Nodes are the thoughts inside of operations: thought j of operation i
is ``i.j``. A thought is written again by every operation that it passes through, so one text may be several nodes, and what ``keep_best_n``
dropped is not marked. Depths and parents are not recorded; the order of the operations is. The last element is the spend of the whole run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ingest.errors import Problem
from ingest.readers import fields
from ingest.readers.fields import Malformed
from ingest.schema import Node, Outcome, Run, Trace
from ingest.source import Source

NAME = "got-operations"
PRODUCER = "Graph of Thoughts: the operations of one run"
LOOKS_FOR = "a JSON list of objects with operation and thoughts"
TELLS = {
    "generation": "edges, prompts and responses",
    "evaluation": "who scored, and its prompts and responses",
    "control": "edges, pruning (keep_best_n does not say what it dropped), selected path",
    "spend": "tokens and cost of each thought (a run's totals are there)",
    "replay": "edges, prompts and responses",
    "compare": "protocol (only the method is there)",
}
_NO_EDGES = "no edges are recorded, neither between operations nor between thoughts: the order of operations is all there is"
_AGAIN = "{0} thoughts of {1} are the same text again: each operation writes every thought that it passes on"
_DROPPED = "{0} thoughts were dropped by keep_best_n; which ones is not recorded"
_MIXED = "the last check found some thoughts right and others wrong: the outcome is not known"
_COLUMNS = ("operation", "thoughts", "scored", "scores", "compared_to_ground_truth", "problem_solved")
_TOTALS = {"prompt_tokens": "reported_input_tokens", "completion_tokens": "reported_output_tokens", "cost": "reported_cost"}


@dataclass(frozen=True, slots=True)
class _Operation:
    place: int
    kind: str
    thoughts: list[Any]
    raw: dict[str, Any]

    def at(self, key: str, place: int) -> object:
        """What a parallel list says of one thought; None where there is no such list."""
        values = self.raw.get(key)
        return values[place] if isinstance(values, list) and len(values) == len(self.thoughts) else None


def sniff(source: Source) -> bool:
    head = source.head()
    return re.match(r'\s*\[\s*\{\s*"(operation|thoughts)"', head) is not None and {"operation", "thoughts"} <= fields.keys_in(head)


def read(source: Source) -> Iterator[Trace | Problem]:
    """A Problem for every operation that could not be read, then the run."""
    document = source.json()
    if not isinstance(document, list) or not document:
        found = "an empty list" if isinstance(document, list) else fields.kind_of(document)
        yield Problem(f"{found} where a list of operations was expected", f"{source.name}: $", kind="bad_record", rejected=True)
        return
    operations: list[_Operation] = []
    totals: dict[str, Any] = {}
    try:
        for place, raw in enumerate(document):
            if isinstance(raw, dict) and "operation" not in raw and place + 1 == len(document):
                totals = raw
                continue
            try:
                operations.append(_operation(place, raw))
            except Malformed as error:
                yield error.problem(source.name, raw)
        yield from (problem for operation in operations for problem in _wrong(operation, source.name))
        yield _trace(source.place, operations, totals)
    except RecursionError:
        yield Problem("a value is nested too deeply", f"{source.name}: $", kind="bad_record", rejected=True)


def _operation(place: int, raw: Any) -> _Operation:
    if not isinstance(raw, dict):
        raise Malformed(f"$[{place}]", f"{fields.kind_of(raw)} where an operation was expected")
    kind = raw.get("operation")
    if not isinstance(kind, str):
        raise Malformed(f"$[{place}].operation", f"{fields.kind_of(kind)} where the name of an operation was expected")
    return _Operation(place, kind, fields.list_at(raw, "thoughts", f"$[{place}]"), raw)


def _wrong(operation: _Operation, source: str) -> Iterator[Problem]:
    """Thoughts that are none, and lists that do not fit the thoughts."""
    for place, thought in enumerate(operation.thoughts):
        if not isinstance(thought, dict):
            wrong = Malformed(f"$[{operation.place}].thoughts[{place}]", f"{fields.kind_of(thought)} where a thought was expected")
            yield wrong.problem(source, thought)
    for key in _COLUMNS[2:]:
        values = operation.raw.get(key, operation.thoughts)
        if not isinstance(values, list) or len(values) != len(operation.thoughts):
            yield Malformed(f"$[{operation.place}].{key}", f"not one entry for each of {len(operation.thoughts)} thoughts").problem(source, values)


def _trace(run_id: str, operations: Sequence[_Operation], totals: dict[str, Any]) -> Trace:
    pairs = [(op, place, raw) for op in operations for place, raw in enumerate(op.thoughts) if isinstance(raw, dict)]
    question = next((raw["requirement_text"] for _, _, raw in pairs if isinstance(raw.get("requirement_text"), str)), None)
    methods = {raw.get("method") for _, _, raw in pairs if isinstance(raw.get("method"), str)}
    nodes = tuple(_node(run_id, op, place, raw, seq, question) for seq, (op, place, raw) in enumerate(pairs))
    checked = [op.at("problem_solved", place) for op, place, _ in pairs if op is operations[-1]] if operations else []
    right = {value for value in checked if isinstance(value, bool)}
    outcome = Outcome.RIGHT if right == {True} else Outcome.WRONG if right == {False} else Outcome.UNKNOWN
    leftover = {str(op.place): {"operation": op.kind, **left} for op in operations if (left := _unread(op))}
    spend = {column: (fields.number if key == "cost" else fields.whole)(totals.get(key)) for key, column in _TOTALS.items()}
    unknown = {key: value for key, value in totals.items() if _TOTALS.get(key) is None or spend[_TOTALS[key]] is None}
    return Trace(
        Run(
            run_id=run_id,
            question=question,
            answer=fields.text(pairs[-1][2].get("final_answer")) if pairs else None,
            outcome=outcome,
            outcome_by="log: problem_solved" if outcome != Outcome.UNKNOWN else None,
            protocol=fields.json_text({"method": next(iter(methods))}) if len(methods) == 1 else None,
            source_format=NAME,
            warnings=tuple(_warnings(operations, nodes, len(right) > 1)),
            extra=fields.extra_text(({"totals": unknown} if unknown else {}) | ({"operations": leftover} if leftover else {})),
            **spend,  # type: ignore[arg-type]  # two columns of whole numbers and one of dollars
        ),
        nodes,
    )


def _node(run_id: str, operation: _Operation, place: int, raw: dict[str, Any], seq: int, question: str | None) -> Node:
    value = operation.at("scores", place)
    scored = operation.at("scored", place) is not False
    score = fields.number(value) if scored else None
    verified = operation.at("problem_solved", place) if operation.at("compared_to_ground_truth", place) is not False else None
    known = ("current", *(("requirement_text",) if raw.get("requirement_text") == question else ()))
    return Node(
        run_id=run_id,
        node_id=f"{operation.place}.{place}",
        request_index=place,
        seq=seq,
        step=fields.text(raw.get("current")),
        action_kind=operation.kind,
        score=score,
        score_raw=fields.json_text(value) if value is not None else None,
        error="the logged score is not a finite number" if scored and value is not None and score is None else None,
        verified=verified if isinstance(verified, bool) else None,
        extra=fields.extra_text(fields.without(raw, known)),
    )


def _unread(operation: _Operation) -> dict[str, Any]:
    odd = {key for key in _COLUMNS[2:] if key in operation.raw and operation.at(key, 0) is None and operation.thoughts}
    return {key: value for key, value in operation.raw.items() if key not in _COLUMNS or key in odd}


def _warnings(operations: Sequence[_Operation], nodes: Sequence[Node], mixed: bool) -> Iterator[str]:
    yield _NO_EDGES
    texts = [node.step for node in nodes]
    if len(set(texts)) < len(texts):
        yield _AGAIN.format(len(texts) - len(set(texts)), len(texts))
    scored = [pair for pair in pairwise(operations) if [operation.kind for operation in pair] == ["score", "keep_best_n"]]
    dropped = sum(len(before.thoughts) - len(after.thoughts) for before, after in scored)
    if dropped:
        yield _DROPPED.format(dropped)
    if mixed:
        yield _MIXED

"""Results of LATS programming runs: one problem a line, one run; the first and the last program are all that is left of the search.

Format: the result lines of ``programming`` in lapisrocks/LanguageAgentTreeSearch. The tree was never written down, so the two attempts are
independent samples: ``0`` and ``1``. A line without attempts was solved by its first one, and says nothing more. ``acc`` runs on over the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.errors import Problem
from ingest.readers import fields
from ingest.readers.documents import Ids, run_a_line
from ingest.readers.fields import Malformed
from ingest.schema import Fate, Node, Outcome, Run, Trace
from ingest.source import Source

NAME = "lats-programming-jsonl"
PRODUCER = "LATS and its depth-first twin on programming tasks, result lines"
LOOKS_FOR = "lines of JSON objects with entry_point, test and acc"
TELLS = {
    "generation": "parents, and all attempts but the first and the last",
    "evaluation": "scores",
    "control": "alternatives, fates, prune reasons",
    "spend": "tokens, cost and calls",
    "replay": "prompts, responses and parents",
    "compare": "protocol",
}
_COLUMNS = ("prompt", "solution", "implementations", "test_feedback", "is_solved")


def sniff(source: Source) -> bool:
    """A first line with the keys of the benchmark and the running accuracy."""
    line = source.first_object()
    return line is not None and {"name", "entry_point", "test", "acc"} <= line.keys()


def read(source: Source) -> Iterator[Trace | Problem]:
    """One Trace or one Problem for every line."""
    ids = Ids()
    yield from run_a_line(source, lambda _, record: [_trace(source.stem, ids, record)])


def _trace(stem: str, ids: Ids, record: dict[str, Any]) -> Trace:
    name = record.get("name")
    if not isinstance(name, str) or not name:
        raise Malformed("$.name", f"{fields.kind_of(name)} where the name of a problem was expected")
    programs = fields.texts_at(record, "implementations", "$") if "implementations" in record else ()
    feedback = record.get("test_feedback")
    feedback = feedback if isinstance(feedback, list) and len(feedback) == len(programs) else None
    solved = record.get("is_solved")
    solved = solved if isinstance(solved, bool) else None
    run_id = ids.of(f"{stem}/{name}")
    chosen = len(programs) - 1 if programs and record.get("solution") == programs[-1] else None
    nodes = tuple(_node(run_id, at, program, feedback, solved if at == chosen else None) for at, program in enumerate(programs))
    taken = [key for key in _COLUMNS if key != "test_feedback" or feedback is not None or not record.get(key)]
    if solved is None:
        taken.remove("is_solved")
    return Trace(
        Run(
            run_id=run_id,
            task_id=name,
            question=fields.text(record.get("prompt")),
            answer=fields.text(record.get("solution")),
            outcome={True: Outcome.RIGHT, False: Outcome.WRONG, None: Outcome.UNKNOWN}[solved],
            outcome_by="log: is_solved" if solved is not None else None,
            selected_path=(str(chosen),) if chosen is not None else None,
            source_format=NAME,
            warnings=tuple(_warnings(programs)),
            extra=fields.extra_text(fields.without(record, taken)),
        ),
        nodes,
    )


def _warnings(programs: tuple[str, ...]) -> Iterator[str]:
    if programs:
        yield "the search tree was never written down: only the first and the last attempt are, without a parent"
    else:
        yield "no attempt is recorded: the program leaves them out where the first one passed its own tests, and does not say whether it was right"


def _node(run_id: str, at: int, program: str, feedback: list[Any] | None, verified: bool | None) -> Node:
    return Node(
        run_id=run_id,
        node_id=str(at),
        seq=at,
        step=program,
        state=fields.json_text(program),
        observation=fields.text(feedback[at]) if feedback else None,
        fate=Fate.TERMINAL,
        verified=verified,
    )

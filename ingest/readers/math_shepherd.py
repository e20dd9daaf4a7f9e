"""Math-Shepherd: solutions whose steps were labelled automatically, one JSON object a line, one solution a run: a chain, never a tree.

Format: the lines of the Math-Shepherd data set. ``input`` has the marker ``ки`` after each step, ``label`` has + or - in its place: whether
the answer could still be reached from there. That is truth and no score. Nodes have no ids: the steps are ``0``, ``1``, …, each the child
of the one before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest.errors import Problem
from ingest.readers import documents, fields
from ingest.readers.fields import Malformed
from ingest.schema import Fate, Node, Outcome, Run, Trace, Truth
from ingest.source import Source

NAME = "math-shepherd"
PRODUCER = "Math-Shepherd: solutions with an automatic verdict on each step"
LOOKS_FOR = "lines that are objects with input, label and task, the input with the marker ки"
TELLS = {
    "generation": "alternatives, prompts and responses",
    "evaluation": "scores: the verdicts stand as truth",
    "control": "alternatives: a chain has none",
    "spend": "calls, tokens, cost and time",
    "replay": "prompts, responses and scores",
    "compare": "protocol",
}
_MARK = "ки"
_CHAIN = "one chain: alternatives were not recorded, so nothing was chosen or pruned"


def sniff(source: Source) -> bool:
    first = source.first_object()
    return first is not None and {"input", "label", "task"} <= first.keys() and _MARK in str(first["input"])


def read(source: Source) -> Iterator[Trace | Problem]:
    """One Trace or one Problem a line."""
    yield from documents.run_a_line(source, lambda where, record: [_trace(source.stem, where, record)])


def _trace(stem: str, where: str, record: dict[str, Any]) -> Trace:
    run_id = f"{stem}/{where.rpartition(':')[2]}"
    pieces, tail = _steps(record)
    question, first = _split(pieces[0][0]) if pieces else (None, "")
    steps = [(first if at == 0 else piece.strip(), good) for at, (piece, good) in enumerate(pieces)]
    right = steps[-1][1] if steps and not tail.strip() else None
    rest = fields.without(record, ("input", "label")) | ({"after the last step": tail} if tail.strip() else {})
    nodes = tuple(
        Node(
            run_id=run_id, node_id=str(at), parent_ids=(str(at - 1),) if at else (), depth=at, seq=at, step=text,
            fate=Fate.EXPANDED if at + 1 < len(steps) else Fate.TERMINAL,
        )
        for at, (text, _) in enumerate(steps)
    )  # fmt: skip
    return Trace(
        Run(
            run_id=run_id,
            question=question,
            answer=steps[-1][0] if steps else None,
            outcome={True: Outcome.RIGHT, False: Outcome.WRONG, None: Outcome.UNKNOWN}[right],
            outcome_by="label: verdict on the last step" if right is not None else None,
            selected_path=tuple(node.node_id for node in nodes),
            level_by_level=False,
            source_format=NAME,
            warnings=(_CHAIN,),
            extra=fields.extra_text(rest),
        ),
        nodes,
        (),
        tuple(
            Truth(run_id=run_id, node_id=str(at), viable=good, viable_by="label", detail="+" if good else "-") for at, (_, good) in enumerate(steps)
        ),
    )


def _steps(record: dict[str, Any]) -> tuple[list[tuple[str, bool]], str]:
    """Each step with its verdict, and what follows the last one. A marker that both texts have is a part of the solution."""
    given, marked = record.get("input"), record.get("label")
    if not isinstance(given, str) or not isinstance(marked, str):
        name = "label" if isinstance(given, str) else "input"
        raise Malformed(f"$.{name}", f"{fields.kind_of(record.get(name))} where a text was expected")
    found: list[tuple[str, bool]] = []
    at, step = 0, ""
    pieces = given.split(_MARK)
    for number, piece in enumerate(pieces):
        if not marked.startswith(piece, at):
            raise Malformed("$.label", f"is not input with its markers replaced: they differ after {at} characters")
        at += len(piece)
        step += piece
        if number + 1 == len(pieces):
            break
        if marked.startswith(_MARK, at):
            step, at = step + _MARK, at + len(_MARK)
        elif marked[at : at + 1] in ("+", "-"):
            found.append((step, marked[at] == "+"))
            step, at = "", at + 1
        else:
            raise Malformed("$.label", f"has no + or - at character {at}, where input has its marker")
    return found, step + marked[at:]


def _split(text: str) -> tuple[str | None, str]:
    """The question and the first step, where the text says where that begins."""
    match = re.search(r"\bStep 1:", text)
    return (text[: match.start()].strip() or None, text[match.start() :].strip()) if match else (None, text.strip())

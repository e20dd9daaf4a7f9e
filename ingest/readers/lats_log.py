"""Text logs of LATS (HotpotQA, WebShop): nodes with depths and no links, so they are listed and not drawn as a tree.

Format: the ``logging`` output of lapisrocks/LanguageAgentTreeSearch. A run begins where the iterations begin again at 1, or the depth-first search
at depth 0. Nodes have no ids, so their number in the run is the id. Each is logged when it is made: its value and visits are no statistics.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ingest.errors import Problem
from ingest.readers import fields, stamped
from ingest.readers.stamped import Record
from ingest.schema import Call, Node, Outcome, Role, Run, StopReason, Trace
from ingest.source import RAW_LIMIT, Source

NAME = "lats-log"
PRODUCER = "LATS text logs (HotpotQA, WebShop)"
LOOKS_FOR = "a text log with NEW NODE: Node(depth=…) or SAMPLED ACTION"
TELLS = {
    "generation": "parents",
    "evaluation": "which node a score belongs to",
    "control": "parents, fates, prune reasons, selected path",
    "spend": "tokens and cost",
    "replay": "parents",
    "compare": "protocol",
}
_NODE = re.compile(r"NEW NODE: Node\(depth=(\d{1,9}), value=(\S+), visits=(\d+), (.*)\)?\s*$", re.DOTALL)
_PARTS = re.compile(r"(?:thought=(?P<thought>.*?), )?action=(?P<action>.*?), observation=(?P<observation>.*)", re.DOTALL)
_BEGINS = re.compile(r"(Iteration 1\.\.\.|DFS at node depth 0\.\.\.)")
_IN_A_RUN = re.compile(r"NEW NODE:|(VALUE )?PROMPT:|SAMPLED ACTION:|VALUE OUTPUTS:")
_FOUND = re.compile(r"Terminal node with reward (\S+) found")
_ASKED = {"PROMPT:": Role.PROPOSER, "VALUE PROMPT:": Role.EVALUATOR}
_ANSWERED = {"SAMPLED ACTION:": Role.PROPOSER, "VALUE OUTPUTS:": Role.EVALUATOR}


@dataclass(slots=True)
class _Reading:
    """One run so far."""

    run_id: str
    records: list[Record] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    asked: dict[Role, Record] = field(default_factory=dict)


def sniff(source: Source) -> bool:
    """A stamped text log with the words of this program."""
    head = source.head()
    return stamped.begins_with_a_stamp(head) and ("NEW NODE: Node(depth=" in head or "SAMPLED ACTION: [" in head or "Iteration 1..." in head)


def read(source: Source) -> Iterator[Trace | Problem]:
    """One run for each start of the search; a node that cannot be read is a Problem."""
    runs: list[_Reading] = []
    before: list[Record] = []
    for record in stamped.records(source):
        if _BEGINS.match(record.message) or (not runs and _IN_A_RUN.match(record.message)):
            runs.append(_Reading(f"{source.stem}/{len(runs) + 1}", records=before))
            before = []
        if not runs:
            before.append(record)
        elif not _take(runs[-1], record):
            yield Problem("a node whose depth, value and visits cannot be read", f"{source.name}:{record.line}", "Repair the record.",
                          "bad_record", record.line, raw=record.message[:RAW_LIMIT], rejected=True)  # fmt: skip
    yield from (_trace(reading) for reading in runs)
    if not runs:
        yield Problem("no run begins in this log", source.name, "Was it cut before the first iteration?", "bad_record", rejected=True)


def _take(run: _Reading, record: Record) -> bool:
    """Put one record where it belongs; False when it is a node that cannot be read."""
    message = record.message
    if message.startswith("NEW NODE:"):
        found = _NODE.match(message)
        if found is not None:
            run.nodes.append(_node(run.run_id, len(run.nodes), found, record))
        return found is not None
    start = "".join(message.partition(":")[:2])
    if start in _ASKED:
        _unanswered(run, _ASKED[start])
        run.asked[_ASKED[start]] = record
    elif start in _ANSWERED:
        run.calls.append(_call(run, _ANSWERED[start], record.after(start) or "", record))
    elif (value := record.after("VALUES:")) is not None and run.calls and run.calls[-1].role == Role.EVALUATOR and run.calls[-1].parsed is None:
        call = run.calls.pop()
        wrong = "the answer of the judge could not be parsed" if value == "-1" else None
        run.calls.append(replace(call, parsed=value, error=wrong))
    else:
        run.records.append(record)
    return True


def _node(run_id: str, seq: int, found: re.Match[str], record: Record) -> Node:
    words = found[4].removesuffix(")")
    read = _PARTS.fullmatch(words)
    parts = read.groupdict() if read else {}
    step = "\n".join(parts[name] for name in ("thought", "action") if parts.get(name))
    action = parts.get("action") or ""
    return Node(
        run_id=run_id,
        node_id=str(seq),
        depth=int(found[1]),
        seq=seq,
        step=step or None,
        action_kind=action.split("[", 1)[0] or None,
        observation=parts.get("observation"),
        started_at=record.time,
        extra=fields.extra_text({"value": found[2], "visits": found[3]} | ({} if parts else {"logged": words})),
    )


def _call(run: _Reading, role: Role, answer: str, record: Record) -> Call:
    asked = run.asked.pop(role, None)
    prompt = asked.message.split(":", 1)[1].strip() if asked else None
    latency = (record.time - asked.time).total_seconds() * 1000 if asked and asked.time and record.time else None
    return Call(
        run_id=run.run_id, call_id=str(len(run.calls)), role=role, latency_ms=latency, started_at=asked.time if asked else None, prompt=prompt,
        response=answer,
    )  # fmt: skip


def _unanswered(run: _Reading, role: Role) -> None:
    """A prompt that a new one follows, or the end of the run, was never answered; it is a call all the same."""
    asked = run.asked.pop(role, None)
    if asked is not None:
        prompt, error = asked.message.split(":", 1)[1].strip(), "no answer is logged"
        run.calls.append(Call(run_id=run.run_id, call_id=str(len(run.calls)), role=role, started_at=asked.time, prompt=prompt, error=error))


def _trace(run: _Reading) -> Trace:
    for role in list(run.asked):
        _unanswered(run, role)
    found = next((match[1] for record in run.records if (match := _FOUND.match(record.message))), None)
    won = found is not None and fields.number(_as_number(found)) == 1
    results = [text for record in run.records if (text := record.after("RESULTS:")) is not None]
    return Trace(
        Run(
            run_id=run.run_id,
            outcome=Outcome.RIGHT if won else Outcome.UNKNOWN,
            outcome_by="log: Terminal node with reward 1" if won else None,
            stop_reason=StopReason.GOAL if found is not None else None,
            ended=True if results or found is not None else None,
            started_at=next((record.time for record in run.records if record.time), None),
            source_format=NAME,
            warnings=(
                "parents are not recorded: nodes are listed with their depths, not linked",
                "values of the judge are calls without a node: the log does not say which candidate they belong to",
                stamped.ZONELESS,
            ),
            extra=fields.extra_text({"log": [f"{record.stamp} {record.message}" for record in run.records]}),
        ),
        tuple(run.nodes),
        tuple(run.calls),
    )


def _as_number(text: str) -> object:
    try:
        return float(text)
    except ValueError:
        return None

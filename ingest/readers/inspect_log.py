"""Inspect evaluation logs, ``.json`` and ``.eval`` (a zip archive): a sample and epoch is a run, a span of its events is a node.

Format: what inspect_ai writes. Scores judge a whole sample; the steps of an agent are no alternatives, so nothing has a fate. Logs from before
spans hold ``step`` events instead: such runs have calls and no nodes. A log without samples holds no run, only an evaluation's totals.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.errors import Problem, TraceError
from ingest.readers import fields
from ingest.readers.documents import Ids
from ingest.readers.fields import Malformed
from ingest.readers.inspect_sample import id_of, trace_of
from ingest.schema import Trace
from ingest.source import Source

NAME = "inspect-log"
PRODUCER = "Inspect evaluations, .json and .eval"
LOOKS_FOR = "a JSON object with version, status and eval, or a zip archive with header.json"
TELLS = {
    "generation": "alternatives (an agent run: its spans are steps)",
    "evaluation": "scores of nodes (those of the whole sample are there)",
    "control": "fates, prune reasons, selected path",
    "spend": "cost",
    "replay": "alternatives and scores",
    "compare": "yes",
}


def sniff(source: Source) -> bool:
    """An archive with the producer's members, or an object that begins with version, status and evaluation."""
    if source.members():
        return True
    head = source.head()
    return head.lstrip().startswith("{") and {"version", "status", "eval", "task_id", "created"} <= fields.keys_in(head)


def read(source: Source) -> Iterator[Trace | Problem]:
    """One Trace or one Problem for every sample."""
    held = 0
    try:
        members = {member.member or "": member for member in source.members()}
        document = _header(members) if members else source.json()
        if not isinstance(document, dict):
            raise Malformed("$", f"{fields.kind_of(document)} where an object with an evaluation was expected")
        fields.object_at(document, "eval", "$")
        ids = Ids()
        for where, sample in _packed(members) if members else _listed(document):
            held += 1
            yield sample if isinstance(sample, Problem) else _one(source, document, ids, where, sample, first=held == 1)
    except Malformed as error:
        yield error.problem(source.name, document)
        return
    if not held:
        spent = fields.text(fields.object_or_empty(document, "stats").get("model_usage"))
        message = f"the log holds no sample, only an evaluation's totals: {spent or 'none'}"
        yield Problem(message, source.name, "Was it written with --no-log-samples?", kind="empty")


def _one(source: Source, evaluation: dict[str, Any], ids: Ids, where: str, sample: Any, *, first: bool) -> Trace | Problem:
    try:
        run_id = ids.of(f"{source.stem}/{id_of(sample, where)}")
        return trace_of(NAME, run_id, evaluation, sample, first=first)
    except Malformed as error:
        return error.problem(source.name, sample)
    except RecursionError:
        return Problem("the sample is nested too deeply", f"{source.name}: {where}", kind="bad_record", rejected=True)


def _header(members: dict[str, Source]) -> Any:
    """What the evaluation was; a log that was cut off has only its start."""
    return (members.get("header.json") or members["_journal/start.json"]).json()


def _packed(members: dict[str, Source]) -> Iterator[tuple[str, Any]]:
    """Samples of an archive. Its summaries and journal repeat parts of them."""
    for name, member in members.items():
        if name.startswith("samples/"):
            try:
                yield f"{name}: $", member.json()
            except TraceError as error:
                yield name, Problem(error.message, error.where or member.name, error.hint, kind="bad_record", rejected=True)


def _listed(document: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    samples = document.get("samples")
    if samples is not None and not isinstance(samples, list):
        raise Malformed("$.samples", f"{fields.kind_of(samples)} where a list was expected")
    yield from ((f"$.samples[{at}]", sample) for at, sample in enumerate(samples or ()))

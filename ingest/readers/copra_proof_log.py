"""COPRA proof-search logs: a text log of attempts at lemmas; an attempt is a run, and what happened inside of it is not in the log.

Format: the evaluation log of trishullab/copra (2026). Workers interleave: a result names its lemma, and belongs to the attempt at it that is
still open. The verdict is the proof checker's. An attempt that was killed has no result block. -1 stands for not measured.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ingest.errors import Problem
from ingest.readers import fields, stamped
from ingest.readers.documents import Ids
from ingest.readers.stamped import Record
from ingest.schema import Outcome, Run, StopReason, Trace
from ingest.source import RAW_LIMIT, Source

NAME = "copra-proof-log"
PRODUCER = "COPRA evaluation logs"
LOOKS_FOR = "a text log with attempts to prove lemmas"
TELLS = {
    "generation": "nodes (an attempt is all that is logged)",
    "evaluation": "scores",
    "control": "fates, prune reasons, selected path",
    "spend": "tokens and cost (an attempt's calls are there)",
    "replay": "prompts, responses and nodes",
    "compare": "yes",
}
_ATTEMPT = re.compile(r"Attempt (\d+) for proving lemma: (\S+)")
_RUNNING = re.compile(r"Running the prover agent for lemma: (\S+) .*with timeout: (\d+) seconds")
_KILLED = re.compile(r"Prover Agent for lemma: (\S+) .*got killed")
_FIELD = re.compile(r"^(\w+): (.*)$", re.MULTILINE)
_INSIDE, _UNMEASURED = "what happened inside of the attempt is not logged", "-1 stands for not measured"
_RESULT = "Dumping proof search result:"
_PROGRESS = ("Attempting to prove lemma: ", "Skipping the attempt", "Prover for lemma: ", "Failed to prove lemma: ")


@dataclass(slots=True)
class _Attempt:
    """What the log says about one attempt so far."""

    run_id: str
    lemma: str
    begun: Record
    result: Record | None = None
    timeout_s: float | None = None
    killed: bool = False


def sniff(source: Source) -> bool:
    """A stamped text log that tries to prove lemmas."""
    head = source.head()
    return stamped.begins_with_a_stamp(head) and ("Attempting to prove lemma: " in head or '"proof_retries"' in head)


def read(source: Source) -> Iterator[Trace | Problem]:
    """One run for each attempt in the order of their starts; a result without an attempt is a Problem."""
    attempts: list[_Attempt] = []
    open_now: dict[str, _Attempt] = {}
    ids, loose, protocol = Ids(), list[str](), None
    for record in stamped.records(source):
        if found := _ATTEMPT.match(record.message):
            attempts.append(_Attempt(ids.of(f"{source.stem}/{found[2]}/{found[1]}"), found[2], record))
            open_now[found[2]] = attempts[-1]
        elif (found := _RUNNING.match(record.message)) and found[1] in open_now:
            open_now[found[1]].timeout_s = float(found[2])
        elif (found := _KILLED.match(record.message)) and found[1] in open_now:
            open_now[found[1]].killed = True
        elif (result := record.after(_RESULT)) is not None:
            attempt = open_now.pop(_lemma(result), None)
            if attempt is None:
                yield _problem(source, record, "a result of a lemma that no attempt is open for")
            else:
                attempt.result = record
        elif (settings := record.after("Running Experiment:")) is not None and protocol is None:
            protocol = settings
        elif not record.message.startswith(_PROGRESS):
            loose.append(record.message)
    yield from (Trace(_run(attempt, protocol, loose if attempt is attempts[0] else [])) for attempt in attempts)
    if not attempts:
        yield Problem("no attempt at a lemma was found", source.name, "Was the log cut before the first one?", "bad_record", rejected=True)


def _problem(source: Source, record: Record, message: str) -> Problem:
    where, hint = f"{source.name}:{record.line}", "The log was probably cut before it."
    return Problem(message, where, hint, "bad_record", record.line, raw=record.message[:RAW_LIMIT], rejected=True)


def _lemma(result: str) -> str:
    found = re.search(r"^LemmaName: \w+ (\S+)", result, re.MULTILINE) or re.search(r"for lemma: (\S+)", result)
    return found[1] if found else ""


def _run(attempt: _Attempt, protocol: str | None, loose: list[str]) -> Run:
    result = (attempt.result.after(_RESULT) or "") if attempt.result else ""
    proof, _, block = result.partition("ProofFile:")
    logged = dict(_FIELD.findall("ProofFile:" + block)) if block else {}
    statement = re.search(r"LemmaName: (.*?)\nSearchResult:", block, re.DOTALL)
    verdict = logged.get("SearchResult", "[FAILED]" if "Proof FAILED" in result else "")
    outcome = {"[SUCCESS]": Outcome.RIGHT, "[FAILED]": Outcome.WRONG}.get(verdict, Outcome.UNKNOWN)
    proven, timed_out = outcome is Outcome.RIGHT, attempt.killed or logged.get("IsTimeout") == "True" or "(Timeout)" in result
    queries = re.search(r"'queries': (\d{1,15})\b", logged.get("AdditionalInfo", ""))
    extra: dict[str, Any] = {"result": logged} if logged else {"result": result} if result else {}
    extra |= {"proof": proof.strip()} if block and not proven else {}
    settings = _protocol(protocol)
    unread = ["the settings of the experiment are no JSON"] if protocol is not None and settings is None else []
    return Run(
        run_id=attempt.run_id,
        task_id=attempt.lemma,
        question=statement[1] if statement else None,
        answer=proof.strip() if block and proven else None,
        outcome=outcome,
        outcome_by="log: SearchResult" if outcome is not Outcome.UNKNOWN else None,
        protocol=settings,
        budget_wall_clock_s=attempt.timeout_s,
        stop_reason=StopReason.WALL_CLOCK if timed_out else StopReason.GOAL if proven else None,
        complete=False if timed_out else True if proven else None,
        ended=attempt.result is not None,
        wall_clock_s=_number(logged.get("SearchTimeInSecs")),
        started_at=attempt.begun.time,
        reported_calls=int(queries[1]) if queries else None,
        source_format=NAME,
        warnings=(_INSIDE, _UNMEASURED, stamped.ZONELESS, *unread),
        extra=fields.extra_text(extra | ({"log": loose} if loose else {})),
    )


def _number(text: str | None) -> float | None:
    try:
        value = fields.number(float(text)) if text is not None else None
    except ValueError:
        return None
    return value if value is None or value >= 0 else None


def _protocol(settings: str | None) -> str | None:
    try:
        return fields.json_text(json.loads(settings), sort_keys=True) if settings is not None else None
    except (ValueError, RecursionError):
        return None

"""What did the record answer to this request? Every recorded call of a store as request and answers; nothing else is ever answered.

    cache = PromptCache.of(Store(folder))
    propose = cache.around(propose)             # recorded answers first; what is not recorded is asked
    text = cache.ask("Propose steps.", model="m", seed=7)   # recorded answers only
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

from explorer import queries
from explorer.replay import nearest, request
from explorer.replay.request import Request
from ingest.errors import TraceError
from ingest.messages import messages_of
from ingest.store import Store

Ask: TypeAlias = Callable[..., str]
"""``ask(prompt, **parameters)``: a prompt, or a list of messages, and the parameters of a chat request; returns the response."""
Progress: TypeAlias = Callable[[str, int, int], None]
_BATCH = 1000


@dataclass(frozen=True, slots=True)
class Answer:
    """One recorded call, as an answer."""

    run_id: str
    call_id: str
    node_id: str | None = None
    template_id: str | None = None
    template_version: str | None = None
    response: str | None = None
    error: str | None = None
    """Why there is no response."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    started_at: datetime | None = None
    finish_reason: str | None = None
    status: int | None = None
    """Of an error that an upstream sent; None where the program that asked wrote it down itself."""

    @property
    def place(self) -> str:
        """Where it stands in the record."""
        version = f" version {self.template_version}" if self.template_version else ""
        template = f"template {self.template_id}{version}, " if self.template_id else ""
        return f"{template}run {self.run_id}, call {self.call_id}"


@dataclass(slots=True)
class _Asked:
    """One recorded request, its answers in recorded order, and how many of them were given."""

    request: Request
    answers: list[Answer] = field(default_factory=list)
    used: int = 0


@dataclass(frozen=True, slots=True)
class Taken:
    """Answers that were given just now."""

    answers: tuple[Answer, ...]
    not_recorded: tuple[str, ...]
    """Parameters that the request gives and the record does not hold: they match whatever they are. Empty: the match is exact."""


class NotRecorded(TraceError):
    """The record cannot answer. ``kind`` says how: not_recorded, all_answers_used or response_not_kept."""

    def __init__(self, message: str, kind: str = "not_recorded", nearest: Mapping[str, Any] | None = None) -> None:
        super().__init__(message, kind=kind)
        self.nearest = nearest
        """run_id, call_id, template_id, template_version, diff or parameters of the recorded prompt that is nearest."""


class RecordedFailure(TraceError):
    """The recorded call failed, and so does its replay."""


class PromptCache:
    """Request → recorded answers. A class, because it remembers which were given; safe from threads."""

    def __init__(self, recorded: Iterable[tuple[Request, Answer]], why_empty: str = "nothing is recorded") -> None:
        self._prompts: dict[str, list[_Asked]] = {}
        self._lock = threading.Lock()
        self.why_empty = why_empty
        known: dict[Request, _Asked] = {}
        for asked, answer in recorded:
            if asked not in known:
                known[asked] = _Asked(asked)
                self._prompts.setdefault(asked.messages, []).append(known[asked])
            known[asked].answers.append(answer)

    @classmethod
    def of(cls, store: Store, run_ids: Sequence[str] | None = None, tell: Progress = lambda *_: None) -> PromptCache:
        """Everything that was asked in these runs, or in all; its texts are held in memory. ``tell`` gets what is done, how far, of how much."""
        table = queries.run(store, "recorded_answers", only_runs=run_ids)

        def pairs() -> Iterator[tuple[Request, Answer]]:
            for start in range(0, table.num_rows, _BATCH):
                yield from map(_pair, table.slice(start, _BATCH).to_pylist())
                tell("reading recorded answers", start, table.num_rows)

        return cls(pairs(), cannot(store, run_ids) or "")

    def __len__(self) -> int:
        """Recorded answers."""
        return sum(len(one.answers) for variants in self._prompts.values() for one in variants)

    @property
    def requests(self) -> int:
        """Different recorded requests."""
        return sum(map(len, self._prompts.values()))

    @property
    def models(self) -> list[str]:
        """Every model that is named in the record."""
        return sorted({one.request.model for variants in self._prompts.values() for one in variants if one.request.model is not None})

    def take(self, asked: Request, count: int = 1, sample: int | None = None) -> Taken | None:
        """The next ``count`` answers to this request, or those from index ``sample`` on, which uses none up. None: see ``why_not``."""
        with self._lock:
            found = self._find(asked)
            if found is None:
                return None
            start = found.used if sample is None else sample
            answers = tuple(found.answers[start : start + count])
            if len(answers) < count:
                return None
            if sample is None:
                found.used += count
        return Taken(answers, request.not_recorded(found.request, asked) or ())

    def why_not(self, asked: Request, count: int = 1, sample: int | None = None) -> NotRecorded:
        """Why ``take`` gave nothing for this request: all answers used, other parameters, or the nearest recorded prompt and its diff."""
        found = self._find(asked)
        if found is not None:
            return NotRecorded(_used_up(len(found.answers), found.used if sample is None else sample, count), "all_answers_used")
        if asked.messages in self._prompts:
            return _other_parameters(self._prompts[asked.messages], asked)
        near = nearest.nearest(asked.messages, self._prompts)
        if near is None:
            return NotRecorded(f"this request is not in the record: {self.why_empty}")
        answer, diff = self._prompts[near][0].answers[0], nearest.difference(near, asked.messages)
        text = "\n".join([f"this request is not in the record; the nearest recorded prompt ({answer.place}) differs:", *diff])
        return NotRecorded(text, nearest=_place(answer) | {"diff": diff})

    def reset(self) -> None:
        """Every request starts again at its first answer."""
        with self._lock:
            for variants in self._prompts.values():
                for one in variants:
                    one.used = 0

    def ask(self, prompt: str | Sequence[Mapping[str, Any]], **parameters: Any) -> str:
        """The next recorded response to a prompt or messages. Raises NotRecorded where there is none, RecordedFailure where the call failed."""
        asked = _asked(prompt, parameters)
        taken = self.take(asked)
        if taken is None:
            raise self.why_not(asked)
        return said(taken.answers[0])

    def around(self, ask: Ask) -> Ask:
        """The callable, which is now asked only for what is not recorded, and for more answers than are. Raises RecordedFailure as ``ask``."""

        def replaying(prompt: str | Sequence[Mapping[str, Any]], **parameters: Any) -> str:
            taken = self.take(_asked(prompt, parameters))
            return ask(prompt, **parameters) if taken is None else said(taken.answers[0])

        return replaying

    def _find(self, asked: Request) -> _Asked | None:
        """Of the recorded requests that fit the one that says most; of equal ones the first."""
        fitting = [one for one in self._prompts.get(asked.messages, ()) if request.not_recorded(one.request, asked) is not None]
        return max(fitting, key=lambda one: one.request.recorded, default=None)


def said(answer: Answer) -> str:
    """The response. Raises RecordedFailure where the call failed, NotRecorded where its response was not kept."""
    if answer.response is not None:
        return answer.response
    if answer.error is not None:
        raise RecordedFailure(answer.error, answer.place, kind="recorded_failure")
    raise NotRecorded(f"the prompt was kept, its response was not ({answer.place})", "response_not_kept")


def cannot(store: Store, run_ids: Sequence[str] | None = None) -> str | None:
    """Why nothing of these runs can be answered again; None where something can."""
    (held,) = queries.run(store, "replay_coverage", only_runs=run_ids).to_pylist()
    calls, formats = f"{held['calls']:,} calls are recorded", ", ".join(held["formats"] or ())
    if not held["runs"]:
        return "the store holds no runs"
    if not held["calls"]:
        return f"its {held['runs']:,} runs hold no calls (logs of {formats})"
    if not held["named"]:
        return f"{calls}, but the logs ({formats}) hold no prompts"
    if not held["kept"]:
        return f"{calls}, but no prompt was kept: loaded without payloads, or dropped by retain. Load the logs again with --payloads all"
    if not held["answered"] + held["failed"]:
        return f"{calls}, but no response was kept (logs of {formats})"
    return None


def _pair(row: Mapping[str, Any]) -> tuple[Request, Answer]:
    extra = json.loads(row["extra"]) if row["extra"] else {}
    known = {name: row[name] for name in Answer.__dataclass_fields__ if name in row}
    reason, status = extra.get("finish_reason"), extra.get("status")
    answer = Answer(
        **known, finish_reason=reason if isinstance(reason, str) else None, status=status if isinstance(status, int) else None
    )
    return request.of_call(row, extra), answer


def _asked(prompt: str | Sequence[Mapping[str, Any]], parameters: Mapping[str, Any]) -> Request:
    return request.of_body({**parameters, "messages": messages_of(prompt) if isinstance(prompt, str) else prompt})


def _used_up(held: int, start: int, count: int) -> str:
    if start >= held:
        which = "the only recorded answer to this request was" if held == 1 else f"all {held} recorded answers to this request were"
        return f"{which} used; a reset starts again with the first"
    return f"{count} answers were asked for at once; of the {held} recorded ones to this request {held - start} are left"


def _other_parameters(variants: Sequence[_Asked], asked: Request) -> NotRecorded:
    """These messages were recorded, with other parameters: the differences to the recorded request with the fewest."""
    closest = min(variants, key=lambda one: len(request.differing(one.request, asked)))
    found = request.differing(closest.request, asked)
    differences = "; ".join(f"{name}: recorded {_shown(ours)}, asked {_shown(theirs)}" for name, ours, theirs in found)
    answer = closest.answers[0]
    parameters = {name: {"recorded": ours, "asked": theirs} for name, ours, theirs in found}
    text = f"these messages are in the record, with other parameters ({answer.place}): {differences}"
    return NotRecorded(text, nearest=_place(answer) | {"parameters": parameters})


def _shown(value: object) -> str:
    return "none" if value is None else json.dumps(value, ensure_ascii=False)


def _place(answer: Answer) -> dict[str, Any]:
    return {name: getattr(answer, name) for name in ("run_id", "call_id", "node_id", "template_id", "template_version")}

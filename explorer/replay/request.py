"""What exactly was asked? The whole request as one value: messages, model and every parameter that can change the answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from ingest.errors import TraceError
from ingest.messages import canonical, is_message, messages_of

OTHER_PARAMETERS = "chat_parameters"
"""Where a recorded call keeps, in ``extra``, the parameters that have no column. Where it is there, the whole request is recorded."""
_MOST_TOKENS = ("max_completion_tokens", "max_tokens", "max_output_tokens")
_COLUMNS = ("model", "temperature", "top_p", "max_output_tokens", "seed")
_CHANGES_NOTHING = frozenset(
    "stream stream_options n user metadata store service_tier safety_identifier prompt_cache_key prompt_cache_retention".split()
)
"""Says how, how often or for whom an answer is given, not which one it is."""


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked, but for the sample index, which is the position among the answers to it."""

    messages: str
    """Canonical, see ``ingest/messages.py``."""
    model: str | None = None
    """None, here and below: not given by a client, or not recorded by a log."""
    temperature: float | None = None
    top_p: float | None = None
    max_output_tokens: int | None = None
    seed: int | None = None
    others: str | None = None
    """JSON object of the parameters without a field here; ``{}`` if there were none, None where a log does not say."""

    @property
    def key(self) -> str:
        """The hash of the whole request."""
        return hashlib.sha256(json.dumps(astuple(self), ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def recorded(self) -> int:
        """How many of the parameters are known."""
        return sum(getattr(self, name) is not None for name in (*_COLUMNS, "others"))


def of_body(body: Mapping[str, Any]) -> Request:
    """The request that a client sends to a chat endpoint. Raises TraceError for one that is none, with what was expected."""
    messages = body.get("messages")
    if not isinstance(messages, Sequence) or not messages or not all(is_message(message) for message in messages):
        raise _wrong("messages", messages, "a list of messages with role and content")
    others = {
        name: value
        for name, value in body.items()
        if value is not None and name not in {"messages", *_COLUMNS, *_MOST_TOKENS, *_CHANGES_NOTHING}
    }
    return Request(
        canonical(messages),
        _text("model", body.get("model")),
        _number("temperature", body.get("temperature")),
        _number("top_p", body.get("top_p")),
        whole("max_tokens", next((body[name] for name in _MOST_TOKENS if body.get(name) is not None), None)),
        whole("seed", body.get("seed")),
        _json(others),
    )


def of_call(call: Mapping[str, Any], extra: Mapping[str, Any]) -> Request:
    """The request that a recorded call, a row of ``recorded_answers``, was made with."""
    others = extra.get(OTHER_PARAMETERS)
    columns = {name: call[name] for name in _COLUMNS}
    return Request(canonical(messages_of(call["prompt"])), **columns, others=_json(others) if isinstance(others, dict) else None)


def not_recorded(record: Request, asked: Request) -> tuple[str, ...] | None:
    """The parameters that the client gives and the record of the same messages does not hold; None where the two contradict each other.

    A record that holds the whole request leaves nothing open: what it does not have was not given.
    """
    if differing(record, asked):
        return None
    open_columns = [name for name in _COLUMNS if getattr(record, name) is None and getattr(asked, name) is not None]
    return (*open_columns, *(json.loads(asked.others or "{}") if record.others is None else ()))


def differing(record: Request, asked: Request) -> list[tuple[str, object, object]]:
    """Name, recorded value and asked value of each parameter in which the two contradict each other."""
    whole_request = record.others is not None
    found: list[tuple[str, object, object]] = []
    for name in _COLUMNS:
        ours, theirs = getattr(record, name), getattr(asked, name)
        if ours != theirs and (ours is not None or whole_request):
            found.append((name, ours, theirs))
    if whole_request:
        held, given = json.loads(record.others or "{}"), json.loads(asked.others or "{}")
        found += [(name, held.get(name), given.get(name)) for name in sorted({*held, *given}) if held.get(name) != given.get(name)]
    return found


def read_json(text: str | bytes) -> Any:
    """A JSON document; raises ValueError for what is none, numbers that JSON does not have and endless nesting included."""
    try:
        return json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def whole(name: str, value: object) -> int | None:
    """A whole number or nothing. Raises TraceError for anything else."""
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise _wrong(name, value, "a whole number")


def _number(name: str, value: object) -> float | None:
    if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        return None if value is None else float(value)
    raise _wrong(name, value, "a number")


def _text(name: str, value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise _wrong(name, value, "text")


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _wrong(name: str, value: object, expected: str) -> TraceError:
    found = json.dumps(value, ensure_ascii=False, default=str)
    return TraceError(f"{name} is {found[:80]}, expected {expected}", kind="invalid_request")

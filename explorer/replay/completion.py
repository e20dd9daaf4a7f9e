"""How does a recorded answer look to a client of a chat endpoint? As a completion, as a stream of pieces of one, or as an error."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from explorer.replay.prompt_cache import Answer
from explorer.replay.request import Request, read_json
from ingest.messages import is_message, prompt_text

_PIECE = 40
"""Characters of one piece of a stream."""


def message_of(response: str) -> tuple[dict[str, Any], str | None]:
    """The assistant's message that a recorded response stands for, and why it ended where the response says that.

    A JSON object that is a message of the assistant, or a whole completion of one choice, stands for itself; any other text is what was
    said, messages in the form of another provider included.
    """
    if response.lstrip().startswith("{"):
        try:
            found = read_json(response)
        except ValueError:
            found = {}
        choices = found.get("choices")
        choice = choices[0] if isinstance(choices, list) and len(choices) == 1 and isinstance(choices[0], dict) else {"message": found}
        message = choice.get("message")
        if isinstance(message, dict) and _is_answer(message):
            reason = choice.get("finish_reason") or choice.get("stop_reason")
            return message, reason if isinstance(reason, str) else None
    return {"role": "assistant", "content": response}, None


def response_text(message: Mapping[str, Any]) -> str:
    """A message of the assistant as the text that ``RunRecorder.call`` takes for its ``response``; ``message_of`` reads it back."""
    said = {key: value for key, value in message.items() if value is not None and value != []}
    text = said.get("content")
    if said.keys() == {"role", "content"} and isinstance(text, str) and message_of(text)[0] == {"role": "assistant", "content": text}:
        return text
    return json.dumps({"role": "assistant", **said}, ensure_ascii=False, sort_keys=True)


def completion(asked: Request, answers: Sequence[Answer], open_parameters: Sequence[str]) -> dict[str, Any]:
    """The ``chat.completion`` object, one choice an answer. Usage is that of the record; what it does not say is null."""
    choices, unsaid = [], list(open_parameters)
    for index, answer in enumerate(answers):
        message, ended = message_of(answer.response or "")
        reason = answer.finish_reason or ended
        if reason is None:
            unsaid.append("finish_reason")
            reason = "tool_calls" if message.get("tool_calls") else "stop"  # a client waits for one: the message ends here
        choices.append({"index": index, "message": {"content": None, **message}, "finish_reason": reason, "logprobs": None})
    first = answers[0]
    usage = _usage(answers)
    if usage is None or None in usage.values():
        unsaid.append("usage")
    return {
        "id": f"chatcmpl-{hashlib.sha256(json.dumps([first.run_id, first.call_id]).encode()).hexdigest()[:24]}",
        "object": "chat.completion",
        "created": None if first.started_at is None else int(first.started_at.timestamp()),
        "model": asked.model,
        "choices": choices,
        "usage": usage,
        "branchlight": {
            "request": asked.key,
            "match": match(open_parameters),
            "not_recorded": list(dict.fromkeys(unsaid)),
            "answers": [{"run_id": one.run_id, "call_id": one.call_id, "node_id": one.node_id} for one in answers],
        },
    }


def stream(whole: Mapping[str, Any], with_usage: bool) -> Iterator[str]:
    """A completion as server-sent events: role, text in pieces, tool calls, end of each choice, usage where it was asked for."""
    head = {name: whole[name] for name in ("id", "created", "model") if name in whole} | {"object": "chat.completion.chunk"}

    def event(choices: list[dict[str, Any]], **more: Any) -> str:
        return f"data: {json.dumps({**head, 'choices': choices, **({'usage': None} if with_usage else {}), **more})}\n\n"

    for index, choice in enumerate(whole["choices"]):
        for delta in _deltas(choice["message"]):
            yield event([{"index": index, "delta": delta, "finish_reason": None, "logprobs": None}])
        yield event([{"index": index, "delta": {}, "finish_reason": choice.get("finish_reason"), "logprobs": None}])
    if with_usage:
        yield event([], usage=whole.get("usage"))
    yield "data: [DONE]\n\n"


def match(open_parameters: Sequence[str]) -> str:
    """Whether the record holds everything that the request gives."""
    return "parameters-not-recorded" if open_parameters else "exact"


def error(message: str, code: str, **more: Any) -> dict[str, Any]:
    """The error object of the endpoint."""
    kind = "invalid_request_error" if code.startswith("invalid") else "record_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": code, **more}}


def prompt_of(asked: Request) -> str:
    """The messages of a request as the text of a prompt."""
    return prompt_text(json.loads(asked.messages))


def _is_answer(message: Mapping[str, Any]) -> bool:
    """Whether a client of the endpoint can read it: something said by the assistant, and functions to call."""
    if not is_message(message) or message["role"] != "assistant" or "type" in message:  # Anthropic's messages have a type
        return False
    calls = message.get("tool_calls") or []
    return isinstance(calls, list) and all(isinstance(call, dict) and isinstance(call.get("function"), dict) for call in calls)


def _deltas(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    text = message.get("content")
    yield {"role": message["role"], "content": "" if isinstance(text, str) else None}
    if isinstance(text, str):
        for start in range(0, len(text), _PIECE):
            yield {"content": text[start : start + _PIECE]}
    elif text is not None:
        yield {"content": text}
    calls = message.get("tool_calls") or ()
    rest = {key: value for key, value in message.items() if key not in ("role", "content", "tool_calls") and value is not None}
    if rest:
        yield rest
    for index, call in enumerate(calls):
        yield {"tool_calls": [{"index": index, **call}]}


def _usage(answers: Sequence[Answer]) -> dict[str, Any] | None:
    """Tokens of all answers together; null where one of them does not say."""
    asked, said = _sum([one.input_tokens for one in answers]), _sum([one.output_tokens for one in answers])
    if asked is None and said is None:
        return None
    usage = {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": None if asked is None or said is None else asked + said}
    cached = _sum([one.cached_tokens for one in answers])
    return usage if cached is None else usage | {"prompt_tokens_details": {"cached_tokens": cached}}


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None

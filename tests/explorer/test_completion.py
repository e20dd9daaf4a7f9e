"""What does a recorded response look like to a client? Whatever was said comes back as it was said, whole and in pieces."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.replay.completion import completion, message_of, response_text, stream
from explorer.replay.prompt_cache import Answer
from explorer.replay.request import Request

CALLS = [{"id": "1", "type": "function", "function": {"name": "add", "arguments": "{}"}}]
SAID_X = {"role": "assistant", "content": "x"}
texts = st.text(max_size=120) | st.sampled_from(["{}", '{"role": "assistant", "content": "x"}', '{"choices": []}', "{", '{"choices": [null]}'])
messages = st.fixed_dictionaries({"role": st.just("assistant"), "content": texts}, optional={"tool_calls": st.just(CALLS), "reasoning": texts})


@given(messages)
def test_a_message_comes_back_from_the_text_of_a_response(message: dict[str, Any]) -> None:
    assert message_of(response_text(message)) == (message, None)


@given(st.lists(messages, min_size=1, max_size=2))
def test_the_pieces_of_a_stream_make_up_the_whole(said: list[dict[str, Any]]) -> None:
    whole = completion(Request("[]"), [Answer("r", str(at), response=response_text(one)) for at, one in enumerate(said)], ())
    *events, last = [event.removeprefix("data: ").removesuffix("\n\n") for event in stream(whole, with_usage=False)]
    assert last == "[DONE]"
    joined: list[dict[str, Any]] = [{"content": ""} for _ in said]
    for event in events:
        (choice,) = json.loads(event)["choices"]
        delta = choice["delta"]
        joined[choice["index"]]["content"] += delta.pop("content", "")
        for call in delta.pop("tool_calls", ()):
            call.pop("index")
            joined[choice["index"]].setdefault("tool_calls", []).append(call)
        joined[choice["index"]].update(delta)
    assert joined == said == [choice["message"] for choice in whole["choices"]]


@pytest.mark.parametrize(
    ("response", "message", "ended"),
    [
        ("", {"role": "assistant", "content": ""}, None),
        ('{"answer": 3}', {"role": "assistant", "content": '{"answer": 3}'}, None),
        ('{"choices": [{"message": {"role": "assistant", "content": "x"}, "finish_reason": "length"}]}', SAID_X, "length"),
        ('{"type": "message", "role": "assistant", "content": [{"type": "text", "text": "x"}]}', None, None),
        ('{"role": "user", "content": "x"}', None, None),
        ('{"role": "assistant", "tool_calls": [{"id": "1", "function": "add"}]}', None, None),
        ('{"role": "assistant", "content": NaN}', None, None),
    ],
)
def test_a_message_or_a_completion_stands_for_itself_and_all_else_is_text(response: str, message: dict[str, Any] | None, ended: str | None) -> None:
    assert message_of(response) == (message or {"role": "assistant", "content": response}, ended)


def test_usage_is_that_of_the_record_and_null_where_one_answer_does_not_say() -> None:
    first = Answer("r", "a", response="x", input_tokens=10, output_tokens=2, cached_tokens=4)
    both = [first, Answer("r", "b", response="y", input_tokens=0, output_tokens=0)]
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
    assert completion(Request("[]"), both[:1], ())["usage"] == {**usage, "prompt_tokens_details": {"cached_tokens": 4}}
    assert completion(Request("[]"), both, ())["usage"] == usage
    assert completion(Request("[]"), [*both, Answer("r", "c", response="z", input_tokens=1)], ())["usage"] == {
        "prompt_tokens": 11, "completion_tokens": None, "total_tokens": None,
    }  # fmt: skip
    assert completion(Request("[]"), [Answer("r", "c", response="z")], ())["usage"] is None

"""Chat messages survive being the text of a prompt, and a text that only looks like messages stays what it is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.messages import canonical, messages_of, prompt_text

texts = st.text(max_size=20) | st.sampled_from(["[]", '[{"role": "user", "content": "x"}]', '[{"role": 1}]', " [", "[[[["])
roles = st.sampled_from(["system", "user", "assistant", "tool"])
messages = st.lists(st.fixed_dictionaries({"role": roles, "content": texts}, optional={"name": texts}), min_size=1, max_size=3)


@given(messages)
def test_messages_come_back_from_the_text_of_a_prompt(given_messages: list[dict[str, Any]]) -> None:
    assert messages_of(prompt_text(given_messages)) == given_messages
    assert canonical(messages_of(prompt_text(given_messages))) == canonical(given_messages)


@given(texts)
def test_a_plain_prompt_is_what_the_user_said(text: str) -> None:
    if messages_of(text) == [{"role": "user", "content": text}]:
        assert prompt_text(messages_of(text)) == text
    else:
        assert text == '[{"role": "user", "content": "x"}]'


@pytest.mark.parametrize("text", ["[]", '["a"]', '[{"role": "user"}]', '[{"content": "x"}]', '[{"role": "user", "content": "x"}', "[" * 100_000, ""])
def test_a_text_that_is_no_list_of_messages_is_a_prompt(text: str) -> None:
    assert messages_of(text) == [{"role": "user", "content": text}]


def test_bookkeeping_nulls_and_a_single_text_part_change_nothing() -> None:
    plain = [{"role": "user", "content": "x"}]
    logged = {"id": "1", "source": "input", "role": "user", "name": None, "tool_calls": [], "content": [{"type": "text", "text": "x"}]}
    assert canonical([logged]) == canonical(plain)
    two = [{"type": "text", "text": "x"}, {"type": "image_url", "image_url": {"url": "data:,"}}]
    assert messages_of(prompt_text([{"role": "user", "content": two}])) == [{"role": "user", "content": two}]
    assert canonical([{"role": "user", "content": two}]) != canonical(plain)

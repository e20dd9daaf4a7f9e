"""How do chat messages become the text of a prompt, and when is a recorded prompt a list of messages?

A text that is a JSON list of objects, each with a role and something said, stands for these messages; any other text is what
the user said. Needs the standard library alone: whoever records uses it, too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

_SAID = ("content", "tool_calls", "function_call")
_BOOKKEEPING = frozenset({"id", "source", "model"})
"""What some programs add to the messages that they log and no chat endpoint takes."""


def prompt_text(messages: Sequence[Mapping[str, Any]]) -> str:
    """The messages as the text that ``RunRecorder.call`` takes for its ``prompt``.

    One plain message of the user is its own text; everything else is a JSON list. Raises TypeError for a value that JSON does
    not have.
    """
    if len(messages) == 1 and messages[0].keys() == {"role", "content"} and messages[0]["role"] == "user":
        said = messages[0]["content"]
        if isinstance(said, str) and _listed(said) is None:
            return said
    return json.dumps([dict(message) for message in messages], ensure_ascii=False, sort_keys=True)


def messages_of(prompt: str) -> list[dict[str, Any]]:
    """The messages that a recorded prompt stands for."""
    return _listed(prompt) or [{"role": "user", "content": prompt}]


def canonical(messages: Sequence[Mapping[str, Any]]) -> str:
    """One text for all ways to write the same messages: the key under which they are found again.

    Fields that are null or an empty list count as absent, and a content of one text part is that text.
    """
    return json.dumps([_message(message) for message in messages], ensure_ascii=False, sort_keys=True)


def _listed(text: str) -> list[dict[str, Any]] | None:
    if not text.lstrip().startswith("["):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) and found and all(is_message(item) for item in found) else None


def is_message(value: object) -> bool:
    """Whether a value has a role and says something."""
    return isinstance(value, dict) and isinstance(value.get("role"), str) and any(name in value for name in _SAID)


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in message.items() if value is not None and value != [] and key not in _BOOKKEEPING}
    parts = kept.get("content")
    if isinstance(parts, list):
        parts = [{"type": "text", "text": part["text"]} if _is_text(part) else part for part in parts]
        kept["content"] = parts[0]["text"] if len(parts) == 1 and _is_text(parts[0]) else parts
    return kept


def _is_text(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)

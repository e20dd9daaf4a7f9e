"""Which recorded prompt is nearest to one that is not in the record, and where do the two differ?"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable
from itertools import islice

COMPARED = 20_000
"""Prompts that are compared at most, in recorded order: a miss must be said soon."""
_LINES, _WIDTH = 40, 200
_NO_WORD = re.compile(r"\\n|\W+")


def nearest(asked: str, recorded: Iterable[str]) -> str | None:
    """The messages that share most of their words with the asked ones; of equally near ones the first. None where nothing is recorded."""
    words = _words(asked)

    def shared(text: str) -> float:
        others = _words(text)
        return len(words & others) / len(words | others)

    return max(islice(recorded, COMPARED), key=shared, default=None)


def difference(recorded: str, asked: str) -> list[str]:
    """Unified diff of two canonical lists of messages, one line of context; long lines are folded, and it ends after 40 lines."""
    found = list(difflib.unified_diff(_lines(recorded), _lines(asked), "recorded", "asked", n=1, lineterm=""))
    left = len(found) - _LINES
    return [*found[:_LINES], f"… {left} more lines"] if left > 0 else found


def _words(text: str) -> set[str]:
    return set(_NO_WORD.split(text)) | {""}


def _lines(messages: str) -> list[str]:
    """What was said, line by line, each message under its role."""
    lines: list[str] = []
    for message in json.loads(messages):
        said = message.pop("content", "")
        lines += [f"[{message.pop('role')}]", *(said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)).splitlines()]
        lines += [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in sorted(message.items())]
    return [line[start : start + _WIDTH] for line in lines for start in range(0, max(len(line), 1), _WIDTH)]

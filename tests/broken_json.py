"""What if any one value of a document were missing, or of another type? Every such document, in a stable order."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

STRANGE: tuple[Any, ...] = (None, True, 10**30, float("nan"), "x", [], {"x": [1]})


def broken(document: Any) -> Iterator[Any]:
    """The document with one member left out, or with a strange value in its place. Lists lose members too."""
    for path in list(_paths(document)):
        yield _changed(document, path)
        for value in STRANGE:
            yield _changed(document, path, value)


def _paths(value: Any) -> Iterator[tuple[Any, ...]]:
    stack: list[tuple[tuple[Any, ...], Any]] = [((), value)]
    while stack:
        path, here = stack.pop()
        if path:
            yield path
        members = here.items() if isinstance(here, dict) else enumerate(here) if isinstance(here, list) else ()
        stack += [((*path, key), member) for key, member in members]


def _changed(document: Any, path: tuple[Any, ...], *value: Any) -> Any:
    changed = copy.deepcopy(document)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    if value:
        holder[path[-1]] = value[0]
    else:
        del holder[path[-1]]
    return changed

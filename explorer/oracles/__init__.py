"""Can a right answer still be reached from this node? An oracle is a Python function that knows the task and says so.

``oracle(run, node)`` gets the run and the node as the records of ``ingest.schema`` and returns True, False, or None where it
cannot read the state. It is asked once about every node, in a process of its own (see ``ask``): it may import what it likes,
keep what it learned from one node to the next, and print; when it raises, crashes, returns something else or takes too long,
that node is named in a problem and nothing else is lost. Oracles of one's own are named ``module:function``.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Protocol, cast

from ingest.errors import TraceError
from ingest.schema import Node, Run

SHIPPED = {"game24": "explorer.oracles.game24:oracle"}
"""Oracles that come with the product, by the name that the user types."""


class Oracle(Protocol):
    """One task's truth."""

    def __call__(self, run: Run, node: Node) -> bool | None:
        """Whether some continuation from this node reaches a right answer; None where that cannot be read from the node."""


def load(name: str) -> Oracle:
    """The oracle that is shipped under this name, or the function behind ``module:function``.

    Modules are looked for in the current folder too. Raises TraceError when there is no such oracle or its module cannot be imported.
    """
    module_name, colon, function_name = SHIPPED.get(name, name).partition(":")
    known = f"Shipped: {', '.join(SHIPPED)}. One of your own is module:function, with the module in the current folder or installed."
    if not colon or not module_name or not function_name:
        raise TraceError(f"there is no oracle named {name!r}", hint=known)
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    try:
        found = getattr(importlib.import_module(module_name), function_name)
    except Exception as error:  # noqa: BLE001 - a user's module may raise anything when it is imported
        raise TraceError(f"the oracle {name!r} cannot be loaded: {type(error).__name__}: {error}", hint=known) from None
    if not callable(found):
        raise TraceError(f"the oracle {name!r} is {type(found).__name__}, expected a function (run, node) -> bool or None", hint=known)
    return cast("Oracle", found)


def fitting(question: str | None) -> tuple[str, ...]:
    """Shipped oracles that can judge runs with this question, by name; for a suggestion to the user."""
    from explorer.oracles import game24

    return ("game24",) if game24.numbers(question) is not None else ()

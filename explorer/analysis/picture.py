"""Which picture of a run does its size allow? Node-link for small ones, the chosen path and its rivals for all others."""

from __future__ import annotations

VIEWS = {
    "tree": "Tree",
    "path": "Path and what it beat",
    "ladder": "Ladder",
    "map": "Map",
    "table": "Table",
}
"""Names as they stand in the address, with the words on the switch."""
COLORS = {"fate": "Fate", "score": "Score"}
RIVALS = {"level": "Whole level", "parent": "Same parent"}
"""Whom a chosen node competed with."""
RECORDED_RIVALS = {**RIVALS, "decision": "Recorded decision"}
"""The same where the log names the decisions in which nodes were ranked."""
TREE_NODES = 2_000
"""Up to here the whole tree can be read; above, its dots are too many to argue about one answer."""


def default_view(nodes: int | None) -> str:
    """The view that a run opens in."""
    return "tree" if (nodes or 0) <= TREE_NODES else "path"


def default_rivals(level_by_level: bool | None) -> str:
    """A beam's rivals are the whole level; where the log says that siblings compete, they are."""
    return "parent" if level_by_level is False else "level"


"""How far does a known-good route run through a tree? Matched child by child from the root, through any parent pointer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


class Placed(Protocol):
    """What a route looks at in a node."""

    @property
    def step(self) -> str | None: ...

    @property
    def state_key(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Match:
    """One route against one run."""

    steps: tuple[Mapping[str, str], ...]
    """All elements of the route: ``step``, ``state_key``."""
    nodes: tuple[tuple[int, ...], ...]
    """For each element that was found, the nodes that stand for it."""
    start: tuple[int, ...]
    """Where the route begins: the root, or nothing where the run has several and the first element is one of them."""
    unreadable: tuple[int, ...] = ()
    """Children at which the search for the next element ended although one of them may be it: neither its text nor its key was kept."""

    @property
    def rest(self) -> tuple[Mapping[str, str], ...]:
        """The elements that were not found."""
        return self.steps[len(self.nodes) :]

    @property
    def last(self) -> tuple[int, ...]:
        """The nodes after which the rest should have followed."""
        return self.nodes[-1] if self.nodes else self.start


def match(
    route: Sequence[Mapping[str, str]], nodes: Sequence[Placed], roots: Sequence[int], children: Callable[[int], Iterable[int]],
    stands_for: Callable[[int], int | None],
) -> Match:  # fmt: skip
    """Follow a route. An element is a child with an equal state key where the route gives one, else with the same text after trimming.

    ``stands_for`` names the node into which an equal state was merged: the route goes on below it. Text found anywhere else is no proposal.
    """
    start = tuple(roots) if len(roots) == 1 else ()
    below: Iterable[int] = [child for root in start for child in children(root)] if start else roots
    found: list[tuple[int, ...]] = []
    unreadable: tuple[int, ...] = ()
    for element in route:
        candidates = sorted(set(below))
        here = [node for node in candidates if is_at(nodes[node], element)]
        here += [other for node in here if (other := stands_for(node)) is not None and other not in here]
        if not here:
            unreadable = tuple(node for node in candidates if not _readable(nodes[node], element))
            break
        found.append(tuple(here))
        below = [child for node in here for child in children(node)]
    return Match(tuple(route), tuple(found), start, unreadable)


def is_at(node: Placed, element: Mapping[str, str]) -> bool:
    """Whether the node is what this element of a route names."""
    if "state_key" in element:
        return node.state_key == element["state_key"]
    return node.step is not None and node.step.strip() == element["step"].strip()


def of_run(routes: Iterable[Mapping[str, Any]], run_id: str, task_id: str | None) -> list[list[Mapping[str, str]]]:
    """The routes that were given for a run: those that name it, else those of its task."""
    listed = list(routes)
    own = [route["route"] for route in listed if route.get("run_id") == run_id]
    of_task = [route["route"] for route in listed if "run_id" not in route and task_id is not None and route.get("task_id") == task_id]
    return own or of_task


def _readable(node: Placed, element: Mapping[str, str]) -> bool:
    return (node.state_key if "state_key" in element else node.step) is not None

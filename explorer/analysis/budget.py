"""What did each run spend, level by level, what limited it, and what had it found by then? The facts that all figures about budgets rest on."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from explorer import queries
from explorer.analysis import known
from explorer.analysis.deciding import Decisions, decisions
from explorer.analysis.known import NO_MARKS, Known, Marks
from ingest.schema import Fate, Outcome
from ingest.store import Store


class Currency(enum.StrEnum):
    """What is counted as spent."""

    CALLS = "calls"
    TOKENS = "tokens"
    COST = "cost_usd"
    SECONDS = "seconds"
    NODES = "nodes"
    """Stands in where a log records spend for the whole run only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amounts:
    """One spend in every currency; None where it is not recorded."""

    calls: float | None = None
    tokens: float | None = None
    """Input and output tokens."""
    cost_usd: float | None = None
    """US dollars."""
    seconds: float | None = None
    nodes: float | None = None

    def of(self, currency: Currency) -> float | None:
        """The amount in one currency."""
        value: float | None = getattr(self, currency.value)
        return value

    def minus(self, other: Amounts) -> Amounts:
        """What is left after ``other``; None where one of them is not recorded."""
        left = {c.value: _minus(self.of(c), other.of(c)) for c in Currency}
        return Amounts(**left)


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """The work that made the nodes of one depth: the proposals asked of the nodes above, and all other calls about its own nodes."""

    depth: int
    nodes: int
    scored: int
    expanded: int
    children: int
    requests: int
    """Nodes expanded above it and nodes scored in it: the fewest calls that made it, where calls themselves are not recorded."""
    spent: Amounts
    """``calls`` is None where the run recorded no calls."""


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass of an iteratively deepened search."""

    bound: int
    levels: tuple[Level, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """From here on, another node was the best answer so far."""

    basis: str
    """recorded: the run's own list. Rebuilt from ``times`` of calls and nodes, or from the ``order`` of creation."""
    node_id: str
    score: float | None
    finished: bool | None
    """None: its fate is not recorded."""
    right: bool | None
    """Whether it is a right answer, which no unfinished candidate is. None: not known."""
    at: Amounts
    """Spent by then."""


@dataclass(frozen=True, slots=True)
class Margin:
    """How far the selected node was ahead when the run stopped."""

    value: float | None
    """Its score minus that of the best rival, negative where a rival scored better. None: no rival, or it has no score."""
    rivals: int
    """Other finished candidates with a score; where the selected one is unfinished, others that were left open."""


@dataclass(frozen=True, kw_only=True)
class RunBudget:
    """One run."""

    run: Mapping[str, Any]
    """The row of the query ``attribution_runs``."""
    row: Mapping[str, Any]
    """The row of the query ``budget_runs``."""
    spent: Amounts
    committed: Amounts
    """Spent on the nodes of the selected path; all else was speculative. All None where no path is recorded."""
    levels: tuple[Level, ...]
    """Of the last deepening pass, where there are several."""
    passes: tuple[Pass, ...]
    """Empty where none are recorded."""
    right_selected: int | None
    """Depth of the selected answer, where the run ended right and the log holds that node."""
    right_kept: int | None
    """Least depth of a finished node that is known to be right."""
    finished_known: int
    """Finished nodes of which it is known whether they are right."""
    steps: tuple[Step, ...]
    """Changes of the best answer so far; empty where neither times nor order are recorded, or no node could be an answer."""
    margin: Margin
    decisions: Decisions
    """How many decisions scoring made, and how many of them it changed."""

    @property
    def run_id(self) -> str:
        return str(self.run["run_id"])

    @property
    def fingerprint(self) -> str | None:
        """Names the protocol; None: not recorded."""
        name: str | None = self.run["fingerprint"]
        return name

    @property
    def is_right(self) -> bool | None:
        """None: the outcome is not known."""
        return {Outcome.RIGHT: True, Outcome.WRONG: False}.get(self.run["outcome"])

    @property
    def width(self) -> int:
        """Most nodes expanded at one depth."""
        return max((level.expanded for level in self.levels), default=0)

    @property
    def calls_by_level(self) -> bool:
        """Whether calls are recorded and can be placed at levels."""
        return any(level.spent.calls for level in self.levels)


def of_run(store: Store, run_id: str, marks: Marks = NO_MARKS) -> RunBudget | None:
    """One run; None where the store does not hold it."""
    return next(of_runs(store, [run_id], marks), None)


def of_runs(store: Store, run_ids: Sequence[str] | None = None, marks: Marks = NO_MARKS) -> Iterator[RunBudget]:
    """These runs (None: all), in order of their ids."""
    for first, last, found in known.of_runs(store, run_ids, marks):
        tables = {
            name: _by_run(queries.run(store, name, first_run=first, last_run=last).to_pylist())
            for name in ("budget_runs", "budget_levels", "anytime_steps")
        }
        for one in found:
            run_id = one.search.run["run_id"]
            (row,) = tables["budget_runs"][run_id]
            yield _run_budget(one, row, tables["budget_levels"].get(run_id, []), tables["anytime_steps"].get(run_id, []))


def _run_budget(one: Known, row: Mapping[str, Any], levels: Sequence[dict[str, Any]], steps: Sequence[dict[str, Any]]) -> RunBudget:
    run, nodes = one.search.run, one.search.nodes
    passes = _passes(levels, has_calls=run["calls"] > 0)
    bounded = tuple(found for found in passes if found.bound >= 0)
    finished = {i: one.beliefs.viable(i) for i in range(len(nodes)) if nodes[i].fate == Fate.TERMINAL}
    end = _end(one)
    return RunBudget(
        run=run,
        row=row,
        spent=Amounts(calls=row["calls"], tokens=row["tokens"], cost_usd=row["cost_usd"], seconds=run["wall_clock_s"], nodes=run["nodes"]),
        committed=Amounts(calls=row["path_calls"], tokens=row["path_tokens"], cost_usd=row["path_cost_usd"], nodes=row["path_nodes"]),
        levels=passes[-1].levels if passes else (),
        passes=bounded if len(bounded) > 1 else (),
        right_selected=nodes[end].depth if run["outcome"] == Outcome.RIGHT and end is not None else None,
        right_kept=min((nodes[i].depth for i, right in finished.items() if right), default=None),
        finished_known=sum(right is not None for right in finished.values()),
        steps=tuple(_step(one, step) for step in steps),
        margin=_margin(one, end),
        decisions=decisions(one.search),
    )


def _end(one: Known) -> int | None:
    """The last node of the selected path; None where none is recorded, or the log does not hold it."""
    path = one.search.run["selected_path"]
    return one.search.place.get(path[-1]) if path else None


def _passes(rows: Sequence[dict[str, Any]], has_calls: bool) -> tuple[Pass, ...]:
    """The levels of each pass, by rising bound; those of no pass have the bound -1."""
    bounds: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        bounds.setdefault(-1 if row["pass"] is None else row["pass"], []).append(row)
    return tuple(Pass(bound, _levels(bounds[bound], has_calls)) for bound in sorted(bounds))


def _levels(rows: Sequence[dict[str, Any]], has_calls: bool) -> tuple[Level, ...]:
    expanded = {row["depth"]: row["expanded"] for row in rows}
    return tuple(
        Level(
            depth=row["depth"],
            nodes=row["nodes"],
            scored=row["scored"],
            expanded=row["expanded"],
            children=row["children"],
            requests=expanded.get(row["depth"] - 1, 0) + row["scored"],
            spent=_spent_at(row, has_calls),
        )
        for row in rows
    )


def _spent_at(row: Mapping[str, Any], has_calls: bool) -> Amounts:
    """What a level cost. Where calls are recorded and this level had none, it cost nothing."""
    nothing = 0 if has_calls and not row["calls"] else None
    tokens, cost, seconds = (nothing if row[name] is None else row[name] for name in ("tokens", "cost_usd", "latency_s"))
    return Amounts(calls=row["calls"] if has_calls else None, tokens=tokens, cost_usd=cost, seconds=seconds, nodes=row["nodes"])


def _step(one: Known, row: Mapping[str, Any]) -> Step:
    place = one.search.place.get(row["node_id"])
    right = False if row["finished"] is False else one.beliefs.viable(place) if row["finished"] and place is not None else None
    spent = Amounts(calls=row["calls"], tokens=row["tokens"], cost_usd=row["cost_usd"], seconds=row["at_s"], nodes=row["nodes"])
    return Step(basis=row["basis"], node_id=row["node_id"], score=row["score"], finished=row["finished"], right=right, at=spent)


def _margin(one: Known, end: int | None) -> Margin:
    if end is None:
        return Margin(None, 0)
    chosen = one.search.nodes[end]
    rival = Fate.TERMINAL if chosen.fate == Fate.TERMINAL else Fate.OPEN
    scores = [node.score for node in one.search.nodes if node.fate == rival and node.score is not None and node.preorder != end]
    best = max(scores, default=None)
    return Margin(_minus(chosen.score, best), len(scores))


def _by_run(rows: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["run_id"], []).append(row)
    return found


def _minus(left: float | None, right: float | None) -> float | None:
    return None if left is None or right is None else left - right

"""Which policy did a recorded run follow? What its protocol says; where that names no search, what its shape says, said so."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from explorer.analysis.search import Search
from ingest.errors import TraceError
from ingest.schema import Fate

SEARCHES = ("beam", "breadth_first", "best_first", "depth_first", "mcts", "best_of")
RULES = ("constraint", "threshold", "per_parent", "beam_width")
"""Pruning rules in the order in which they are applied, where the protocol names no other."""
SELECTS = ("best", "majority", "verifier")
_CAPS = ("max_depth", "max_nodes", "max_calls", "max_tokens", "max_cost", "wall_clock_s")
_BUDGETS = ("max_depth", "max_nodes", "call_budget", "token_budget", "cost_budget", "wall_clock")


class Refused(TraceError):
    """No what-if can be asked about this run; ``why`` is a sentence without its subject, the run."""

    def __init__(self, run_id: str, why: str) -> None:
        super().__init__(f"run {run_id!r} {why}")
        self.run_id, self.why = run_id, why


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One policy: the choices of ``methods.py`` and the caps, as a run's protocol names them. None: does not apply."""

    search: str
    width: int | None = None
    """Children asked for per expansion; None: as many as the proposer gives."""
    count: int | None = None
    exploration: float | None = None
    extra_width: int | None = None
    uncertainty_threshold: float | None = None
    width_floor: int | None = None
    pruning: tuple[str, ...] = ()
    beam_width: int | None = None
    threshold: float | None = None
    per_parent: int | None = None
    tie_break: str = "order"
    dedup: str = "off"
    """``off``, or what names equal states: a column of the nodes, or a field of their states."""
    joins: bool = False
    select: str = "best"
    termination: str = "goal"
    settled_margin: float | None = None
    settled_turns: int | None = None
    evaluates: str = "all"
    at_once: int = 1
    deepening_start: int | None = None
    max_depth: int | None = None
    max_nodes: int | None = None
    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    wall_clock_s: float | None = None
    most_calls: tuple[int, int, int] | None = None
    """Calls set aside for an expansion, an evaluation and a check; None: as many as the record holds for each."""
    assumed: tuple[str, ...] = ()
    """What the log does not say and had to be concluded, in words."""

    @property
    def inferred(self) -> bool:
        """The log names no search: its shape had to say what it was."""
        return bool(self.assumed)

    def document(self) -> dict[str, Any]:
        """What applies, under the names of the protocol."""
        told = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in ("assumed", "most_calls")}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in told.items() if value is not None}


def recorded(search: Search) -> Settings:
    """The policy that made this run. Raises Refused where the log cannot tell, or names a search that is not this loop."""
    run = search.run
    if run["ended"] is False:
        raise Refused(run["run_id"], "has no end in its log: it is running or died, so there is no finished search to replay")
    if not search.nodes:
        raise Refused(run["run_id"], "has no nodes to replay")
    if all(node.score is None for node in search.nodes) and any(node.depth and node.fate != Fate.UNSCORED for node in search.nodes):
        raise Refused(run["run_id"], "recorded no scores, so there is nothing to rank its candidates by")
    protocol = json.loads(run["protocol"] or "{}")
    protocol = protocol if isinstance(protocol, dict) else {}
    found = _named(search, protocol) if "search" in protocol else _by_shape(search, protocol)
    if found.deepening_start is None and len(search.roots) != 1:
        raise Refused(run["run_id"], f"has {len(search.roots)} starts, and a search that can be replayed has one")
    caps = {cap: run["budgets"][budget] for cap, budget in zip(_CAPS, _BUDGETS, strict=True)}
    return replace(found, **caps)


def _named(search: Search, protocol: Mapping[str, Any]) -> Settings:
    run, method = search.run, protocol["search"]
    if method not in SEARCHES:
        raise Refused(run["run_id"], f"searched by {method!r}, which this loop does not replay; it replays {', '.join(SEARCHES)}")
    read = _Fields(search, protocol)
    default: tuple[str, ...] = () if method == "best_of" else ("constraint",)
    rules = read.words("pruning", RULES) if "pruning" in protocol else default
    for rule in RULES[1:]:
        if rule in protocol and "pruning" not in protocol:
            rules = (*rules, rule)
    most = protocol.get("most_calls")
    return Settings(
        search=method, width=read.whole("width"), count=read.whole("count"), exploration=read.number("exploration"),
        extra_width=read.whole("extra_width"), uncertainty_threshold=read.number("uncertainty_threshold"), width_floor=read.whole("width_floor"),
        pruning=rules, beam_width=read.whole("beam_width"), threshold=read.number("threshold"), per_parent=read.whole("per_parent"),
        tie_break=read.tie_break(), dedup=read.word("dedup", ("off", "state_key"), "off"), joins=protocol.get("joins") is True,
        select=read.word("select", SELECTS, "best"),
        termination=read.word("termination", ("goal", "exhaustion", "settled"), "exhaustion" if method == "best_of" else "goal"),
        settled_margin=read.number("settled_margin"), settled_turns=read.whole("settled_turns"),
        evaluates=read.word("evaluates", ("all", "finished"), "all"), at_once=read.whole("at_once") or 1,
        deepening_start=read.whole("deepening_start"),
        most_calls=(most.get("expansion", 1), most.get("evaluation", 1), most.get("check", 1)) if isinstance(most, dict) else None,
    )  # fmt: skip


def _by_shape(search: Search, protocol: Mapping[str, Any]) -> Settings:
    """Level by level, the best of a depth go on: how many is the most that any depth kept. The self-check says whether that is so."""
    run = search.run
    if run["level_by_level"] is not True:
        raise Refused(run["run_id"], "does not record how it searched (search, beam width, tie-break), so no policy can be compared with its own")
    if protocol.get("method_select") == "sample":
        raise Refused(run["run_id"], "chose what to keep by drawing lots, which no replay repeats")
    named = protocol.get("n_select_sample")
    kept = Counter(node.depth for node in search.nodes if node.kept and node.depth)
    width = named if isinstance(named, int) and named > 0 else max(kept.values(), default=0)
    if width < 1:
        raise Refused(run["run_id"], "records no candidate that was kept, so its beam width cannot be told")
    by = "as the name of the log says" if named == width else "the most that any depth kept"
    shape = f"the log names no search: taken as level by level, the best {width} of a depth go on ({by}), equal scores in the order of the log"
    assumed: tuple[str, ...] = (shape,)
    if any(node.score is None and node.score_raw is not None for node in search.nodes):
        assumed += ("candidates that were never scored are ranked by the number that the log holds for them; a repeated one has the value of its "
                    "first copy where that copy is no longer there",)  # fmt: skip
    return Settings(search="beam", beam_width=width, pruning=("beam_width",), termination="exhaustion", assumed=assumed)


def last_depth(search: Search) -> int | None:
    """The depth whose candidates are answers, in a log that was read by its shape; None where no node was finished."""
    return max((node.depth for node in search.nodes if node.fate == Fate.TERMINAL), default=None)


@dataclass(frozen=True, slots=True)
class _Fields:
    """Fields of a protocol, checked. Raises Refused where one is not what it should be."""

    search: Search
    protocol: Mapping[str, Any]

    def whole(self, name: str) -> int | None:
        value = self.protocol.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            raise self._wrong(name, "a whole number")
        return value

    def number(self, name: str) -> float | None:
        value = self.protocol.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value)):
            raise self._wrong(name, "a number")
        return value

    def word(self, name: str, allowed: tuple[str, ...], default: str) -> str:
        value = self.protocol.get(name, default)
        if value not in allowed:
            raise self._wrong(name, " or ".join(allowed))
        return str(value)

    def words(self, name: str, allowed: tuple[str, ...]) -> tuple[str, ...]:
        value = self.protocol[name]
        if not isinstance(value, list) or not set(map(str, value)) <= set(allowed):
            raise self._wrong(name, f"a list of {', '.join(allowed)}")
        return tuple(value)

    def tie_break(self) -> str:
        value = self.protocol.get("tie_break", "order")
        seed = str(value).removeprefix("random:")
        if value not in ("order", "diverse") and (seed == value or not seed.lstrip("-").isdigit()):
            raise self._wrong("tie_break", "order, diverse or random:SEED")
        return str(value)

    def _wrong(self, name: str, expected: str) -> Refused:
        return Refused(self.search.run["run_id"], f"has a protocol whose {name} is {self.protocol.get(name)!r}, expected {expected}")


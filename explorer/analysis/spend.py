"""Where did dollars, tokens, seconds and calls go, and how much of them on what was not followed?"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from explorer import queries, wording
from ingest.store import Store


class Unit(enum.StrEnum):
    """What is counted."""

    USD = "US$"
    TOKENS = "tokens"
    SECONDS = "seconds"
    CALLS = "calls"


NOUNS = {Unit.USD: "cost", Unit.TOKENS: "tokens", Unit.SECONDS: "time", Unit.CALLS: "calls"}


@dataclass(frozen=True, slots=True)
class Amount:
    """A sum over calls, and how many of them it rests on."""

    value: float | None
    """None where no call recorded it, which is not zero."""
    recorded: int
    calls: int

    @property
    def is_lower_bound(self) -> bool:
        """Something is known and something is missing: the true sum is at least ``value``."""
        return self.value is not None and self.recorded < self.calls


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What the calls of one role cost at one depth, or at one place in the tree."""

    depth: int | None = None
    """None: the calls name no node."""
    role: str | None = None
    """None: not recorded."""
    on_path: bool | None = None
    became: str | None = None
    calls: int
    cost: Amount
    """US dollars."""
    tokens: Amount
    """Input and output tokens; cached ones are part of the input."""
    seconds: Amount

    def amount(self, unit: Unit) -> Amount:
        """The sum in one unit; every call counts as one call."""
        if unit is Unit.CALLS:
            return Amount(self.calls, self.calls, self.calls)
        return {Unit.USD: self.cost, Unit.TOKENS: self.tokens, Unit.SECONDS: self.seconds}[unit]


@dataclass(frozen=True, slots=True)
class Reported:
    """The producer's own totals, where the log counts a run as a whole and no call."""

    cost: float | None
    tokens: int | None
    calls: int | None


@dataclass(frozen=True, slots=True)
class Unfollowed:
    """Shares in [0, 1] of what was recorded; None where nothing was, or where the log does not name the nodes in question."""

    off_path: float | None
    pruned: float | None
    duplicate: float | None
    open: float | None


@dataclass(frozen=True, slots=True)
class RunSpend:
    """All that the log says about what one run cost."""

    by_depth: tuple[Part, ...]
    by_fate: tuple[Part, ...]
    reported: Reported | None
    """Set only where the log has no calls but the producer's totals."""
    nodes: int = 0
    without_cost: int = 0
    """Nodes of which no call recorded a cost."""
    refused: tuple[str, ...] = ()
    """What the log gives as a cost and is none (negative, or no number), in words: in no sum. At most five."""
    more_refused: int = 0


def of_run(store: Store, run_id: str) -> RunSpend:
    """The spend of one run; empty parts where the log recorded no calls."""
    tables = [queries.run(store, name, run_id=run_id) for name in ("run_totals", "spend_by_depth", "spend_by_fate")]
    return of_tables(*tables)


def of_tables(run_totals: pa.Table, spend_by_depth: pa.Table, spend_by_fate: pa.Table) -> RunSpend:
    """The same from the rows of the three queries of these names."""
    if not run_totals.num_rows:
        return RunSpend((), (), None)
    totals = run_totals.to_pylist()[0]
    whole = Reported(totals["reported_cost"], totals["reported_tokens"], totals["reported_calls"])
    return RunSpend(
        parts(spend_by_depth),
        parts(spend_by_fate),
        whole if totals["spend_from"] == "run" else None,
        nodes=totals["nodes"],
        without_cost=totals["without_cost"],
        refused=tuple(totals["refused_costs"]),
        more_refused=totals["refused"] - len(totals["refused_costs"]),
    )


def parts(table: pa.Table) -> tuple[Part, ...]:
    """The rows of the queries ``spend_by_depth`` and ``spend_by_fate`` as records, in their order."""
    return tuple(_part(row) for row in table.to_pylist())


def total(some: Iterable[Part], unit: Unit) -> Amount:
    """The parts added up; None as value where none of them recorded the unit, 0 calls for no parts."""
    amounts = [part.amount(unit) for part in some]
    known = [amount.value for amount in amounts if amount.value is not None]
    return Amount(sum(known) if known else None, sum(a.recorded for a in amounts), sum(a.calls for a in amounts))


def unfollowed(by_fate: tuple[Part, ...], unit: Unit) -> Unfollowed:
    """The share spent off the selected path, and on nodes that were pruned, dropped as duplicates or left open."""
    whole = total(by_fate, unit).value
    if not whole:
        return Unfollowed(None, None, None, None)

    def share(chosen: Iterable[Part]) -> float:
        return (total(chosen, unit).value or 0) / whole

    path_known = any(part.on_path is not None for part in by_fate)
    fate_known = any(part.became is not None for part in by_fate)
    return Unfollowed(
        share(p for p in by_fate if p.on_path is False) if path_known else None,
        share(p for p in by_fate if p.became == "pruned") if fate_known else None,
        share(p for p in by_fate if p.became == "duplicate") if fate_known else None,
        share(p for p in by_fate if p.became == "open") if fate_known else None,
    )


def unfollowed_words(shares: Unfollowed) -> list[str]:
    """The known shares, each with the nodes that it was spent on."""
    named = {
        "off the selected path": shares.off_path,
        "on pruned nodes": shares.pruned,
        "on duplicates": shares.duplicate,
        "on nodes left open": shares.open,
    }
    return [f"{wording.share(share)} {where}" for where, share in named.items() if share is not None]


def statement(amount: Amount, unit: Unit) -> str:
    """The sum and what it leaves out: "at least $0.01: cost recorded on 3 of 5 calls, 2 of 5 have no cost"."""
    if unit is Unit.CALLS:
        return wording.count(amount.calls, "call")
    noun = NOUNS[unit]
    if not amount.calls:
        return f"{noun} {wording.NOT_RECORDED}"
    if amount.value is None:
        return f"{noun} {wording.NOT_RECORDED} on any of {wording.count(amount.calls, 'call')}"
    on = f"{noun} recorded on {amount.recorded:,} of {wording.count(amount.calls, 'call')}"
    if not amount.is_lower_bound:
        return f"{value_text(amount.value, unit)}: {on}"
    missing = amount.calls - amount.recorded
    have = "has" if missing == 1 else "have"
    return f"at least {value_text(amount.value, unit)}: {on}, {missing:,} of {amount.calls:,} {have} no {noun}"


def notes(spent: RunSpend, unit: Unit) -> tuple[str, ...]:
    """Everything that must be read beside the spend by depth: the sum and its gaps, what no bar shows, what was not followed."""
    if spent.reported is not None:
        return (reported_statement(spent.reported),)
    said = [statement(total(spent.by_depth, unit), unit)]
    if unit is Unit.USD:
        said.extend(_cost_gaps(spent))
    unplaced = [part for part in spent.by_depth if part.depth is None]
    if unplaced:
        said.append(f"in no bar, because the calls name no node of the log: {statement(total(unplaced, unit), unit)}")
    shares = unfollowed(spent.by_fate, unit)
    if known := unfollowed_words(shares):
        said.append(f"of the recorded {NOUNS[unit]}: {', '.join(known)}")
    if spent.by_fate and shares.off_path is None:
        said.append(f"share off the selected path: {wording.NOT_RECORDED}")
    return tuple(said)


def _cost_gaps(spent: RunSpend) -> list[str]:
    said = []
    if spent.by_depth and spent.without_cost:
        have = "has" if spent.without_cost == 1 else "have"
        said.append(f"{spent.without_cost:,} of {wording.count(spent.nodes, 'node')} {have} no cost")
    said.extend(f"in no sum: {message}" for message in spent.refused)
    if spent.more_refused:
        said.append(f"and {spent.more_refused:,} more that are no cost; the page Data lists them")
    return said


def reported_statement(reported: Reported) -> str:
    """What is known where the log counts the run as a whole."""
    known = []
    if reported.cost is not None:
        known.append(wording.cost(reported.cost))
    if reported.tokens is not None:
        known.append(wording.tokens(reported.tokens))
    if reported.calls is not None:
        known.append(wording.count(reported.calls, "call"))
    in_all = f"{', '.join(known) or 'Nothing'} in all."
    return f"{in_all} The log records spend for the whole run only, so it can't be split by depth or role."


def value_text(value: float, unit: Unit) -> str:
    """A value with its unit, as it stands in sentences and above bars."""
    if unit is Unit.USD:
        return wording.cost(value)
    if unit is Unit.TOKENS:
        return wording.tokens(value)
    return wording.seconds(value) if unit is Unit.SECONDS else wording.count(value, "call")


def _part(row: dict[str, Any]) -> Part:
    calls, tokens = row["calls"], (row["input_tokens"], row["output_tokens"])
    known = [value for value in tokens if value is not None]
    return Part(
        depth=row.get("depth"),
        role=row.get("role"),
        on_path=row.get("on_path"),
        became=row.get("became"),
        calls=calls,
        cost=Amount(row["cost"], row["calls_with_cost"], calls),
        tokens=Amount(sum(known) if known else None, row["calls_with_tokens"], calls),
        seconds=Amount(row["latency_s"], row["calls_with_latency"], calls),
    )

"""Which six numbers sum up a run?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from explorer import wording
from explorer.analysis import pruning, spend
from explorer.analysis.fact import Fact
from explorer.analysis.pruning import DepthFates
from explorer.analysis.spend import Amount, RunSpend, Unit


def cards(totals: Mapping[str, Any], fates: tuple[DepthFates, ...], spent: RunSpend) -> tuple[Fact, ...]:
    """Nodes, depth, spend, time, pruned to expanded, and what has no score or was left open; each says what it leaves out.

    ``totals`` is the row of the query ``run_totals``.
    """
    whole = pruning.whole(fates)
    return (
        Fact(label="Nodes", text=wording.count(totals["nodes"]), hint=f"{totals['merged']:,} with more than one parent"),
        _depth(totals),
        _spend(spent),
        _time(totals, spent),
        _ratio(whole),
        Fact(label="Fate unscored / open", text=f"{whole.unscored:,} / {whole.open:,}", hint=_unknown_fates(whole)),
    )


def _depth(totals: Mapping[str, Any]) -> Fact:
    cap = totals["budget_max_depth"]
    hint = f"cap {wording.NOT_RECORDED}" if cap is None else f"of {cap:,} that the cap allows"
    if totals["depth_reached"] is None:
        return Fact(label="Depth reached", text=wording.NOT_RECORDED, hint=hint, missing=True)
    return Fact(label="Depth reached", text=f"{totals['depth_reached']:,}", hint=hint)


def _spend(spent: RunSpend) -> Fact:
    if spent.reported is not None:
        if spent.reported.cost is None:
            hint = wording.tokens(spent.reported.tokens)
            return Fact(label="Spend", text=wording.NOT_RECORDED, hint=f"{hint}, for the whole run", missing=True)
        return Fact(label="Spend", text=wording.cost(spent.reported.cost), hint="as the log reports it for the whole run")
    amount = spend.total(spent.by_depth, Unit.USD)
    return _sum("Spend", amount, Unit.USD, f"cost recorded on {amount.recorded:,} of {wording.count(amount.calls, 'call')}")


def _time(totals: Mapping[str, Any], spent: RunSpend) -> Fact:
    amount = spend.total(spent.by_depth, Unit.SECONDS)
    if amount.value is None and totals["wall_clock_s"] is not None:
        return Fact(label="Wall clock", text=wording.seconds(totals["wall_clock_s"]), hint="start to end of the run")
    wall = "" if totals["wall_clock_s"] is None else f"; wall clock {wording.seconds(totals['wall_clock_s'])}"
    hint = f"time recorded on {amount.recorded:,} of {wording.count(amount.calls, 'call')}{wall}"
    return _sum("Call time, summed", amount, Unit.SECONDS, hint)


def _ratio(whole: DepthFates) -> Fact:
    hint = f"{whole.pruned:,} pruned, {whole.expanded:,} expanded, {whole.terminal:,} terminal"
    if math.isnan(whole.ratio):
        missing = wording.NOT_RECORDED if whole.not_recorded else "neither"
        return Fact(label="Pruned : expanded", text=missing, hint=hint, missing=True)
    return Fact(label="Pruned : expanded", text=pruning.ratio_text(whole), hint=hint)


def _sum(label: str, amount: Amount, unit: Unit, hint: str) -> Fact:
    if amount.value is None:
        return Fact(label=label, text=wording.NOT_RECORDED, hint=hint if amount.calls else "the log has no calls", missing=True)
    text = spend.value_text(amount.value, unit)
    return Fact(label=label, text=f"≥ {text}" if amount.is_lower_bound else text, hint=hint)


def _unknown_fates(whole: DepthFates) -> str:
    return f"of {wording.count(whole.nodes, 'node')}" + (f", {whole.not_recorded:,} without a fate" if whole.not_recorded else "")

"""What stands out in the figures of one run? Rules that print their numbers, each with the rows that it rests on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from explorer import wording
from explorer.analysis import path, pruning, scores, spend
from explorer.analysis.path import Step
from explorer.analysis.pruning import DepthFates
from explorer.analysis.scores import DepthScores
from explorer.analysis.spend import RunSpend, Unit
from ingest.store import Store

BULK = 0.75
"""Share of the spend that counts as the bulk of it."""
ONE_VALUE = 0.5
"""Share of scores that are one value from which on a depth is named."""
ENOUGH = 3
"""Scored candidates below which a tie says little."""
FEW = 4
"""Depths up to which each gets its own sentence."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence with its number, and what it was read from."""

    rule: str
    sentence: str
    depths: tuple[int, ...] = ()
    node_ids: tuple[str, ...] = ()


def of_run(store: Store, run_id: str) -> tuple[Finding, ...]:
    """All findings of one run, what decided its answer first; empty for a run without nodes."""
    return findings(scores.of_run(store, run_id), pruning.of_run(store, run_id), spend.of_run(store, run_id), path.of_run(store, run_id))


def findings(by_score: tuple[DepthScores, ...], by_fate: tuple[DepthFates, ...], spent: RunSpend, selected: tuple[Step, ...]) -> tuple[Finding, ...]:
    """Every rule asked in turn; a rule that does not apply says nothing."""
    return (
        *_ties(by_score),
        *_passed_over(selected),
        *_one_value(by_score),
        *_prune_ratio(by_fate),
        *_rule_missing(by_fate),
        *_without_score(by_fate),
        *_bulk_of_spend(spent),
        *_unfollowed(spent),
        *_lower_bound(spent),
    )


def _ties(depths: tuple[DepthScores, ...]) -> Iterator[Finding]:
    said = [(depth.depth, text) for depth in depths if (text := scores.tie_sentence(depth))]
    if len(said) <= FEW:
        yield from (Finding("ties at the cut", f"depth {depth}: {text}", (depth,)) for depth, text in said)
        return
    first, text = said[0]
    yield Finding(
        "ties at the cut",
        f"at {len(said)} of {len(depths)} depths the cut went through equal scores; first at depth {first}: {text}",
        tuple(depth for depth, _ in said),
    )


def _passed_over(selected: tuple[Step, ...]) -> Iterator[Finding]:
    passed = [step for step in selected if step.higher]
    if passed:
        worst = max(passed, key=lambda step: step.higher)
        ids = tuple(step.node_id for step in passed)
        yield Finding(
            "passed over",
            f"at {len(passed)} of {len(selected)} steps of the selected path a rejected candidate scored higher; "
            f"most at depth {worst.depth}: {path.sentence(worst)}",
            tuple(step.depth for step in passed),
            ids,
        )


def _one_value(depths: tuple[DepthScores, ...]) -> Iterator[Finding]:
    judged = [d for d in depths if d.scored >= ENOUGH]
    alike = [d for d in judged if (d.mode_share or 0) >= ONE_VALUE]
    if alike:
        most = max(alike, key=lambda d: d.mode_share or 0)
        yield Finding(
            "one value",
            f"at {len(alike)} of {wording.count(len(judged), 'depth')} with {ENOUGH} or more scores, half or more are one value; "
            f"most at depth {most.depth}: {most.mode_nodes} of {most.scored} scored {scores.score_text(most.mode)}",
            tuple(d.depth for d in alike),
        )


def _prune_ratio(depths: tuple[DepthFates, ...]) -> Iterator[Finding]:
    all_of_them = pruning.whole(depths)
    if not all_of_them.pruned:
        return
    text = f"{all_of_them.pruned:,} pruned and {all_of_them.expanded:,} expanded"
    cut_hard = [d for d in depths if d.pruned and d.expanded]
    if cut_hard:
        top = max(cut_hard, key=lambda d: d.ratio)
        text += f"; most for each one expanded at depth {top.depth}: {pruning.ratio_text(top)} ({top.pruned:,} to {top.expanded:,})"
        yield Finding("prune ratio", text, (top.depth,) if top.depth is not None else ())
    else:
        yield Finding("prune ratio", text)


def _rule_missing(depths: tuple[DepthFates, ...]) -> Iterator[Finding]:
    missing = [d for d in depths if d.without_rule]
    if missing:
        nodes, pruned = sum(d.without_rule for d in missing), sum(d.pruned for d in depths)
        yield Finding("rule not recorded", f"the rule is not recorded for {nodes:,} of {pruned:,} pruned nodes", _depths(missing))


def _without_score(depths: tuple[DepthFates, ...]) -> Iterator[Finding]:
    some = [d for d in depths if d.unscored or d.open]
    if some:
        unscored, left, nodes = sum(d.unscored for d in some), sum(d.open for d in some), sum(d.nodes for d in depths)
        yield Finding("undecided", f"{unscored:,} unscored and {left:,} left open, of {wording.count(nodes, 'node')}", _depths(some))


def _bulk_of_spend(spent: RunSpend) -> Iterator[Finding]:
    for unit in (Unit.USD, Unit.TOKENS, Unit.CALLS):
        whole = spend.total(spent.by_depth, unit).value
        if whole:
            by_depth = _per_depth(spent, unit)
            first, last, held = shortest_range(by_depth, BULK * whole)
            if last > first or len(by_depth) > 1:
                where = f"depth {first} holds" if first == last else f"depths {first}–{last} hold"
                of = f"{spend.value_text(held, unit)} of {spend.value_text(whole, unit)}"
                yield Finding("bulk of the spend", f"{where} {held / whole:.0%} of the recorded spend ({of})", tuple(range(first, last + 1)))
            return


def _unfollowed(spent: RunSpend) -> Iterator[Finding]:
    for unit in (Unit.USD, Unit.TOKENS, Unit.CALLS):
        if spend.total(spent.by_fate, unit).value:
            shares = spend.unfollowed(spent.by_fate, unit)
            said = spend.unfollowed_words(shares)
            if any((shares.off_path, shares.pruned, shares.duplicate, shares.open)):
                yield Finding("not followed", f"of the recorded {spend.NOUNS[unit]}: {', '.join(said)}")
            return


def _lower_bound(spent: RunSpend) -> Iterator[Finding]:
    cost = spend.total(spent.by_depth, Unit.USD)
    if cost.is_lower_bound:
        yield Finding("lower bound", f"every sum of cost is a lower bound: {spend.statement(cost, Unit.USD)}")


def shortest_range(by_depth: dict[int, float], wanted: float) -> tuple[int, int, float]:
    """The fewest neighbouring depths that hold at least ``wanted``, of equals the first: first depth, last depth, what they hold.

    Depths missing from the mapping hold nothing. All depths where even they hold less; (0, 0, 0.0) for an empty mapping.
    """
    depths = sorted(by_depth)
    if not depths:
        return 0, 0, 0.0
    best, start, held = (depths[0], depths[-1], sum(by_depth.values())), 0, 0.0
    for end in depths:
        held += by_depth[end]
        while held - by_depth[depths[start]] >= wanted:
            held -= by_depth[depths[start]]
            start += 1
        if held >= wanted and end - depths[start] < best[1] - best[0]:
            best = (depths[start], end, held)
    return best


def _per_depth(spent: RunSpend, unit: Unit) -> dict[int, float]:
    sums: dict[int, float] = {}
    for part in spent.by_depth:
        if part.depth is not None:
            sums[part.depth] = sums.get(part.depth, 0) + (part.amount(unit).value or 0)
    return sums


def _depths(some: list[DepthFates]) -> tuple[int, ...]:
    return tuple(d.depth for d in some if d.depth is not None)

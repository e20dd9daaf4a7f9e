"""How are depths, caps and budgets of many runs laid out for a reader? Cards, sentences and tables, each with what it was counted over."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import pyarrow as pa

from explorer import wording
from explorer.analysis import anytime, caps
from explorer.analysis.budget import Currency, RunBudget
from explorer.analysis.caps import Stop
from explorer.analysis.committed import committed_over
from explorer.analysis.deepening import Deepening, LevelCosts, PerLevel, Repeated
from explorer.analysis.fact import Fact
from explorer.analysis.funnel import Share
from explorer.analysis.plan import NOT_AFFORDABLE, Plan
from explorer.analysis.solution_depth import SHOWN, RightDepths

ANSWERS = {"selected": "selected answers", "kept": "answers that were kept"}
CURRENCIES = {
    Currency.CALLS: "calls", Currency.TOKENS: "tokens", Currency.COST: "US$", Currency.SECONDS: "seconds", Currency.NODES: "nodes",
}  # fmt: skip


def amount(value: float | None, currency: Currency) -> str:
    """A spend with its unit."""
    if value is None or math.isnan(value):
        return wording.NOT_RECORDED
    if currency is Currency.COST:
        return wording.cost(value)
    if currency is Currency.TOKENS:
        return wording.tokens(value)
    if currency is Currency.SECONDS:
        return wording.seconds(value)
    noun = "call" if currency is Currency.CALLS else "node"
    number = f"{value:,.0f}" if abs(value) >= 100 else wording.number(value, 3)
    return f"{number} {noun if value == 1 else noun + 's'}"


def share_of(share: Share) -> str:
    """``62 of 100``."""
    return f"{share.numerator:,} of {share.denominator:,}"


def cards(runs: Sequence[RunBudget], right: RightDepths, currency: Currency) -> list[Fact]:
    """What the page comes to: depths, the cap, what was cut off, what was wasted and what was speculative."""
    depths = " / ".join(str(right.percentile(share)) for share in SHOWN) + f" / {right.deepest}"
    what = "right runs" if right.answers == "selected" else "runs with finished nodes of known truth"
    hint = f"p50 / p90 / p95 / max; depth known for {len(right.depths):,} of {right.of:,} {what}"
    inferred = f"; the cap is inferred for {right.caps_inferred:,}" if right.caps_inferred else ""
    cut, guessed = caps.cut_off(runs), caps.cut_off_inferred(runs)
    by_limit = f"; {guessed:,} inferred from a limit that was used up" if guessed else ""
    return [
        Fact(label="Depth of right answers", text=depths if right.depths else "none known", hint=hint, missing=not right.depths),
        _share_card("Right answers at the depth cap", right.at_cap, f"{share_of(right.at_cap)} with a known cap{inferred}"),
        _share_card("Runs that a cap cut off", cut, f"{share_of(cut)} of which it is known{by_limit}; {len(runs) - cut.denominator:,} not known"),
        _waste_card(runs, currency),
        _committed_card(runs, currency),
    ]


def depth_notes(right: RightDepths, other: RightDepths) -> Iterator[str]:
    """What must be read beside the depths; ``other`` are the answers of the other kind."""
    if right.at_cap.numerator:
        yield (
            f"{share_of(right.at_cap)} right answers lie at the depth cap itself. Either the task ends there, or the cap hides what would have "
            "been found deeper: look at what is left open at that depth, or run once with a deeper cap."
        )
    if right.caps_inferred:
        yield f"For {right.caps_inferred:,} of these no cap is recorded; it is inferred, because all runs of the protocol end at the same depth."
    if other.depths:
        shown = " / ".join(str(other.percentile(share)) for share in SHOWN)
        yield f"The {ANSWERS[other.answers]}: {len(other.depths):,} of {other.of:,} runs, p50 / p90 / p95 at depth {shown}, max {other.deepest}."


def depths(selected: RightDepths, kept: RightDepths) -> pa.Table:
    """One row a depth: runs whose selected answer, or shallowest kept right answer, stands there."""
    rows = sorted({*selected.counts, *kept.counts})
    return pa.table({
        "depth": pa.array(rows, pa.int64()),
        "selected_right": pa.array([selected.counts.get(depth, 0) for depth in rows], pa.int64()),
        "kept_right": pa.array([kept.counts.get(depth, 0) for depth in rows], pa.int64()),
    })  # fmt: skip


def stops(found: Sequence[Stop]) -> pa.Table:
    """One row a reason."""
    return pa.table({
        "stopped_by": pa.array([stop_word(stop) for stop in found], pa.string()),
        "recorded": pa.array([stop.recorded for stop in found], pa.int64()),
        "inferred": pa.array([stop.inferred for stop in found], pa.int64()),
        "runs": pa.array([len(stop.run_ids) for stop in found], pa.int64()),
        "share_of_known": pa.array([stop.share.value for stop in found], pa.float64()),
        "recorded_this_limit": pa.array(["no cap" if stop.limited is None else wording.count(stop.limited, "run") for stop in found], pa.string()),
        "right": pa.array([share_of(stop.right) for stop in found], pa.string()),
    })  # fmt: skip


def stop_word(stop: Stop) -> str:
    """The reason in words."""
    return wording.stopped_by(stop.reason)


def plan_cards(found: Plan) -> list[Fact]:
    """Needed, suggested and affordable depth, and what they rest on."""
    which, by_rule = ANSWERS[found.wish.answers], found.nominal
    budget = f"{found.calls:,} calls, {found.calls_from}" if found.calls is not None else "no call budget is recorded or chosen"
    nominal = "not known" if math.isnan(by_rule.calls_per_level) else f"{by_rule.calls_per_level:.1f}"
    width = "" if math.isnan(by_rule.calls_per_level) else f": {by_rule.width:g} × {by_rule.branching:.2f}"
    return [
        _depth_card("Needed depth", found.needed_depth, f"covers {found.wish.share:.0%} of {found.right:,} right {which}"),
        _depth_card("Suggested depth cap", found.suggested_cap, f"needed depth + {found.wish.margin}"),
        Fact(label="Calls per level", text=_number(found.per_level.value), hint=per_level_words(found.per_level),
             missing=math.isnan(found.per_level.value)),
        Fact(label="Calls per level, width × branching", text=nominal, hint=f"median widest level × children per expansion{width}",
             missing=nominal == "not known"),
        _depth_card("Affordable depth", found.affordable_depth, budget),
        _depth_card("Affordable by width × branching", found.affordable_nominal, budget),
    ]  # fmt: skip


def verdict(found: Plan) -> Fact:
    """One chip that says whether the budget reaches the needed depth."""
    if found.verdict is None:
        return Fact(text=f"cannot tell whether it is affordable; missing: {'; '.join(found.missing)}", tone="orange")
    levels = wording.count(found.affordable_depth, "level")
    words = f"{found.verdict}: {wording.count(found.calls, 'call')} pay for {levels}, {found.needed_depth} are needed"
    return Fact(text=words, tone="red" if found.verdict == NOT_AFFORDABLE else "green")


def plan_notes(found: Plan) -> Iterator[str]:
    """What the verdict leaves open."""
    if found.calls_from == "recorded" and len(found.budgets) > 1:
        listed = ", ".join(f"{calls:,}" for calls in found.budgets[:5])
        yield f"The runs recorded {len(found.budgets):,} different call budgets ({listed}); the smallest counts."
    if found.affordable_nominal is not None and found.needed_depth is not None and found.affordable_depth is not None:
        nominal = found.affordable_nominal >= found.needed_depth
        if nominal != (found.affordable_depth >= found.needed_depth):
            yield f"By width × branching it would {'' if nominal else 'not '}be affordable: the levels differ from a full frontier."
    if found.per_level.basis == "derived" and found.per_level.levels:
        yield (
            "No call is recorded. Each expanded node counts as one proposal and each scored node as one evaluation; several samples for a node, or "
            "answers from a cache, are not seen."
        )


def per_level_words(per_level: PerLevel) -> str:
    """What the calls per level rest on."""
    return f"{per_level.basis} over {wording.count(per_level.levels, 'level')} of {wording.count(per_level.runs, 'run')}"


def deepening(rows: Sequence[Deepening]) -> pa.Table:
    """One row a target depth; an undefined figure, such as passes from a median that lies deeper, is nan."""
    names = ("level", "direct", "from_one", "ratio_from_one", "rule_from_one", "from_median", "ratio_from_median", "rule_from_median")
    columns = {"depth": pa.array([row.depth for row in rows], pa.int64()), "runs": pa.array([row.runs for row in rows], pa.int64())}
    return pa.table(columns | {name: pa.array([_or_nan(getattr(row, name)) for row in rows], pa.float64()) for name in names})


def deepening_notes(rows: Sequence[Deepening], costs: LevelCosts, repeated: Sequence[Repeated]) -> Iterator[str]:
    """The deepest row in words, the basis of its costs, and whether any run deepened in fact."""
    unit = CURRENCIES[costs.currency]
    if not rows:
        yield f"What the levels cost is not recorded in {unit}."
        return
    last = rows[-1]
    deepened, direct = (amount(spend, costs.currency) for spend in (last.from_one, last.direct))
    yield (
        f"To depth {last.depth}: passes from bound 1 cost {last.ratio_from_one:.2f} times a direct search ({deepened} against {direct}); "
        f"levels of equal cost would make it {last.rule_from_one:.2f} times."
    )
    if last.from_median is not None and last.ratio_from_median is not None:
        yield f"Begun at the median depth of right answers: {last.ratio_from_median:.2f} times, {last.rule_from_median:.2f} by the rule."
    if not repeated:
        yield "No run recorded deepening passes, so these are estimates from the measured levels of direct searches."


def repeats(rows: Sequence[Repeated]) -> pa.Table:
    """One row a run that deepened."""
    return pa.table({
        "run": pa.array([row.run_id for row in rows], pa.string()),
        "bounds": pa.array([", ".join(map(str, row.bounds)) for row in rows], pa.string()),
        "counted_in": pa.array([CURRENCIES[row.currency] for row in rows], pa.string()),
        "spent": pa.array([row.spent for row in rows], pa.float64()),
        "last_pass": pa.array([row.last for row in rows], pa.float64()),
        "ratio": pa.array([row.ratio for row in rows], pa.float64()),
        "rule": pa.array([row.rule for row in rows], pa.float64()),
    })  # fmt: skip


def _waste_card(runs: Sequence[RunBudget], currency: Currency) -> Fact:
    over = anytime.waste_over(runs, currency)
    if math.isnan(over.share):
        return Fact(label="Spent after the last change", text=wording.NOT_RECORDED, hint=f"in {CURRENCIES[currency]}", missing=True)
    sums = f"{amount(over.after, currency)} of {amount(over.whole, currency)}"
    hint = f"{sums}; median {wording.share(over.median_share)}; {over.runs:,} of {len(runs):,} runs"
    return Fact(label="Spent after the last change", text=wording.share(over.share), hint=hint)


def _committed_card(runs: Sequence[RunBudget], currency: Currency) -> Fact:
    over = committed_over(runs, currency)
    if math.isnan(over.speculative_share):
        hint = f"speculative against committed, in {CURRENCIES[currency]}"
        return Fact(label="Spent off the selected path", text=wording.NOT_RECORDED, hint=hint, missing=True)
    sums = f"{amount(over.speculative, currency)} speculative, {amount(over.committed, currency)} committed"
    hint = f"{sums}; {over.runs:,} of {len(runs):,} runs"
    return Fact(label="Spent off the selected path", text=wording.share(over.speculative_share), hint=hint)


def _share_card(label: str, share: Share, hint: str) -> Fact:
    missing = math.isnan(share.value)
    return Fact(label=label, text="not known" if missing else wording.share(share.value), hint=hint, missing=missing)


def _depth_card(label: str, depth: int | None, hint: str) -> Fact:
    return Fact(label=label, text="not known" if depth is None else f"{depth:,}", hint=hint, missing=depth is None)


def _number(value: float) -> str:
    return wording.NOT_RECORDED if math.isnan(value) else f"{value:.1f}"


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value

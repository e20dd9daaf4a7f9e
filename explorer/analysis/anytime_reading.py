"""How is the anytime curve said in words: of one run, and over many?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from explorer import wording
from explorer.analysis import anytime, caps, committed, frontier
from explorer.analysis.anytime import Curve
from explorer.analysis.budget import Currency, RunBudget
from explorer.analysis.budget_reading import CURRENCIES, amount
from explorer.analysis.fact import Fact, Tone

BASES = {
    "recorded": "the run's own list of best answers",
    "times": "rebuilt from the times of calls and nodes",
    "order": "rebuilt from the order in which nodes were made",
}
_RULE = "finished before unfinished, then by score, then the earlier one"


def run_name(run: RunBudget) -> list[Fact]:
    """Which run it is, and how it ended."""
    outcome: dict[bool | None, tuple[str, Tone]] = {True: ("✓ right", "green"), False: ("✗ wrong", "red"), None: ("outcome unknown", "plain")}
    words, tone = outcome[run.is_right]
    return [Fact(text=run.run_id, label="run", tone="strong", mono=True), Fact(text=words, tone=tone)]


def run_facts(run: RunBudget, currency: Currency) -> list[Fact]:
    """Why it stopped, when its best answer last changed, what was spent after that, and how sure the choice was."""
    end, cut = caps.ending(run), caps.is_cut_off(run)
    tone: Tone = "orange" if end.reason in wording.CAPS else "plain"
    words = "still running or died" if run.run["ended"] is False else wording.stopped_by(end.reason) + (" (inferred)" if end.inferred else "")
    facts = [
        Fact(text=words, tone=tone, hint="no reason is recorded, but this limit was used up" if end.inferred else ""),
        Fact(text=wording.completeness(None if cut is None else not cut), tone="orange" if cut else "muted"),
    ]
    if run.steps:
        facts.append(Fact(text=BASES[run.steps[0].basis], label="best so far", tone="muted"))
    facts += [*_settled(run, currency), _margin(run), *_committed(run, currency)]
    if shape := frontier.regime(run):
        facts.append(Fact(text=shape, label="regime", tone="muted", hint="from the shape of the tree"))
    return facts


def run_notes(run: RunBudget) -> Iterator[str]:
    """How to read the curve of one run."""
    if run.steps and run.steps[0].basis != "recorded":
        yield f"The best answer so far was rebuilt: {_RULE}."
    scores = [step.score for step in run.steps if step.score is not None]
    if scores != sorted(scores):
        yield "The score falls where a finished answer took the place of an unfinished candidate, or where the run itself preferred a lower one."


def steps(run: RunBudget) -> pa.Table:
    """One row a change of the best answer."""
    columns: dict[str, Any] = {
        "node": pa.array([step.node_id for step in run.steps], pa.string()),
        "score": pa.array([step.score for step in run.steps], pa.float64()),
        "finished": pa.array([step.finished for step in run.steps], pa.bool_()),
        "right": pa.array([step.right for step in run.steps], pa.bool_()),
    }
    for currency in Currency:
        columns[f"at_{currency.value}"] = pa.array([step.at.of(currency) for step in run.steps], pa.float64())
    return pa.table(columns)


def curve_notes(curve: Curve, runs: Sequence[RunBudget]) -> Iterator[str]:
    """What the curve rests on."""
    left = f"; {curve.left_out:,} left out, because changes, spend or truth are not recorded" if curve.left_out else ""
    yield f"The curve rests on {curve.runs:,} of {wording.count(len(runs), 'run')}{left}."
    if curve.rebuilt:
        counted = [run for run in anytime.counted_runs(runs, curve.currency) if run.steps[0].basis != "recorded"]
        same = [agreed for run in counted if (agreed := anytime.agrees(run)) is not None]
        check = f" At the end it is the selected answer in {sum(same):,} of {len(same):,} runs." if same else ""
        yield f"Of {wording.count(curve.rebuilt, 'run')} the best answer so far was rebuilt: {_RULE}.{check}"
    if anytime.currencies(runs) == (Currency.NODES,):
        yield "Nodes made stand for spend, because these logs do not say when calls, tokens, cost or time were spent."


def parts(curve: Curve) -> pa.Table:
    """The curve in ten equal parts of spend, each with what it bought."""
    found = anytime.parts(curve)
    return pa.table({
        "spend_from": pa.array([part.spend_from for part in found], pa.float64()),
        "spend_to": pa.array([part.spend_to for part in found], pa.float64()),
        "right": pa.array([part.right.numerator for part in found], pa.int64()),
        "runs": pa.array([part.right.denominator for part in found], pa.int64()),
        "share_right": pa.array([part.right.value for part in found], pa.float64()),
        "gained": pa.array([part.gained for part in found], pa.int64()),
    })  # fmt: skip


def _settled(run: RunBudget, currency: Currency) -> Iterator[Fact]:
    found = anytime.waste(run, currency)
    if found is None:
        yield Fact(text=f"last change {wording.NOT_RECORDED} in {CURRENCIES[currency]}", tone="muted")
        return
    yield Fact(text=f"{amount(found.last_change, currency)} of {amount(found.whole, currency)}", label="last change after", tone="strong")
    share = "" if math.isnan(found.share) else f" ({wording.share(found.share)})"
    yield Fact(text=f"{amount(found.after, currency)}{share}", label="spent after it", tone="orange" if found.share >= 0.25 else "plain")


def _margin(run: RunBudget) -> Fact:
    margin = run.margin
    if margin.value is None:
        return Fact(text="no scored rival at the stop", tone="muted")
    tone: Tone = "red" if margin.value < 0 else "orange" if margin.value == 0 else "plain"
    says = "a rival scored higher" if margin.value < 0 else "a tie: the order decided" if margin.value == 0 else ""
    text = wording.number(margin.value) + (f", {says}" if says else "")
    hint = f"score of the selected answer minus the best of {wording.count(margin.rivals, 'rival')}"
    return Fact(text=text, label="margin at the stop", tone=tone, hint=hint)


def _committed(run: RunBudget, currency: Currency) -> Iterator[Fact]:
    mine, rest = run.committed.of(currency), committed.speculative(run).of(currency)
    if mine is not None and rest is not None:
        text = f"{amount(mine, currency)} committed, {amount(rest, currency)} speculative"
        yield Fact(text=text, tone="plain", hint="spent on the nodes of the selected path, and on all others")

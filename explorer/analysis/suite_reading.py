"""How are the figures over many runs laid out for a reader? Cards and tables, each with what it was counted over."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pyarrow as pa

from explorer import wording
from explorer.analysis.evaluator import Bin, Quality
from explorer.analysis.fact import Fact
from explorer.analysis.funnel import METRICS, Share, Suite, wilson
from explorer.analysis.ledger import Cut

WORDS = {
    "oracle_generated_success": "oracle-generated success",
    "selected_success": "selected success",
    "search_gap": "search gap",
    "pruning_regret": "pruning regret",
    "allocation_regret": "allocation regret",
}
LEDGER_ROWS = 20_000
"""Cuts that one table shows, those with viable nodes first."""


def counted(suite: Suite) -> list[Fact]:
    """What the figures rest on, and what they leave out."""
    return [
        Fact(text=f"{suite.counted:,} of {wording.count(suite.runs, 'run')} counted", tone="strong"),
        Fact(text="labelled runs only: truth and all stages known", tone="blue"),
        Fact(text=f"{len(suite.left_out):,} left out: the log cannot tell", tone="orange" if suite.left_out else "muted"),
        Fact(text=f"{len(suite.not_solvable):,} left out: no right answer exists", tone="muted"),
    ]


def cards(suite: Suite) -> list[Fact]:
    """The five shares with their counts and 95 % intervals."""
    return [_card(WORDS[name], getattr(suite, name)) for name in METRICS]


def stages(suite: Suite) -> pa.Table:
    """One row a stage: runs that passed it with their share and 95 % interval, and runs lost there; nothing where no run counts."""
    shares = [Share(step.runs, suite.counted) for step in suite.funnel]
    return pa.table({
        "stage": pa.array([step.stage for step in suite.funnel], pa.string()),
        "passed": pa.array([step.runs for step in suite.funnel], pa.int64()),
        "of": pa.array([suite.counted for _ in suite.funnel], pa.int64()),
        "share": pa.array([_or_none(share.value) for share in shares], pa.float64()),
        "from_95": pa.array([_or_none(share.interval[0]) for share in shares], pa.float64()),
        "to_95": pa.array([_or_none(share.interval[1]) for share in shares], pa.float64()),
        "lost_here": pa.array([step.lost for step in suite.funnel], pa.int64()),
    })  # fmt: skip


def losses(suite: Suite) -> pa.Table:
    """One row a depth, verdict and mechanism, with how many runs; those that cannot be told included."""
    return pa.table({
        "depth": pa.array([part.depth for part in suite.lost], pa.int64()),
        "verdict": pa.array([part.verdict for part in suite.lost], pa.string()),
        "mechanism": pa.array([part.mechanism for part in suite.lost], pa.string()),
        "runs": pa.array([part.runs for part in suite.lost], pa.int64()),
    })  # fmt: skip


def by_protocol(suites: Sequence[Suite]) -> pa.Table:
    """One row a protocol: runs, how many count, and the five shares; nothing where a share is undefined."""
    columns: dict[str, pa.Array] = {
        "protocol": pa.array([one.fingerprint for one in suites], pa.string()),
        "runs": pa.array([one.runs for one in suites], pa.int64()),
        "counted": pa.array([one.counted for one in suites], pa.int64()),
    }
    for name in METRICS:
        columns[name.replace("_", " ")] = pa.array([_share_text(getattr(one, name)) for one in suites], pa.string())
    return pa.table(columns)


def cuts(rows: Sequence[Cut]) -> pa.Table:
    """The ledger, those cuts first that lost viable nodes, then the largest; at most 20,000 rows."""
    ordered = sorted(rows, key=lambda cut: (-cut.viable_lost, -cut.lost))[:LEDGER_ROWS]
    texts = {
        "run": [cut.run_id for cut in ordered],
        "node": [(cut.viable_ids or cut.lost_ids or ("",))[0] for cut in ordered],
        "kind": [cut.kind for cut in ordered],
        "decision": [cut.decision for cut in ordered],
        "basis": ["recorded" if cut.basis == "decision" else f"inferred: {cut.basis}" if cut.basis != "end" else "end of the run" for cut in ordered],
        "rule": [cut.rule for cut in ordered],
        "kept_scores": [_range(cut.kept_min, cut.kept_max) for cut in ordered],
        "lost_scores": [_range(cut.lost_min, cut.lost_max) for cut in ordered],
    }
    numbers = {name: pa.array([getattr(cut, name) for cut in ordered], pa.int64()) for name in
               ("depth", "kept", "lost", "tied_kept", "tied_lost", "viable_lost", "viable_known")}  # fmt: skip
    saved = {f"saved_{name}": pa.array([getattr(cut.saved, name) for cut in ordered], pa.float64()) for name in ("calls", "tokens", "cost")}
    table = pa.table({name: pa.array(values, pa.string()) for name, values in texts.items()} | numbers | saved)
    order = ("run", "kind", "depth", "rule", "viable_lost", "viable_known", "lost", "kept", "tied_lost", "tied_kept", "kept_scores", "lost_scores",
             "saved_calls", "saved_tokens", "saved_cost", "decision", "basis", "node")  # fmt: skip
    return table.select([name for name in order if not name.startswith("saved") or table[name].null_count < len(table)])


def qualities(rows: Sequence[Quality]) -> pa.Table:
    """One row a depth, and a last one over all; an undefined figure is null."""
    return pa.table({
        "depth": pa.array(["all" if row.depth is None else str(row.depth) for row in rows], pa.string()),
        "viable": pa.array([row.viable for row in rows], pa.int64()),
        "others": pa.array([row.others for row in rows], pa.int64()),
        "auc": pa.array([_or_none(row.auc) for row in rows], pa.float64()),
        "pairs": pa.array([row.pairs for row in rows], pa.int64()),
        "tied_pairs": pa.array([row.tied_pairs for row in rows], pa.int64()),
        "kept_share": pa.array([_or_none(row.kept_share) for row in rows], pa.float64()),
        "ranked": pa.array([row.ranked for row in rows], pa.int64()),
    })  # fmt: skip


def bins(rows: Sequence[Bin]) -> pa.Table:
    """One row a bin of the reliability curve; its share viable with the 95 % interval."""
    intervals = [wilson(row.viable, row.nodes) for row in rows]
    numbers = {name: pa.array([getattr(row, name) for row in rows], pa.float64()) for name in ("low", "high", "mean_score", "share")}
    bounds = {name: pa.array([interval[place] for interval in intervals], pa.float64()) for place, name in enumerate(("from_95", "to_95"))}
    counts = {name: pa.array([getattr(row, name) for row in rows], pa.int64()) for name in ("nodes", "viable")}
    return pa.table(numbers | bounds | counts)


def _card(words: str, share: Share) -> Fact:
    low, high = share.interval
    if math.isnan(share.value):
        return Fact(label=words, text="undefined", hint="0 of 0 runs", missing=True)
    hint = f"{share.numerator:,} of {share.denominator:,} · 95 %: {wording.share(low)} to {wording.share(high)}"
    return Fact(label=words, text=wording.share(share.value), hint=hint)


def _share_text(share: Share) -> str | None:
    return None if math.isnan(share.value) else f"{wording.share(share.value)} ({share.numerator:,} of {share.denominator:,})"


def _range(low: float | None, high: float | None) -> str | None:
    if low is None or high is None:
        return None
    return wording.number(low) if low == high else f"{wording.number(low)} to {wording.number(high)}"


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value

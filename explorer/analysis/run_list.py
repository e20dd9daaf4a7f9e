"""Which of the runs are asked for, and what do they have in common? Filters and the summary of the run list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from explorer import wording
from explorer.analysis import liveness
from explorer.analysis.fact import Fact

SPARKLINE_ROWS = 2_000
NOTHING: Mapping[str, str] = {}
OUTCOMES = ("wrong", "unknown", "right")
_OUTCOME_WORDS = {"wrong": "✗ wrong", "right": "✓ right", "unknown": "? unknown"}
_MAY_BE_ABSENT = {
    "task": "task",
    "stopped_by": "stop reason",
    "complete": "complete or cut off",
    "cost": "cost",
    "tokens": "tokens",
    "score": "selected score",
    "wall_clock": "time",
    "spend_by_depth": "spend by depth",
    "best_by_depth": "best score by depth",
}
_SEARCHED = ("run_id", "task_id", "question", "source", "stop_reason")


def matching(runs: pa.Table, needle: str, outcomes: Sequence[str], endings: Sequence[str], formats: Sequence[str]) -> pa.Table:
    """The rows whose run, task, question, source or stop reason holds ``needle``, case ignored, and that pass every filter.

    An empty filter lets everything through; the ending ``not recorded`` stands for runs without a stop reason.
    """
    keep = pa.array([True] * runs.num_rows, pa.bool_())
    if needle.strip():
        found = [_holds(runs[name], needle.strip()) for name in _SEARCHED]
        keep = pc.and_(keep, pc.or_(pc.or_(pc.or_(found[0], found[1]), pc.or_(found[2], found[3])), found[4]))
    if outcomes:
        keep = pc.and_(keep, pc.is_in(runs["outcome"], pa.array(list(outcomes))))
    if endings:
        reasons = pc.fill_null(runs["stop_reason"], wording.NOT_RECORDED)
        keep = pc.and_(keep, pc.is_in(reasons, pa.array(list(endings))))
    if formats:
        keep = pc.and_(keep, pc.is_in(runs["source_format"], pa.array(list(formats))))
    return runs.filter(keep)


def summary(runs: pa.Table, unended: Mapping[str, str] = NOTHING) -> list[Fact]:
    """How many runs of each outcome, how many cut off by a cap, and what they hold; ``unended`` as in for_reading."""
    outcomes = runs["outcome"].to_pylist()
    reasons = runs["stop_reason"].to_pylist()
    capped = sum(reason in wording.CAPS for reason in reasons)
    unsaid = sum(reason is None for reason in reasons)
    facts = [
        Fact(text=wording.count(runs.num_rows, "run"), tone="strong"),
        Fact(text=f"✗ {outcomes.count('wrong'):,} wrong", tone="red" if "wrong" in outcomes else "muted"),
        Fact(text=f"? {outcomes.count('unknown'):,} unknown"),
        Fact(text=f"✓ {outcomes.count('right'):,} right", tone="green" if "right" in outcomes else "muted"),
        Fact(text=f"a cap fired in {capped:,}", tone="orange" if capped else "muted"),
    ]
    if unsaid:
        facts.append(Fact(text=f"stop reason {wording.NOT_RECORDED} in {unsaid:,}", tone="muted"))
    facts += liveness.counted([said for said in _unended(runs, unended) if said is not None])
    return [*facts, Fact(text=wording.count(pc.sum(runs["nodes"]).as_py() or 0, "node"), tone="muted")]


def for_reading(runs: pa.Table, sparklines: pa.Table | None, unended: Mapping[str, str] = NOTHING) -> pa.Table:
    """The table as it is shown: outcome and ending in words, columns that no run records left out, small charts joined.

    ``unended`` says, by log, what became of runs without an end.
    """
    ended = [
        said or (wording.stopped_by(reason) if reason is not None else None)
        for said, reason in zip(_unended(runs, unended), runs["stop_reason"].to_pylist(), strict=True)
    ]
    whole = [None if value is None else "complete" if value else "cut off" for value in runs["complete"].to_pylist()]
    table = pa.table(
        {
            "open": pa.array(["Open"] * runs.num_rows, pa.string()),
            "outcome": pa.array([_OUTCOME_WORDS.get(value, value) for value in runs["outcome"].to_pylist()], pa.string()),
            "run": runs["run_id"],
            "task": runs["task_id"],
            "stopped_by": pa.array(ended, pa.string()),
            "complete": pa.array(whole, pa.string()),
            "nodes": runs["nodes"],
            "depth": runs["max_depth"],
            "cost": runs["cost"],
            "tokens": runs["tokens"],
            "score": runs["selected_score"],
            "wall_clock": runs["wall_clock_s"],
            "problems": runs["problems"],
            "format": runs["source_format"],
        }
    )
    if sparklines is not None:
        table = _with_sparklines(table, sparklines)
    if pc.sum(pc.and_(pc.is_valid(runs["tokens"]), pc.is_null(runs["cost"]))).as_py() == 0:
        table = table.drop_columns(["tokens"])  # the cost says it for every run
    empty = [name for name in table.column_names if name in _MAY_BE_ABSENT and table[name].null_count == table.num_rows]
    return table.drop_columns(empty)


def unended_logs(runs: pa.Table) -> set[str]:
    """The logs that hold runs without an end."""
    return set(runs.filter(pc.fill_null(pc.invert(runs["ended"]), False))["source"].to_pylist())


def remarks(runs: pa.Table, table: pa.Table) -> list[str]:
    """What must be known to read the table: columns that no run records, costs that are too low."""
    absent = [words for name, words in _MAY_BE_ABSENT.items() if name not in table.column_names and name != "tokens"]
    too_low = pc.sum(pc.greater(pc.fill_null(runs["uncosted"], 0), 0)).as_py() or 0
    found = [f"Recorded by none of these runs, so not in the table: {', '.join(absent)}."] if absent else []
    if too_low:
        found.append(f"In {wording.count(too_low, 'run')} some calls have no recorded cost: the cost is at least what is shown.")
    return found


def _unended(runs: pa.Table, unended: Mapping[str, str]) -> list[str | None]:
    """For each run that has no end what became of it; None for the others."""
    pairs = zip(runs["ended"].to_pylist(), runs["source"].to_pylist(), strict=True)
    return [unended.get(source, liveness.UNTOLD) if ended is False else None for ended, source in pairs]


def _with_sparklines(table: pa.Table, sparklines: pa.Table) -> pa.Table:
    rows = {row["run_id"]: row for row in sparklines.to_pylist()}
    at = table.column_names.index("wall_clock")
    for name, field in (("best_by_depth", "best"), ("spend_by_depth", "spend")):
        values = [rows.get(run, {}).get(field) for run in table["run"].to_pylist()]
        table = table.add_column(at, name, pa.array(values, pa.list_(pa.float64())))
    return table


def _holds(column: pa.ChunkedArray, needle: str) -> pa.ChunkedArray:
    return pc.fill_null(pc.match_substring(column, needle, ignore_case=True), False)

"""Which runs were lost where? The verdicts beside the list of runs, and the filters over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from explorer.analysis import verdict_reading
from explorer.analysis.fact import Fact
from explorer.analysis.verdict import Verdict
from explorer.analysis.verdict_reading import KINDS

MECHANISMS = (
    "not_proposed", "deduplication", "unscored", "blocked", "boundary", "underscored", "not_discriminating", "tie_order", "pruning", "allocation",
    "termination", "selection", "misparsed", "void", "cap", "invalid_labels",
)  # fmt: skip
"""Every mechanism that a verdict can name, by the stage at which it acts."""
AT_STAGE = "stage"
NOTHING = "–"
"""In place of a mechanism or depth where none applies: nothing was lost, or it cannot be told."""
_AFTER = "task"


def key_of(depth: int | None, verdict: str, mechanism: str | None) -> str:
    """The name of one part of the bar chart, as it stands in the address."""
    return f"{'' if depth is None else depth}.{verdict}.{mechanism or ''}"


def stage_key(stage: str) -> str:
    """The name of all runs that were lost at one stage, as it stands in the address."""
    return f"{AT_STAGE}.{stage}"


def holds(found: Verdict, key: str) -> bool:
    """Whether a verdict belongs to the part with this name."""
    if key.startswith(f"{AT_STAGE}."):
        return found.lost_at == key.removeprefix(f"{AT_STAGE}.") and found.verdict != "cannot_tell"
    return key_of(found.depth, found.verdict, found.mechanism) == key


def words_of(key: str) -> str:
    """The part in words, for the chip that takes the filter off."""
    first, _, rest = key.partition(".")
    if first == AT_STAGE:
        return f"lost at the stage {rest}"
    verdict, _, mechanism = rest.partition(".")
    by = f"{verdict_reading.word(verdict)}" + (f", {mechanism.replace('_', ' ')}" if mechanism else "")
    return f"{by}, at depth {first}" if first else by


def matching(verdicts: Sequence[Verdict], kinds: Sequence[str], mechanisms: Sequence[str], depth: int | None, key: str) -> set[str] | None:
    """The runs that pass every filter; None where no filter is set, because then a run without a verdict passes, too."""
    if not (kinds or mechanisms or depth is not None or key):
        return None
    return {
        found.run_id
        for found in verdicts
        if (not kinds or found.verdict in kinds)
        and (not mechanisms or found.mechanism in mechanisms)
        and (depth is None or found.depth == depth)
        and (not key or holds(found, key))
    }


def is_told(verdicts: Sequence[Verdict]) -> bool:
    """Whether the truth that is known tells for any run where it was lost."""
    return any(found.verdict in ("generation", "evaluation", "control") for found in verdicts)


def beside(table: pa.Table, verdicts: Mapping[str, Verdict], reviewed: Mapping[str, str]) -> pa.Table:
    """The list of runs with verdict, mechanism and depth behind the task, and what reviewers say; columns that say nothing are left out."""
    rows = [verdicts.get(run) for run in table["run"].to_pylist()]
    added = {
        "verdict": pa.array([verdict_reading.word(row.verdict) if row else None for row in rows], pa.string()),
        "mechanism": pa.array([row.mechanism.replace("_", " ") if row and row.mechanism else NOTHING for row in rows], pa.string()),
        "lost_depth": pa.array([str(row.depth) if row and row.depth is not None else NOTHING for row in rows], pa.string()),
        "reviewed": pa.array([reviewed.get(run, NOTHING) for run in table["run"].to_pylist()], pa.string()),
    }
    at = next((table.column_names.index(name) + 1 for name in (_AFTER, "run") if name in table.column_names), 0)
    for name, values in reversed(added.items()):
        if name == "verdict" or set(values.to_pylist()) != {NOTHING}:
            table = table.add_column(at, name, values)
    return table


def reviewed(said: Sequence[tuple[str, str, str]]) -> dict[str, str]:
    """What reviewers say of each run, in one line; ``said`` holds reviewer, run and verdict."""
    found: dict[str, list[str]] = {}
    for reviewer, run, verdict in said:
        found.setdefault(run, []).append(f"{reviewer}: {verdict.replace('_', ' ')}")
    return {run: ", ".join(words) for run, words in found.items()}


def summary(verdicts: Sequence[Verdict]) -> list[Fact]:
    """How many runs each part of the search lost."""
    counts = {kind: sum(found.verdict == kind for found in verdicts) for kind in KINDS}
    heads = {"generation": "blue", "evaluation": "orange", "control": "red"}
    return [
        Fact(text=f"{count:,} {verdict_reading.word(kind)}", label="lost by" if kind in heads else "", tone=heads.get(kind, "muted"))  # type: ignore[arg-type] # tones of Fact
        for kind, count in counts.items()
        if count
    ]

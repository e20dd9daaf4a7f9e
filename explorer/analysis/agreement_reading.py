"""How is the agreement of reviewers laid out for a reader? A matrix of computed against reviewed, and tables of pairs and disagreements."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from explorer import wording
from explorer.analysis import agreement
from explorer.analysis.agreement import Agreement, Disagreement
from explorer.analysis.fact import Fact

CORNER = "computed ↓ reviewed →"
"""Heads the column that names the rows of the matrix."""


def summary(lines: Sequence[Mapping[str, Any]]) -> list[Fact]:
    """How many reviewers, and how much of each kind counts now."""
    reviewers = {line["reviewer"] for line in lines}
    facts = [Fact(text=wording.count(len(reviewers), "reviewer"), tone="strong")]
    for kind in ("verdict", "mark", "note", "bookmark"):
        facts.append(Fact(text=wording.count(sum(line["kind"] == kind for line in lines), kind)))
    return facts


def matrix(counts: Mapping[tuple[str, str], int]) -> pa.Table:
    """One row a computed verdict, one column a reviewed one; each cell counts reviews, 0 where there are none. The first column names the row."""
    rows = [word for word in agreement.WORDS if any(one == word for one, _ in counts)]
    columns: dict[str, pa.Array] = {CORNER: pa.array([_words(word) for word in rows], pa.string())}
    for word in agreement.WORDS:
        columns[_words(word)] = pa.array([counts.get((row, word), 0) for row in rows], pa.int64())
    return pa.table(columns)


def pairs(found: Sequence[Agreement]) -> pa.Table:
    """One row for any two who judged a run in common; kappa is null where it is undefined."""
    return pa.table({
        "one": pa.array([pair.one for pair in found], pa.string()),
        "other": pa.array([pair.other for pair in found], pa.string()),
        "runs": pa.array([pair.runs for pair in found], pa.int64()),
        "agreed": pa.array([pair.agreed for pair in found], pa.int64()),
        "kappa": pa.array([None if math.isnan(pair.kappa) else pair.kappa for pair in found], pa.float64()),
    })  # fmt: skip


def disagreements(found: Sequence[Disagreement]) -> pa.Table:
    """One row a run, with who said what."""
    said = ["; ".join(f"{name}: {_words(word)}" for name, word in one.verdicts) for one in found]
    return pa.table({"run": pa.array([one.run_id for one in found], pa.string()), "verdicts": pa.array(said, pa.string())})


def _words(word: str) -> str:
    return word.replace("_", " ")

"""Which rows of the visible batches count? Of a run that grew while its log was followed, those of its newest batch alone.

What was appended to a log is written beside what was there, never into it. The run's older rows stay in their files until the next ingest
takes them out; until then the manifest says in which batch the run's rows count (``moved``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

Moved = Mapping[str, str]
"""For each run with rows in several batches the batch whose rows count."""


def parts(batches: Sequence[str], moved: Moved) -> list[tuple[list[str], list[str]]]:
    """Batches that are read alike, with the runs whose rows in them do not count."""
    homes = set(moved.values())
    plain = [batch for batch in batches if batch not in homes]
    found = [(plain, sorted(moved))] if plain else []
    return found + [([batch], sorted(run for run, home in moved.items() if home != batch)) for batch in batches if batch in homes]


def rows(files: Mapping[str, Path], moved: Moved, judged: Path | None = None) -> str:
    """What stands in a FROM clause for one table: its files by batch without the rows that do not count, and a file whose rows all do.

    Expects at least one file.
    """
    selects = []
    for batches, gone in parts(list(files), moved):
        count = f" where run_id is null or run_id not in ({', '.join(map(literal, gone))})" if gone else ""
        selects.append(f"select * from {_parquet(files[batch] for batch in batches)}{count}")
    if not moved:
        return _parquet([*files.values(), *([judged] if judged else [])])
    if judged:
        selects.append(f"select * from {_parquet([judged])}")
    return f"({' union all by name '.join(selects)})"


def literal(value: str | Path) -> str:
    """A text literal for SQL."""
    return "'" + str(value).replace("'", "''") + "'"


def _parquet(files: Iterable[Path]) -> str:
    return f"read_parquet([{', '.join(map(literal, files))}], union_by_name = true)"

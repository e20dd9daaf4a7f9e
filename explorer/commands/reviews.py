"""Print what reviewers recorded: every line, what counts now, or how far they agree with each other and with the computed verdicts.

    branchlight reviews
    branchlight reviews --agreement --json
    branchlight reviews --export reviews.csv
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from explorer import review_tables, reviews
from explorer.analysis import agreement, attribution
from explorer.commands.output import print_json, print_table, say
from explorer.reviews import Review, Reviews
from ingest.errors import TraceError
from ingest.store import Store

_COLUMNS = ("reviewer", "at", "run_id", "kind", "node_id", "said", "confidence", "note")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="also the lines that later ones stand in for")
    parser.add_argument("--agreement", action="store_true", help="how far reviewers agree, and with the computed verdicts")
    formats = ", ".join(f".{name}" for name in review_tables.FORMATS)
    parser.add_argument("--export", type=Path, metavar="FILE", help=f"write what counts now to FILE; its ending says how: {formats}")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Print or export. Status 1 when a review file holds a line that cannot be read; all others are used."""
    store = Store(args.store)
    found = reviews.read(store.folder)
    lines = found.lines if args.all else found.current
    if args.export is not None:
        _export(lines, args.export)
    elif args.agreement:
        _agreement(store, found, args.json)
    elif args.json:
        print_json(document(lines, found))
    else:
        _print(args.store, lines)
    say(found.problems)
    return int(bool(found.problems))


def document(lines: tuple[Review, ...], found: Reviews) -> dict[str, Any]:
    """What ``reviews --json`` prints."""
    problems = [{"where": p.where, "message": p.message, "raw": p.raw} for p in found.problems]
    return {"reviews": [reviews.document(line) for line in lines], "problems": problems}


def _print(folder: Path, lines: tuple[Review, ...]) -> None:
    if not lines:
        print(f"nobody has reviewed a run of {folder} yet")
        return
    print_table([{**reviews.document(line), "said": review_tables.words(line)} for line in lines], _COLUMNS)


def _export(lines: tuple[Review, ...], file: Path) -> None:
    name = file.suffix.removeprefix(".").lower()
    if name not in review_tables.FORMATS:
        raise TraceError(f"no format is named {name!r}", str(file), f"Known: {', '.join(review_tables.FORMATS)}.")
    try:
        file.write_bytes(review_tables.exported(lines, name))
    except OSError as error:
        raise TraceError(f"the export cannot be written: {error.strerror}", str(file)) from None
    print(f"{len(lines)} lines written to {file}")


def _agreement(store: Store, found: Reviews, as_json: bool) -> None:
    judged = [(line.reviewer, line.run_id, line.verdict or "") for line in found.current if line.kind == "verdict"]
    computed = {v.run_id: v.verdict for v in attribution.of_runs(store, sorted({run for _, run, _ in judged}), reviews.marks(found.current))}
    said = agreement.said(judged, computed)
    pairs = [{"one": a.one, "other": a.other, "runs": a.runs, "agreed": a.agreed, "kappa": a.kappa} for a in agreement.pairs(said)]
    matrix = [{"computed": one, "reviewed": other, "reviews": n} for (one, other), n in sorted(agreement.confusion(said).items())]
    differ = [{"run_id": one.run_id, "verdicts": dict(one.verdicts)} for one in agreement.disagreements(said)]
    if as_json:
        print_json({"pairs": pairs, "confusion": matrix, "disagreements": differ})
        return
    if not judged:
        print("no reviewer has recorded a verdict on a run yet")
        return
    print_table(pairs, ["one", "other", "runs", "agreed", "kappa"])
    print()
    print_table(matrix, ["computed", "reviewed", "reviews"])
    if differ:
        print()
        print_table(differ, ["run_id", "verdicts"])

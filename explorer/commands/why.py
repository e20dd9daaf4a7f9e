"""Say where the right path of each run was lost: generation, evaluation or control, with the evidence, or what is missing to tell.

    branchlight why RUN
    branchlight why --json
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from explorer import reviews
from explorer.analysis import attribution, funnel
from explorer.analysis.verdict import Verdict
from explorer.commands.output import cell, print_json, print_table, say
from explorer.commands.show import find_run
from ingest.errors import TraceError
from ingest.store import Store

_FEW = 5
"""Runs up to which each is shown with its evidence."""
_EVIDENCE = ("what", "node_id", "step", "score", "rank", "fate", "text")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", nargs="*", metavar="RUN", help="run ids, or the ends of some; without any, all runs and what they have in common")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Print the verdicts, reviewers' marks included. Status 1 when imported stage labels violate their order, or a review cannot be read."""
    store = Store(args.store)
    run_ids = [find_run(store, name) for name in args.runs] or None
    said = reviews.read(store.folder)
    verdicts = list(attribution.of_runs(store, run_ids, reviews.marks(said.current)))
    whole = funnel.suite(verdicts)
    if args.json:
        print_json(document(verdicts))
    elif not verdicts:
        print(f"{args.store} holds no runs; load some with: branchlight ingest LOGS")
    else:
        _print(verdicts, whole, evidence=run_ids is not None and len(run_ids) <= _FEW)
    say(TraceError("the stage labels are not in order", error.split(": ")[0], error.split(": ", 1)[1]) for error in whole.errors)
    say(said.problems)
    return int(bool(whole.errors or said.problems))


def document(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """``{"runs", "suite", "protocols"}`` as ``why --json`` prints it; the suite once over all runs, and once for each protocol."""
    return {
        "runs": [one.document() for one in verdicts],
        "suite": funnel.document(funnel.suite(verdicts)),
        "protocols": [funnel.document(one) for one in funnel.by_fingerprint(verdicts)],
    }


def _print(verdicts: Sequence[Verdict], whole: funnel.Suite, evidence: bool) -> None:
    for one in verdicts:
        if one.verdict != "none" or len(verdicts) == 1:
            print(one.sentence)
        if evidence:
            _print_evidence(one)
    if len(verdicts) > 1:
        _print_suite(whole)


def _print_evidence(one: Verdict) -> None:
    shown = [name for name in _EVIDENCE if any(row.get(name) is not None for row in one.evidence)]
    if shown:
        print_table(one.evidence, shown)
    for what in one.missing:
        print(f"missing: {what}")
    for other in one.also_lost:
        print(f"also lost: {other['node_id']} at depth {other['depth']}, {other['lost_at']}: {cell(other['text'])}")
    for conflict in one.conflicts:
        print(f"sources disagree about {conflict['node_id']}: {cell(conflict['said'])}")


def _print_suite(whole: funnel.Suite) -> None:
    print()
    print_table([{"verdict": name, "runs": count} for name, count in whole.verdicts.items()], ["verdict", "runs"])
    print()
    print_table([{"stage": step.stage, "runs": step.runs, "lost here": step.lost} for step in whole.funnel], ["stage", "runs", "lost here"])
    print()
    rows = []
    for name in funnel.METRICS:
        share: funnel.Share = getattr(whole, name)
        low, high = share.interval
        known = share.denominator > 0
        bounds = {"95% from": low, "to": high} if known else {"95% from": None, "to": None}
        rows.append({"figure": name, "share": share.value if known else None, "runs": share.numerator, "of": share.denominator, **bounds})
    print_table(rows, ["figure", "share", "runs", "of", "95% from", "to"])
    left = len(whole.left_out) + len(whole.not_solvable)
    print(f"\n{whole.counted} of {whole.runs} runs are counted; of {left} the log does not tell, or the task cannot be solved")

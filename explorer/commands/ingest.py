"""Load logs into the store; what has not changed is left alone, what has is replaced.

    branchlight ingest my_logs/ run.jsonl.gz --json
    branchlight ingest my_logs/ --oracle game24 --known-good routes.json
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from explorer import oracles
from explorer.commands import judge as judging
from explorer.commands.output import print_json, print_table, progress, say
from explorer.judging import judge
from ingest.errors import Problem
from ingest.jobs import Report
from ingest.judgements import add_routes, read_routes
from ingest.pipeline import ingest
from ingest.redact import Redactor, read_rules
from ingest.store import Store

_COUNTS = ("runs", "nodes", "edges", "roots", "orphans", "merged", "max_depth")
_SUMS = ("runs", "nodes", "edges", "roots", "orphans", "merged")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files, folders, globs, zip archives, or - for standard input; gzip and zstd too")
    parser.add_argument("--format", metavar="NAME", help="read as this format instead of asking the content; see branchlight formats")
    parser.add_argument("--oracle", metavar="NAME", help="then ask this truth oracle about every node that was loaded; see branchlight judge")
    parser.add_argument("--known-good", type=Path, metavar="FILE", help="JSON with known-good routes: run_id or task_id, and the steps")
    parser.add_argument("--redact", metavar="RULES", help="builtin, or a file with one regular expression or 'field NAME' a line")
    parser.add_argument("--payloads", default="all", metavar="POLICY", help="whose texts are kept: all, failed, sample:RATE or none")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Load, then print one row a source. Status 1 when any record was left out, the oracle failed at a node, or a route names no run."""
    if args.oracle:
        oracles.load(args.oracle)  # a wrong name is said before anything is loaded
    routes, wrong = read_routes(args.known_good) if args.known_good else ([], [])
    redactor = Redactor(read_rules(args.redact)) if args.redact else None
    tell, close = progress()
    try:
        reports = ingest(args.store, args.paths, args.format, tell, redactor, args.payloads)
        judged = judge(args.store, args.oracle, _to_ask(args.store, reports, args.oracle), tell=tell) if args.oracle else None
    finally:
        close()
    if routes:
        add_routes(args.store, routes)
    wrong += unmatched(Store(args.store), routes)
    if redactor:
        say([f"redacted: {', '.join(f'{count} × {name}' for name, count in sorted(redactor.found.items())) or 'nothing was found'}"])
    if args.json:
        given = {"routes": len(routes), "problems": [{"where": p.where, "message": p.message} for p in wrong]} if args.known_good else None
        more = {"judged": judging.document(judged) if judged else None, "known_good": given, "redacted": dict(redactor.found) if redactor else None}
        print_json(document(reports) | more)
    else:
        _print(reports)
        say([judging.sentence(judged), *judged.problems[:20]] if judged else [])
        say(wrong)
    return int(any(report.rejected for report in reports) or bool(wrong) or bool(judged and judged.problems))


def unmatched(store: Store, routes: list[dict[str, Any]]) -> list[Problem]:
    """Routes that name no run or task of the store. They are kept: the run may be loaded later."""
    known = store.query("select run_id, task_id from runs").to_pydict()
    found = []
    for route in routes:
        name = "run_id" if "run_id" in route else "task_id"
        if route[name] not in known[name]:
            message = f"a known-good route is for {name} {route[name]!r}, which this store does not hold"
            found.append(Problem(message, str(store.folder), "It is kept for when that run is loaded.", kind="known_good"))
    return found


def _to_ask(folder: Path, reports: list[Report], oracle: str) -> list[str]:
    """The runs of the given sources that were loaded just now, or about which this oracle was not asked yet."""
    sql = """
        select run_id from runs
        where list_contains($fresh, source)
            or (list_contains($sources, source) and run_id not in (select run_id from truth where viable_by = 'oracle' and detail = $oracle))
    """
    fresh = [report.source for report in reports if report.status != "unchanged"]
    named = {"fresh": fresh, "sources": [report.source for report in reports], "oracle": oracle}
    ids: list[str] = Store(folder).query(sql, **named)["run_id"].to_pylist()
    return ids


def document(reports: list[Report]) -> dict[str, Any]:
    """``{"sources": […], "totals": {…}}`` as ``ingest --json`` prints it."""
    sources: list[dict[str, Any]] = []
    for r in reports:
        counts = {name: r.counts.get(name, None if name == "max_depth" else 0) for name in _COUNTS}
        problems = {"problems": r.problems, "problem_count": r.counts.get("problems", len(r.problems))}
        sources.append({"source": r.source, "format": r.format, **counts, **problems, "status": r.status})
    totals: dict[str, Any] = {name: sum(s[name] or 0 for s in sources) for name in _SUMS}
    totals["max_depth"] = max((s["max_depth"] for s in sources if s["max_depth"] is not None), default=None)
    totals |= {"problems": sum(s["problem_count"] or 0 for s in sources), "sources": len(sources)}
    totals |= {status: sum(s["status"] == status for s in sources) for status in ("loaded", "unchanged", "replaced", "rejected")}
    return {"sources": sources, "totals": totals}


def _print(reports: list[Report]) -> None:
    left_alone = [r for r in reports if r.status == "rejected" and not r.rejected]
    shown = [r for r in reports if r not in left_alone]
    rows = [{"source": r.source, "format": r.format, "status": r.status, **r.counts} for r in shown]
    if rows:
        print_table(rows, ["source", "format", "status", "runs", "nodes", "max_depth", "problems"])
    for report in shown:
        say(f"{p['where']}: {p['message']}" + (f"\n  {p['hint']}" if p["hint"] else "") for p in report.problems[:20])
        more = (report.counts.get("problems") or 0) - 20
        if more > 0:
            print(f"{report.source}: {more} more problems; all of them: branchlight sql 'select * from problems'", file=sys.stderr)
    if left_alone:
        names = ", ".join(r.source for r in left_alone[:5]) + (", …" if len(left_alone) > 5 else "")
        print(f"left alone, because no reader knows them: {len(left_alone)} files ({names})", file=sys.stderr)

"""Ask a truth oracle about every node: can a right answer still be reached from it? The answers are kept; the log is not changed.

    branchlight judge --oracle game24
    branchlight judge --oracle my_task:oracle RUN --limit 30
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from explorer.commands.output import print_json, progress, say
from explorer.commands.show import find_run
from explorer.judging import Judged, judge
from explorer.oracles import SHIPPED
from explorer.oracles.ask import LIMIT_S
from ingest.store import Store


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", nargs="*", metavar="RUN", help="run ids, or the ends of some; without any, all runs")
    parser.add_argument("--oracle", required=True, metavar="NAME", help=f"{', '.join(SHIPPED)}, or module:function of your own")
    parser.add_argument("--limit", type=float, default=LIMIT_S, metavar="SECONDS", help="time that one node may take; default: %(default)g")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Ask and keep. Status 1 when the oracle failed at any node; the others are kept all the same."""
    store = Store(args.store)
    run_ids = [find_run(store, name) for name in args.runs] or None
    tell, close = progress()
    try:
        judged = judge(args.store, args.oracle, run_ids, args.limit, tell)
    finally:
        close()
    if args.json:
        print_json(document(judged))
    else:
        print(sentence(judged))
        say(judged.problems[:20])
        say([f"{len(judged.problems) - 20} more problems of this kind"] if len(judged.problems) > 20 else [])
    return int(bool(judged.problems))


def document(judged: Judged) -> dict[str, Any]:
    """What ``judge --json`` prints."""
    problems = [{"where": p.where, "message": p.message, "run_id": p.run_id, "node_id": p.node_id} for p in judged.problems]
    return asdict(judged) | {"problems": problems}


def sentence(judged: Judged) -> str:
    """What was asked and answered, in one line."""
    counts = f"{judged.viable:,} viable, {judged.not_viable:,} not viable, {judged.unknown:,} not known"
    return f"{judged.oracle} was asked about {judged.nodes:,} nodes of {judged.runs:,} runs: {counts}"

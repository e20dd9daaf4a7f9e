"""Drop the prompts and responses of runs that are older than a window; metadata and figures stay.

    branchlight retain --days 30

Runs whose recorder set a window of their own (``Recorder(retain_days=...)``) lose them once that is over, with or without ``--days``.
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime, timedelta

from explorer import queries
from explorer.commands.output import print_json, say
from ingest import retain
from ingest.store import Store


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--days", type=float, help="runs that started earlier than this many days ago lose their texts")
    parser.add_argument("--undated", action="store_true", help="runs that record no time and no window lose their texts, too")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Print how many runs lost their texts and how many record no time."""
    now = datetime.now(UTC)
    before = None if args.days is None else now - timedelta(days=args.days)
    rows = queries.run(Store(args.store), "run_times").to_pylist()
    undated = [row["run_id"] for row in rows if row["started_at"] is None and row["texts_until"] is None]
    old = [row["run_id"] for row in rows if before and row["started_at"] is not None and row["started_at"] < before]
    over = [row["run_id"] for row in rows if row["texts_until"] is not None and row["texts_until"] <= now]
    dropped = retain.drop_texts(args.store, [*old, *over, *(undated if args.undated else [])])
    if args.json:
        print_json({"dropped": dropped, "undated": undated, "before": before, "window_over": over})
        return 0
    print(f"{len(dropped)} run(s) with texts in {args.store} lost them")
    if undated and not args.undated:
        say([f"{len(undated)} run(s) record no time and keep their texts; --undated drops those, too."])
    return 0

"""List the runs of the store, wrong ones first.

    branchlight runs --json
"""

from __future__ import annotations

import argparse

from explorer import queries
from explorer.commands.output import print_json, print_table
from ingest.store import Store

_SHOWN = "run_id outcome stop_reason complete nodes max_depth cost tokens selected_score problems source_format".split()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Print one row a run: outcome, cap fired, complete or cut off, nodes, depth, spend, selected score."""
    rows = queries.run(Store(args.store), "run_list").to_pylist()
    if args.json:
        print_json({"runs": rows})
    elif rows:
        print_table(rows, _SHOWN)
    else:
        print(f"{args.store} holds no runs; load some with: branchlight ingest LOGS")
    return 0

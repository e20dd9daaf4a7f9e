"""Remove runs from every file of the store; their logs are left alone.

    branchlight forget game24-tiny
"""

from __future__ import annotations

import argparse

from explorer.commands.output import print_json, say
from explorer.commands.show import find_run
from ingest import retain
from ingest.store import Store


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", nargs="+", metavar="RUN", help="as for show")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Print what was removed. Status 1 when a run is not there; then nothing is removed."""
    store = Store(args.store)
    runs = [find_run(store, name) for name in args.runs]
    gone = retain.forget(args.store, runs)
    if args.json:
        print_json({"forgotten": gone})
    else:
        print(f"{len(gone)} run(s) are in no file of {args.store} any more")
        say(["A log that holds them brings them back when it changes and is loaded again."])
    return 0

"""List the log formats that can be read and what a log of each can tell.

    branchlight formats --json
"""

from __future__ import annotations

import argparse

from explorer.commands.output import print_json
from ingest.readers import all_readers


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Print the readers, in the order in which they are asked."""
    readers = all_readers()
    if args.json:
        print_json({"formats": [{"name": r.NAME, "producer": r.PRODUCER, "looks_for": r.LOOKS_FOR, "tells": r.TELLS} for r in readers]})
        return 0
    for reader in readers:
        print(f"{reader.NAME}: logs of {reader.PRODUCER}")
        print(f"  recognised by {reader.LOOKS_FOR}")
        for question, answer in reader.TELLS.items():
            print(f"  {question + '?':12} {answer}")
    return 0

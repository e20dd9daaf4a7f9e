"""Ask the store one SELECT over its views: runs, nodes, calls, texts, truth, problems, edges, orphans, roots, sources.

    branchlight sql "select run_id, count(*) as nodes from nodes group by run_id order by nodes desc"
"""

from __future__ import annotations

import argparse

from explorer.commands.output import print_json, print_table
from ingest.store import Store


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", metavar="QUERY", help="one SELECT; the store cannot be changed by it")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Print the rows. Status 1 when the query fails."""
    table = Store(args.store).read_only_query(args.query)
    if args.json:
        print_json({"columns": table.column_names, "rows": table.to_pylist()})
    else:
        print_table(table.to_pylist(), table.column_names)
    return 0

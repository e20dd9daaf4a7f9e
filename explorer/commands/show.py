"""Show one run: its record, what happened at each depth, its selected path and totals.

    branchlight show RUN --json
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from explorer.analysis.summary import depths
from explorer.commands.output import cell, print_json, print_table
from ingest.errors import TraceError
from ingest.store import Store

_DEPTHS = "depth nodes scored score_min score_mean score_max expanded pruned terminal unscored open calls tokens cost".split()
_TOTALS = ("nodes", "edges", "roots", "max_depth", "merged", "orphans", "problems")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a run id, or the end of one if it is the only such run")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Print the run. Status 1 when there is no such run."""
    store = Store(args.store)
    found = document(store, find_run(store, args.run))
    if args.json:
        print_json(found)
        return 0
    for name, value in found["run"].items():
        if value not in (None, []):
            print(f"{name:24} {cell(value)}")
    print(f"{'path':24} {' → '.join(found['path']) if found['path'] else 'not recorded'}\n")
    print_table(found["depths"], _DEPTHS)
    return 0


def document(store: Store, run_id: str) -> dict[str, Any]:
    """``{"run", "totals", "depths", "path"}`` as ``show --json`` prints it; ids as text, null = not recorded."""
    (row,) = store.query("select * from runs where run_id = $run_id", run_id=run_id).to_pylist()
    totals = {name: row.pop(name) for name in _TOTALS}
    for name in ("protocol", "best_so_far", "extra"):
        row[name] = json.loads(row[name]) if row[name] else None
    return {"run": row, "totals": totals, "depths": depths(store, run_id), "path": row.get("selected_path")}


def find_run(store: Store, name: str) -> str:
    """The run of that id, else the one run whose id ends in ``/name``. Raises TraceError when there is none, or several."""
    sql = "select run_id from runs where run_id = $name or ends_with(run_id, '/' || $name) order by run_id"
    ids = store.query(sql, name=name)["run_id"].to_pylist()
    if name in ids:
        return name
    if len(ids) == 1:
        return str(ids[0])
    if ids:
        raise TraceError(f"{len(ids)} runs end in {name!r}: {', '.join(ids[:5])}", hint="Give the whole id.")
    raise TraceError(f"no run is called {name!r} in this store", str(store.folder), "branchlight runs lists them.")



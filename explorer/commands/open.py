"""Load what is new in the given logs, then show the store in the browser.

    branchlight open my_logs/ --port 8600 --no-browser
"""

from __future__ import annotations

import argparse
import contextlib

from explorer import serve
from explorer.commands.output import progress, say
from explorer.following import following
from ingest.jobs import Following
from ingest.pipeline import ingest
from ingest.redact import Redactor, read_rules


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="as for ingest; without any, the store is shown as it is")
    parser.add_argument("--redact", metavar="RULES", help="as for ingest")
    parser.add_argument("--payloads", default="all", metavar="POLICY", help="as for ingest")
    parser.add_argument("--watch", action="store_true", help="follow the logs: what is appended to them appears while the viewer runs")
    parser.add_argument("--port", type=int, help="default: the first free port from 8501")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")


def run(args: argparse.Namespace) -> int:
    """Ingest ``args.paths`` into ``args.store`` and serve it until Ctrl-C; problems in the logs are shown on the Data page."""
    if args.watch and not [path for path in args.paths if path != "-"]:
        say(["There is nothing to watch: name the logs, or folders with logs, as in branchlight open logs/ --watch"])
        return 2
    if args.paths:
        tell, close = progress()
        try:
            redactor = Redactor(read_rules(args.redact)) if args.redact else None
            reports = ingest(args.store, args.paths, None, tell, redactor, args.payloads, Following() if args.watch else None)
        finally:
            close()
        bad = [r for r in reports if r.rejected]
        say(f"{r.source}: {len(r.problems)} problem(s), the first: {r.problems[0]['message'] if r.problems else ''}" for r in bad[:10])
        if bad:
            say([f"{len(bad)} of {len(reports)} sources have problems that left something out; the Data page lists every one."])
    followed = following(args.store, args.paths, args.redact, args.payloads) if args.watch else contextlib.nullcontext()
    with followed:
        serve.run(args.store, port=args.port, open_browser=not args.no_browser)
    return 0

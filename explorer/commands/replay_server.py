"""Serve the recorded answers as an OpenAI-compatible endpoint on 127.0.0.1, so that a search runs again without any model.

    branchlight replay-server --port 8600
    branchlight replay-server RUN --record https://api.openai.com/v1 --log logs/more.jsonl
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from explorer import serve
from explorer.commands.output import progress, say
from explorer.commands.show import find_run
from explorer.replay.prompt_cache import PromptCache, cannot
from ingest.errors import TraceError
from ingest.store import Store


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", nargs="*", metavar="RUN", help="as for why; without any, the answers of all runs, one run after the other")
    parser.add_argument("--port", type=int, help="default: the first free port from 8501")
    parser.add_argument("--record", metavar="UPSTREAM", help="base URL that is asked for what is not in the record; needs --log")
    parser.add_argument("--log", type=Path, metavar="FILE", help="native log to which its answers are added, for branchlight ingest")


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C. Status 1 when the store holds nothing that can be answered and there is no upstream."""
    import uvicorn  # these here, so that the other commands start without them

    from explorer.replay import server
    from explorer.replay.upstream import Upstream

    if (args.record is None) != (args.log is None):
        say(["--record and --log go together: who is asked for what is not recorded, and where the answers are written"])
        return 2
    store = Store(args.store)
    run_ids = [find_run(store, name) for name in args.runs] or None
    why = cannot(store, run_ids)
    if why is not None and args.record is None:
        raise TraceError(f"nothing can be answered: {why}", str(args.store))
    tell, close = progress()
    try:
        cache = PromptCache.of(store, run_ids, tell)
    finally:
        close()
    port = serve.free_port(args.port)
    try:
        upstream = Upstream(args.record, args.log) if args.record is not None else None
        listening = server.listen(serve.ADDRESS, port)
    except OSError as error:
        raise TraceError(f"the server cannot start: {error}") from None
    say([f"{len(cache):,} recorded answers to {cache.requests:,} different requests" if len(cache) else f"no recorded answers: {why}"])
    print(f"the recorded answers are at http://{serve.ADDRESS}:{port}/v1  (Ctrl-C ends it)", flush=True)
    settings = uvicorn.Config(server.app(cache, upstream), log_level="warning", access_log=False, lifespan="on", ws="none", server_header=False)
    try:
        uvicorn.Server(settings).run(sockets=[listening])
    except KeyboardInterrupt:
        print(file=sys.stderr)
    return 0

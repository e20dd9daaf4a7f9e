"""What can be typed after ``branchlight``? One module a command; its docstring is its help."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Protocol, cast

from explorer.commands import budget, forget, formats, ingest, judge, open, replay, replay_server, retain, reviews, runs, show, sql, why
from ingest.errors import TraceError


class Command(Protocol):
    """One command."""

    __name__: str

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        """Declare the arguments that are its own."""

    @staticmethod
    def run(args: argparse.Namespace) -> int:
        """Do it; the exit status: 0 done, 1 problems in the data."""


COMMANDS: tuple[Command, ...] = cast(
    "tuple[Command, ...]", (open, ingest, judge, formats, runs, show, why, replay, budget, reviews, sql, retain, forget, replay_server)
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Results go to stdout, everything else to stderr; status 2 for wrong usage, as argparse gives it."""
    args = _parser().parse_args(argv)
    try:
        return int(args.command.run(args))
    except TraceError as error:
        print(error, file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of our output, ``head`` for instance, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("stopped; nothing that was visible in the store is lost", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="branchlight", description="Where in a search tree was the right path lost? An explorer for local logs.")
    parser.add_argument("--version", action="version", version=f"branchlight {version('branchlight')}")
    store = Path(os.environ.get("BRANCHLIGHT_STORE", ".branchlight"))
    chosen = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for command in COMMANDS:
        name = command.__name__.rpartition(".")[2].replace("_", "-")
        text = (command.__doc__ or "").strip()
        one = chosen.add_parser(name, help=text.splitlines()[0], description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
        one.add_argument("--store", type=Path, default=store, metavar="DIR", help="default: .branchlight, or $BRANCHLIGHT_STORE")
        command.add_arguments(one)
        one.set_defaults(command=command)
    return parser

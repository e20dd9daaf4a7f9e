"""List the log formats that can be read and what a log of each can tell.

    branchlight formats --json
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence

from explorer.commands.output import print_json
from ingest.readers import Reader, all_readers

QUESTIONS = ("generation", "evaluation", "control", "spend", "replay")
"""The columns of the README's table."""


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


def markdown(readers: Sequence[Reader]) -> str:
    """The README's table: one row a reader, what its logs can tell in one word a question."""
    heads = ("format", "logs of", *QUESTIONS)
    rows = [(f"`{reader.NAME}`", reader.PRODUCER, *(in_a_word(question, reader.TELLS[question]) for question in QUESTIONS)) for reader in readers]
    lines = [f"| {' | '.join(row)} |\n" for row in (heads, *rows)]
    return "".join([lines[0], "|---" * len(heads), "|\n", *lines[1:]])


def in_a_word(question: str, answer: str) -> str:
    """yes | if logged | partly | no, from what a reader says is missing. No: a field is missing without which nothing can be told."""
    if answer == "yes" or answer.startswith("yes:"):
        return "yes"
    if answer.startswith("yes"):
        return "if logged"
    missing = re.sub(r"\(.*?\)", "", answer)  # what stands in brackets is there

    def lacks(*words: str) -> bool:
        return re.search(rf"\b({'|'.join(words)})\b", missing) is not None

    no_tree = lacks("alternatives", "parents", "edges", "nodes")
    nothing = {
        "generation": no_tree,
        "evaluation": re.match(r"(which node )?(a |a single )?scores?\b", missing) is not None,
        "control": lacks("alternatives") or (lacks("fates", "pruning") and lacks("selected path")),
        "spend": lacks("calls"),
        "replay": (no_tree or lacks("scores")) and lacks("prompts", "responses"),
    }
    return "no" if nothing[question] else "partly"

"""What runs in the oracle's own process? Nodes come in on stdin, one answer each goes out on stdout, both pickled.

    python -m explorer.oracles.worker      (started by ask.py only)
"""

from __future__ import annotations

import os
import pickle
import sys
from typing import Any, BinaryIO

from explorer import oracles
from ingest.errors import TraceError


def main() -> None:
    """Answer until stdin ends. What the oracle prints goes to stderr, so that it cannot mix with the answers."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    questions = sys.stdin.buffer
    name, path = pickle.load(questions)
    sys.path[:] = path
    try:
        oracle = oracles.load(name)
    except TraceError as error:
        _send(answers, ("unloadable", (error.message, error.hint)))
        return
    _send(answers, ("ready", None))
    while True:
        try:
            run, nodes = pickle.load(questions)
        except EOFError:
            return
        for node in nodes:
            _send(answers, _answer(oracle, run, node))


def _answer(oracle: oracles.Oracle, run: Any, node: Any) -> tuple[str, Any]:
    try:
        said = oracle(run, node)
    except Exception as error:  # noqa: BLE001 - whatever a user's function raises is named at its node
        return "raised", f"{type(error).__name__}: {error}"[:500]
    if said is None or isinstance(said, bool):
        return "said", said
    return "nonsense", f"{type(said).__name__} {said!r}"[:200]


def _send(answers: BinaryIO, answer: tuple[str, Any]) -> None:
    pickle.dump(answer, answers)
    answers.flush()


if __name__ == "__main__":
    main()

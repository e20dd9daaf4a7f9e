"""What does an oracle say about these nodes? It is asked in a process of its own, which may fail without anything being lost."""

from __future__ import annotations

import contextlib
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ingest.errors import Problem, TraceError
from ingest.schema import Node, Run, Truth

LIMIT_S = 10.0
"""Time that one node may take."""
MOST_RESTARTS = 5
"""Times that a hanging or crashing oracle is started again; after that the nodes left are named as not asked."""
_START_S = 60.0
_PROJECT = str(Path(__file__).parents[2])


def ask(name: str, runs: Iterable[tuple[Run, Sequence[Node]]], limit_s: float = LIMIT_S) -> Iterator[Truth | Problem]:
    """What the oracle says about every node, in order: a Truth of source ``oracle``, a Problem, or nothing where it does not know.

    Raises TraceError when there is no such oracle.
    """
    process = _Process(name)
    restarts = 0
    try:
        for run, nodes in runs:
            waiting = list(nodes)
            while waiting:
                if restarts > MOST_RESTARTS:
                    yield _not_asked(name, run, waiting)
                    break
                process.send(run, waiting)
                asked = 0
                for node in waiting:
                    kind, said = process.receive(limit_s)
                    asked += 1
                    yield from _result(name, node, kind, said, limit_s)
                    if kind in ("late", "died"):
                        restarts += 1
                        process.stop()
                        process = _Process(name)
                        break
                waiting = waiting[asked:]
    finally:
        process.stop()


def _result(name: str, node: Node, kind: str, said: Any, limit_s: float) -> Iterator[Truth | Problem]:
    if kind == "said":
        if said is not None:
            yield Truth(run_id=node.run_id, node_id=node.node_id, viable=said, viable_by="oracle", detail=name)
        return
    what = {
        "raised": f"it raised {said}",
        "nonsense": f"it returned {said}, expected True, False or None",
        "late": f"it took longer than {limit_s:g} s",
        "died": "its process ended without an answer",
    }[kind]
    message = f"the oracle {name!r} gave no answer for node {node.node_id!r}: {what}"
    hint = "Every other node was asked; this one's truth stays unknown."
    yield Problem(message, f"{node.run_id} {node.node_id}", hint, kind="oracle", run_id=node.run_id, node_id=node.node_id)


def _not_asked(name: str, run: Run, nodes: Sequence[Node]) -> Problem:
    message = f"the oracle {name!r} hung or crashed {MOST_RESTARTS + 1} times; {len(nodes)} nodes were not asked, from {nodes[0].node_id!r} on"
    hint = "Mend the oracle and ask again; what it did answer is kept."
    return Problem(message, run.run_id, hint, kind="oracle", run_id=run.run_id, node_id=nodes[0].node_id)


class _Process:
    """The oracle's process, and a thread that reads its answers so that waiting for one can be given up."""

    def __init__(self, name: str) -> None:
        command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {_PROJECT!r}); from explorer.oracles.worker import main; main()"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._answers: queue.Queue[tuple[str, Any]] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self._write((name, sys.path))
        kind, said = self.receive(_START_S)
        if kind != "ready":
            self.stop()
            message, hint = said if kind == "unloadable" else (f"the oracle {name!r} did not start", "Does its module end the process or wait?")
            raise TraceError(message, hint=hint)

    def send(self, run: Run, nodes: Sequence[Node]) -> None:
        """Ask about the nodes of one run; the answers are received one by one, in order."""
        threading.Thread(target=self._write, args=((run, nodes),), daemon=True).start()  # a full pipe must not keep us from reading

    def receive(self, limit_s: float) -> tuple[str, Any]:
        """The next answer; ("late", None) when the time is up."""
        try:
            return self._answers.get(timeout=limit_s)
        except queue.Empty:
            return "late", None

    def stop(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError, ValueError):
                if pipe:
                    pipe.close()

    def _write(self, message: Any) -> None:
        with contextlib.suppress(OSError, ValueError):  # a process that died is noticed when its answer is waited for
            assert self._process.stdin
            pickle.dump(message, self._process.stdin)
            self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout
        with contextlib.suppress(OSError, ValueError, EOFError, pickle.UnpicklingError):
            while True:
                self._answers.put(pickle.load(self._process.stdout))
        self._answers.put(("died", None))

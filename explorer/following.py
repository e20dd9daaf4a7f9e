"""Who follows the logs while the viewer runs? A process of its own, which ends with the viewer whatever becomes of that."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

_PROJECT = str(Path(__file__).parents[1])
_END_S = 10
_children: list[subprocess.Popen[bytes]] = []
"""The one that was started, for the pages of this process."""


@contextlib.contextmanager
def following(store: Path, paths: Sequence[str], redact: str | None, payloads: str) -> Iterator[None]:
    """Follow the logs behind ``paths`` while the block runs."""
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {_PROJECT!r}); from ingest.watch import main; main()"]
    asked = {"store": str(store.resolve()), "paths": list(paths), "redact": redact, "payloads": payloads}
    child = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)  # Ctrl-C is for the viewer, which then ends it
    _children.append(child)
    assert child.stdin
    try:
        with contextlib.suppress(BrokenPipeError):  # a process that died is noticed by is_alive
            child.stdin.writelines([json.dumps(asked).encode() + b"\n"])
            child.stdin.flush()
        yield
    finally:
        _children.remove(child)
        with contextlib.suppress(OSError):
            child.stdin.close()  # also what the system does when we are killed
        try:
            child.wait(_END_S)
        except subprocess.TimeoutExpired:  # in the middle of a large load, which is visible as a whole or not at all
            child.kill()
            child.wait()


def is_on() -> bool:
    """Whether this viewer was started to follow logs."""
    return bool(_children)


def is_alive() -> bool:
    """Whether they still are followed."""
    return any(child.poll() is None for child in _children)

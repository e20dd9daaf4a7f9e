"""How do whole lines get into a file that other threads and processes append to at the same moment?

Each append is one ``write`` on an O_APPEND descriptor, which the systems we know carry out without mixing it with another
one on a local disk. Two things can still split a line: a write that is only partly done (a disk that fills up, a
signal) and file systems without atomic appends (NFS). So an advisory lock is held around the write where the platform has
``flock``; elsewhere the single write has to be enough. Nothing is fsynced: a crash of the program loses at most the line being
written, a loss of power may lose what the system had not yet put on the disk.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


class LineFile:
    """One file, open for appending lines."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Opens the file, and creates it and its folder where they are missing. Raises OSError when that fails."""
        self.path = Path(path).absolute()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._descriptor: int | None = None
        self._open()

    def append(self, line: bytes) -> None:
        """Put one line, its line end included, behind everything that is in the file.

        Raises OSError, for instance when the disk is full; then nothing of the line is left in the file where it could
        be locked, and elsewhere the next append starts on a line of its own. Raises ValueError when closed.
        """
        if os.getpid() != self._pid:
            # After a fork, lock and descriptor are shared with the parent and exclude nobody: this process takes its own.
            self.close()
            self._open()
        with self._threads:
            if self._descriptor is None:
                raise ValueError(f"{self.path} is closed: nothing can be recorded any more")
            locked = _lock(self._descriptor)
            try:
                _append(self._descriptor, line, may_undo=locked)
            finally:
                if locked:
                    _unlock(self._descriptor)

    def close(self) -> None:
        """Close the descriptor; a second close does nothing."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def _open(self) -> None:
        self._pid = os.getpid()
        self._threads = threading.Lock()
        self._descriptor = os.open(self.path, _FLAGS, 0o666)


def _append(descriptor: int, line: bytes, may_undo: bool) -> None:
    size = os.lseek(descriptor, 0, os.SEEK_END)
    # Asked every time, not once: another writer may have been killed in the middle of its line while this one lives.
    rest = memoryview(b"\n" + line if _ends_torn(descriptor, size) else line)
    try:
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    except BaseException:
        if rest and may_undo:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, size)
        raise


def _ends_torn(descriptor: int, size: int) -> bool:
    if not size:
        return False
    os.lseek(descriptor, size - 1, os.SEEK_SET)  # O_APPEND: where the next write goes does not depend on this
    return os.read(descriptor, 1) != b"\n"


def _lock(descriptor: int) -> bool:
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    except OSError:  # a file system without locks
        return False
    return True


def _unlock(descriptor: int) -> None:
    if sys.platform != "win32":
        fcntl.flock(descriptor, fcntl.LOCK_UN)

"""What went wrong, where, and what to do: one record (Problem) or the whole log (TraceError)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that was wrong with a source. It is data: stored, counted and shown, never raised."""

    message: str
    """What was found and what was expected."""
    where: str
    """``file:line``, or ``file`` and a JSON path."""
    hint: str = ""
    """What to do about it."""
    kind: str = "invalid"
    """A short stable name, for instance ``bad_line``, ``orphan``, ``conflict``; see ``ingest/check.py``."""
    line: int | None = None
    run_id: str | None = None
    node_id: str | None = None
    raw: str | None = None
    """The rejected text, cut at 4,000 characters."""
    rejected: bool = False
    """True when a record was left out; then the command ends with status 1."""

    def __str__(self) -> str:
        hint = f"\n  {self.hint}" if self.hint else ""
        return f"{self.where}: {self.message}{hint}"


class TraceError(Exception):
    """The log or the store cannot be used further. Reaches the user as a sentence, without a traceback."""

    def __init__(self, message: str, where: str = "", hint: str = "", kind: str = "unreadable") -> None:
        super().__init__(message)
        self.message, self.where, self.hint, self.kind = message, where, hint, kind

    def __str__(self) -> str:
        where = f"{self.where}: " if self.where else ""
        hint = f"\n  {self.hint}" if self.hint else ""
        return f"{where}{self.message}{hint}"

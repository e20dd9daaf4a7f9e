"""Which parts of a log must never reach the disk? Secrets by pattern and fields by name, replaced by ``[redacted]`` wherever they stand.

Rules are a text, one a line: a regular expression, or ``field NAME`` for a field whose whole value goes. Empty lines and lines that begin
with ``#`` say nothing. The built-in patterns (keys, tokens, passwords, e-mail addresses, telephone numbers) always apply.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingest.errors import Problem, TraceError
from ingest.schema import Call, Node, Run, Trace, Truth

MARK = "[redacted]"
SCHEMA = 1
"""Raised when a built-in pattern changes."""
BUILT_IN = {
    "private key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    "key": r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}|\b(?:AKIA|ASIA)[A-Z0-9]{12,}|\bAIza[A-Za-z0-9_-]{30,}|\bhf_[A-Za-z0-9]{16,}",
    "token": (
        r"\bgh[pousr]_[A-Za-z0-9]{16,}|\bgithub_pat_[A-Za-z0-9_]{16,}|\bglpat-[A-Za-z0-9_-]{16,}|\bxox[a-z]-[A-Za-z0-9-]{10,}"
        r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*|(?<=[Bb]earer )[A-Za-z0-9._~+/-]{12,}=*"
    ),
    "password": r"(?i:(?<=password: )|(?<=password=)|(?<=passwd=)|(?<=secret=)|(?<=api_key=)|(?<=apikey=)|(?<=token=))(?!\[redacted)[^\s\"'&,;]{4,}",
    "e-mail": r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+",
    "telephone": r"(?<![\w+])\+[1-9][0-9]{0,2}(?:[ .-]?\(?[0-9]{2,4}\)?){2,4}(?![\w])|(?<!\w)\(?[0-9]{3}\)?[ .-][0-9]{3}[.-][0-9]{4}(?!\w)",
}
"""Name and pattern of each kind of secret."""
_IDS = frozenset("run_id node_id parent_id parent_ids call_id merged_into resumed_from decision_id selected_path task_id".split())
_AS_IT_IS = frozenset(("source", "source_format", "fingerprint"))
_JSON_TEXT = frozenset(("state", "extra", "protocol", "best_so_far"))


@dataclass(frozen=True, slots=True)
class Rules:
    """What is replaced."""

    name: str
    """Changes with the rules: a log that was loaded under others is loaded again."""
    patterns: tuple[tuple[str, re.Pattern[str]], ...]
    fields: frozenset[str]


def read_rules(given: str) -> Rules:
    """The rules behind ``--redact``: ``builtin``, or a file. Raises TraceError for a file that cannot be read or a line that is no pattern."""
    patterns = [(name, re.compile(pattern, re.DOTALL)) for name, pattern in BUILT_IN.items()]
    if given == "builtin":
        return Rules(f"redact:{SCHEMA}", tuple(patterns), frozenset())
    try:
        lines = Path(given).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise TraceError(f"the redaction rules cannot be read: {error}", given, "Name a text file with one rule a line, or builtin.") from None
    fields = set()
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("field "):
            fields.add(line.removeprefix("field ").strip())
            continue
        try:
            patterns.insert(0, (f"line {number}", re.compile(line, re.DOTALL)))
        except re.error as error:
            raise TraceError(f"not a regular expression: {error}", f"{given}:{number}", "Nothing was loaded.") from None
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]
    return Rules(f"redact:{SCHEMA}:{digest}", tuple(patterns), frozenset(fields))


class Redactor:
    """Applies rules and counts what they replaced. One for an ingest: equal ids stay equal, different ones different."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.found: Counter[str] = Counter()
        """How many places each rule replaced, by its name."""
        self._ids: dict[str, str] = {}

    def text(self, value: str) -> str:
        """The text with every match replaced as a whole."""
        for name, pattern in self.rules.patterns:
            value, count = pattern.subn(MARK, value)
            if count:
                self.found[name] += count
        return value

    def identifier(self, value: str) -> str:
        """Like text, but two different ids never become one: ``[redacted]``, ``[redacted 2]``, …"""
        clean = self.text(value)
        if clean == value:
            return value
        if value not in self._ids:
            number = len(self._ids) + 1
            self._ids[value] = clean if number == 1 else clean.replace(MARK, f"[redacted {number}]")
        return self._ids[value]

    def value(self, value: Any, field: str = "") -> Any:
        """A JSON value with all its strings clean, keys included. Raises RecursionError when it is nested too deeply."""
        if field in self.rules.fields and value is not None:
            self.found[f"field {field}"] += 1
            return MARK
        if isinstance(value, str):
            return self.identifier(value) if field in _IDS else self.text(value)
        if isinstance(value, dict):
            return {self.text(key): self.value(item, key) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.value(item, field) for item in value]
        return value

    def record(self, record: Run | Node | Call | Truth) -> Any:
        """A record with all its strings clean; JSON texts stay JSON."""
        changed = {}
        for item in dataclasses.fields(record):
            value = getattr(record, item.name)
            if item.name in _AS_IT_IS:
                continue
            if item.name in _JSON_TEXT and isinstance(value, str) and item.name not in self.rules.fields:
                clean: Any = json.dumps(self.value(json.loads(value)), ensure_ascii=False)
                clean = value if json.loads(clean) == json.loads(value) else clean
            else:
                clean = self.value(value, item.name)
            if isinstance(value, tuple):
                clean = tuple(clean) if clean != MARK else ()
            elif isinstance(value, (bool, int, float)) and clean == MARK:
                clean = None
            if clean != value:
                changed[item.name] = clean
        return dataclasses.replace(record, **changed) if changed else record

    def trace(self, trace: Trace) -> Trace:
        """A run with everything in it clean."""
        return Trace(
            self.record(trace.run),
            tuple(self.record(node) for node in trace.nodes),
            tuple(self.record(call) for call in trace.calls),
            tuple(self.record(row) for row in trace.truth),
        )

    def problem(self, problem: Problem, source: str = "") -> Problem:
        """A problem that quotes nothing secret. Its place within the source is made of the log's own keys; the source's name stays."""
        name = source if problem.where.startswith(source) else ""
        return dataclasses.replace(
            problem,
            message=self.text(problem.message),
            where=name + self.text(problem.where.removeprefix(name)),
            hint=self.text(problem.hint),
            raw=None if problem.raw is None else self.text(problem.raw),
            run_id=None if problem.run_id is None else self.identifier(problem.run_id),
            node_id=None if problem.node_id is None else self.identifier(problem.node_id),
        )

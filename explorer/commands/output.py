"""How do results reach the terminal? One JSON document, or an aligned table; both on stdout."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from tqdm import tqdm

NOT_RECORDED = "not recorded"


def print_json(document: Any) -> None:
    """One document, strict JSON, the same bytes for the same data. Undefined numbers (0/0) become null."""
    print(json.dumps(_plain(document), ensure_ascii=False, indent=2, allow_nan=False))


def print_table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> None:
    """Rows under their column names, numbers to the right; null is said in words, control characters are escaped."""
    cells = [[cell(row.get(name)) for name in columns] for row in rows]
    widths = [max([len(name), *(len(line[i]) for line in cells)]) for i, name in enumerate(columns)]
    right = [all(isinstance(row.get(name), (int, float, Decimal)) or row.get(name) is None for row in rows) for name in columns]
    for line in ([*columns], *cells):
        padded = (text.rjust(width) if to_right else text.ljust(width) for text, width, to_right in zip(line, widths, right, strict=True))
        print("  ".join(padded).rstrip())


def cell(value: Any) -> str:
    """A value in a table: at most 80 characters, one line."""
    if value is None:
        return NOT_RECORDED
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Decimal):
        value = _plain(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    text = value if isinstance(value, str) else json.dumps(_plain(value), ensure_ascii=False)
    text = "".join(ch if ch.isprintable() else ch.encode("unicode_escape").decode() for ch in text)
    return text if len(text) <= 80 else text[:79] + "…"


def progress() -> tuple[Callable[[str, int, int], None], Callable[[], None]]:
    """A progress bar on stderr that appears only when the work takes longer than a second; and what closes it.

    Rate and time left are those of the present phase: a new description begins one. Totals of 1,000 and more are scaled (75.2M/s: bytes).
    """
    start = time.monotonic()
    shape = "{desc} {percentage:3.0f}% {bar} {rate_noinv_fmt} {elapsed}<{remaining}"
    bar = tqdm(total=1, delay=1.0, leave=False, file=sys.stderr, disable=None, unit="", unit_scale=True, bar_format=shape)

    phase = ""

    def tell(what: str, done: int, total: int) -> None:
        nonlocal phase
        if what != phase:
            phase, bar.start_t = what, time.time()
        bar.total = max(total, 1)
        bar.n = done
        bar.set_description_str(what, refresh=time.monotonic() - start > 1)

    return tell, bar.close


def say(lines: Iterable[object]) -> None:
    """Warnings and the like: to stderr."""
    for line in lines:
        print(line, file=sys.stderr)


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, Decimal):  # DuckDB adds whole numbers up in 128 bits
        return int(value) if value == value.to_integral_value() else float(value)
    return value if value is None or isinstance(value, (str, int, float)) else str(value)

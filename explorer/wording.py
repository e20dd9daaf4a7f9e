"""How is a value written for a person? Numbers with their unit, and the words for what was not recorded."""

from __future__ import annotations

from datetime import UTC, datetime

NOT_RECORDED = "not recorded"
"""Never 0, never empty: the log does not hold it."""

FATE_WORDS = {
    "expanded": "expanded",
    "pruned": "pruned",
    "terminal": "terminal",
    "unscored": "unscored",
    "open": "open when the run ended",
}

_STOP_WORDS = {
    "goal": "goal reached",
    "policy_stop": "stopped by its policy",
    "frontier_exhausted": "frontier exhausted",
    "max_depth": "cap fired: max depth",
    "max_nodes": "cap fired: max nodes",
    "wall_clock": "cap fired: wall clock",
    "call_budget": "cap fired: calls",
    "token_budget": "cap fired: tokens",
    "cost_budget": "cap fired: cost",
    "error": "stopped by an error",
    "unknown": "stop reason unknown to the producer",
}
CAPS = frozenset({"max_depth", "max_nodes", "wall_clock", "call_budget", "token_budget", "cost_budget"})


def stopped_by(stop_reason: str | None) -> str:
    """Why the run ended, a cap named as such. A reason outside the vocabulary is returned as logged."""
    return f"stop reason {NOT_RECORDED}" if stop_reason is None else _STOP_WORDS.get(stop_reason, stop_reason)


def completeness(complete: bool | None) -> str:
    """Whether the search ended by itself."""
    if complete is None:
        return f"complete or cut off: {NOT_RECORDED}"
    return "complete" if complete else "cut off: best so far"


def fate_word(fate: str | None) -> str:
    """The fate in words; one outside the vocabulary as logged."""
    return f"fate {NOT_RECORDED}" if fate is None else FATE_WORDS.get(fate, fate)


def count(value: float | None, noun: str = "", plural: str = "") -> str:
    """``1,234 nodes``; the noun follows the number."""
    if value is None:
        return f"{noun or 'count'} {NOT_RECORDED}".strip()
    return f"{value:,.0f}" + (f" {noun if value == 1 else plural or noun + 's'}" if noun else "")


def number(value: float | None, digits: int = 4) -> str:
    """A measured number with ``digits`` significant digits, whole numbers in full."""
    if value is None:
        return NOT_RECORDED
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:.{digits}g}"


def cost(value: float | None) -> str:
    """US dollars; four digits below one cent, so that a paid call never reads as free."""
    if value is None:
        return f"cost {NOT_RECORDED}"
    if value == 0:
        return "$0"
    if value >= 0.001:
        return f"${value:,.2f}" if value >= 0.1 else f"${value:.4f}"
    return f"${value:.7f}".rstrip("0") if value >= 1e-6 else f"${value:.1e}"


def tokens(value: float | None) -> str:
    """Tokens, in thousands or millions where they are many."""
    if value is None:
        return f"tokens {NOT_RECORDED}"
    if value < 10_000:
        return f"{value:,.0f} tokens"
    return f"{value / 1e3:,.0f}k tokens" if value < 1e6 else f"{value / 1e6:,.2f}M tokens"


def seconds(value: float | None) -> str:
    """Seconds, or minutes and hours where they are many."""
    if value is None:
        return f"time {NOT_RECORDED}"
    if value < 120:
        return f"{value:.3g} s" if value < 100 else f"{value:.0f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest} s" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"


def share(value: float | None) -> str:
    """A share in [0, 1] as a percentage on the page; it is never stored as one."""
    return NOT_RECORDED if value is None else f"{value:.0%}" if value in (0, 1) or 0.01 <= value <= 0.99 else f"{value:.1%}"


def minute(value: datetime) -> str:
    """A point in time, to the minute, in UTC."""
    return value.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def moment(value: datetime | None) -> str:
    """A point in time, to the second, with its zone."""
    return f"time {NOT_RECORDED}" if value is None else value.isoformat(sep=" ", timespec="seconds")

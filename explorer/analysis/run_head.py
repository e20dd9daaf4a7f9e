"""What must a reader know about a run before looking into it? Its outcome, why it ended, its size and what its log leaves out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from explorer import wording
from explorer.analysis import liveness
from explorer.analysis.fact import Fact, Tone

_OUTCOMES: dict[str, tuple[str, Tone]] = {"wrong": ("✗ wrong", "red"), "right": ("✓ right", "green")}
LINE = 90
"""Characters of a question or an answer that stand in the head of the page."""
_POLICY_KEYS = ("algorithm", "search", "method", "policy", "allocation")


def badges(head: Mapping[str, Any], unended: Fact | None = None) -> list[Fact]:
    """The badge line of one row of ``run_head.sql``: run, outcome, cap, completeness, policy, size, spend, time.

    ``unended`` says of a run without an end whether it is running.
    """
    words, tone = _OUTCOMES.get(head["outcome"], ("outcome unknown", "plain"))
    by = f"decided by: {head['outcome_by'] or wording.NOT_RECORDED}"
    return [
        Fact(text=head["run_id"], label="run", tone="strong", mono=True),
        Fact(text=words, tone=tone, hint=by),
        *_ending(head, unended),
        *_policy(head),
        Fact(text=wording.count(head["nodes"], "node"), tone="muted"),
        Fact(text=_spend(head), tone="muted", hint=_spend_source(head["spend_from"])),
        Fact(text=wording.seconds(head["wall_clock_s"]), tone="muted", hint="wall clock, start to end of the run"),
        Fact(text=head["source_format"], label="log", tone="muted", hint=head["source"]),
    ]


def task(head: Mapping[str, Any]) -> list[Fact]:
    """Task, question and answer, each in one short line."""
    found = [("task", head["task_id"]), ("question", head["question"]), ("answer", head["answer"])]
    return [Fact(text=_one_line(text), label=label, mono=label != "task", hint=text[:1_000]) for label, text in found if text is not None]


def is_long(head: Mapping[str, Any]) -> bool:
    """Whether question or answer do not fit into one short line."""
    return any(text is not None and _one_line(text) != text for text in (head["question"], head["answer"]))


def warnings(head: Mapping[str, Any]) -> list[Fact]:
    """What limits any conclusion about the run: one chip each, none where nothing does."""
    nodes, scored = head["nodes"], head["scored"]
    found = [
        (head["orphans"], f"{wording.count(head['orphans'], 'orphan')}: the parent is not in the log"),
        ((head["roots"] or 0) > 1, f"{wording.count(head['roots'], 'root')}"),
        (nodes and not scored, "no node has a score"),
        (nodes and scored and scored < nodes, f"{wording.count(nodes - (scored or 0), 'node')} without a score"),
        (head["uncosted"], f"{wording.count(head['uncosted'], 'call')} without a cost"),
        (head["merged"], f"{wording.count(head['merged'], 'node')} with several parents"),
        (nodes and head["selected_path"] is None, f"selected path {wording.NOT_RECORDED}"),
        (head["problems"], f"{wording.count(head['problems'], 'problem')} in the log"),
    ]
    assumed = [Fact(text=str(text), label="reader", tone="orange") for text in head["warnings"] or ()]
    return [Fact(text=text, tone="orange") for applies, text in found if applies] + assumed


def _one_line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= LINE else flat[: LINE - 1] + "…"


def _ending(head: Mapping[str, Any], unended: Fact | None) -> list[Fact]:
    reason, complete = head["stop_reason"], head["complete"]
    tone: Tone = "orange" if reason in wording.CAPS else "red" if reason == "error" else "plain"
    fact = unended or liveness.badge(None) if head["ended"] is False else Fact(text=wording.stopped_by(reason), tone=tone)
    return [fact, Fact(text=wording.completeness(complete), tone="orange" if complete is False else "muted")]


def _policy(head: Mapping[str, Any]) -> list[Fact]:
    name = _policy_name(head["protocol"])
    facts = [Fact(text=name, tone="plain", hint=head["protocol"] or "")] if name else []
    if head["fingerprint"] is None:
        return [*facts, Fact(text=f"protocol {wording.NOT_RECORDED}", tone="muted")]
    return [*facts, Fact(text=head["fingerprint"][:7], label="protocol", tone="muted", mono=True, hint=head["protocol"] or "")]


def _policy_name(protocol: str | None) -> str | None:
    """The search's own name for what it does; None where the protocol has no such setting."""
    try:
        settings = json.loads(protocol or "null")
    except ValueError:
        return None
    if not isinstance(settings, dict):
        return None
    return next((settings[key] for key in _POLICY_KEYS if isinstance(settings.get(key), str)), None)


def _spend(head: Mapping[str, Any]) -> str:
    if head["cost"] is None:
        return wording.tokens(head["tokens"]) if head["tokens"] is not None else f"spend {wording.NOT_RECORDED}"
    least = "at least " if head["uncosted"] else ""
    return least + wording.cost(head["cost"]) + (f" · {wording.tokens(head['tokens'])}" if head["tokens"] is not None else "")


def _spend_source(spend_from: str | None) -> str:
    words = {"calls": "summed over the calls in the log", "run": "the producer's own total for the run"}
    return words.get(spend_from or "", f"spend {wording.NOT_RECORDED}")

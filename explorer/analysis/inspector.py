"""What does the log say about one node? Its score and rank, its fate and the reason, what it cost, and what stands around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from explorer import wording
from explorer.analysis.fact import Fact, Tone

Row = Mapping[str, Any]
FATE_SIGNS = {"expanded": "●", "pruned": "⊗", "terminal": "■", "unscored": "◌", "open": "○"}
_FATE_TONES: dict[str, Tone] = {"expanded": "blue", "terminal": "green", "unscored": "orange"}
_MARKS: dict[str, tuple[str, Tone]] = {
    "right": ("✓ right step", "green"),
    "not_right": ("✗ not right", "red"),
    "none_of_its_children": ("∅ none of its children is right", "orange"),
}
_RECORD_SKIPS = frozenset({"step", "state", "observation", "extra", "lo", "hi"})


def head(node: Row, selected_path: Sequence[str] | None) -> list[Fact]:
    """Id, fate, whether it was chosen, and what an external check said."""
    fate = node["fate"]
    facts = [
        Fact(text=node["node_id"], label="node", tone="strong", mono=True),
        Fact(text=f"{FATE_SIGNS.get(fate or '', '')} {wording.fate_word(fate)}".strip(), tone=_FATE_TONES.get(fate or "", "plain")),
        Fact(text=f"depth {node['depth']}", tone="muted"),
    ]
    if node["node_id"] in (selected_path or ()):
        facts.append(Fact(text="on the selected path", tone="orange"))
    if node["verified"] is not None:
        facts.append(Fact(text="check passed" if node["verified"] else "check failed", tone="green" if node["verified"] else "red"))
    if node["error"] is not None:
        facts.append(Fact(text="error", tone="red", hint=node["error"][:300]))
    return facts


def evaluation(node: Row, rank: Row, calls: Iterable[Row]) -> list[Fact]:
    """Score, the samples behind it, its tier, and its rank in its level and among its siblings."""
    if node["score"] is None:
        facts = [Fact(text=wording.NOT_RECORDED, label="score", hint="the evaluator was never asked, or failed; this is not zero")]
    else:
        facts = [Fact(text=wording.number(node["score"], 6), label="score", hint=f"logged as {node['score_raw'] or wording.NOT_RECORDED}")]
    samples = [call["parsed"] for call in calls if call["role"] == "evaluator" and call["parsed"] is not None]
    if len(samples) > 1:
        facts.append(Fact(text=", ".join(str(sample) for sample in samples), label=f"{len(samples)} samples"))
    facts.append(Fact(text=node["tier"] or wording.NOT_RECORDED, label="tier", tone="plain" if node["tier"] else "muted"))
    if node["score"] is not None:
        tied = f", tied with {rank['level_tied']:,}" if rank["level_tied"] else ""
        facts.append(Fact(text=f"{rank['level_rank']:,} of {rank['level_scored']:,} at depth {node['depth']}{tied}", label="rank"))
        if rank["sibling_scored"] > 1:
            facts.append(Fact(text=f"{rank['sibling_rank']:,} of {rank['sibling_scored']:,} siblings", label="rank"))
    return facts


def spend(calls: Sequence[Row]) -> list[Fact]:
    """What the node's own calls cost; calls at the parent are not counted again. A sum over some of the calls says "at least"."""
    own = [call for call in calls if not call["at_parent"]]
    if not own:
        return [Fact(text=f"calls at this node: {wording.NOT_RECORDED}", tone="muted")]
    used = [(call["input_tokens"] or 0) + (call["output_tokens"] or 0) if _any_tokens(call) else None for call in own]
    texts = [
        wording.count(len(own), "call"),
        _sum([call["cost"] for call in own], wording.cost),
        _sum(used, wording.tokens),
        _sum([call["latency_ms"] for call in own], lambda ms: wording.seconds(None if ms is None else ms / 1000)),
    ]
    retries = [call["retries"] for call in own if call["retries"] is not None]
    if sum(retries):
        texts.append(wording.count(sum(retries), "retry", "retries"))
    elif not retries:
        texts.append(f"retries {wording.NOT_RECORDED}")
    return [Fact(text=text, tone="muted") for text in texts]


def verdict_of_pruning(node: Row) -> tuple[list[Fact], str | None]:
    """The rule as chips and the reason verbatim; nothing for a node that was not pruned."""
    if node["fate"] != "pruned" and node["prune_rule"] is None and node["prune_reason"] is None:
        return [], None
    rule = Fact(text=node["prune_rule"] or wording.NOT_RECORDED, label="pruned by rule", tone="plain", mono=node["prune_rule"] is not None)
    stage = [Fact(text=node["pruned_by"], label="lost at stage")] if node["pruned_by"] else []
    merged = [Fact(text=node["merged_into"], label="merged into", mono=True, pick=node["merged_into"])] if node["merged_into"] else []
    return [rule, *stage, *merged], node["prune_reason"]


def hashes_of(calls: Iterable[Row]) -> list[str]:
    """The hashes of all prompts and responses, each once."""
    found = (call[name] for call in calls for name in ("prompt_hash", "response_hash"))
    return sorted({text_hash for text_hash in found if text_hash is not None})


def call(row: Row) -> list[Fact]:
    """One call: who was asked, with what, and what it cost."""
    where = [Fact(text="at the parent", tone="muted")] if row["at_parent"] else []
    heat = [Fact(text=wording.number(row["temperature"]), label="temperature", tone="muted")] if row["temperature"] is not None else []
    parsed = [Fact(text=row["parsed"], label="parsed")] if row["parsed"] is not None else []
    error = [Fact(text=row["error"], label="error", tone="red")] if row["error"] is not None else []
    used = [row["input_tokens"], row["output_tokens"]]
    tokens = f"{used[0]:,} + {used[1]:,} tokens" if None not in used else wording.tokens(None)
    latency = wording.seconds(None if row["latency_ms"] is None else row["latency_ms"] / 1000)
    return [
        Fact(text=row["role"] or f"role {wording.NOT_RECORDED}", tone="blue"),
        *where,
        *parsed,
        *error,
        Fact(text=row["model"] or f"model {wording.NOT_RECORDED}", tone="muted"),
        *heat,
        Fact(text=tokens, tone="muted"),
        Fact(text=wording.cost(row["cost"]), tone="muted"),
        Fact(text=latency, tone="muted"),
    ]


def relatives(family: Iterable[Row], relation: str) -> list[Fact]:
    """One chip per parent or child; a parent that the log never recorded is no button."""
    return [_relative(row) for row in family if row["relation"] == relation]


def hits(found: Iterable[Row]) -> list[Fact]:
    """One chip per node that a search found."""
    return [_chip(row, f"depth {row['depth']}") for row in found]


def reviewed(lines: Iterable[Row]) -> list[Fact]:
    """What reviewers said of the node: their marks, notes and bookmarks."""
    return [_reviewed(line) for line in lines if line["kind"] != "verdict"]


def record(node: Row) -> pa.Table:
    """Every recorded short field of the node, as field and value; what is absent is absent."""
    rows = [(name, _as_text(value)) for name, value in node.items() if name not in _RECORD_SKIPS and value is not None]
    return pa.table({"field": [name for name, _ in rows], "value": [value for _, value in rows]}, schema=_RECORD)


_RECORD = pa.schema([("field", pa.string()), ("value", pa.string())])


def _relative(row: Row) -> Fact:
    if not row["in_log"]:
        return Fact(text=f"{row['node_id']} (not in the log)", label="parent", tone="orange", mono=True)
    kind = "child" if row["relation"] == "child" else "parent" if row["position"] == 0 else "merged parent"
    return _chip(row, kind)


def _reviewed(line: Row) -> Fact:
    if line["kind"] == "note":
        return Fact(text=" ".join(line["note"].split()), label=f"note by {line['reviewer']}", hint=line["note"][:1_000])
    if line["kind"] == "bookmark":
        return Fact(text="★", label=f"bookmark of {line['reviewer']}")
    words, tone = _MARKS[line["mark"]]
    return Fact(text=words, label=f"marked by {line['reviewer']}", tone=tone)


def _chip(row: Row, label: str) -> Fact:
    sign = FATE_SIGNS.get(row["fate"] or "", "·")
    score = "–" if row["score"] is None else wording.number(row["score"])
    step = (row["step"] or row["node_id"]).replace("\n", " ")
    return Fact(text=f"{sign} {score}  {step}", label=label, mono=True, pick=row["node_id"], hint=row["node_id"])


def _sum(values: Sequence[float | None], words: Callable[[float | None], str]) -> str:
    """The sum in words; "at least" where some of the values are not recorded, never a smaller sum that looks like a measurement."""
    known = [value for value in values if value is not None]
    if not known:
        return words(None)
    return words(sum(known)) if len(known) == len(values) else f"at least {words(sum(known))}"


def _any_tokens(call: Row) -> bool:
    return call["input_tokens"] is not None or call["output_tokens"] is not None


def _as_text(value: object) -> str:
    return ", ".join(str(item) for item in value) if isinstance(value, list) else str(value)

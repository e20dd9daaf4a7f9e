"""How is a verdict laid out for a reader? Its chips, its evidence as rows, what is missing, and what reviewers say beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from explorer import wording
from explorer.analysis.fact import Fact, Tone
from explorer.analysis.verdict import Verdict

KINDS = ("generation", "evaluation", "control", "cannot_tell", "none")
MOST_MISSING = 12
"""Missing things that are listed one by one."""
_TONES: dict[str, Tone] = {"generation": "blue", "evaluation": "orange", "control": "red", "none": "green"}
_WORDS = {"cannot_tell": "cannot tell", "none": "nothing lost"}
_EVIDENCE = ("what", "node_id", "step", "score", "rank", "fate", "text")
_SIDES = ("lost", "worst kept", "selected", "expanded instead", "stands for it")


def word(verdict: str) -> str:
    """A verdict as it is written on a page."""
    return _WORDS.get(verdict, verdict)


def head(found: Verdict) -> list[Fact]:
    """The verdict in chips: which part of the search, by what mechanism, where (a click opens the node), and how sure that is."""
    facts = [Fact(text=word(found.verdict), label="lost by" if found.verdict in _TONES and found.verdict != "none" else "verdict",
                  tone=_TONES.get(found.verdict, "plain"))]  # fmt: skip
    if found.mechanism:
        facts.append(Fact(text=found.mechanism.replace("_", " "), label="mechanism"))
    if found.depth is not None:
        facts.append(Fact(text=str(found.depth), label="lost at depth"))
    if found.node_id is not None:
        label = "open the parent that was expanded" if found.mechanism == "not_proposed" else "open the decisive node"
        label = "open the node in question" if found.verdict == "cannot_tell" else label
        facts.append(Fact(text=found.node_id, label=label, tone="blue", mono=True, pick=found.node_id))
    if found.confidence:
        facts.append(Fact(text=found.confidence, label="confidence", hint="likely: who competed was inferred, not recorded", tone="muted"))
    return facts


def missing(found: Verdict) -> list[Fact]:
    """What the log lacks to tell, or to be sure; where that is the truth of a node, a click opens the node, to be marked."""
    nodes = {row["node_id"] for row in found.evidence if row.get("node_id")}
    named = [(what, what.removeprefix("truth of ")) for what in found.missing]
    facts = [Fact(text=what, label="missing", tone="orange", pick=node if node in nodes else "") for what, node in named[:MOST_MISSING]]
    more = len(named) - len(facts)
    return [*facts, Fact(text=f"and {more:,} more", tone="orange")] if more else facts


def conflicts(found: Verdict) -> list[Fact]:
    """Nodes about which the sources of truth disagree, with what each says; a click opens the node."""
    facts = []
    for one in found.conflicts:
        said = [f"{_source(said)}: {'viable' if said['viable'] else 'not viable'}" for said in one["said"]]
        facts.append(Fact(text=f"{one['node_id']} — {'; '.join(said)}", label="sources disagree", tone="orange", pick=one["node_id"]))
    return facts


def reviewed(lines: Sequence[Mapping[str, Any]]) -> list[Fact]:
    """The verdicts of reviewers, which stand beside the computed one."""
    return [_reviewed(line) for line in lines]


def evidence(found: Verdict) -> pa.Table:
    """One row a record that the verdict rests on; what has no column of its own is in ``more``."""
    return _rows(found.evidence)


def also_lost(found: Verdict) -> pa.Table:
    """The further losses of the run, the one that got furthest first."""
    names = ("node_id", "depth", "lost_at", "verdict", "mechanism", "step", "score", "text")
    return pa.table({name: _column([row.get(name) for row in found.also_lost]) for name in names})


def sides(found: Verdict) -> list[tuple[str, str]]:
    """What the evaluator said is worth reading of at most two nodes: the lost one, and the one that was preferred to it."""
    named = {row["what"]: row["node_id"] for row in reversed(found.evidence) if row.get("what") in _SIDES and row.get("node_id")}
    return [(what, named[what]) for what in _SIDES if what in named][:2]


def stages(found: Verdict) -> list[Fact]:
    """The seven stages, each held, failed or not known."""
    signs: dict[bool | None, tuple[str, Tone]] = {True: ("✓", "green"), False: ("✗", "red"), None: ("?", "muted")}
    return [Fact(text=f"{signs[held][0]} {stage}", tone=signs[held][1]) for stage, held in found.flags.items()]


def _rows(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    names = [name for name in _EVIDENCE if any(row.get(name) is not None for row in rows)]
    columns = {name: _column([row.get(name) for row in rows]) for name in names}
    more = [_more(row) for row in rows]
    return pa.table(columns | ({"more": pa.array([text or None for text in more], pa.string())} if any(more) else {}))


def _more(row: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {_plain(value)}" for key, value in row.items() if key not in (*_EVIDENCE, "depth") and value is not None)


def _column(values: Sequence[Any]) -> pa.Array:
    if all(value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)) for value in values):
        return pa.array(values, pa.float64() if any(isinstance(value, float) for value in values) else pa.int64())
    return pa.array([None if value is None else _plain(value) for value in values], pa.string())


def _plain(value: Any) -> str:
    if isinstance(value, float):
        return wording.number(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _source(said: Mapping[str, Any]) -> str:
    return f"{said['viable_by']} {said['detail']}" if said["detail"] else str(said["viable_by"])


def _reviewed(line: Mapping[str, Any]) -> Fact:
    where = f" at {line['node_id']}" if line["node_id"] else ""
    sure = f" ({line['confidence']})" if line["confidence"] else ""
    note = f" — {' '.join(line['note'].split())}" if line["note"] else ""
    better = f" · better: {' '.join(line['better'].split())}" if line["better"] else ""
    text = f"{(line['verdict'] or '').replace('_', ' ')}{where}{sure}{note}{better}"
    return Fact(text=text, label=f"reviewer {line['reviewer']}", tone="plain", hint=text[:1_000], pick=line["node_id"] or "")

"""How does a what-if read? Bounds in words, cards, and the tables of points, runs and nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import pyarrow as pa

from explorer import wording
from explorer.analysis.fact import Fact
from explorer.analysis.funnel import Share
from explorer.replay.difference import Difference
from explorer.replay.outcome import Outcome
from explorer.replay.record import Paid
from explorer.replay.sweep import Point, Swept, Tried

Unit = Literal["cost", "tokens", "calls"]
Answers = Literal["selected", "kept"]
UNITS: Mapping[Unit, str] = {"cost": "US dollars", "tokens": "tokens", "calls": "calls"}
ANSWERS: Mapping[str, str] = {"selected": "the selected answer is right", "kept": "a right answer is kept"}
OWN = "its own policy"
_MOST_ROWS = 20_000
_TELLING = ("search", "beam_width", "threshold", "per_parent", "count", "tie_break", "dedup", "select", "max_depth", "max_calls", "max_tokens",
            "max_nodes", "max_cost")  # fmt: skip
"""Settings that are shown although nothing changes them."""


def policy_words(changes: Mapping[str, Any]) -> str:
    """What is changed, in words; ``its own policy`` for nothing."""
    return ", ".join(f"{name.replace('_', ' ')} {value:g}" if isinstance(value, float) else f"{name.replace('_', ' ')} {value}"
                     for name, value in changes.items()) or OWN  # fmt: skip


def calls(paid: Paid) -> int:
    """All calls of the roles whose calls are recorded."""
    return sum(count for count in paid.roles.values() if count is not None)


def spend(paid: Paid, unit: Unit) -> float | None:
    """In one unit; None where it is not recorded."""
    return float(calls(paid)) if unit == "calls" else paid.cost if unit == "cost" else paid.tokens


def units(points: Sequence[Point]) -> tuple[Unit, ...]:
    """What all these points can be compared in, the most telling first."""
    return tuple(unit for unit in UNITS if unit == "calls" or all(spend(point.paid, unit) is not None for point in points))


def right(point: Point, answers: Answers) -> tuple[int, int]:
    """Runs with a right answer, and the most that there can be."""
    if answers == "kept":
        return point.right_kept, point.upper_right_kept
    return point.right_selected, point.upper_right_selected


def sentences(point: Point, recorded: Point) -> list[str]:
    """What the policy comes to over all runs, with the bounds where the record ends."""
    said = []
    for answers, words in (("kept", "A right answer is among those kept"), ("selected", "The selected answer is right")):
        now, upper = right(point, answers)  # type: ignore[arg-type] # the two words of Answers
        was, could = right(recorded, answers)  # type: ignore[arg-type] # the two words of Answers
        up_to = f"; up to {upper:,} if what is not known had gone well" if upper > now else ""
        known = f"{was:,}" if could == was else f"{was:,} to {could:,}"
        said.append(f"{words} in {now:,} of {wording.count(point.runs, 'run')} (recorded: {known}){up_to}.")
    if point.runs_past_horizon:
        said.append(
            f"In {wording.count(point.runs_past_horizon, 'run')} the policy asks for what was never asked: past that horizon the lower figure "
            "supposes that it brings nothing, the upper that it goes well, and spend is a lower bound."
        )
    if not point.upper_right_kept:
        said.append("Of no finished answer is it known, or possible, that it is right. Where truth is missing, an oracle or a reviewer's mark tells.")
    return said


def cards(point: Point, recorded: Point) -> list[Fact]:
    """Right answers, spend and horizon, each beside the record."""
    found = []
    for answers, label in (("kept", "right answer kept"), ("selected", "right answer selected")):
        now, upper = right(point, answers)  # type: ignore[arg-type] # the two words of Answers
        was, could = right(recorded, answers)  # type: ignore[arg-type] # the two words of Answers
        found.append(Fact(label=label, text=_bounds(now, upper, point.runs), hint=f"recorded: {_bounds(was, could, recorded.runs)}", tone="strong"))
    least = "at least " if point.runs_past_horizon else ""
    for role in sorted({**point.paid.roles, **recorded.paid.roles}):
        now_calls, was_calls = point.paid.roles.get(role, 0), recorded.paid.roles.get(role, 0)
        if now_calls is not None:
            found.append(Fact(label=f"{role} calls", text=f"{least}{now_calls:,}", hint=f"recorded: {wording.count(was_calls)}"))
    cost, tokens = point.paid.cost, point.paid.tokens
    found.append(Fact(label="cost", text=f"{least}{wording.cost(cost)}" if cost is not None else wording.NOT_RECORDED, missing=cost is None,
                      hint=f"recorded: {wording.cost(recorded.paid.cost)}" if recorded.paid.cost is not None else ""))  # fmt: skip
    found.append(Fact(label="tokens", text=f"{least}{wording.tokens(tokens)}" if tokens is not None else wording.NOT_RECORDED, missing=tokens is None,
                      hint=f"recorded: {wording.tokens(recorded.paid.tokens)}" if recorded.paid.tokens is not None else ""))  # fmt: skip
    if point.runs > 1:
        found.append(Fact(label="runs past the horizon", text=f"{point.runs_past_horizon:,}", hint=_coverage(*point.expansions)))
    return found


def checks(found: Swept) -> list[Fact]:
    """How many runs can be asked: those whose own policy, replayed, is exactly the record."""
    refused = sum(map(len, found.refused.values()))
    asked = found.recorded.runs
    exactly = f"{wording.count(asked, 'run')} replayed exactly by {'its' if asked == 1 else 'their'} own policy"
    facts = [Fact(text=exactly, tone="green" if asked else "muted")]
    if refused:
        facts.append(Fact(text=f"{wording.count(refused, 'run')} cannot be asked", tone="orange"))
    return facts


def refusals(found: Swept) -> pa.Table:
    """One row a reason why runs cannot be asked."""
    rows = sorted(found.refused.items(), key=lambda item: (-len(item[1]), item[0]))
    return pa.table({
        "first_run": pa.array([runs[0] for _, runs in rows], pa.string()),
        "runs": pa.array([len(runs) for _, runs in rows], pa.int64()),
        "why": pa.array([why for why, _ in rows], pa.string()),
    })  # fmt: skip


def points(names: Sequence[str], found: Sequence[Point]) -> pa.Table:
    """One row a policy, with 95 % intervals of the share that selects a right answer."""
    shares = [Share(point.right_selected, point.runs) for point in found]
    return pa.table({
        "policy": pa.array(names, pa.string()),
        "runs": pa.array([point.runs for point in found], pa.int64()),
        "right_kept": pa.array([point.right_kept for point in found], pa.int64()),
        "upper_right_kept": pa.array([point.upper_right_kept for point in found], pa.int64()),
        "right_selected": pa.array([point.right_selected for point in found], pa.int64()),
        "upper_right_selected": pa.array([point.upper_right_selected for point in found], pa.int64()),
        "selected_from_95": pa.array([share.interval[0] if point.runs else None for share, point in zip(shares, found, strict=True)], pa.float64()),
        "selected_to_95": pa.array([share.interval[1] if point.runs else None for share, point in zip(shares, found, strict=True)], pa.float64()),
        "calls": pa.array([calls(point.paid) for point in found], pa.int64()),
        "tokens": pa.array([point.paid.tokens for point in found], pa.int64()),
        "cost": pa.array([point.paid.cost for point in found], pa.float64()),
        "runs_past_horizon": pa.array([point.runs_past_horizon for point in found], pa.int64()),
    })  # fmt: skip


def changed_runs(tried: Iterable[Tried]) -> pa.Table:
    """One row a run that comes to something else than it did, or whose record ends: those that turn right or wrong first."""
    rows = [(one.run_id, one.recorded, one.outcomes[0]) for one in tried if one.recorded is not None and _differs(one.recorded, one.outcomes[0])]
    rows.sort(key=lambda row: (_came_to(row[1]) == _came_to(row[2]), row[0]))
    rows = rows[:_MOST_ROWS]
    return pa.table({
        "run": pa.array([run for run, _, _ in rows], pa.string()),
        "recorded": pa.array([_came_to(was) for _, was, _ in rows], pa.string()),
        "now": pa.array([_came_to(now) for _, _, now in rows], pa.string()),
        "selects": pa.array([now.path[-1] if now.path else None for _, _, now in rows], pa.string()),
        "viable_to_depth": pa.array([now.viable_depth for _, _, now in rows], pa.int64()),
        "recorded_viable": pa.array([was.viable_depth for _, was, _ in rows], pa.int64()),
        "past_horizon": pa.array([len(now.horizon) + len(now.unjudged) for _, _, now in rows], pa.int64()),
        "calls": pa.array([calls(now.paid) for _, _, now in rows], pa.int64()),
        "recorded_calls": pa.array([calls(was.paid) for _, was, _ in rows], pa.int64()),
    })  # fmt: skip


def run_facts(recorded: Outcome, now: Outcome) -> list[Fact]:
    """What one run comes to, beside what it came to."""
    was, comes_to = _came_to(recorded), _came_to(now)
    facts = [Fact(text=comes_to, label="now", tone="strong" if comes_to == was else "blue"), Fact(text=was, label="recorded", tone="muted")]
    if recorded.viable_depth is not None or now.viable_depth is not None:
        further = (now.viable_depth or 0) - (recorded.viable_depth or 0)
        words = "as far as recorded" if not further else "further than recorded" if further > 0 else "not as far as recorded"
        depth = "no viable node is kept" if now.viable_depth is None else f"a viable path is kept to depth {now.viable_depth}"
        facts.append(Fact(text=f"{depth}, {words}", tone="green" if further > 0 else "red" if further < 0 else "plain"))
    if now.past_horizon:
        wanted = [f"{len(now.horizon):,} of {wording.count(now.expansions + len(now.horizon), 'expansion')}"] if now.horizon else []
        wanted += [wording.count(len(now.unjudged), "evaluation")] if now.unjudged else []
        facts.append(Fact(text=f"{' and '.join(wanted) or 'a start'} past the horizon of the record", tone="orange"))
    facts.append(Fact(text=wording.stopped_by(now.stop_reason), tone="muted"))
    return facts


def policy_facts(recorded: Mapping[str, Any], now: Mapping[str, Any]) -> list[Fact]:
    """The settings that hold for all these runs, and which of them are changed."""
    facts = [Fact(text="policy", tone="muted")]
    for name in dict.fromkeys((*recorded, *now)):
        was, becomes = (", ".join(value) if isinstance(value, list) else value for value in (recorded.get(name), now.get(name)))
        if was != becomes:
            facts.append(Fact(label=name.replace("_", " "), text=f"{_value(was)} → {_value(becomes)}", tone="blue"))
        elif name in _TELLING:
            facts.append(Fact(label=name.replace("_", " "), text=_value(was)))
    return facts


def path_words(recorded: Outcome, now: Outcome) -> str:
    """The selected path, and where it leaves the recorded one."""
    was, path = recorded.path or (), now.path or ()
    if path == was:
        return f"Selects the same path: {' → '.join(path)}"
    shared = next((at for at, (one, other) in enumerate(zip(was, path, strict=False)) if one != other), min(len(was), len(path)))
    leaves = f"leaves the recorded one at depth {shared}" if shared < len(was) else "goes on where the recorded one ended"
    return f"Selects {' → '.join(path)}; {leaves}" + (f" ({' → '.join(was)})" if was else " (none is recorded)")


def nodes(found: Sequence[Difference]) -> pa.Table:
    """One row a node that is kept now and was not, or the other way round; those kept anew first."""
    rows = sorted((node for node in found if node.kept or node.cut), key=lambda node: (node.cut, node.depth))[:_MOST_ROWS]
    return pa.table({
        "now": pa.array([node.now for node in rows], pa.string()),
        "recorded": pa.array([node.recorded for node in rows], pa.string()),
        "node": pa.array([node.node_id for node in rows], pa.string()),
        "depth": pa.array([node.depth for node in rows], pa.int64()),
        "score": pa.array([node.score for node in rows], pa.float64()),
        "viable": pa.array([None if node.viable is None else "yes" if node.viable else "no" for node in rows], pa.string()),
        "step": pa.array([node.step for node in rows], pa.string()),
        "why_now": pa.array([node.reason for node in rows], pa.string()),
    })  # fmt: skip


def horizon(now: Outcome, known: pa.Table) -> pa.Table:
    """One row a node whose expansion or evaluation was never asked for, described by ``tree_nodes.sql`` where that has it."""
    wanted = [("expansion", node) for node in now.horizon] + [("evaluation", node) for node in now.unjudged]
    told = {row["node_id"]: row for row in known.select(["node_id", "depth", "score", "label"]).to_pylist()} if wanted else {}
    rows = [told.get(node, {}) for _, node in wanted]
    return pa.table({
        "asked_for": pa.array([what for what, _ in wanted], pa.string()),
        "node": pa.array([node for _, node in wanted], pa.string()),
        "depth": pa.array([row.get("depth") for row in rows], pa.int64()),
        "score": pa.array([row.get("score") for row in rows], pa.float64()),
        "step": pa.array([row.get("label") for row in rows], pa.string()),
    })  # fmt: skip


def _value(value: Any) -> str:
    return "as recorded" if value is None else wording.number(value) if isinstance(value, float) else str(value)


def _coverage(held: int, wanted: int) -> str:
    return f"{held:,} of {wanted:,} expansions are recorded"


def _bounds(least: int, most: int, runs: int) -> str:
    if runs == 1:
        return "yes" if least else "perhaps" if most else "no"
    return f"{least:,}{'' if most == least else f'–{most:,}'} of {runs:,}"


def _differs(recorded: Outcome, now: Outcome) -> bool:
    return _came_to(now) != _came_to(recorded) or now.path != recorded.path or now.past_horizon or now.viable_depth != recorded.viable_depth


def _came_to(outcome: Outcome) -> str:
    if outcome.right_selected:
        return "right"
    if outcome.right_kept:
        return "kept, not selected" + (", perhaps selected" if outcome.upper_right_selected else "")
    return "perhaps right" if outcome.upper_right_kept or outcome.upper_right_selected else "not right"

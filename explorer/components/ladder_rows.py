"""How does one column of the ladder read: its header, its strip of scores, its rows, and the cut between kept and pruned?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from explorer import wording
from explorer.analysis import scores
from explorer.analysis.pruning import RULE_NOT_RECORDED
from explorer.analysis.scores import score_text

Row = dict[str, Any]
Scale = tuple[float, float]
TICKS = 24
"""Evaluator samples of one node that get a tick."""
DOTS = 9
"""Candidates in one bin of the strip up to which each is a dot; beyond, bins are bars."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What the evaluator's calls for one node said."""

    samples: tuple[float, ...]
    """The parsed answers that are numbers, in the order of the calls."""
    last_line: str | None
    """Last line of the last raw answer; None: not recorded."""


def evaluations(said: list[Row]) -> dict[str, Evaluation]:
    """The rows of the query ``evaluations_of_nodes`` by node; nodes that were never judged are absent."""
    grouped: dict[str, list[Row]] = {}
    for row in said:
        grouped.setdefault(row["node_id"], []).append(row)
    return {node_id: _evaluation(calls) for node_id, calls in grouped.items()}


def summary(column: Row, chosen: Row | None, taken: str) -> str:
    """The header: how many candidates, how many of them scored, and where the chosen one ranked."""
    said = [wording.count(column["candidates"], "candidate")]
    if column["scored"] < column["candidates"]:
        said.append(f"{column['scored']} scored" if column["scored"] else "none scored")
    if not column["scored"] and chosen is not None:
        return " · ".join(said)
    if chosen is None:
        said.append("none chosen" if taken == "inspected" else "no selected path recorded" if taken == "best" else "chosen elsewhere")
    elif chosen["score"] is None:
        said.append("chosen without a score")
    else:
        said.append(f"chosen ranked #{chosen['place']}")
    return " · ".join(said)


def ties(column: Row) -> str | None:
    """The sentence about equal scores on both sides of the cut; None where there are none."""
    if column["cut_off"] is None or not column["tied_kept"] or not column["tied_cut"]:
        return None
    return scores.cut_sentence(
        candidates=column["candidates"], score=column["cut_off"], tied=column["tied"], tied_kept=column["tied_kept"],
        tied_cut=column["tied_cut"], kept=column["kept"], in_order=bool(column["tied_in_order"]),
    )  # fmt: skip


def strip(bins: list[Row], column: Row, chosen: Row | None, scale: Scale | None) -> dict[str, Any] | None:
    """Scores of all candidates along the run's scale, with the cut-off and the chosen one; positions in [0, 1]. None without a scale."""
    if scale is None:
        return None
    counts: dict[int, list[int]] = {}
    for row in bins:
        counts.setdefault(row["bin"], [0, 0, 0])[{"kept": 0, "cut": 1, None: 2}[row["side"]]] += row["nodes"]
    most = max((sum(sides) for sides in counts.values()), default=0)
    return {
        "bins": [[(at + 0.5) / 60, *sides] for at, sides in sorted(counts.items())],
        "most": most,
        "dots": most <= DOTS,
        "cut_off": on_scale(column["cut_off"], scale) if _has_line(column) else None,
        "chosen": on_scale(chosen["score"], scale) if chosen else None,
    }


def rows(column: list[Row], said: Mapping[str, Evaluation], scale: Scale | None) -> list[dict[str, Any]]:
    """Candidates in order of rank, with the cut between kept and pruned and with what is left out said in its place."""
    drawn: list[dict[str, Any]] = []
    place = 0
    for row in column:
        if row["place"] > place + 1:
            drawn.append(_gap(row["place"] - place - 1))
        drawn.append(_candidate(row, said.get(row["node_id"]), scale))
        place = row["place"]
        if place == row["last_kept"] and _has_line(row):
            drawn.append({"kind": "line", "text": _line_words(row)})
    if place < column[-1]["candidates"]:
        drawn.append(_gap(column[-1]["candidates"] - place))
    return drawn


def scale_words(scale: Scale | None) -> str:
    """What the bars and strips are drawn on; None where no candidate has a score."""
    if scale is None:
        return "no candidate has a score: they stand in order of arrival"
    low, high = scale
    return f"bars and strips: {score_text(low)} to {score_text(high)}, the evaluator's own scale over the run"


def on_scale(score: float | None, scale: Scale | None) -> float | None:
    """Where a score lies on the scale, in [0, 1]; 1 where the scale is one point."""
    if score is None or scale is None:
        return None
    low, high = scale
    return 1.0 if high <= low else round(min(1.0, max(0.0, (score - low) / (high - low))), 4)


def _evaluation(calls: list[Row]) -> Evaluation:
    samples = tuple(call["sample"] for call in calls if call["sample"] is not None)[:TICKS]
    failed = [f"evaluator failed: {call['error'][:160]}" for call in calls if call["error"]]
    lines = [call["last_line"] for call in calls if call["last_line"]]
    return Evaluation(samples, (lines or failed or [None])[-1])


def _has_line(column: Row) -> bool:
    return bool(column["kept"] and column["cut"])


def _line_words(column: Row) -> str:
    said = [f"▲ kept · {column['kept']} of {column['candidates']}", f"cut-off {score_text(column['cut_off'])}"]
    if column["kept_scored"] < column["kept"]:
        said.append(f"{column['kept'] - column['kept_scored']} kept without a score")
    if column["cut_above"]:
        said.append(f"{column['cut_above']} pruned above it")
    return " · ".join([*said, "pruned ▼"])


def _gap(count: int) -> dict[str, Any]:
    return {"kind": "gap", "text": f"… {count:,} not shown"}


def _candidate(row: Row, said: Evaluation | None, scale: Scale | None) -> dict[str, Any]:
    drawn = {
        "kind": "row",
        "id": row["node_id"],
        "rank": f"#{row['place']}" if row["score"] is not None else "–",
        "score": score_text(row["score"]),
        "bar": on_scale(row["score"], scale),
        "ticks": [on_scale(sample, scale) for sample in said.samples] if said else [],
        "step": row["step"] or f"step {wording.NOT_RECORDED}",
        "fate": "duplicate" if _is_duplicate(row) else row["fate"] or "none",
        "badge": _badge(row),
        "said": said.last_line if said else None,
        "chosen": row["chosen"],
        "viable": row["viable"],
    }
    return {**drawn, "label": _aria(row, drawn), "hint": _hint(row, said)}


def _badge(row: Row) -> str:
    if row["fate"] == "pruned":
        return row["rule"] or RULE_NOT_RECORDED
    return "open" if row["fate"] == "open" else wording.fate_word(row["fate"])


def _is_duplicate(row: Row) -> bool:
    return row["fate"] == "pruned" and row["side"] is None and row["stage"] == "distinct"


def _aria(row: Row, drawn: dict[str, Any]) -> str:
    """The whole row in words, for a screen reader."""
    rank = f"rank {row['place']} of {row['candidates']}, score {drawn['score']}" if row["score"] is not None else "no score"
    fate = f"pruned by {row['rule']}" if row["rule"] else f"pruned, {drawn['badge']}" if row["fate"] == "pruned" else drawn["badge"]
    told = [f"Depth {row['depth']}", rank, *(["chosen"] if row["chosen"] else []), fate]
    if row["viable"] is not None:
        told.append("known to be viable" if row["viable"] else "known not to be viable")
    told.append(drawn["step"])
    if drawn["said"]:
        told.append(f"evaluator: {drawn['said']}")
    return ", ".join(told)


def _hint(row: Row, said: Evaluation | None) -> str:
    """Shown on hover: what has no room in the row."""
    lines = [row["node_id"], f"arrived {row['arrival']} of {row['candidates']}"]
    if row["score_raw"] is not None and row["score"] is None:
        lines.append(f"score as logged: {row['score_raw']}")
    if said and said.samples:
        lines.append(f"evaluator samples: {', '.join(score_text(sample) for sample in said.samples)}")
    if row["reason"]:
        lines.append(f"pruned because: {row['reason']}")
    if row["cost"] is not None:
        lines.append(f"calls for it: {wording.cost(row['cost'])}")
    return "\n".join(lines)

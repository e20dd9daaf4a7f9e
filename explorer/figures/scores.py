"""How are the scores spread at each depth, where do they not tell candidates apart, and where does the selected path lie?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
import pyarrow as pa

from explorer.analysis.path import Step
from explorer.analysis.scores import DepthScores, score_text, tie_sentence
from explorer.figures import palette
from explorer.figures.palette import Theme

NOTED_DEPTHS = 30
"""Depths up to which each carries its counts in words; beyond, they stand in the hover text of a mark."""
BOXED_DEPTHS = 120
"""Up to here each depth has a box; beyond, the range from lowest to highest is one band."""
HOVER_STEPS = 4_000
"""Points up to which each one carries its step as hover text."""
TIE_ROWS = 80
"""Scores closer than this part of the scale stand side by side."""
PATH_LINE, PATH_POINTS = 200, 4_000
"""Steps of the selected path up to which a line joins them, and how many are drawn at most."""
Floats = npt.NDArray[np.float64]


def score_distribution(depths: Sequence[DepthScores], points: pa.Table, selected: Sequence[Step], theme: Theme) -> go.Figure:
    """Boxes over all scores, the sampled points by fate, the selected path on top; a click on a point carries its node id.

    ``points`` are rows of the query ``score_points``. Without any score the figure says so.
    """
    judged = [depth for depth in depths if depth.scored]
    if not judged:
        return palette.notice("No node of this run has a score.", theme)
    figure = go.Figure()
    band = palette.depth_band(len(depths), 1_000)
    if len(judged) <= BOXED_DEPTHS:
        _add_boxes(figure, judged, theme)
    else:
        _add_range(figure, judged, band, theme)
    _add_points(figure, points, len(judged) <= BOXED_DEPTHS, theme)
    _add_path(figure, selected, theme)
    palette.styled(figure, theme, x_title=palette.depth_title(1), y_title="score (the evaluator's own scale)", height=440)
    if len(depths) <= NOTED_DEPTHS:
        _add_notes(figure, depths, theme)
        figure.update_xaxes(dtick=1, range=[depths[0].depth - 0.6, depths[-1].depth + 0.6])
    else:
        _add_marks(figure, judged)
    return figure


def _add_boxes(figure: go.Figure, judged: Sequence[DepthScores], theme: Theme) -> None:
    greys = palette.GREYS[theme]
    figure.add_trace(
        go.Box(
            x=[d.depth for d in judged], q1=[d.q1 for d in judged], median=[d.median for d in judged], q3=[d.q3 for d in judged],
            lowerfence=[d.min for d in judged], upperfence=[d.max for d in judged], name="lowest, quartiles, highest", width=0.72,
            fillcolor=greys.fill, line={"color": greys.muted, "width": 1}, whiskerwidth=0.5, hoverinfo="y",
        )
    )  # fmt: skip


def _add_range(figure: go.Figure, judged: Sequence[DepthScores], band: int, theme: Theme) -> None:
    """Lowest and highest score; depths thinned to bands keep their true extremes."""
    lows: dict[int, float] = {}
    highs: dict[int, float] = {}
    for depth in judged:
        at = depth.depth // band * band
        lows[at] = min(lows.get(at, math.inf), depth.min if depth.min is not None else math.inf)
        highs[at] = max(highs.get(at, -math.inf), depth.max if depth.max is not None else -math.inf)
    greys, where = palette.GREYS[theme], list(lows)
    line = {"color": greys.muted, "width": 1}
    figure.add_trace(go.Scatter(x=where, y=list(highs.values()), mode="lines", line=line, showlegend=False, hoverinfo="skip"))
    figure.add_trace(
        go.Scatter(
            x=where, y=list(lows.values()), mode="lines", line=line, fill="tonexty", fillcolor=greys.fill,
            name="lowest to highest", hoverinfo="skip",
        )
    )  # fmt: skip


def _add_points(figure: go.Figure, points: pa.Table, spread: bool, theme: Theme) -> None:
    depth = points["depth"].to_numpy().astype(float)
    score = points["score"].to_numpy().astype(float)
    x = depth + (tie_offsets(depth, score) if spread else 0)
    fates = np.array(points["fate"].to_pylist(), dtype=object)
    ids, steps = points["node_id"].to_pylist(), points["step"].to_pylist()
    totals = points["of_fate"].to_pylist()
    with_step = points.num_rows <= HOVER_STEPS
    others = sorted({fate for fate in fates if fate is not None and fate not in palette.FATES})
    for fate in (*palette.FATES, *others, None):
        rows = [i for i, value in enumerate(fates) if value == fate]
        if not rows:
            continue
        # an array, because Plotly walks through nested lists value by value
        data = np.empty((len(rows), 3), dtype=object)
        data[:, 0] = [ids[i] for i in rows]
        data[:, 1] = [palette.escaped(steps[i]) for i in rows] if with_step else ""
        data[:, 2] = depth[rows].astype(int)
        drawn = f" ({len(rows):,} of {totals[rows[0]]:,} drawn)" if totals[rows[0]] > len(rows) else ""
        figure.add_trace(
            go.Scatter(
                x=x[rows].astype(np.float32), y=score[rows], mode="markers", customdata=data,
                marker=_marker(fate, len(rows), theme), name=palette.escaped(fate or "fate not recorded") + drawn,
                hovertemplate="depth %{customdata[2]} · score %{y}<br>%{customdata[1]}<extra>%{fullData.name}</extra>",
            )
        )  # fmt: skip


def _marker(fate: str | None, count: int, theme: Theme) -> dict[str, Any]:
    colour = palette.fate_colour(fate, theme)
    size = 8 if count <= 400 else 6 if count <= 2_000 else 5
    symbol = palette.FATE_SYMBOLS.get(fate, "cross-thin-open")
    return {
        "color": colour,
        "symbol": symbol,
        "size": size,
        "line": {"width": 1.4 if symbol.endswith("-open") else 0, "color": colour},
    }


def _add_path(figure: go.Figure, selected: Sequence[Step], theme: Theme) -> None:
    if all(step.score is None for step in selected):
        return
    every = max(1, -(-len(selected) // PATH_POINTS))
    drawn = selected[::every]
    dense = len(selected) > PATH_LINE
    marker = {"symbol": "diamond", "size": 11, "color": palette.CHOSEN, "line": {"width": 1, "color": palette.GREYS[theme].text}}
    figure.add_trace(
        go.Scatter(
            x=[step.depth for step in drawn], y=[step.score for step in drawn], mode="markers" if dense else "lines+markers",
            name="selected path" + (f" (one in {every} drawn)" if every > 1 else ""), line={"color": palette.CHOSEN, "width": 2},
            marker={"size": 3, "color": palette.CHOSEN} if dense else marker, text=[_stood(step) for step in drawn],
            customdata=[[step.node_id, palette.escaped(step.step)] for step in drawn],
            hovertemplate="%{text}<br>%{customdata[1]}<extra>selected path</extra>",
        )
    )  # fmt: skip


def _stood(step: Step) -> str:
    return f"depth {step.depth} · score {score_text(step.score)}" + (f" · ranked {step.rank}" if step.rank else "")


def _add_notes(figure: go.Figure, depths: Sequence[DepthScores], theme: Theme) -> None:
    greys, level = palette.GREYS[theme], not palette.crowded(len(depths))
    for depth in depths:
        figure.add_annotation(
            x=depth.depth, y=1.01, yref="paper", yanchor="bottom", showarrow=False, textangle=0 if level else -90,
            text=("<br>" if level else " · ").join(_counts(depth)),
            hovertext=_told(depth), font={"size": 11, "color": greys.warn if depth.undecided else greys.muted},
        )  # fmt: skip
    figure.update_layout(margin={"t": 64 if level else 150}, height=440 if level else 520)


def _counts(depth: DepthScores) -> list[str]:
    if not depth.scored:
        return ["none scored"]
    lines = [f"n = {depth.scored}" if not depth.unscored else f"{depth.scored} of {depth.candidates}"]
    if depth.scored > 1 and depth.mode_share is not None:
        lines.append(f"{depth.mode_share:.0%} tied" if depth.mode_nodes > 1 else "all differ")
    if depth.undecided:
        lines.append("<b>FLAT</b>" if depth.flat else "tie at cut")
    return lines


def _add_marks(figure: go.Figure, judged: Sequence[DepthScores]) -> None:
    marked = [depth for depth in judged if depth.undecided]
    if marked:
        figure.add_trace(
            go.Scatter(
                x=[d.depth for d in marked], y=[d.max for d in marked], mode="markers", name="cut through equal scores",
                marker={"symbol": "triangle-down", "size": 9, "color": palette.CHOSEN},
                text=[_told(d) for d in marked], hovertemplate="%{text}<extra></extra>",
            )
        )  # fmt: skip


def _told(depth: DepthScores) -> str:
    said = f"depth {depth.depth}: {depth.scored} of {depth.candidates} scored, {depth.distinct} different"
    ties = tie_sentence(depth)
    return palette.escaped(f"{said}; {ties}" if ties else said)


def tie_offsets(depth: Floats, score: Floats) -> Floats:
    """Where each point stands beside its depth, in [-0.34, 0.34]: (nearly) equal scores in one row, in the order of the input.

    Shape (n,) in and out; no randomness, so the same run is the same picture.
    """
    if not len(score):
        return np.zeros(0)
    span = float(score.max() - score.min()) or 1.0
    row = np.floor((score - score.min()) / span * TIE_ROWS)
    order = np.lexsort((np.arange(len(score)), row, depth))
    new = np.ones(len(score), dtype=bool)
    new[1:] = (np.diff(row[order]) != 0) | (np.diff(depth[order]) != 0)
    group = np.cumsum(new) - 1
    size = np.bincount(group)
    place = np.arange(len(score)) - np.flatnonzero(new)[group]
    gap = np.minimum(0.075, 0.68 / np.maximum(size[group] - 1, 1))
    offsets = np.empty(len(score))
    offsets[order] = (place - (size[group] - 1) / 2) * gap
    return offsets

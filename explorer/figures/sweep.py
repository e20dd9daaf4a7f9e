"""How much success does each policy buy for how much spend?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from explorer.analysis.funnel import wilson
from explorer.figures import palette
from explorer.figures.palette import GREYS, Theme
from explorer.replay.sweep import Point
from explorer.replay.sweep_reading import ANSWERS, UNITS, Answers, Unit, right, spend

_MOST_NAMES = 16


def success_and_spend(names: Sequence[str], points: Sequence[Point], recorded: Point, answers: Answers, unit: Unit, theme: Theme) -> go.Figure:
    """One point a policy: share of runs with 95 % interval against mean spend of a run, and how high it can be where the record ends.

    Points that another one beats are crosses; the others are joined to the frontier. Spend of a hollow one is a lower bound.
    """
    if not recorded.runs:
        return palette.notice("No run could be asked, so there is nothing to compare.", theme)
    placed = [(name, point, (spend(point.paid, unit) or 0.0) / point.runs) for name, point in zip(names, points, strict=True)]
    beaten = {name for name, point, mean in placed if any(_beats(other, cost, point, mean, answers) for _, other, cost in placed)}
    figure = go.Figure()
    steps = _steps(placed, answers)
    figure.add_trace(go.Scatter(
        x=[mean for mean, _ in steps], y=[share for _, share in steps], mode="lines", hoverinfo="skip", showlegend=False,
        line={"shape": "hv", "color": GREYS[theme].muted, "dash": "dot"},
    ))  # fmt: skip
    blue = "#3D97D6" if theme == "dark" else palette.BLUE
    labels = _labels(placed, answers) if len(placed) <= _MOST_NAMES else {}
    kinds = (
        ("not dominated", "circle", blue, lambda name, point: name not in beaten and not point.runs_past_horizon),
        ("not dominated, past the horizon: spend at least", "circle-open", blue, lambda name, point: name not in beaten and point.runs_past_horizon),
        ("dominated", "x", palette.GREY, lambda name, point: name in beaten and not point.runs_past_horizon),
        ("dominated, past the horizon", "x-thin-open", palette.GREY, lambda name, point: name in beaten and point.runs_past_horizon),
    )
    for words, symbol, colour, belongs in kinds:
        if chosen := [one for one in placed if belongs(one[0], one[1])]:
            figure.add_trace(_points(chosen, words, symbol, colour, answers, unit, labels))
    _add_bounds(figure, placed, answers, theme)
    own = spend(recorded.paid, unit)
    if own is not None:
        figure.add_trace(go.Scatter(
            x=[own / recorded.runs], y=[_share(recorded, answers)], mode="markers", name="as recorded",
            marker={"size": 17, "symbol": "diamond-open", "color": palette.CHOSEN, "line": {"width": 2}},
            hovertemplate="as recorded: %{y:.0%}<extra></extra>",
        ))  # fmt: skip
    palette.styled(figure, theme, x_title=f"mean {UNITS[unit]} of a run", y_title=f"share of runs: {ANSWERS[answers]}", height=360)
    figure.update_layout(margin={"b": 96}, showlegend=True)
    return figure.update_yaxes(range=[-0.03, 1.05]).update_xaxes(rangemode="tozero")


def _points(
    placed: Sequence[tuple[str, Point, float]], words: str, symbol: str, colour: str, answers: Answers, unit: Unit, labels: Mapping[str, str]
) -> go.Scatter:
    shares = [_share(point, answers) for _, point, _ in placed]
    bounds = [wilson(right(point, answers)[0], point.runs) for _, point, _ in placed]
    told = [[palette.escaped(name), *right(point, answers), point.runs, point.runs_past_horizon] for name, point, _ in placed]
    return go.Scatter(
        x=[mean for _, _, mean in placed], y=shares, mode="markers+text", name=words,
        marker={"size": 11, "symbol": symbol, "color": colour, "line": {"width": 2, "color": colour}},
        text=[labels.get(name, "") for name, _, _ in placed], textposition="bottom right", textfont={"size": 11},
        error_y={"type": "data", "symmetric": False, "color": colour, "thickness": 1.2,
                 "array": [high - share for (_, high), share in zip(bounds, shares, strict=True)],
                 "arrayminus": [share - low for (low, _), share in zip(bounds, shares, strict=True)]},
        customdata=told,
        hovertemplate="%{customdata[0]}: %{customdata[1]:,} to %{customdata[2]:,} of %{customdata[3]:,} runs<br>%{x:,.4~g} " + UNITS[unit]
        + " a run, %{customdata[4]:,} runs past the horizon<extra></extra>",
    )  # fmt: skip


def _steps(placed: Sequence[tuple[str, Point, float]], answers: Answers) -> list[tuple[float, float]]:
    """Mean spend and share of the points that are right more often than every cheaper one, and where the dearest one lies."""
    found: list[tuple[float, float]] = []
    for _, point, mean in sorted(placed, key=lambda one: (one[2], -_share(one[1], answers))):
        if not found or _share(point, answers) > found[-1][1]:
            found.append((mean, _share(point, answers)))
    return [*found, (max(mean for _, _, mean in placed), found[-1][1])] if found else []


def _labels(placed: Sequence[tuple[str, Point, float]], answers: Answers) -> dict[str, str]:
    """The value of each policy; of those that lie upon each other the first one has a label for all."""
    at: dict[tuple[float, float], list[str]] = {}
    for name, point, mean in placed:
        at.setdefault((round(mean, 9), _share(point, answers)), []).append(name)
    values = {names[0]: [palette.escaped(name.rpartition(" ")[2]) for name in names] for names in at.values()}
    return {name: told[0] if len(told) == 1 else f"{told[0]} … {told[-1]}" for name, told in values.items()}


def _add_bounds(figure: go.Figure, placed: Sequence[tuple[str, Point, float]], answers: Answers, theme: Theme) -> None:
    """Where it could be higher: a mark at the upper bound, and a dotted line up to it."""
    open_ones = [(point, mean) for _, point, mean in placed if right(point, answers)[1] > right(point, answers)[0]]
    if not open_ones:
        return
    x: list[float | None] = []
    y: list[float | None] = []
    for point, mean in open_ones:
        x += [mean, mean, None]
        y += [_share(point, answers), right(point, answers)[1] / point.runs, None]
    line = {"color": GREYS[theme].muted, "dash": "dot", "width": 1.5}
    figure.add_trace(go.Scatter(x=x, y=y, mode="lines", hoverinfo="skip", showlegend=False, line=line))
    figure.add_trace(go.Scatter(
        x=[mean for _, mean in open_ones], y=[right(point, answers)[1] / point.runs for point, _ in open_ones], mode="markers",
        name="at most: had all gone well that was never asked", marker={"size": 12, "symbol": "triangle-down-open", "color": palette.ORANGE},
        hovertemplate="at most %{y:.0%}<extra></extra>",
    ))  # fmt: skip


def _share(point: Point, answers: Answers) -> float:
    return right(point, answers)[0] / point.runs


def _beats(other: Point, other_spend: float, point: Point, own_spend: float, answers: Answers) -> bool:
    """Right at least as often for no more, and better in one of both, whatever lies past the horizons."""
    theirs, ours = right(other, answers)[0], right(point, answers)[1]
    if other.runs_past_horizon:
        return False
    return theirs >= ours and other_spend <= own_spend and (theirs > ours or other_spend < own_spend)

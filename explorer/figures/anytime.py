"""How good was the best answer so far against what was spent: in one run, and over many?"""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go

from explorer import wording
from explorer.analysis import anytime, budget_reading
from explorer.analysis.anytime import Curve
from explorer.analysis.budget import Currency, RunBudget, Step
from explorer.analysis.funnel import wilson
from explorer.figures import palette
from explorer.figures.palette import GREYS, Theme

CHANGES_DRAWN = 1_000
"""Changes in one curve; of more, evenly spaced ones are drawn, and the table has all."""
_KINDS = ("right answer", "wrong answer", "finished, truth not known", "unfinished candidate")
_LIMIT = {
    Currency.CALLS: "call_budget", Currency.TOKENS: "token_budget", Currency.COST: "cost_budget", Currency.SECONDS: "wall_clock",
    Currency.NODES: "max_nodes",
}  # fmt: skip


def best_so_far(run: RunBudget, currency: Currency, theme: Theme) -> go.Figure:
    """Score of the best answer against spend, a mark at each change; what was spent after the last one is shaded, the cap is a line."""
    drawn = [(spend, step) for step in run.steps if (spend := step.at.of(currency)) is not None]
    if not drawn:
        why = "The order in which the run found its answers is not recorded."
        return palette.notice(f"When the best answer changed is not recorded in {budget_reading.CURRENCIES[currency]}." if run.steps else why, theme)
    drawn = [*drawn[: -1 : max(1, -(-len(drawn) // CHANGES_DRAWN))], drawn[-1]]
    waste, figure = anytime.waste(run, currency), go.Figure()
    end = waste.whole if waste else drawn[-1][0]
    line = GREYS[theme].muted
    figure.add_trace(go.Scatter(
        x=[*(spend for spend, _ in drawn), end], y=[*(step.score for _, step in drawn), drawn[-1][1].score], mode="lines", showlegend=False,
        line={"shape": "hv", "color": line, "width": 2}, hoverinfo="skip",
    ))  # fmt: skip
    for kind in _KINDS:
        mine = [(spend, step) for spend, step in drawn if _kind(step) == kind]
        if mine:
            figure.add_trace(_marks(mine, kind, currency, theme))
    if waste and waste.after > 0:
        figure.add_vrect(x0=waste.last_change, x1=waste.whole, fillcolor=GREYS[theme].fill, line_width=0, annotation_text="no further change",
                         annotation_position="bottom right", annotation_font={"size": 11, "color": line})  # fmt: skip
    _add_cap(figure, run.run["budgets"], currency, end, theme)
    palette.styled(figure, theme, x_title=f"{budget_reading.CURRENCIES[currency]} spent", y_title="score of the best so far", height=320)
    figure.update_layout(margin={"b": 84, "t": 26}, showlegend=True)
    return figure.update_xaxes(rangemode="tozero")


def right_by_spend(curve: Curve, theme: Theme) -> go.Figure:
    """Share of runs with a right answer in hand against the spend given to each run, with its 95 % interval."""
    unit = budget_reading.CURRENCIES[curve.currency]
    if not curve.points:
        return palette.notice(f"Of no run it is recorded, in {unit}, when it held which answer, and known whether that was right.", theme)
    start = [] if curve.points[0].spend == 0 else [(0.0, 0)]
    points = [*start, *((point.spend, point.right) for point in curve.points)]
    bounds = [wilson(right, curve.runs) for _, right in points]
    x = [spend for spend, _ in points]
    figure = go.Figure()
    blue = "#3D97D6" if theme == "dark" else palette.BLUE
    edge = {"shape": "hv", "width": 0}
    figure.add_trace(go.Scatter(x=x, y=[high for _, high in bounds], mode="lines", line=edge, showlegend=False, hoverinfo="skip"))
    figure.add_trace(go.Scatter(
        x=x, y=[low for low, _ in bounds], mode="lines", line=edge, fill="tonexty", fillcolor=GREYS[theme].fill,
        name="95 % interval", hoverinfo="skip",
    ))  # fmt: skip
    figure.add_trace(go.Scatter(
        x=x, y=[right / curve.runs for _, right in points], mode="lines", line={"shape": "hv", "color": blue, "width": 2.5},
        name=f"share right, of {wording.count(curve.runs, 'run')}", customdata=[[right, budget_reading.amount(spend, curve.currency)]
                                                                                        for spend, right in points],
        hovertemplate=f"%{{customdata[1]}}: %{{customdata[0]}} of {curve.runs:,} right<extra></extra>",
    ))  # fmt: skip
    palette.styled(figure, theme, x_title=f"{unit} given to each run", y_title="share right", height=320)
    figure.update_layout(margin={"b": 84})
    figure.update_yaxes(range=[0, 1.02])
    return figure.update_xaxes(rangemode="tozero")


def _kind(step: Step) -> str:
    if step.finished is False:
        return _KINDS[3]
    return _KINDS[2] if step.right is None else _KINDS[0] if step.right else _KINDS[1]


def _marks(marks: list[tuple[float, Step]], kind: str, currency: Currency, theme: Theme) -> go.Scatter:
    colour = dict(zip(_KINDS, (palette.GREEN, palette.VERMILLION, palette.GREY, "#3D97D6" if theme == "dark" else palette.BLUE), strict=True))[kind]
    symbol = dict(zip(_KINDS, ("square", "x", "square-open", "circle-open"), strict=True))[kind]
    return go.Scatter(
        x=[spend for spend, _ in marks], y=[step.score for _, step in marks], mode="markers", name=kind,
        marker={"color": colour, "symbol": symbol, "size": 11, "line": {"width": 2 if symbol.endswith("open") else 0, "color": colour}},
        customdata=[[step.node_id, budget_reading.amount(spend, currency)] for spend, step in marks],
        text=[palette.escaped(step.node_id) for _, step in marks],
        hovertemplate="%{customdata[1]}: score %{y}<br>node %{text}<extra>%{fullData.name}</extra>",
    )  # fmt: skip


def _add_cap(figure: go.Figure, budgets: Mapping[str, float | None], currency: Currency, end: float, theme: Theme) -> None:
    """A line where the limit lies; far off the curve it would only squeeze that, so then it is said above the chart instead."""
    limit = budgets[_LIMIT[currency]]
    if limit is None:
        return
    words, warn = f"cap: {budget_reading.amount(limit, currency)}", GREYS[theme].warn
    if limit <= 1.3 * end:
        figure.add_vline(x=limit, line={"color": warn, "dash": "dash", "width": 1.5}, annotation_text=words, annotation_position="top left",
                         annotation_font={"size": 11, "color": warn})  # fmt: skip
    else:
        figure.add_annotation(text=f"{words} →", x=1, y=1, xref="paper", yref="paper", xanchor="right", yanchor="bottom", showarrow=False,
                              font={"size": 11, "color": warn})  # fmt: skip

"""Which protocols are right more often for less?"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import plotly.graph_objects as go

from explorer import wording
from explorer.analysis import budget_reading
from explorer.analysis.budget import Currency
from explorer.analysis.frontier import Protocol
from explorer.figures import palette
from explorer.figures.palette import GREYS, Theme

NAMED = 6
"""Protocols up to which each point has its name beside it; of more, the name is on hover and in the table."""


def quality_and_spend(
    protocols: Sequence[Protocol], dominated: Collection[str | None], same_tasks: bool, currency: Currency, theme: Theme
) -> go.Figure:
    """One point a protocol: share right with its 95 % interval against mean spend; dominated ones are crosses.

    The others are joined to a frontier only where all protocols ran the same tasks.
    """
    placed = [(one, spend) for one in protocols if one.right.denominator and (spend := one.spent[currency].value) is not None]
    if not placed:
        unit = budget_reading.CURRENCIES[currency]
        return palette.notice(f"Of no protocol are both known: outcomes, and spend in {unit}.", theme)
    figure = go.Figure()
    best = sorted((pair for pair in placed if pair[0].fingerprint not in dominated), key=lambda pair: pair[1])
    if same_tasks:
        figure.add_trace(go.Scatter(
            x=[spend for _, spend in best], y=[one.right.value for one, _ in best], mode="lines", hoverinfo="skip", showlegend=False,
            line={"shape": "hv", "color": GREYS[theme].muted, "dash": "dot"},
        ))  # fmt: skip
    blue = "#3D97D6" if theme == "dark" else palette.BLUE
    beaten = [pair for pair in placed if pair[0].fingerprint in dominated]
    for pairs, name, symbol, colour in ((best, "not dominated", "circle", blue), (beaten, "dominated", "x", palette.GREY)):
        if pairs:
            figure.add_trace(_points(pairs, name, symbol, colour, currency, named=len(placed) <= NAMED))
    palette.styled(figure, theme, x_title=f"mean {budget_reading.CURRENCIES[currency]} of a run", y_title="share right", height=320)
    figure.update_layout(margin={"b": 84}, showlegend=True)
    figure.update_yaxes(range=[-0.03, 1.05])
    spends = [spend for _, spend in placed]
    if min(spends) > 0 and max(spends) > 8 * min(spends):
        return figure.update_xaxes(type="log", tickformat="~g")
    return figure.update_xaxes(rangemode="tozero", tickformat="~g")


def _points(pairs: Sequence[tuple[Protocol, float]], name: str, symbol: str, colour: str, currency: Currency, named: bool) -> go.Scatter:
    bounds = [one.right.interval for one, _ in pairs]
    shares = [one.right.value for one, _ in pairs]
    return go.Scatter(
        x=[spend for _, spend in pairs], y=shares, mode="markers+text" if named else "markers", name=name,
        marker={"size": 11, "symbol": symbol, "color": colour},
        text=[(one.fingerprint or wording.NOT_RECORDED)[:7] for one, _ in pairs], textposition="middle right", textfont={"size": 11},
        error_y={"type": "data", "symmetric": False, "color": colour, "thickness": 1.2,
                 "array": [high - share for (_, high), share in zip(bounds, shares, strict=True)],
                 "arrayminus": [share - low for (low, _), share in zip(bounds, shares, strict=True)]},
        customdata=[[budget_reading.share_of(one.right), budget_reading.amount(spend, currency), one.regime or "no nodes"] for one, spend in pairs],
        hovertemplate="%{text}: %{customdata[0]} right, %{customdata[1]} a run<br>%{customdata[2]}<extra>%{fullData.name}</extra>",
    )  # fmt: skip

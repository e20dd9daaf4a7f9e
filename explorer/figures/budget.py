"""How deep do right answers lie, what stopped the runs, and what does deepening step by step cost against going straight to a depth?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import plotly.graph_objects as go

from explorer import wording
from explorer.analysis import budget_reading
from explorer.analysis.budget import Currency
from explorer.analysis.caps import Stop
from explorer.analysis.deepening import Deepening, LevelCosts
from explorer.analysis.solution_depth import DepthCap, RightDepths
from explorer.figures import palette
from explorer.figures.palette import GREYS, Theme

CAPS_SHOWN = 4
"""Depth caps that get a line: those of the most runs, none far below the answers."""
MARKED = 40
DEPTHS_DRAWN = 200
"""Target depths of the curves; of more, evenly spaced ones are drawn, and the table has all."""
_HATCH = {"shape": "/", "fillmode": "overlay", "fgcolor": "#FFFFFF", "fgopacity": 0.6, "size": 6}


def depth_of_answers(selected: RightDepths, kept: RightDepths, caps: Sequence[DepthCap], theme: Theme) -> go.Figure:
    """Runs by the depth of their right answer, selected and kept side by side; a line at each depth cap."""
    if not selected.depths and not kept.depths:
        return palette.notice("No right answer whose depth is known.", theme)
    figure = go.Figure()
    for found, colour, pattern in ((selected, _blue(theme), {}), (kept, palette.GREEN, _HATCH)):
        counts = found.counts
        figure.add_trace(go.Bar(
            x=list(counts), y=list(counts.values()), name=f"{budget_reading.ANSWERS[found.answers]} ({wording.count(len(found.depths), 'run')})",
            marker={"color": colour, "pattern": pattern}, hovertemplate="depth %{x}: %{y} runs<extra>%{fullData.name}</extra>",
        ))  # fmt: skip
    deepest = max(*selected.counts, *kept.counts, 0)
    near = Counter(cap.depth for cap in caps if cap.depth <= deepest + 3)
    common = sorted(depth for depth, _ in near.most_common(CAPS_SHOWN))
    for place, depth in enumerate(common):
        _add_cap(figure, depth, all(cap.inferred for cap in caps if cap.depth == depth), place, theme)
    deepest = max(deepest, *common, 0)
    palette.styled(figure, theme, x_title="depth of the right answer", y_title="runs", height=320)
    figure.update_layout(bargap=0.35, margin={"b": 76, "t": 30}, showlegend=True)
    most = max(*selected.counts.values(), *kept.counts.values(), 0)
    figure.update_yaxes(tickformat=",d", range=[0, 1.2 * most], dtick=1 if most < 8 else None)
    return figure.update_xaxes(range=[-0.6, deepest + 0.9], dtick=1 if deepest <= 20 else None)


def _add_cap(figure: go.Figure, depth: int, inferred: bool, place: int, theme: Theme) -> None:
    """A line behind the last depth that the cap allows; labels at two heights, so that neighbours do not run into each other."""
    warn = GREYS[theme].warn
    figure.add_vline(x=depth + 0.5, line={"color": warn, "dash": "dot" if inferred else "dash", "width": 1.5})
    figure.add_annotation(x=depth + 0.5, y=1, yref="paper", yshift=-14 * (place % 2), text=f"cap {depth}" + (", inferred" if inferred else ""),
                          xanchor="right", yanchor="bottom", showarrow=False, font={"size": 11, "color": warn})  # fmt: skip


def why_stopped(stops: Sequence[Stop], theme: Theme) -> go.Figure:
    """One bar a reason, caps in orange, what is inferred hatched; runs of which the reason is not known in grey."""
    if not stops:
        return palette.notice("There are no runs.", theme)
    words = [budget_reading.stop_word(stop) for stop in stops]
    figure = go.Figure()
    for name, values, pattern in (
        ("recorded", [stop.recorded for stop in stops], {}),
        ("inferred: the limit was used up", [stop.inferred for stop in stops], _HATCH),
        ("not known", [0 if stop.reason else len(stop.run_ids) for stop in stops], {}),
    ):
        dark = [theme == "light" and not stop.is_cap and name != "not known" for stop in stops]
        colours = [palette.GREY if name == "not known" else palette.ORANGE if stop.is_cap else _blue(theme) for stop in stops]
        if any(values):
            figure.add_trace(go.Bar(
                y=[palette.escaped(word) for word in words], x=values, orientation="h", name=name, showlegend=False,
                marker={"color": colours, "pattern": pattern}, text=[f"{value:,}" if value else "" for value in values], textposition="auto",
                insidetextanchor="start", textangle=0, insidetextfont={"color": ["#FFFFFF" if is_dark else "#10151C" for is_dark in dark]},
                outsidetextfont={"color": GREYS[theme].text}, cliponaxis=False, hovertemplate=f"%{{y}}: %{{x}} runs, {name}<extra></extra>",
            ))  # fmt: skip
    title = "runs (orange: a cap" + ("; hatched: inferred)" if any(stop.inferred for stop in stops) else ")")
    palette.styled(figure, theme, x_title=title, y_title="", height=max(160, 76 + 40 * len(stops)))
    figure.update_layout(barmode="stack", bargap=0.3)
    most = max(len(stop.run_ids) for stop in stops)
    figure.update_xaxes(showgrid=True, rangemode="tozero", tickformat=",d", dtick=1 if most < 8 else None)
    return figure.update_yaxes(autorange="reversed", showgrid=False)


def deepening_costs(rows: Sequence[Deepening], costs: LevelCosts, theme: Theme) -> go.Figure:
    """Spend up to each depth: one direct search, passes from bound 1, and from the median; dotted, what the rule makes of the direct one."""
    if not rows:
        return palette.notice(f"What the levels cost is not recorded in {budget_reading.CURRENCIES[costs.currency]}.", theme)
    rows = rows[:: max(1, -(-len(rows) // DEPTHS_DRAWN))]
    figure, muted = go.Figure(), GREYS[theme].muted
    lines = (
        ("direct search", [row.direct for row in rows], _blue(theme), "circle", "solid"),
        ("deepening from bound 1", [row.from_one for row in rows], palette.ORANGE, "square", "solid"),
        ("direct × (D + 1) ÷ 2", [row.direct * row.rule_from_one for row in rows], muted, "square-open", "dot"),
        ("deepening from the median", [row.from_median for row in rows], palette.PURPLE, "diamond", "solid"),
    )
    for name, values, colour, symbol, dash in lines:
        if any(value is not None for value in values):
            figure.add_trace(go.Scatter(
                x=[row.depth for row in rows], y=values, name=name, line={"color": colour, "dash": dash},
                mode="lines+markers" if len(rows) <= MARKED else "lines",
                marker={"size": 9, "symbol": symbol, "color": colour}, customdata=[[_amount(value, costs.currency), row.runs]
                                                                                 for value, row in zip(values, rows, strict=True)],
                hovertemplate="to depth %{x}: %{customdata[0]}<br>its level: mean over %{customdata[1]} runs<extra>%{fullData.name}</extra>",
            ))  # fmt: skip
    basis = ", derived from nodes" if costs.basis == "derived" else ""
    palette.styled(figure, theme, x_title="target depth D", y_title=f"{budget_reading.CURRENCIES[costs.currency]} for one run{basis}", height=320)
    figure.update_layout(margin={"b": 92})
    figure.update_yaxes(rangemode="tozero")
    return figure.update_xaxes(dtick=1 if len(rows) <= 20 else None)


def _amount(value: float | None, currency: Currency) -> str:
    return wording.NOT_RECORDED if value is None else budget_reading.amount(value, currency)


def _blue(theme: Theme) -> str:
    return "#3D97D6" if theme == "dark" else palette.BLUE

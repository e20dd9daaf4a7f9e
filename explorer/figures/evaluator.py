"""Does the evaluator tell viable candidates from the others, depth by depth, and do its scores mean what they say?"""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from explorer.analysis.evaluator import Bin, Quality
from explorer.analysis.funnel import wilson
from explorer.figures import palette
from explorer.figures.palette import GREYS, Theme


def quality_by_depth(rows: Sequence[Quality], theme: Theme) -> go.Figure:
    """AUC and the share of viable candidates within the kept width, by depth; a depth without both kinds has no AUC."""
    told = [row for row in rows if row.pairs or row.ranked]
    if not told:
        return palette.notice("No depth holds scored candidates of both kinds, so nothing can be compared.", theme)
    depths = [row.depth for row in told]
    figure = go.Figure()
    blue = "#3D97D6" if theme == "dark" else palette.BLUE
    figure.add_trace(go.Scatter(
        x=depths, y=[row.auc if row.pairs else None for row in told], mode="lines+markers", name="AUC: a viable one scores above another",
        line={"color": blue}, marker={"size": 9, "symbol": "circle"}, customdata=[[row.pairs, row.tied_share] for row in told],
        hovertemplate="depth %{x}: AUC %{y:.2f}<br>%{customdata[0]:,} pairs, %{customdata[1]:.0%} tied<extra></extra>",
    ))  # fmt: skip
    bounds = [wilson(row.kept_width, row.ranked) for row in told]
    shares = [row.kept_share if row.ranked else None for row in told]
    figure.add_trace(go.Scatter(
        x=depths, y=shares, mode="markers", name="viable ones ranked within the kept width (95 % interval)",
        marker={"size": 10, "symbol": "diamond-open", "color": palette.ORANGE, "line": {"width": 2}},
        customdata=[[row.kept_width, row.ranked] for row in told],
        error_y={"type": "data", "symmetric": False, "color": palette.ORANGE, "thickness": 1.2,
                 "array": [high - (share or 0) for (_, high), share in zip(bounds, shares, strict=True)],
                 "arrayminus": [(share or 0) - low for (low, _), share in zip(bounds, shares, strict=True)]},
        hovertemplate="depth %{x}: %{customdata[0]:,} of %{customdata[1]:,} within the width<extra></extra>",
    ))  # fmt: skip
    figure.add_hline(y=0.5, line={"color": GREYS[theme].muted, "dash": "dot", "width": 1}, annotation_text="chance", annotation_font_size=11)
    palette.styled(figure, theme, x_title="depth", y_title="share", height=320)
    figure.update_layout(margin={"b": 88})
    figure.update_yaxes(range=[-0.02, 1.05])
    return figure.update_xaxes(tickmode="linear" if len(told) <= 15 else "auto", dtick=1)


def reliability_curve(bins: Sequence[Bin], theme: Theme) -> go.Figure:
    """Share of viable candidates against the mean score of each bin; on the diagonal the score is the probability."""
    figure = go.Figure()
    muted = GREYS[theme].muted
    figure.add_trace(go.Scatter(x=[0, 1], y=[0, 1], mode="lines", name="score = share", line={"color": muted, "dash": "dot"}, hoverinfo="skip"))
    bounds = [wilson(one.viable, one.nodes) for one in bins]
    figure.add_trace(go.Scatter(
        x=[one.mean_score for one in bins], y=[one.share for one in bins], mode="lines+markers", name="scored candidates (95 % interval)",
        marker={"size": 9}, line={"color": "#3D97D6" if theme == "dark" else palette.BLUE}, customdata=[[one.viable, one.nodes] for one in bins],
        error_y={"type": "data", "symmetric": False, "array": [high - one.share for (_, high), one in zip(bounds, bins, strict=True)],
                 "arrayminus": [one.share - low for (low, _), one in zip(bounds, bins, strict=True)], "thickness": 1.2},
        hovertemplate="mean score %{x:.2f}: %{customdata[0]:,} of %{customdata[1]:,} viable<extra></extra>",
    ))  # fmt: skip
    palette.styled(figure, theme, x_title="mean score of the bin", y_title="share viable", height=320)
    return figure.update_yaxes(range=[-0.02, 1.05])

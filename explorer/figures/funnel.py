"""How far did the runs get, from a task that can be solved to a verified answer, and where were they lost?"""

from __future__ import annotations

import plotly.graph_objects as go

from explorer.analysis import verdict_list
from explorer.analysis.funnel import Suite, wilson
from explorer.figures import palette
from explorer.figures.palette import GREYS, Theme


def stage_funnel(suite: Suite, theme: Theme) -> go.Figure:
    """One bar a stage: runs still alive with their 95 % interval, and those lost there; a click on these names the stage."""
    if not suite.counted:
        return palette.notice("Of no run are truth and all stages known, so there is nothing to count.", theme)
    stages = [step.stage for step in suite.funnel]
    alive = [step.runs for step in suite.funnel]
    bounds = [tuple(bound * suite.counted for bound in wilson(runs, suite.counted)) for runs in alive]
    blue = "#3D97D6" if theme == "dark" else palette.BLUE
    figure = go.Figure()
    figure.add_trace(go.Bar(
        y=stages, x=alive, orientation="h", name="runs that passed the stage", marker={"color": blue}, text=[f"{runs:,}" for runs in alive],
        textposition="inside", textangle=0, insidetextanchor="start", textfont={"color": "#FFFFFF"},
        error_x={"type": "data", "symmetric": False, "array": [high - runs for (_, high), runs in zip(bounds, alive, strict=True)],
                 "arrayminus": [runs - low for (low, _), runs in zip(bounds, alive, strict=True)], "color": GREYS[theme].muted, "thickness": 1.2},
        hovertemplate="%{y}: %{x} runs passed<extra></extra>",
    ))  # fmt: skip
    figure.add_trace(go.Bar(
        y=stages, x=[step.lost for step in suite.funnel], orientation="h", name="lost at this stage (click: these runs)",
        customdata=[[verdict_list.stage_key(step.stage)] for step in suite.funnel],
        marker={"color": palette.VERMILLION, "pattern": {"shape": "/", "fillmode": "overlay", "fgcolor": "#FFFFFF", "fgopacity": 0.5, "size": 6}},
        hovertemplate="%{y}: %{x} runs lost here<extra></extra>",
    ))  # fmt: skip
    for step in suite.funnel:
        if step.lost:  # at the right edge, where no interval reaches
            figure.add_annotation(y=step.stage, x=suite.counted, text=f"−{step.lost:,}", showarrow=False, xanchor="left", xshift=8)
    palette.styled(figure, theme, x_title=f"runs (of {suite.counted:,} labelled ones; lines: 95 % interval)", y_title="", height=340)
    figure.update_layout(barmode="stack", bargap=0.3, margin={"l": 84, "b": 76, "r": 44}, legend={"traceorder": "normal"})
    figure.update_xaxes(showgrid=True, rangemode="tozero")
    return figure.update_yaxes(autorange="reversed", showgrid=False)

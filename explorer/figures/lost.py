"""What should be fixed first? Runs by the depth at which they were lost, stacked by verdict and mechanism."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from explorer import wording
from explorer.analysis import verdict_list, verdict_reading
from explorer.analysis.funnel import Lost
from explorer.figures import palette
from explorer.figures.palette import Theme

COLOURS = {"generation": palette.BLUE, "evaluation": palette.ORANGE, "control": palette.PURPLE}
_ON_DARK = {"generation": "#3D97D6"}
_PATTERNS = ("", "/", ".", "x", "-", "\\", "+", "|")
ELSEWHERE = "no depth"


def lost_by_depth(parts: Sequence[Lost], theme: Theme) -> go.Figure:
    """One bar a depth; the custom value of a part is its name in the address. Runs that cannot be told are counted below, not drawn."""
    untold = sum(part.runs for part in parts if part.verdict == "cannot_tell")
    parts = [part for part in parts if part.verdict != "cannot_tell"]
    if not parts:
        return palette.notice("No run was lost, as far as the logs tell.", theme)
    figure = go.Figure()
    depths = sorted({part.depth for part in parts if part.depth is not None})
    ticks = [str(depth) for depth in depths] + ([ELSEWHERE] if any(part.depth is None for part in parts) else [])
    for verdict in COLOURS:
        mechanisms = sorted({part.mechanism or "" for part in parts if part.verdict == verdict})
        for place, mechanism in enumerate(mechanisms):
            mine = [part for part in parts if part.verdict == verdict and (part.mechanism or "") == mechanism]
            figure.add_trace(_bar(mine, verdict, mechanism, _PATTERNS[place % len(_PATTERNS)], theme))
    figure.update_traces(width=min(0.65, 0.11 * len(ticks)))
    palette.styled(figure, theme, x_title=f"depth at which the right path was lost{_rest(untold)}", y_title="runs", height=270)
    figure.update_layout(barmode="stack", margin={"b": 84}, legend={"traceorder": "normal"}, uniformtext={"minsize": 11, "mode": "hide"})
    most = max(sum(part.runs for part in parts if part.depth == depth) for depth in {part.depth for part in parts})
    figure.update_layout(showlegend=True).update_yaxes(tickformat=",d", dtick=1 if most < 8 else None)
    return figure.update_xaxes(type="category", categoryorder="array", categoryarray=ticks)


def _rest(untold: int) -> str:
    return f" (of {wording.count(untold, 'more run')} the log cannot tell)" if untold else ""


def _bar(parts: Sequence[Lost], verdict: str, mechanism: str, pattern: str, theme: Theme) -> go.Bar:
    colour = _ON_DARK.get(verdict, COLOURS[verdict]) if theme == "dark" else COLOURS[verdict]
    name = verdict_reading.word(verdict) + (f": {mechanism.replace('_', ' ')}" if mechanism else "")
    return go.Bar(
        x=[ELSEWHERE if part.depth is None else str(part.depth) for part in parts],
        y=[part.runs for part in parts],
        text=[str(part.runs) for part in parts],
        textposition="inside",
        textangle=0,
        insidetextanchor="middle",
        textfont={"color": "#10151C"} if verdict != "generation" else {"color": "#FFFFFF"},
        name=name,
        customdata=[[verdict_list.key_of(part.depth, part.verdict, part.mechanism)] for part in parts],
        hovertemplate=f"{name}<br>depth %{{x}}: %{{y}} runs<extra></extra>",
        marker={"color": colour, "pattern": {"shape": pattern, "fillmode": "overlay", "fgopacity": 0.45, "size": 6, "fgcolor": "#FFFFFF"}},
    )

"""Which colours, shapes and greys does every chart share? Okabe–Ito colours; a fate is told by shape as well as by colour."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any, Literal

import plotly.graph_objects as go

Theme = Literal["light", "dark"]

BLUE, SKY, GREEN, YELLOW = "#0072B2", "#56B4E9", "#009E73", "#F0E442"
ORANGE, VERMILLION, PURPLE, GREY = "#E69F00", "#D55E00", "#CC79A7", "#8A8F98"
CHOSEN = VERMILLION
"""The selected path, everywhere; no other mark has it in a chart that shows the path."""
_FATES = {"expanded": BLUE, "terminal": GREEN, "pruned": GREY, "open": SKY, "unscored": YELLOW}
_FATES_ON_DARK = {"expanded": "#3D97D6", "terminal": "#1DB48A", "open": "#A9DCFA"}
FATE_SYMBOLS = {
    "expanded": "circle", "terminal": "square", "pruned": "circle-open", "open": "triangle-up-open", "unscored": "x-thin-open",
    None: "cross-thin-open",
}  # fmt: skip
FATES = ("pruned", "expanded", "terminal", "open", "unscored")
"""In the order in which points are drawn: what was followed lies on what was not."""
ROLE_COLOURS = {"proposer": BLUE, "evaluator": ORANGE, "verifier": PURPLE, "tool": GREEN, None: GREY}
RULE_COLOURS = (ORANGE, PURPLE, VERMILLION)
RULE_PATTERNS = ("/", ".", "x", "\\", "-", "+")
"""Combined with the colours, so that no rule is told by colour alone."""


@dataclass(frozen=True, slots=True)
class Greys:
    """The neutral colours of one theme; the background is the page's own."""

    text: str
    muted: str
    grid: str
    fill: str
    warn: str
    """Text that says where the score did not decide."""


GREYS: dict[Theme, Greys] = {
    "light": Greys("#262A33", "#5F6673", "#E4E7EC", "rgba(95, 102, 115, 0.12)", "#B84E00"),
    "dark": Greys("#F2F4F8", "#A9B0BD", "#3A3F4B", "rgba(169, 176, 189, 0.16)", "#F58B4C"),
}


def styled(figure: go.Figure, theme: Theme, *, x_title: str, y_title: str, height: int = 380) -> go.Figure:
    """The figure with the shared look; clicks leave every mark as it was."""
    greys = GREYS[theme]
    axis: dict[str, Any] = {
        "gridcolor": greys.grid, "zeroline": False, "linecolor": greys.grid, "tickcolor": greys.grid,
        "tickfont": {"color": greys.muted}, "title": {"font": {"color": greys.muted, "size": 12}}, "automargin": True,
    }  # fmt: skip
    figure.update_layout(
        template="none",
        height=height,
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": "Source Sans, Source Sans Pro, sans-serif", "size": 12.5, "color": greys.text},
        margin={"l": 56, "r": 12, "t": 16, "b": 48},
        legend={"orientation": "h", "yref": "container", "yanchor": "bottom", "y": 0, "xanchor": "left", "x": 0, "font": {"color": greys.text}},
        hoverlabel={"align": "left", "namelength": -1},
        hovermode="closest",
        dragmode="zoom",
    )
    figure.update_xaxes(axis, title_text=x_title, showgrid=False)
    figure.update_yaxes(axis, title_text=y_title)
    figure.update_traces(unselected={"marker": {"opacity": 1}}, selector=_has_markers)
    return figure


def fate_colour(fate: str | None, theme: Theme) -> str:
    """The colour of a fate, light enough on dark; grey for one that is not recorded or not ours."""
    dark = _FATES_ON_DARK.get(fate or "") if theme == "dark" else None
    return dark or _FATES.get(fate or "", GREY)


def role_colour(role: str | None, theme: Theme) -> str:
    """The colour of a role; grey for one that is not recorded or not ours."""
    return "#3D97D6" if role == "proposer" and theme == "dark" else ROLE_COLOURS.get(role, GREY)


def crowded(marks: int) -> bool:
    """Whether texts above so many marks stand upright, because side by side they would run into each other."""
    return marks > 9


def notice(sentence: str, theme: Theme, height: int = 160) -> go.Figure:
    """A figure that says why there is nothing to draw."""
    figure = go.Figure()
    figure.add_annotation(text=escaped(sentence), showarrow=False, x=0, y=0.5, xref="paper", yref="paper", xanchor="left")
    styled(figure, theme, x_title="", y_title="", height=height)
    figure.update_layout(margin={"l": 0})
    return figure.update_xaxes(visible=False).update_yaxes(visible=False)


def escaped(text: str | None) -> str:
    """Text from a log for hover, tick or legend, where Plotly would read ``<b>`` or ``<a href>``; empty for None."""
    return html.escape(text or "", quote=False)


def depth_band(depths: int, bars: int) -> int:
    """How many depths stand together in one bar so that no more than ``bars`` are drawn; 1 wherever they fit."""
    return max(1, -(-depths // bars))


def depth_title(band: int) -> str:
    """The title of a depth axis, which says when a bar holds several depths."""
    return "depth" if band == 1 else f"depth ({band:,} depths to a mark)"


def _has_markers(trace: Any) -> bool:
    return trace.type in ("scatter", "scattergl", "bar", "box")

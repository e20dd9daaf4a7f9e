"""What became of the nodes at each depth, and which rule cut how many of them?"""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from explorer.analysis import pruning
from explorer.analysis.pruning import DepthFates, RuleCount
from explorer.figures import palette
from explorer.figures.palette import Theme

NOTED_BARS = 30
BARS = 120
RULES = 8
"""Rules with a bar of their own; the rest stand together and are counted."""


def fates_by_depth(depths: Sequence[DepthFates], theme: Theme) -> go.Figure:
    """One stacked bar a depth: expanded and terminal, then each rule that pruned, then what was left; the ratio above it."""
    if not depths:
        return palette.notice("This run recorded no nodes.", theme)
    band = palette.depth_band(len(depths), BARS)
    bars = _banded(depths, band)
    figure = go.Figure()
    x = list(bars)
    fates = list(bars.values())
    _add(figure, x, [f.expanded for f in fates], "expanded", palette.fate_colour("expanded", theme), "")
    _add(figure, x, [f.terminal for f in fates], "terminal", palette.fate_colour("terminal", theme), "")
    _add_rules(figure, x, fates, theme)
    _add(figure, x, [f.open for f in fates], "open when the run ended", palette.fate_colour("open", theme), "")
    _add(figure, x, [f.unscored for f in fates], "unscored", palette.fate_colour("unscored", theme), "|")
    _add(figure, x, [f.not_recorded for f in fates], "fate not recorded", palette.GREY, "")
    palette.styled(figure, theme, x_title=palette.depth_title(band), y_title="nodes", height=400 + 14 * len(figure.data))
    figure.update_layout(barmode="stack", bargap=0.25, legend={"traceorder": "normal"})
    if len(bars) <= NOTED_BARS:
        _add_ratios(figure, bars, theme)
        if max(f.nodes for f in fates) <= 6:
            figure.update_yaxes(dtick=1)
        figure.update_xaxes(dtick=band)
    return figure


def _banded(depths: Sequence[DepthFates], band: int) -> dict[int, DepthFates]:
    grouped: dict[int, list[DepthFates]] = {}
    for depth in depths:
        grouped.setdefault((depth.depth or 0) // band * band, []).append(depth)
    return {at: pruning.whole(some) for at, some in grouped.items()}


def _add_rules(figure: go.Figure, x: list[int], fates: list[DepthFates], theme: Theme) -> None:
    in_all = sorted(pruning.whole(fates).rules, key=lambda c: (-c.nodes, pruning.class_name(c)))
    named = [count for count in in_all if count.rule is not None][:RULES]
    for number, count in enumerate(named):
        colour = palette.RULE_COLOURS[number % len(palette.RULE_COLOURS)]
        pattern = palette.RULE_PATTERNS[number % len(palette.RULE_PATTERNS)]
        _add(figure, x, [_of(f, [count]) for f in fates], f"pruned: {pruning.class_name(count)}", colour, pattern)
    rest = [count for count in in_all if count.rule is not None and count not in named]
    if rest:
        _add(figure, x, [_of(f, rest) for f in fates], f"pruned: {len(rest)} other rules", palette.GREY, "+")
    missing = [count for count in in_all if count.rule is None]
    if missing:
        _add(figure, x, [_of(f, missing) for f in fates], f"pruned: {pruning.RULE_NOT_RECORDED}", palette.GREYS[theme].text, "x")


def _of(fates: DepthFates, counts: Sequence[RuleCount]) -> int:
    wanted = {(count.stage, count.rule) for count in counts}
    return sum(count.nodes for count in fates.rules if (count.stage, count.rule) in wanted)


def _add(figure: go.Figure, x: list[int], y: list[int], name: str, colour: str, pattern: str) -> None:
    if not any(y):
        return
    # without "overlay" Plotly leaves the bar itself unfilled and it vanishes on white
    marker = {
        "color": colour,
        "pattern": {"shape": pattern, "fillmode": "overlay", "size": 8, "solidity": 0.22, "fgopacity": 0.7},
    }
    text = palette.escaped(name)
    figure.add_trace(go.Bar(x=x, y=y, name=text, marker=marker, hovertemplate="depth %{x}: %{y:,} nodes<extra>%{fullData.name}</extra>"))


def _add_ratios(figure: go.Figure, bars: dict[int, DepthFates], theme: Theme) -> None:
    angle = -90 if palette.crowded(len(bars)) else 0
    for at, fates in bars.items():
        if text := pruning.ratio_text(fates):
            figure.add_annotation(
                x=at, y=fates.nodes, yanchor="bottom", showarrow=False, text=text, textangle=angle,
                font={"size": 11, "color": palette.GREYS[theme].muted},
                hovertext=f"{fates.pruned} pruned, {fates.expanded} expanded",
            )  # fmt: skip

"""Where did the dollars, tokens, seconds or calls go, depth by depth and role by role?"""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from explorer import wording
from explorer.analysis import spend
from explorer.analysis.spend import Part, RunSpend, Unit
from explorer.figures import palette
from explorer.figures.palette import Theme

NOTED_BARS = 20
BARS = 120
AXIS = {Unit.USD: "US$", Unit.TOKENS: "input + output tokens", Unit.SECONDS: "seconds, summed over calls", Unit.CALLS: "calls"}


def spend_by_depth(spent: RunSpend, unit: Unit, theme: Theme) -> go.Figure:
    """One stacked bar a depth, by role, its share of what was recorded above it; a sentence where the log supports no bar.

    Only what was recorded is drawn; ``spend.statement`` says what that leaves out. Calls that name no node have no bar.
    """
    if spent.reported is not None:
        return palette.notice(spend.reported_statement(spent.reported), theme)
    whole = spend.total(spent.by_depth, unit)
    placed = [part for part in spent.by_depth if part.depth is not None]
    if whole.value is None or not placed:
        return palette.notice(f"{spend.NOUNS[unit]} by depth: {wording.NOT_RECORDED}", theme)
    depths = max(part.depth or 0 for part in placed) + 1
    band = palette.depth_band(depths, BARS)
    figure = go.Figure()
    known = [role for role in palette.ROLE_COLOURS if role is not None]
    for role in (*known, *sorted({p.role for p in placed if p.role and p.role not in known}), None):
        _add_role(figure, [part for part in placed if part.role == role], role, unit, band, theme)
    palette.styled(figure, theme, x_title=palette.depth_title(band), y_title=AXIS[unit], height=380)
    figure.update_layout(barmode="stack", bargap=0.25, legend={"traceorder": "normal"})
    if depths <= NOTED_BARS:
        _add_shares(figure, placed, unit, whole.value, theme)
        figure.update_xaxes(dtick=1)
    return figure


def _add_role(figure: go.Figure, parts: Sequence[Part], role: str | None, unit: Unit, band: int, theme: Theme) -> None:
    sums = _sums(parts, unit, band)
    if not any(sums.values()):
        return
    figure.add_trace(
        go.Bar(
            x=list(sums), y=list(sums.values()), name=palette.escaped(role or "role not recorded"),
            marker={"color": palette.role_colour(role, theme)},
            text=[spend.value_text(value, unit) for value in sums.values()], textposition="none",
            hovertemplate="depth %{x}: %{text}<extra>%{fullData.name}</extra>",
        )
    )  # fmt: skip


def _sums(parts: Sequence[Part], unit: Unit, band: int) -> dict[int, float]:
    sums: dict[int, float] = {}
    for part in parts:
        value = part.amount(unit).value
        if value is not None and part.depth is not None:
            at = part.depth // band * band
            sums[at] = sums.get(at, 0) + value
    return sums


def _add_shares(figure: go.Figure, placed: Sequence[Part], unit: Unit, whole: float, theme: Theme) -> None:
    """Above each bar its share of what was recorded, and how many calls recorded nothing: then the bar is too low."""
    greys, depths = palette.GREYS[theme], sorted({part.depth for part in placed if part.depth is not None})
    upright = palette.crowded(len(depths))
    for depth in depths:
        amount = spend.total((part for part in placed if part.depth == depth), unit)
        lines = [wording.share(amount.value / whole)] if amount.value is not None and whole else []
        missing = amount.calls - amount.recorded
        if missing:
            lines.insert(0, f"{missing:,} of {amount.calls:,}{' ' if upright else '<br>'}not known")
        figure.add_annotation(
            x=depth, y=amount.value or 0, yanchor="bottom", showarrow=False, textangle=-90 if upright else 0,
            text=(" · " if upright else "<br>").join(lines),
            font={"size": 11, "color": greys.warn if missing else greys.muted},
            hovertext=f"{palette.escaped(spend.statement(amount, unit))} at depth {depth}",
        )  # fmt: skip

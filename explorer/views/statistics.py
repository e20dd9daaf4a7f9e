"""How did the whole run go, depth by depth: scores, fates, spend, and what stands out in them?"""

from __future__ import annotations

import pyarrow as pa
import streamlit as st

from explorer import queries, selection, widgets, wording
from explorer.analysis import cards, findings, path, pruning, run_head, scores, spend
from explorer.analysis.spend import Unit
from explorer.figures.pruning import fates_by_depth
from explorer.figures.scores import score_distribution
from explorer.figures.spend import spend_by_depth
from explorer.views.parts import charts, live, switches

POINTS = 4_000
UNITS = {unit.value: unit.value for unit in Unit}
ASKED = ("run_head", "run_totals", "scores_by_depth", "pruning_by_depth", "spend_by_depth", "spend_by_fate", "path_steps")


@st.cache_resource(max_entries=8, show_spinner=False)
def answers(state: str, run_id: str) -> dict[str, pa.Table]:  # noqa: ARG001 - a part of the cache's key
    """What the store answers while the run is in this state: switching a unit asks nothing again."""
    tables = {name: queries.run(selection.store(), name, run_id=run_id) for name in ASKED}
    return {**tables, "score_points": queries.run(selection.store(), "score_points", run_id=run_id, per_fate=POINTS)}


run_id, theme = selection.current_run(), charts.theme()
asked = answers(selection.run_state(run_id), run_id)
head, totals = asked["run_head"].to_pylist()[0], asked["run_totals"].to_pylist()[0]
by_score, by_fate = scores.by_depth(asked["scores_by_depth"]), pruning.by_depth(asked["pruning_by_depth"])
spent = spend.of_tables(asked["run_totals"], asked["spend_by_depth"], asked["spend_by_fate"])
selected = path.steps(asked["path_steps"])
unit = Unit(selection.choice("unit", tuple(UNITS), Unit.USD))

widgets.badge_line(run_head.badges(head, live.ending(head)), key="run_badges")
widgets.badge_line(run_head.warnings(head), key="run_warnings")
widgets.number_cards(cards.cards(totals, by_fate, spent), key="run_cards")
if not totals["nodes"]:
    widgets.say("This run recorded no nodes, so there is nothing to count.")
    st.stop()

left, right = st.columns([56, 44], gap="large")
with left:
    st.subheader("Score distribution per depth")
    clicked = charts.clickable(score_distribution(by_score, asked["score_points"], selected, theme), key="scores")
    if clicked:
        selection.go("investigate", run=run_id, node=clicked)
    histogram = st.column_config.BarChartColumn("histogram")
    charts.rows(asked["scores_by_depth"], key="scores_table", missing="–", columns={"histogram": histogram})
with right:
    st.subheader("What became of the candidates")
    charts.chart(fates_by_depth(by_fate, theme), key="fates")
    charts.rows(pruning.for_reading(asked["pruning_by_depth"]), key="fates_table", missing="–")

left, right = st.columns([56, 44], gap="large")
with left:
    st.subheader("Spend by depth")
    if spent.by_depth:
        switches.switch("unit", UNITS, unit)
        charts.chart(spend_by_depth(spent, unit, theme), key=f"spend {unit}")
    for sentence in spend.notes(spent, unit):
        widgets.say(sentence)
    charts.rows(asked["spend_by_depth"], key="spend_table", missing=wording.NOT_RECORDED)
with right:
    st.subheader("Findings")
    st.caption("Rules, each with its number. A candidate *rejected* is one off the selected path.")
    found = findings.findings(by_score, by_fate, spent, selected)
    for finding in found:
        widgets.say(f"• {finding.sentence}")
    if not found:
        widgets.say("No rule found anything to say about this run.")

"""What do many runs have in common: how far do they get, what do the cuts cost, does the evaluator tell right from wrong?"""

from __future__ import annotations

import streamlit as st

from explorer import selection, widgets
from explorer.analysis import funnel, suite_reading
from explorer.figures.funnel import stage_funnel
from explorer.views.parts import charts, first_steps, lost_bar, protocols, suite_tables

if selection.store_is_empty():
    first_steps.show()
    st.stop()
verdicts = lost_bar.verdicts()
if verdicts is None:
    st.stop()
chosen = protocols.chosen(verdicts, key="suite_protocol")
suite, runs, each = funnel.suite(chosen), {one.run_id for one in chosen}, funnel.by_fingerprint(verdicts)

widgets.badge_line(suite_reading.counted(suite), key="suite_counted")
widgets.number_cards(suite_reading.cards(suite), key="suite_cards")
st.caption(
    "Oracle-generated: a right step was proposed wherever the search stood on the right path. Selected: it was also the answer. Gap: the "
    "difference. Regret: of the generated ones, those pruned, or never expanded. Intervals are Wilson's."
)
for error in suite.errors:
    widgets.say(error)

left, right = st.columns([50, 50], gap="large")
with left:
    st.subheader("How far the runs got")
    st.caption("Labelled runs only. A stage holds when the one before holds; the loss is taken from the right path that got furthest.")
    stage = charts.clickable(stage_funnel(suite, charts.theme()), key="suite_funnel")
    if stage:
        selection.go("runs", lost=stage)
    charts.rows(suite_reading.stages(suite), key="suite_stages", missing="–")
with right:
    st.subheader("What lost them, and at which depth")
    st.caption("A click on a part opens its runs.")
    part = charts.clickable(suite_tables.lost(suite), key="suite_lost")
    if part:
        selection.go("runs", lost=part)
    charts.rows(suite_reading.losses(suite), key="suite_losses", missing="–")
if len(each) > 1:
    st.subheader("By protocol")
    st.caption("Shares of the labelled runs of each protocol, with their counts; nothing where no run counts.")
    widgets.show_table(suite_reading.by_protocol(each), key="suite_protocols", missing="–")
st.subheader("Does the evaluator tell right from wrong?")
suite_tables.evaluator_quality(runs)
st.subheader("The cut ledger")
suite_tables.ledger(runs)

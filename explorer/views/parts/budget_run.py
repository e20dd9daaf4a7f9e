"""How good was the best answer of this run, after how much spend, and what was spent after it last changed?"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from explorer import selection, widgets, wording
from explorer.analysis import anytime, anytime_reading
from explorer.analysis.budget import Currency, RunBudget
from explorer.figures.anytime import best_so_far
from explorer.views.parts import charts


def show(runs: Sequence[RunBudget], run_id: str | None, currency: Currency) -> None:
    """The anytime curve of the chosen run, in the page's currency if it recorded that, else in one that it did."""
    st.subheader("The best answer so far, in one run")
    run = next((one for one in runs if one.run_id == run_id), None)
    if run is None:
        widgets.say("No run is chosen yet.")
        selection.link("runs", "Choose from the list of runs")
        return
    unit = currency if currency in anytime.currencies([run]) else anytime.usual_currency([run])
    widgets.badge_line(anytime_reading.run_name(run), key="budget_run_name")
    widgets.badge_line(anytime_reading.run_facts(run, unit), key="budget_run_facts")
    charts.chart(best_so_far(run, unit, charts.theme()), key=f"budget_best {unit} {run.run_id}")
    for line in anytime_reading.run_notes(run):
        widgets.say(line)
    charts.rows(anytime_reading.steps(run), key="budget_steps", missing=wording.NOT_RECORDED)
    selection.link("investigate", "Open this run", run=run.run_id)

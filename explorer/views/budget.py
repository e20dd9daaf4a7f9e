"""What limited the runs, how deep must a search go, what can it afford, and what had it found after how much spend?"""

from __future__ import annotations

import streamlit as st

from explorer import selection, widgets
from explorer.analysis import budget_reading
from explorer.analysis.solution_depth import right_depths
from explorer.views.parts import budget_run, budget_suite, budgets, first_steps, protocols

if selection.store_is_empty():
    first_steps.show()
    st.stop()
run_id = selection.current_run() if st.query_params.get("run") else None
runs = budgets.of_all()
if runs is None:
    st.stop()
chosen = protocols.chosen(runs, key="budget_protocol")
with st.container(horizontal=True):
    answers = budget_suite.chosen_answers()
    currency = budget_suite.chosen_currency(chosen)

widgets.number_cards(budget_reading.cards(chosen, right_depths(chosen, answers), currency), key="budget_cards")
budget_suite.depths_and_caps(chosen, answers)
budget_suite.affordable(chosen, answers)
budget_suite.deepening_and_curve(chosen, answers, currency)
budget_suite.protocols(runs)
budget_run.show(runs, run_id, currency)

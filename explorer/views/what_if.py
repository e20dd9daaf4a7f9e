"""What would another policy have made of these recorded runs, at no model cost, and where does the record end?"""

from __future__ import annotations

import streamlit as st

from explorer import selection, widgets
from explorer.replay import sweep, sweep_reading
from explorer.views.parts import first_steps, protocols, switches, what_if_policy, what_if_run, what_if_runs, what_ifs

if selection.store_is_empty():
    first_steps.show()
    st.stop()
run_id = selection.current_run() if st.query_params.get("run") else None
over = selection.choice("over", ("run", "all"), "all")
st.caption(
    "The search runs again over the recorded proposals and scores, under another policy. First its own policy must reproduce the record "
    "exactly; what the record does not hold is the horizon, and beyond it there are only bounds."
)
switches.switch("over", {"run": "This run", "all": "All runs"}, over)
if over == "run" and run_id is None:
    raise selection.NotThere("No run is chosen yet.")
changes = what_if_policy.chosen()

if over == "run" and run_id is not None:
    what_if_run.show(run_id, changes)
    st.stop()
tried = what_ifs.tried((changes,), "the runs under this policy")
if tried is None:
    st.stop()
mine = protocols.chosen(tried, key="what_if_protocol")
found = sweep.swept(mine, 1)
widgets.badge_line(sweep_reading.checks(found), key="what_if_checks")
if found.recorded.runs:
    widgets.badge_line(sweep_reading.policy_facts(found.recorded.policy, found.points[0].policy), key="what_if_policy")
    widgets.number_cards(sweep_reading.cards(found.points[0], found.recorded), key="what_if_cards")
    widgets.say("\n".join(sweep_reading.sentences(found.points[0], found.recorded)))
    what_if_runs.frontier(changes, {one.run_id for one in mine}, {one.run_id for one in mine if one.refused})
    what_if_runs.changed(found)
what_if_runs.refused(found)
if found.assumed:
    widgets.say("\n".join(found.assumed))

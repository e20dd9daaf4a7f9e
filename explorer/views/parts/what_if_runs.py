"""What does a policy make of many runs? Success against spend as one setting varies, and the runs that come to something else."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import streamlit as st

from explorer import selection, widgets, wording
from explorer.figures.sweep import success_and_spend
from explorer.replay import changes as changing
from explorer.replay import sweep, sweep_reading
from explorer.replay.sweep import Swept
from explorer.views.parts import charts, switches, what_ifs
from ingest.errors import TraceError

_USUAL = "beam-width=1..8"
COLUMNS = {
    "selected_from_95": st.column_config.NumberColumn("selected, 95 % from", format="percent"),
    "selected_to_95": st.column_config.NumberColumn("to", format="percent"),
    "cost": st.column_config.NumberColumn("cost", format="$%.4f"),
    "tokens": st.column_config.NumberColumn("tokens", format="localized"),
    "calls": st.column_config.NumberColumn("calls", format="localized"),
}
HELP = "SETTING=FROM..TO or SETTING=A,B,C: beam-width=1..8, threshold=0.1,0.5, tie-break=order,diverse, max-calls=50,100"
REFUSED = {
    "first_run": st.column_config.TextColumn("first run", width=200),
    "runs": st.column_config.NumberColumn("runs", width=60),
    "why": st.column_config.TextColumn("the run …", width="large"),
}


def frontier(changes: Mapping[str, Any], runs: Collection[str], refusals: Collection[str]) -> None:
    """One setting tried at several values on top of the chosen policy; the address names both. ``refusals``: runs that cannot be asked at all."""
    st.subheader("Success against spend")
    left, right = st.columns([34, 66], vertical_alignment="bottom")
    with left:
        text = _typed()
    try:
        asked = changing.sweep(text)
    except TraceError as error:
        widgets.say(error.message.removeprefix("--"))
        return
    policies = [{**changes, asked.name: value} for value in asked.values]
    tried = what_ifs.tried(policies, "the points of the sweep")
    if tried is None:
        return
    found = sweep.swept([one for one in tried if one.run_id in runs], len(policies))
    units = sweep_reading.units(found.points)
    unit = next(one for one in units if one == selection.choice("spend", units, units[0]))
    answers: sweep_reading.Answers = "kept" if selection.choice("answers", ("selected", "kept"), "selected") == "kept" else "selected"
    with right, st.container(horizontal=True):
        switches.switch("answers", sweep_reading.ANSWERS, answers)
        if len(units) > 1:
            switches.switch("spend", {one: sweep_reading.UNITS[one] for one in units}, unit)
    names = [sweep_reading.policy_words({asked.name: value}) for value in asked.values]
    charts.chart(success_and_spend(names, found.points, found.recorded, answers, unit, charts.theme()), key=f"what_if_frontier {unit} {answers}")
    left_out = sum(map(len, found.refused.values())) - len(refusals)
    if left_out:
        takes = "takes no {} and is" if left_out == 1 else "take no {} and are"
        widgets.say(f"{wording.count(left_out, 'run')} {takes.format(asked.name.replace('_', ' '))} left out here.")
    table = sweep_reading.points(["as recorded", *names], [found.recorded, *found.points])
    charts.rows(table, key="what_if_points", missing="not recorded", columns=COLUMNS)


def changed(found: Swept) -> None:
    """Runs that come to something else; a row opens the what-if of that run."""
    st.subheader("Runs that come to something else")
    table = sweep_reading.changed_runs(found.tried)
    if not table.num_rows:
        widgets.say("Under this policy every run selects the same path as recorded, within what the record holds.")
        return

    def choose(row: int) -> None:
        selection.write(run=table["run"][row].as_py(), over="run")

    st.caption("Right: the selected answer. Viable to depth: how deep a node is kept from which a right answer can be reached. A row opens its run.")
    widgets.show_table(table, key="what_if_changed", missing="–", height=widgets.height_of(table.num_rows, 14), on_row=choose)


def refused(found: Swept) -> None:
    """Runs that cannot be asked, by the reason."""
    table = sweep_reading.refusals(found)
    if table.num_rows:
        st.subheader("Runs that cannot be asked")
        widgets.show_table(table, key="what_if_refused", columns=REFUSED, height=widgets.height_of(table.num_rows, 8))


def _typed() -> str:
    st.session_state["what_if_sweep"] = st.query_params.get("sweep", _USUAL)

    def typed() -> None:
        wanted = st.session_state["what_if_sweep"].strip()
        selection.write(sweep=None if wanted in ("", _USUAL) else wanted)

    st.text_input("Sweep", key="what_if_sweep", on_change=typed, help=HELP)
    return str(st.session_state["what_if_sweep"]) or _USUAL

"""How deep do right answers lie, what stopped the runs, what would deeper or stepwise search cost? The parts of the budget page about many runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from explorer import selection, widgets
from explorer.analysis import anytime, anytime_reading, budget_reading, caps, deepening, frontier, frontier_reading, plan
from explorer.analysis.budget import Currency, RunBudget
from explorer.analysis.plan import Wish
from explorer.analysis.solution_depth import Answers, depth_caps, right_depths
from explorer.figures.anytime import right_by_spend
from explorer.figures.budget import deepening_costs, depth_of_answers, why_stopped
from explorer.figures.frontier import quality_and_spend
from explorer.views.parts import charts, switches

UNDEFINED = "–"
"""Stands for 0/0 in a table."""


def chosen_currency(runs: Sequence[RunBudget]) -> Currency:
    """What the page counts in: the address names it, the switch offers what these runs recorded."""
    known = anytime.currencies(runs) or (Currency.NODES,)
    wanted = Currency(selection.choice("spend", tuple(known), anytime.usual_currency(runs)))
    switches.switch("spend", {one.value: budget_reading.CURRENCIES[one] for one in known}, wanted)
    return wanted


def chosen_answers() -> Answers:
    """Which right answers the needed depth rests on."""
    wanted: Answers = "kept" if selection.choice("answers", ("selected", "kept"), "selected") == "kept" else "selected"
    switches.switch("answers", budget_reading.ANSWERS, wanted)
    return wanted


def depths_and_caps(runs: Sequence[RunBudget], answers: Answers) -> None:
    """Where right answers lie, beside why the runs stopped."""
    selected, kept = right_depths(runs, "selected"), right_depths(runs, "kept")
    left, right = st.columns([52, 48], gap="large")
    with left:
        st.subheader("How deep the right answers lie")
        st.caption("Selected: the answers of runs that ended right. Kept: the shallowest finished right answer of each run, selected or not.")
        charts.chart(depth_of_answers(selected, kept, list(depth_caps(runs).values()), charts.theme()), key="budget_depths")
        _say(budget_reading.depth_notes(*((selected, kept) if answers == "selected" else (kept, selected))))
        charts.rows(budget_reading.depths(selected, kept), key="budget_depths_table", missing=UNDEFINED)
    with right:
        st.subheader("Why the runs stopped")
        found = caps.stops(runs)
        charts.chart(why_stopped(found, charts.theme()), key="budget_stops")
        charts.rows(budget_reading.stops(found), key="budget_stops_table", missing=UNDEFINED)


def affordable(runs: Sequence[RunBudget], answers: Answers) -> None:
    """The choices, the verdict, and what it rests on."""
    st.subheader("Which depth is needed, and which is affordable")
    first, second, third, _ = st.columns([22, 22, 22, 34])
    with first:
        percent = switches.number("percentile", "Share of right answers to cover, %", 95, 1, 100)
    with second:
        margin = switches.number("margin", "Levels added as a margin", 1, 0, 1_000)
    with third:
        calls = switches.number("calls", "Calls that one run may spend", None, 0, 10**12)
    found = plan.plan(runs, Wish(share=(percent or 95) / 100, margin=1 if margin is None else margin, calls=calls, answers=answers))
    widgets.badge_line([budget_reading.verdict(found)], key="budget_verdict")
    widgets.number_cards(budget_reading.plan_cards(found), key="budget_plan")
    _say(budget_reading.plan_notes(found))


def deepening_and_curve(runs: Sequence[RunBudget], answers: Answers, currency: Currency) -> None:
    """Deepening step by step against a direct search, beside the share of runs that are right by spend."""
    left, right = st.columns([50, 50], gap="large")
    with left:
        st.subheader("Deepening against a direct search")
        costs, repeated = deepening.level_costs(runs, currency), deepening.repeated(runs)
        rows = deepening.deepening(costs, right_depths(runs, answers).percentile(0.5))
        charts.chart(deepening_costs(rows, costs, charts.theme()), key=f"budget_deepening {currency}")
        _say(budget_reading.deepening_notes(rows, costs, repeated))
        charts.rows(budget_reading.deepening(rows), key="budget_deepening_table", missing=UNDEFINED)
        if repeated:
            charts.rows(budget_reading.repeats(repeated), key="budget_repeats", missing=UNDEFINED)
    with right:
        st.subheader("Share of runs right, by spend")
        curve = anytime.right_by_spend(runs, currency)
        charts.chart(right_by_spend(curve, charts.theme()), key=f"budget_curve {currency}")
        _say(anytime_reading.curve_notes(curve, runs))
        charts.rows(anytime_reading.parts(curve), key="budget_curve_table", missing=UNDEFINED)


def protocols(runs: Sequence[RunBudget]) -> None:
    """What a right answer costs under each protocol, in what most of them recorded; all protocols, whichever is chosen above."""
    found = frontier.protocols(runs)
    known = [one for one in frontier.PRICES if any(protocol.spent[one].runs for protocol in found)]
    st.subheader("What a right answer costs, by protocol")
    wanted = Currency(selection.choice("price", tuple(known), known[0]))
    switches.switch("price", {one.value: budget_reading.CURRENCIES[one] for one in known}, wanted)
    beaten = frontier.dominated(runs, wanted)
    charts.chart(quality_and_spend(found, beaten, frontier.same_tasks(runs), wanted, charts.theme()), key=f"budget_frontier {wanted}")
    _say(frontier_reading.notes(runs))
    against = frontier_reading.baselines(list(frontier.against_baselines(runs)))
    if against:
        widgets.badge_line(against, key="budget_baselines")
    charts.rows(frontier_reading.protocols(found, beaten, wanted), key="budget_protocols", missing=UNDEFINED)


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        widgets.say(line)

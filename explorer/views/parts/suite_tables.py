"""Which cuts cost a right answer, and how good is the evaluator? The lower half of the page about many runs."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from explorer import selection, widgets, wording
from explorer.analysis import evaluator, suite_reading
from explorer.analysis.fact import Fact
from explorer.analysis.funnel import Suite
from explorer.figures.evaluator import quality_by_depth, reliability_curve
from explorer.figures.lost import lost_by_depth
from explorer.views.parts import background, charts, judged

COLUMNS = {
    "viable_lost": st.column_config.NumberColumn("viable lost", help="Lost candidates from which a right answer could still be reached."),
    "viable_known": st.column_config.NumberColumn("truth known", help="Lost candidates of which it is known whether they are viable."),
    "tied_lost": st.column_config.NumberColumn("tied, lost", help="Lost candidates with the score of the worst one kept: order decided."),
    "tied_kept": st.column_config.NumberColumn("tied, kept", help="Kept candidates with that score."),
    "saved_calls": st.column_config.NumberColumn("calls saved", format="%.1f", help="Estimated from what a kept one cost from then on."),
    "saved_tokens": st.column_config.NumberColumn("tokens saved", format="localized"),
    "saved_cost": st.column_config.NumberColumn("cost saved", format="$%.4f"),
}


def lost(suite: Suite) -> go.Figure:
    """The same chart as above the list of runs, over these runs."""
    return lost_by_depth(suite.lost, charts.theme())


def ledger(runs: set[str]) -> None:
    """One row a decision; choosing a row opens the run at the node that was lost."""
    st.caption("One row a decision against candidates: what it kept and lost, ties on both sides, what it saved, right ones it killed.")
    found = background.answer(judged.cuts(), "the cut ledger")
    if found is None:
        return
    mine = [cut for cut in found if cut.run_id in runs]
    killing = sum(cut.viable_lost > 0 for cut in mine)
    unknown = sum(cut.lost - cut.viable_known for cut in mine)
    facts = [
        Fact(text=wording.count(len(mine), "cut"), tone="strong"),
        Fact(text=f"{killing:,} lost a viable candidate", tone="red" if killing else "muted"),
        Fact(text=f"truth not known of {wording.count(unknown, 'lost candidate')}", tone="orange" if unknown else "muted"),
    ]
    widgets.badge_line(facts, key="ledger_summary")
    if not mine:
        return
    table = suite_reading.cuts(mine)

    def choose(row: int) -> None:
        st.session_state["ledger_chosen"] = (table["run"][row].as_py(), table["node"][row].as_py())

    widgets.show_table(table, key="ledger", columns=COLUMNS, height=widgets.height_of(table.num_rows, 14), missing="–", on_row=choose)
    if target := st.session_state.pop("ledger_chosen", None):
        selection.go("investigate", run=target[0], node=target[1] or None)


def evaluator_quality(runs: set[str]) -> None:
    """AUC and kept share by depth, and reliability where the scores can be read as probabilities."""
    found = background.answer(judged.judgements(), "the quality of the evaluator")
    if found is None:
        return
    rows = [row for row in found if row.run_id in runs]
    if not rows:
        widgets.say("No scored candidate has a known truth, so the evaluator cannot be judged. Labelled candidates only.")
        return
    over = evaluator.quality(rows)
    facts = [
        Fact(text=f"{wording.count(len(rows), 'scored candidate')} with known truth", tone="strong"),
        Fact(text="labelled candidates only", tone="blue"),
        Fact(text=f"{over.viable:,} viable, {over.others:,} not"),
        Fact(text=f"{over.tied_pairs:,} of {over.pairs:,} pairs tied", tone="orange" if over.tied_share > 0.5 else "plain"),
    ]
    if len(found) >= judged.MOST_JUDGED:
        facts.append(Fact(text=f"the first {judged.MOST_JUDGED:,} candidates of the store only", tone="orange"))
    widgets.badge_line(facts, key="evaluator_summary")
    by_depth = evaluator.by_depth(rows)
    left, right = st.columns([58, 42], gap="large")
    with left:
        charts.chart(quality_by_depth(by_depth, charts.theme()), key="evaluator_depths")
        charts.rows(suite_reading.qualities([*by_depth, over]), key="evaluator_table", missing="–")
    with right:
        bins = evaluator.reliability(rows)
        if bins:
            charts.chart(reliability_curve(bins, charts.theme()), key="evaluator_reliability")
            charts.rows(suite_reading.bins(bins), key="evaluator_bins", missing="–")
        else:
            widgets.say("The scores are not in [0, 1], so they are no probabilities: reliability does not apply.")

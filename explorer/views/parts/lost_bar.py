"""What should be fixed first? The verdicts on all runs as a bar chart whose parts filter the list of runs."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from explorer import oracles, selection, widgets
from explorer.analysis import funnel, verdict_list
from explorer.analysis.fact import Fact
from explorer.analysis.verdict import Verdict
from explorer.figures.lost import lost_by_depth
from explorer.views.parts import background, charts, judged, verdict_bar

_CLICKS = "lost_clicks"
_UNTOLD = "Where these runs were lost cannot be told yet: of no wrong run is it known which nodes are right."


def verdicts() -> list[Verdict] | None:
    """The verdict on every run; None while they are being computed, which the page then says."""
    found = background.answer(judged.of_all(), "the verdicts on all runs")
    return None if found is None else judged.with_marks(found)


def show(found: Sequence[Verdict]) -> str:
    """The chart, or one line about what would settle it where no truth is known; the name of the part that the address asks for."""
    settled = not _could_be_judged(selection.store().version)
    if not settled:
        _offer_oracle()
    if not verdict_list.is_told(found):
        if settled:
            widgets.note(f"{_UNTOLD} Open a run and mark a step as right, or judge with an oracle of your own: branchlight judge.")
        return chosen()
    widgets.badge_line(verdict_list.summary(found), key="lost_summary")
    clicks = st.session_state.setdefault(_CLICKS, 0)
    clicked = charts.clickable(lost_by_depth(funnel.suite(found).lost, charts.theme()), key=f"lost {clicks}")
    if clicked:
        st.session_state[_CLICKS] = clicks + 1  # a new chart, in which nothing is chosen: the address alone says what is
        selection.write(lost=clicked)
        st.rerun()
    return chosen()


def chosen() -> str:
    """The part that the address names, with a chip that takes the filter off; empty for none."""
    key = st.query_params.get("lost", "")
    if key:
        words = Fact(text=f"{verdict_list.words_of(key)}  ✕ show all", label="only runs", tone="blue", pick=key)
        widgets.badge_line([words], key="lost_chosen", on_pick=lambda _: selection.write(lost=None))
    return key


def _offer_oracle() -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Judge all runs with the oracle game24", key="settle_all", type="primary"):
            verdict_bar.judge(None)
        widgets.note("Of some wrong runs it is not known which nodes are right. The oracle says of every node whether 24 can be reached.")


@st.cache_resource(max_entries=2, show_spinner=False)
def _could_be_judged(version: str) -> bool:  # noqa: ARG001 - the version is a part of the cache key
    """Whether the oracle that ships could tell about a wrong run, and was not asked yet."""
    sql = """
        select distinct question from runs
        where outcome <> 'right' and question is not null and run_id not in (select run_id from truth where viable_by = 'oracle')
        limit 2000
    """
    return any("game24" in oracles.fitting(question) for question in selection.store().query(sql)["question"].to_pylist())

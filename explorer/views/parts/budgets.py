"""What did every run spend, and what had it found by then? Computed once for a state of store and reviews, beside the page."""

from __future__ import annotations

import streamlit as st

from explorer import reviews, selection
from explorer.analysis import budget
from explorer.analysis.budget import RunBudget
from explorer.views.parts import background, judged
from explorer.views.parts.background import Job


def of_all() -> list[RunBudget] | None:
    """Every run, reviewers' marks included; None while they are being added up, which the page then says."""
    store = selection.store()
    return background.answer(_job(store.version, reviews.state_of(store.folder)), "what the runs spent")


@st.cache_resource(max_entries=2, show_spinner=False)
def _job(version: str, state: str) -> Job[RunBudget]:  # noqa: ARG001 - the state of the reviews is a part of the cache key
    store = selection.store()
    total = int(store.query("select count(*) as n from runs")["n"][0].as_py())
    return Job(budget.of_runs(store, None, reviews.marks(judged.said().current)), total, lambda: store.version == version)

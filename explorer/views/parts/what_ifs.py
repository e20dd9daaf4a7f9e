"""What do runs come to under other policies? Computed once for a state of store and reviews and a choice of policies, beside the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from explorer import reviews, selection
from explorer.replay import sweep
from explorer.replay.difference import Difference
from explorer.replay.sweep import Tried
from explorer.views.parts import background, judged
from explorer.views.parts.background import Job

Policy = tuple[tuple[str, Any], ...]
"""Changes as a part of a cache key."""


def key_of(changes: Mapping[str, Any]) -> Policy:
    """The same changes give the same key."""
    return tuple(sorted(changes.items()))


def tried(policies: Sequence[Mapping[str, Any]], what: str) -> Sequence[Tried] | None:
    """Every run under each of these policies; None while they are searched again, which the page then says."""
    state = reviews.state_of(selection.store().folder)
    return background.answer(_all(selection.store().version, state, tuple(map(key_of, policies))), what)


def of_run(run_id: str, changes: Mapping[str, Any]) -> tuple[Tried, tuple[Difference, ...]] | None:
    """One run under one policy, and the nodes that it treats otherwise; None while it is searched again."""
    state = reviews.state_of(selection.store().folder)
    found = background.answer(_one(selection.store().version, state, run_id, key_of(changes)), "the run under this policy")
    return None if found is None else found[0]


@st.cache_resource(max_entries=12, show_spinner=False)
def _all(version: str, state: str, policies: tuple[Policy, ...]) -> Job[Tried]:  # noqa: ARG001 - the state of the reviews is a part of the cache key
    store = selection.store()
    total = int(store.query("select count(*) as n from runs")["n"][0].as_py())
    work = sweep.tries(store, None, [dict(policy) for policy in policies], reviews.marks(judged.said().current))
    return Job(work, total, lambda: store.version == version)


@st.cache_resource(max_entries=32, show_spinner=False)
def _one(version: str, state: str, run_id: str, policy: Policy) -> Job[tuple[Tried, tuple[Difference, ...]]]:  # noqa: ARG001 - as above
    store = selection.store()
    work = sweep.with_differences(store, [run_id], dict(policy), reviews.marks(judged.said_about(run_id)))
    return Job(work, 1, lambda: store.version == version)

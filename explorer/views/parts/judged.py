"""Where was each run lost, by all that is known now, the reviewers' marks included? Computed once for a state of store and reviews."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from heapq import merge
from itertools import islice

import streamlit as st

from explorer import reviews, selection
from explorer.analysis import attribution, evaluator, known, ledger, run_states
from explorer.analysis.evaluator import Judged
from explorer.analysis.known import Marks
from explorer.analysis.ledger import Cut
from explorer.analysis.verdict import Verdict
from explorer.reviews import Review, Reviews
from explorer.views.parts.background import Job
from ingest.store import Store

MOST_JUDGED = 300_000
"""Judged candidates that the figures about the evaluator rest on; a store with more says so."""
VIABLE_SHOWN = 20_000
"""Nodes of one run whose truth a picture gets."""


@dataclass(frozen=True)
class OneRun:
    """The verdict on one run, and which of its nodes are viable as far as that is known."""

    verdict: Verdict
    viable: Mapping[str, bool]
    key: str
    """Names what ``viable`` holds: a key for the pictures made of it."""


UNKNOWN: Mapping[str, bool] = {}
"""While nothing is known yet."""


def said() -> Reviews:
    """What reviewers have said so far."""
    folder = selection.store().folder
    return _reviews(str(folder), reviews.state_of(folder))


def said_about(run_id: str) -> list[Review]:
    """What counts now about one run."""
    return [line for line in said().current if line.run_id == run_id]


def verdicts_said() -> list[tuple[str, str, str]]:
    """Reviewer, run and verdict of each review of a run that counts now."""
    return [(line.reviewer, line.run_id, line.verdict or "") for line in said().current if line.kind == "verdict"]


def of_run(run_id: str, nodes: int) -> Job[OneRun]:
    """One OneRun; for a run of a million nodes that takes a while."""
    return _one(selection.run_state(run_id), _marks_of(run_id), run_id, nodes)


def of_all() -> Job[Verdict]:
    """The verdict on every run, without evidence and without reviewers' marks: a mark must not have 10,000 runs judged again."""
    return _verdicts(selection.store().version, _runs())


def with_marks(verdicts: list[Verdict]) -> list[Verdict]:
    """The same with the runs judged anew that reviewers marked."""
    anew = _marked(*_state())
    return [anew.get(one.run_id, one) for one in verdicts]


def cuts() -> Job[Cut]:
    """Every cut of every run."""
    return _cuts(*_state(), _runs())


def judgements() -> Job[Judged]:
    """Scored candidates whose truth is known, of all runs; the first 300,000."""
    return _judgements(*_state(), _runs())


def _state() -> tuple[str, str]:
    return selection.store().version, reviews.state_of(selection.store().folder)


def _runs() -> int:
    return int(selection.store().query("select count(*) as n from runs")["n"][0].as_py())


def _marks_of(run_id: str) -> tuple[tuple[str | None, ...], ...]:
    """The marks as they are now, as a key: they change the verdict, notes do not."""
    return tuple((line.node_id, line.mark, line.reviewer) for line in said_about(run_id) if line.kind == "mark")


@st.cache_resource(max_entries=4, show_spinner=False)
def _reviews(folder: str, state: str) -> Reviews:  # noqa: ARG001 - the state of the files is a part of the cache key
    return reviews.read(selection.store().folder)


@st.cache_resource(max_entries=64, show_spinner=False)
def _one(state: str, marked: tuple[tuple[str | None, ...], ...], run_id: str, nodes: int) -> Job[OneRun]:  # noqa: ARG001 - a part of the key
    return Job(_looked_at(selection.store(), run_id, reviews.marks(said_about(run_id)), nodes), 1, lambda: True)


@st.cache_resource(max_entries=2, show_spinner=False)
def _verdicts(version: str, runs: int) -> Job[Verdict]:
    store = selection.store()
    return Job(_all_verdicts(store, run_states.of_all(store), _kept_verdicts()), runs, _while_at(version))


def _all_verdicts(store: Store, states: Mapping[str, str], kept: dict[str, tuple[str, Verdict]]) -> Iterator[Verdict]:
    """In order of run ids. Those of runs about which nothing has changed since are taken as they were, from ``kept``."""
    old = [kept[run][1] for run, state in states.items() if run in kept and kept[run][0] == state]
    known = {one.run_id for one in old}
    anew = [run for run in states if run not in known]
    found = attribution.of_runs(store, anew if old else None) if anew else ()
    short = (replace(one, evidence=(), also_lost=(), conflicts=()) for one in found)
    for one in merge(old, short, key=lambda one: one.run_id):
        kept[one.run_id] = states.get(one.run_id, ""), one
        yield one


@st.cache_resource(show_spinner=False)
def _kept_verdicts() -> dict[str, tuple[str, Verdict]]:
    """The last verdict on each run, without evidence, and the state of the run that it was given for."""
    return {}


@st.cache_resource(max_entries=2, show_spinner=False)
def _cuts(version: str, state: str, runs: int) -> Job[Cut]:  # noqa: ARG001 - the state of the reviews is a part of the cache key
    return Job(ledger.of_runs(selection.store(), None, reviews.marks(said().current)), runs, _while_at(version))


@st.cache_resource(max_entries=2, show_spinner=False)
def _judgements(version: str, state: str, runs: int) -> Job[Judged]:  # noqa: ARG001 - the state of the reviews is a part of the cache key
    rows = evaluator.of_runs(selection.store(), None, reviews.marks(said().current))
    return Job(islice(rows, MOST_JUDGED), runs, _while_at(version))


@st.cache_resource(max_entries=4, show_spinner=False)
def _marked(version: str, state: str) -> dict[str, Verdict]:  # noqa: ARG001 - both are parts of the cache key
    current = said().current
    runs = sorted({line.run_id for line in current if line.kind == "mark"})
    return {one.run_id: one for one in attribution.of_runs(selection.store(), runs, reviews.marks(current))} if runs else {}


def _while_at(version: str) -> Callable[[], bool]:
    store = selection.store()
    return lambda: store.version == version


def _looked_at(store: Store, run_id: str, marks: Marks, nodes: int) -> Iterator[OneRun]:
    found = attribution.of_run(store, run_id, marks)
    viable: dict[str, bool] = {}
    for _, _, (one,) in known.of_runs(store, [run_id], marks):
        beliefs = ((i, one.beliefs.viable(i)) for i in sorted(one.beliefs.of))
        told = ((one.search.nodes[i].node_id, is_viable) for i, is_viable in beliefs if is_viable is not None)
        viable = dict(told if nodes <= VIABLE_SHOWN else islice((pair for pair in told if pair[1]), VIABLE_SHOWN))
    yield OneRun(found, viable, str(hash(frozenset(viable.items()))))

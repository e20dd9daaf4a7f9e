"""How does a page stay quick when its answer is not? The work runs beside it once for all tabs, and the page says how far it is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

import streamlit as st

from explorer import widgets

T = TypeVar("T")
WAIT_S = 1.5
"""What a page waits before it shows itself without the answer."""


class Job(Generic[T]):
    """Collects what ``work`` yields in a thread of its own, until ``is_wanted`` says that nobody needs it any more."""

    def __init__(self, work: Iterable[T], total: int, is_wanted: Callable[[], bool]) -> None:
        self.total = total
        self.found: list[T] = []
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(work, is_wanted), daemon=True)
        self._thread.start()

    def result(self, wait_s: float) -> list[T] | None:
        """All that was found; None where that takes longer than ``wait_s``. Raises what the work raised."""
        self._thread.join(wait_s)
        if self._thread.is_alive():
            return None
        if self._error is not None:
            raise self._error
        return self.found

    def _run(self, work: Iterable[T], is_wanted: Callable[[], bool]) -> None:
        try:
            for number, one in enumerate(work):
                if number % 256 == 255 and not is_wanted():
                    return
                self.found.append(one)
        except BaseException as error:  # noqa: BLE001 - it is raised again in the page that waits for the answer
            self._error = error


def answer(job: Job[T], what: str, wait_s: float | None = None) -> list[T] | None:
    """What the job found; None while it runs. Then a line says so, and the page runs again once it is done."""
    found = job.result(WAIT_S if wait_s is None else wait_s)
    if found is None:
        _watch(job, what)
    return found


@st.fragment(run_every=1.0)
def _watch(job: Job[T], what: str) -> None:
    if job.result(0) is not None:
        st.rerun()
    done = min(len(job.found), job.total)
    widgets.say(f"Computing {what}; the page is usable meanwhile.")
    st.progress(round(done / max(job.total, 1), 3))

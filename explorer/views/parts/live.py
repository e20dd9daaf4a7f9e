"""How does a page keep up with logs that grow? It looks twice a second whether it shows what the store holds, and runs again where not."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import streamlit as st

from explorer import following, selection, widgets
from explorer.analysis import liveness
from explorer.analysis.fact import Fact

LOOK_S = 0.5
OF_A_RUN = frozenset({"investigate", "statistics"})
AT_ONCE = frozenset({*OF_A_RUN, "runs", "data"})
"""Pages that follow by themselves; those over all runs take long to compute, and wait to be asked."""
_DRAWN, _ASKED = "live_drawn", "live_asked"


def follow(page: str) -> None:
    """Keep ``page`` up to date, and say so in a line, where the viewer was started with --watch."""
    if following.is_on():
        st.session_state[_DRAWN] = _state(page)
        _line(page)


def ending(head: Mapping[str, Any]) -> Fact | None:
    """The chip of a run without an end: is it running? None for one that has ended, or whose log has no such record."""
    source = head["source"]
    return liveness.badge(_written({source}).get(source), datetime.now(UTC)) if head["ended"] is False else None


def words(sources: Collection[str]) -> dict[str, str]:
    """What became of runs without an end in these logs."""
    return liveness.words(_written(sources), datetime.now(UTC))


def _written(sources: Collection[str]) -> dict[str, datetime]:
    """When these logs, or others that hold parts of the same runs, were last written to; one that is gone: when it was when it was loaded."""
    entries = selection.store().manifest.entries
    groups = {entry.group for entry in entries if entry.source in sources}
    last: dict[str, int] = {}
    for entry in entries:
        if entry.group in groups:
            last[entry.group] = max(last.get(entry.group, 0), _written_ns(entry.key, entry.mtime_ns))
    return {entry.source: datetime.fromtimestamp(last[entry.group] / 1e9, UTC) for entry in entries if entry.source in sources}


@st.fragment(run_every=LOOK_S)
def _line(page: str) -> None:
    """What is followed, and how fresh it is."""
    state = _state(page)
    changed = state != st.session_state.get(_DRAWN)
    if changed and (page in AT_ONCE or st.session_state.pop(_ASKED, False)):
        st.rerun()
    if not following.is_alive():
        widgets.badge_line([Fact(text="the logs are not followed any more", tone="red", hint="The terminal says why.")], key="live")
        return
    shown = [Fact(text="● following", tone="green", hint="Lines that are appended to the logs appear here.")]
    if changed:
        shown.append(Fact(text="show what is new", tone="blue", pick="new"))
    widgets.badge_line(shown, key="live", on_pick=_show)


def _show(_picked: str) -> None:
    st.session_state[_ASKED] = True


def _state(page: str) -> tuple[str, ...]:
    """What the page shows, and which of the runs without an end are running."""
    run_id = st.query_params.get("run", "")
    store = selection.store()
    if page in OF_A_RUN and run_id:
        rows = store.query("select source from runs where run_id = $run_id and ended = false", run_id=run_id)
        return selection.run_state(run_id), *words(rows["source"].to_pylist()).values()
    rows = store.query("select distinct source from runs where ended = false")
    return store.version, *sorted(words(rows["source"].to_pylist()).values())


def _written_ns(key: str, otherwise: int) -> int:
    try:
        return Path(key).stat().st_mtime_ns
    except OSError:
        return otherwise

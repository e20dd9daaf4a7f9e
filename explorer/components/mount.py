"""How does a drawing get onto the page, and a choice back? Two mounts: the data, sent once, and the view, sent at each change.

Streamlit sends an element again when anything in it changed, and a short reference when nothing did. So what is drawn and what
is selected travel apart: a click costs the script's 40 kB at any size of run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import streamlit as st

from explorer.components.columns import encoded
from explorer.components.scripts import script, style

_KEPT = 8


def draw(
    name: str, payload: Mapping[str, Any], settings: Mapping[str, Any], *, key: str, on_choose: Callable[[str], None] | None
) -> str | None:
    """Mount one drawing of nodes; the node chosen since the last run of the page, else None."""

    def chosen() -> None:
        node = state(key, "node")
        if isinstance(node, list) and node and isinstance(node[0], str):
            choose(key, node[0], on_choose)

    mount(name, payload, settings, key=key, events={"node": chosen})
    return choice(key)


def mount(
    name: str, payload: Mapping[str, Any], settings: Mapping[str, Any], *, key: str, events: Mapping[str, Callable[[], None]]
) -> None:
    """Put the data and the view of one drawing on the page; ``events`` maps a state's name to what runs when it changes."""
    component = _component(name)
    view = {"role": "view", "key": payload["key"], "version": payload["version"], **settings}
    with st.container(gap=None):
        component(key=f"{key}.data", data=_encoded((payload["key"], payload["version"]), payload))
        component(key=key, data=view, **{f"on_{event}_change": call for event, call in events.items()})


def state(key: str, name: str) -> Any:
    """The last value that the drawing ``key`` set for ``name``; None before the first."""
    return (st.session_state.get(key) or {}).get(name)


def choose(key: str, node_id: str, on_choose: Callable[[str], None] | None) -> None:
    """Keep a choice until the page has run, even when that run is cut short by the next one."""
    st.session_state[f"{key}.chosen"] = node_id
    if on_choose:
        on_choose(node_id)


def choice(key: str) -> str | None:
    """The kept choice, once."""
    node = st.session_state.pop(f"{key}.chosen", None)
    return node if isinstance(node, str) else None


@cache
def _component(name: str) -> Any:
    return st.components.v2.component(f"branchlight_{name}", css=style(), js=script(name))


@st.cache_resource(max_entries=_KEPT, show_spinner=False)
def _encoded(identity: tuple[str, str], _payload: Mapping[str, Any]) -> bytes:  # noqa: ARG001 the cache is keyed by it
    """The payload as bytes, encoded once for all sessions and runs of the page: its identity names its contents."""
    return encoded(dict(_payload))

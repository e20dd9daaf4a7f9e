"""How does a reader choose between a few views? By a switch whose truth is the address: it shows what stands there."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from explorer import selection


def switch(name: str, words: Mapping[str, str], value: str) -> None:
    """A switch whose truth is the address: it shows what stands there and writes what is chosen."""
    key = f"switch_{name}"
    st.session_state[key] = str(value)  # plain text: Streamlit treats members of an enum in its own way

    def chosen() -> None:
        selection.write(**{name: st.session_state[key]})

    st.segmented_control(
        name, tuple(words), format_func=words.__getitem__, key=key, on_change=chosen, required=True, label_visibility="collapsed"
    )


def number(name: str, label: str, default: int | None, low: int, high: int) -> int | None:
    """A field for a whole number whose truth is the address; None while it is empty. The label is ours, never text from a log."""
    key = f"number_{name}"
    value = selection.whole(name, low, high)
    st.session_state[key] = default if value is None else value

    def typed() -> None:
        wanted = st.session_state[key]
        selection.write(**{name: None if wanted in (None, default) else str(wanted)})

    st.number_input(label, min_value=low, max_value=high, step=1, key=key, on_change=typed, placeholder="as the runs recorded")
    shown: int | None = st.session_state[key]
    return shown

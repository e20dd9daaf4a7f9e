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

"""Which policy is asked about? Fields whose truth is the address; an empty one leaves what the run recorded."""

from __future__ import annotations

from typing import Any

import streamlit as st

from explorer import selection, widgets
from explorer.replay import changes
from explorer.views.parts import switches
from ingest.errors import TraceError

AS_RECORDED = "as the runs recorded"
CHOICES = (AS_RECORDED, "best", "majority", "verifier")
CHOICE_HELP = "best: by score. majority: the answer given most often. verifier: the best one that is known to be right."
_MOST = 10**12


def chosen() -> dict[str, Any]:
    """The settings that the reader changed. One that cannot be read is said, and left as it was."""
    _pruning()
    _caps()
    found = {}
    for name, read in changes.READ.items():
        text = st.query_params.get(name, "")
        if text:
            try:
                found[name] = read(name, text)
            except TraceError as error:
                widgets.say(error.message.removeprefix("--"))
    return found


def _pruning() -> None:
    width, threshold, siblings, ties, equals = st.columns(5, gap="small")
    with width:
        switches.number("beam_width", "Beam width", None, 1, _MOST)
    with threshold:
        _word("threshold", "Threshold", "What is scored under it is cut.")
    with siblings:
        switches.number("per_parent", "Kept per parent", None, 1, _MOST)
    with ties:
        _word("tie_break", "Equal scores", "order: as in the log. diverse: spread over the parents. random:SEED: by a seed, random:1 for instance.")
    with equals:
        _word("dedup", "Equal states", "on: by the recorded state key. off. Or the name of a column, or of a field of the state.")


def _caps() -> None:
    depth, calls, tokens, choice, reset = st.columns(5, gap="small", vertical_alignment="bottom")
    with depth:
        switches.number("max_depth", "Cap: depth", None, 0, _MOST)
    with calls:
        switches.number("max_calls", "Cap: calls", None, 0, _MOST)
    with tokens:
        switches.number("max_tokens", "Cap: tokens", None, 0, _MOST)
    with choice:
        _choice()
    with reset:
        st.button("As recorded", on_click=_reset, key="what_if_reset", width="stretch")


def _word(name: str, label: str, words: str) -> None:
    key = f"word_{name}"
    st.session_state[key] = st.query_params.get(name, "")

    def typed() -> None:
        selection.write(**{name: st.session_state[key].strip() or None})

    st.text_input(label, key=key, on_change=typed, help=words, placeholder=AS_RECORDED)


def _choice() -> None:
    st.session_state["word_select"] = selection.choice("select", CHOICES[1:], AS_RECORDED)

    def picked() -> None:
        wanted = st.session_state["word_select"]
        selection.write(select=None if wanted == AS_RECORDED else wanted)

    st.selectbox("Final choice", CHOICES, key="word_select", on_change=picked, help=CHOICE_HELP)


def _reset() -> None:
    selection.write(**dict.fromkeys(changes.READ))

"""How do short facts that may hold text from a log reach the page? As chips and cards filled with ``textContent``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Literal

import streamlit as st

from explorer.analysis.fact import Fact

Kind = Literal["chips", "list", "cards"]
_FOLDER = Path(__file__).parent
_facts = st.components.v2.component(
    "branchlight_facts",
    html='<div class="facts"></div>',
    css=(_FOLDER / "facts.css").read_text("utf-8"),
    js=(_FOLDER / "facts.js").read_text("utf-8"),
)


def facts(items: Sequence[Fact], *, key: str, kind: Kind = "chips", on_pick: Callable[[str], None] | None = None) -> None:
    """Show the facts. ``on_pick`` gets the ``pick`` of a chip that was clicked, before the page runs again."""

    def picked() -> None:
        value = (st.session_state.get(key) or {}).get("picked")
        if on_pick is not None and isinstance(value, str):
            on_pick(value)

    _facts(key=key, data={"kind": kind, "facts": [asdict(item) for item in items]}, on_picked_change=picked)

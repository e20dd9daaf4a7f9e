"""How does a reviewer's word get off the page? Buttons that mark a node, and a form for a verdict on the run.

What is typed and not yet recorded lives in the browser, so that a reload loses nothing; nothing of it is kept here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import streamlit as st

Role = Literal["marks", "verdict"]
_FOLDER = Path(__file__).parent
_review = st.components.v2.component(
    "branchlight_review",
    html='<div class="review-host"></div>',
    css=(_FOLDER / "review.css").read_text("utf-8"),
    js=(_FOLDER / "review.js").read_text("utf-8"),
)


def review_panel(
    role: Role,
    *,
    run: str,
    node: str,
    lines: Sequence[Mapping[str, Any]],
    recorded: str | None,
    error: Mapping[str, str] | None,
    theme: str,
    key: str,
    on_said: Callable[[Mapping[str, Any]], None],
) -> None:
    """Show the marks of a node, or the form for a verdict on its run.

    Args:
        lines: what counts now about the node, or the verdicts on the run: the reviewer's own are shown as pressed.
        recorded: id of the line that was written last; it tells the browser that its draft is safe.
        error: id and message of what could not be written last; the draft stays.
        on_said: gets what the reviewer said, as the browser sent it, before the page runs again.
    """

    def said() -> None:
        value = (st.session_state.get(key) or {}).get("said")
        if isinstance(value, Mapping):
            on_said(value)

    data = {"role": role, "run": run, "node": node, "lines": list(lines), "recorded": recorded, "error": error, "theme": theme}
    _review(key=key, data=data, on_said_change=said)

"""How does text from a log reach the page unchanged? This is the only module through which it does.

Streamlit reads labels, captions and messages as Markdown, which loads images, follows links and eats characters. What stands here
does not: ``st.code``, ``st.text``, ``st.dataframe`` and components that set ``textContent``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import streamlit as st

from explorer import wording
from explorer.analysis.fact import Fact
from explorer.components.facts import facts

SCREEN_LIMIT = 200_000
"""Characters of one text on the page; the rest is one link away."""
EAGER_ROWS = 150_000
PAGE_ROWS = 1_000
Column = Any
"""A label, or one of ``st.column_config``."""


def say(sentence: str) -> None:
    """A plain sentence that may quote ids from the address or a log."""
    st.text(sentence)


def note(words: str) -> None:
    """A line in small print."""
    facts([Fact(text=words, tone="muted")], key=f"note {words}")


def not_recorded(what: str) -> None:
    """Say that the log does not hold ``what``."""
    st.text(f"{what}: {wording.NOT_RECORDED}")


def heading(words: str) -> None:
    """A small heading inside a pane."""
    st.text(words)


def show_raw(text: str | None, *, what: str, chars: int | None = None, raw_address: str | None = None) -> None:
    """The text as logged, monospaced and with a copy button, cut at 200,000 characters with a link to all of it.

    ``chars`` is the length of the whole text where ``text`` is only its beginning.
    """
    if text is None:
        not_recorded(what)
        return
    shown = text[:SCREEN_LIMIT]
    tall = len(shown) > 2_400 or shown.count("\n") > 24
    # st.code drops one line break at either end, so one is added for it to drop
    st.code(f"\n{shown}\n", language=None, wrap_lines=True, height=420 if tall else "content")
    if len(text) > len(shown):
        whole = f"{chars:,}" if chars is not None else "more"
        st.text(f"{len(shown):,} of {whole} characters are shown.")
    if tall and raw_address:
        st.link_button("Open the raw text", raw_address, type="tertiary")


def show_folded(text: str | None, *, what: str, chars: int | None, raw_address: str | None, folded: bool) -> None:
    """A response as it is, or a prompt folded away until the reader unfolds it."""
    if text is None:
        not_recorded(what)
    elif not folded:
        show_raw(text, what=what, chars=chars, raw_address=raw_address)
    else:
        with st.expander("Prompt", type="compact"):
            show_raw(text, what=what, chars=chars, raw_address=raw_address)


def show_table(
    table: pa.Table,
    *,
    key: str,
    columns: Mapping[str, Column] | None = None,
    height: int | None = None,
    missing: str = wording.NOT_RECORDED,
    on_row: Callable[[int], None] | None = None,
) -> None:
    """The table, text as text; above 150,000 rows page by page. ``on_row`` gets the row that the reader selects."""
    start = 0
    if table.num_rows > EAGER_ROWS:
        pages = -(-table.num_rows // PAGE_ROWS)
        start = (int(st.number_input("Page", 1, pages, key=f"{key}_page")) - 1) * PAGE_ROWS
        st.text(f"Rows {start + 1:,} to {min(start + PAGE_ROWS, table.num_rows):,} of {table.num_rows:,}.")
        table = table.slice(start, PAGE_ROWS)
    options: dict[str, Any] = {
        "hide_index": True,
        "column_config": _configured(table, columns or {}),
        "placeholder": missing,
        "lazy": False,
        "height": height or "auto",
    }
    if on_row is None:
        st.dataframe(table, key=key, **options)
        return

    def selected() -> None:
        rows = st.session_state[key]["selection"]["rows"]
        if rows:
            on_row(start + rows[0])

    st.dataframe(table, key=key, on_select=selected, selection_mode="single-row", **options)


def clicked_row(key: str) -> int | None:
    """The row whose button in the column ``key`` was clicked just now."""
    click = st.session_state.get(key)
    return None if click is None else int(click["row"])


def height_of(rows: int, most: int = 18) -> int:
    """Pixels for a table that shows all its rows, up to ``most``."""
    return 34 + 31 * min(max(rows, 1), most)


def badge_line(badges: Sequence[Fact], *, key: str, on_pick: Callable[[str], None] | None = None) -> None:
    """One line of chips; ``on_pick`` gets the ``pick`` of the chip that was clicked."""
    facts(badges, key=key, on_pick=on_pick)


def link_list(links: Sequence[Fact], *, key: str, on_pick: Callable[[str], None]) -> None:
    """Chips under each other, for instance the hits of a search."""
    facts(links, key=key, kind="list", on_pick=on_pick)


def number_cards(cards: Sequence[Fact], *, key: str) -> None:
    """A row of cards: label, value, small print."""
    facts(cards, key=key, kind="cards")


def _configured(table: pa.Table, columns: Mapping[str, Column]) -> dict[str, Column]:
    """Every text column is a plain text column, whatever its content looks like."""
    made: dict[str, Column] = {}
    for field in table.schema:
        wanted = columns.get(field.name, field.name.replace("_", " "))
        is_text = pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
        made[field.name] = _text_column(wanted) if is_text and isinstance(wanted, str) else wanted
    return made


_text_column: Callable[[str], Column] = st.column_config.TextColumn

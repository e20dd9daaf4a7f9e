"""How does a test open a page? Through the router, on a store of its own, and what the page then holds, element by element."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import explorer
from ingest.pipeline import ingest

APP = Path(explorer.__file__).with_name("app.py")
VIEWS = ("runs", "investigate", "statistics", "suite", "what_if", "budget", "verdicts", "data")
PICTURES = ("tree", "path", "ladder", "map", "table")
TEXT_ELEMENTS = frozenset({"text", "code", "dataframe", "arrow_data_frame", "bidi_component", "plotly_chart", "text_input"})
"""Elements that show text as text. (What a plotly chart gets is escaped, and checked where it is made.)"""


def store_of_lines(folder: Path, *lines: dict[str, Any]) -> Path:
    """A store that holds one native log with these lines."""
    log = folder / "log.jsonl"
    log.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8")
    ingest(folder / "store", [str(log)])
    return folder / "store"


def open_page(monkeypatch: pytest.MonkeyPatch, store: Path, page_name: str, **address: str) -> AppTest:
    """The page behind an address, in a new session."""
    monkeypatch.setenv("BRANCHLIGHT_STORE", str(store))
    page = AppTest.from_file(str(APP), default_timeout=60)
    if page_name != "runs":
        page.switch_page(f"views/{page_name}.py")
    for name, value in address.items():
        page.query_params[name] = value
    return page.run()


def texts(page: AppTest) -> list[str]:
    """What stands on the page as plain text or code."""
    return [element.value for element in (*page.text, *page.code)]


def component_data(page: AppTest, name: str) -> list[Any]:
    """The data of every component of one kind on the page."""
    mounts = [element.proto for element in page.get("bidi_component")]
    return [json.loads(mount.json) for mount in mounts if mount.component_name == f"branchlight_{name}" and mount.json]


def shown_words(page: AppTest) -> str:
    """All text and code on the page, and everything that components draw as text."""
    drawn = [json.dumps(data, ensure_ascii=False) for kind in ("facts", "ladder") for data in component_data(page, kind)]
    return "\n".join([*texts(page), *drawn])


def markup(page: AppTest) -> Iterator[tuple[str, str]]:
    """Type and content of every element that could read its text as Markdown or HTML."""
    for element in page.main:
        if element.type not in TEXT_ELEMENTS:
            yield element.type, str(element.proto)

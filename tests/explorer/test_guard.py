"""Only requests of the viewer's own pages pass."""

from __future__ import annotations

import pytest

from explorer.guard import is_own


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("127.0.0.1:8501", None),
        ("localhost:8501", None),
        ("[::1]:8501", None),
        ("localhost:9000", "http://localhost:9000"),
        ("LOCALHOST:9000", "http://localhost:9000"),
    ],
)
def test_this_machine_and_its_own_pages_pass(host: str, origin: str | None) -> None:
    assert is_own(host, origin)


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        (None, None),
        ("", None),
        ("evil.example", None),
        ("127.0.0.1.evil.example:8501", None),
        ("evil.example@127.0.0.1.x", None),
        ("[::1", None),
        ("127.0.0.1:8501", "null"),
        ("127.0.0.1:8501", "http://evil.example"),
        ("127.0.0.1:8501", "http://127.0.0.1:3000"),
        ("127.0.0.1:8501", "http://localhost:8501"),
        ("127.0.0.1:8501", "file://127.0.0.1:8501"),
    ],
)
def test_everything_else_is_refused(host: str | None, origin: str | None) -> None:
    assert not is_own(host, origin)

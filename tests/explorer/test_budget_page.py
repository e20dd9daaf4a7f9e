"""The page Budget: the address holds every choice, the figures follow it, and each chart has its table beneath."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ingest.schema import Call
from tests.explorer.pages import component_data, open_page, texts
from tests.stores import store_of, tree

BEAM = """
    root fate=expanded
      a score=0.9 fate=expanded
        a1 score=0.8 fate=terminal verified=true
      b score=0.1 fate=pruned
"""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    def asked(run: str) -> tuple[Call, ...]:
        nodes = (("root", "proposer"), ("a", "evaluator"), ("b", "evaluator"), ("a", "proposer"), ("a1", "evaluator"))
        return tuple(Call(run_id=run, call_id=f"{node}/{role}", node_id=node, role=role) for node, role in nodes)

    settings: dict[str, Any] = {"task_id": "t", "selected_path": ("root", "a", "a1"), "budget_max_calls": 9, "protocol": '{"x": 1}'}
    right = tree(BEAM, run_id="right", outcome="right", stop_reason="goal", calls=asked("right"), **settings)
    cut = tree(BEAM, run_id="cut", outcome="wrong", stop_reason="call_budget", complete=False, **settings | {"protocol": '{"x": 2}'})
    store_of(tmp_path, right, cut)
    return tmp_path


def chips(page: Any) -> list[str]:
    return [fact["text"] for data in component_data(page, "facts") for fact in data["facts"]]


def test_the_recorded_call_budget_gives_the_verdict(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    page = open_page(monkeypatch, store, "budget")
    assert [error.value for error in page.exception] == []
    assert "affordable: 9 calls pay for 3 levels, 2 are needed" in chips(page)  # 5 calls over 2 levels: 2.5 each


def test_the_address_chooses_calls_percentile_margin_answers_and_currency(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    page = open_page(monkeypatch, store, "budget", calls="4", margin="3", answers="kept", spend="nodes")
    assert "not affordable with branching search: 4 calls pay for 1 level, 2 are needed" in chips(page)
    assert [field.value for field in page.number_input] == [95, 3, 4]
    assert "covers 95% of 2 right answers that were kept" in [fact["hint"] for data in component_data(page, "facts") for fact in data["facts"]]


def test_what_the_address_cannot_mean_counts_as_absent(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    page = open_page(monkeypatch, store, "budget", calls="-4", percentile="1000", spend="rubles", answers="all")
    assert [error.value for error in page.exception] == []
    assert [field.value for field in page.number_input] == [95, 1, None]


def test_a_typed_budget_goes_into_the_address(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    page = open_page(monkeypatch, store, "budget")
    page.number_input(key="number_calls").set_value(4).run()
    assert page.query_params["calls"] in ("4", ["4"])
    assert "not affordable with branching search: 4 calls pay for 1 level, 2 are needed" in chips(page)


def test_a_protocol_narrows_all_but_the_comparison_of_protocols(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    whole = open_page(monkeypatch, store, "budget")
    name = next(text for text in chips(whole) if text.endswith(" · 1 run")).split(" · ")[0]
    page = open_page(monkeypatch, store, "budget", protocol=name)
    assert "The curve rests on 2 of 2 runs." in texts(whole) and "The curve rests on 1 of 1 run." in texts(page)


def test_the_chosen_run_has_its_curve_and_its_cap(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    page = open_page(monkeypatch, store, "budget", run="cut")
    assert {"cut", "✗ wrong", "cap fired: calls", "cut off: best so far"} <= set(chips(page))
    assert "The best answer so far was rebuilt: finished before unfinished, then by score, then the earlier one." in texts(page)


def test_without_a_run_the_page_says_so_and_a_run_that_is_gone_is_named(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    assert "No run is chosen yet." in texts(open_page(monkeypatch, store, "budget"))
    assert "This store holds no run named “gone”." in texts(open_page(monkeypatch, store, "budget", run="gone"))


@pytest.mark.parametrize("view", ["budget", "suite"])
def test_every_chart_has_a_table_beneath_it(monkeypatch: pytest.MonkeyPatch, store: Path, view: str) -> None:
    page = open_page(monkeypatch, store, view, run="cut")
    folded = [expander.label for expander in page.expander if expander.label.startswith("As a table")]
    assert len(folded) >= len(page.get("plotly_chart")) > 0

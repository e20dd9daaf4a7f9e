"""The page What-if: the address says what is asked, the record is checked first, and every difference is one click from its node."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from explorer.replay.caps import Caps
from tests.explorer.pages import component_data, open_page, shown_words, texts
from tests.explorer.replay.recordings import recorded


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("what_if")
    recorded(folder, [("one", "beam", 0, Caps(), 1), ("two", "beam", 1, Caps(), 1), ("deep", "depth_first", 1, Caps(), 1)])
    return folder / "store"


def cards(page: AppTest) -> dict[str, tuple[str, str]]:
    """Label, value and small print of the cards."""
    facts = [fact for data in component_data(page, "facts") if data["kind"] == "cards" for fact in data["facts"]]
    return {fact["label"]: (fact["text"], fact.get("hint", "")) for fact in facts}


def test_without_changes_all_runs_come_to_what_is_recorded(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    page = open_page(monkeypatch, store, "what_if")
    assert [error.value for error in page.exception] == []
    assert "3 runs replayed exactly by their own policy" in shown_words(page)
    assert "Under this policy every run selects the same path as recorded, within what the record holds." in texts(page)
    assert "1 run takes no beam width and is left out here." in texts(page)


def test_the_address_asks_for_a_policy(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    page = open_page(monkeypatch, store, "what_if", threshold="0.5", max_calls="12")
    assert [error.value for error in page.exception] == []
    assert (page.number_input(key="number_max_calls").value, page.text_input(key="word_threshold").value) == (12, "0.5")
    assert (page.selectbox(key="word_select").value, page.text_input(key="word_tie_break").value) == ("as the runs recorded", "")


def test_a_field_writes_the_address_and_the_button_clears_it(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    page = open_page(monkeypatch, store, "what_if", over="run", run="one")
    page.number_input(key="number_beam_width").set_value(1).run()
    page.selectbox(key="word_select").set_value("majority").run()
    assert {name: page.query_params[name] for name in ("beam_width", "select")} == {"beam_width": "1", "select": "majority"}
    page.button(key="what_if_reset").click().run()
    assert "beam_width" not in page.query_params
    assert page.number_input(key="number_beam_width").value is None


def test_what_the_address_gets_wrong_is_said_and_left_as_recorded(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    page = open_page(monkeypatch, store, "what_if", beam_width="0", sweep="nothing")
    assert "beam-width: '0' was given, a whole number from 1 up is expected" in texts(page)
    assert any(text.startswith("sweep: 'nothing' was given") for text in texts(page))
    assert [error.value for error in page.exception] == []


def test_one_run_shows_its_tree_and_its_differences(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    page = open_page(monkeypatch, store, "what_if", over="run", run="one", beam_width="1")
    assert [error.value for error in page.exception] == []
    assert "1 run replayed exactly by its own policy" in shown_words(page)
    assert component_data(page, "tree")
    table = next(frame.value for frame in page.dataframe if "why now" in frame.value.columns or "why_now" in frame.value.columns)
    assert set(table["recorded"]) == {"expanded", "pruned", "terminal"}
    assert set(table["now"]) <= {"expanded", "pruned", "terminal", "not made", "open"}


def test_a_run_that_cannot_be_asked_says_why(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    page = open_page(monkeypatch, store, "what_if", over="run", run="deep", beam_width="2")
    sentence = "No what-if can be asked: this run searched by depth_first: a beam width belongs to a search that goes level by level."
    assert sentence in texts(page)


def test_cards_stand_beside_the_record(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    found = cards(open_page(monkeypatch, store, "what_if", over="run", run="one"))
    assert found["proposer calls"] == (found["proposer calls"][1].removeprefix("recorded: "), found["proposer calls"][1])
    assert found["right answer kept"][0] in ("yes", "no", "perhaps")


def test_the_navigation_asks_about_the_run_that_was_looked_at(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    page = open_page(monkeypatch, store, "investigate", run="two")
    links = {link.proto.label: link.proto.query_string for link in page.get("page_link")}
    assert links["What-if"] == "run=two&over=run"


def test_an_address_without_a_choice_is_about_all_runs_so_that_back_leads_there(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    assert "3 runs replayed exactly by their own policy" in shown_words(open_page(monkeypatch, store, "what_if", run="two"))

"""The pages about verdicts: what stands on them on every sample, on nothing, with reviews, and while the answer is being computed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from explorer import reviews
from explorer.analysis.agreement_reading import CORNER
from explorer.judging import judge
from explorer.views.parts import background, reviewing
from explorer.views.parts.background import Job
from ingest.errors import TraceError
from ingest.pipeline import ingest
from ingest.store import Store
from tests.explorer.pages import component_data, markup, open_page, shown_words, store_of_lines, texts
from tests.hostile import HOSTILE

PROJECT = Path(__file__).parents[2]


def lines(run: str, outcome: str = "wrong", question: str = "which way?") -> list[dict[str, Any]]:
    """A beam of width 1 that kept ``left`` and cut ``right``."""
    node = {"record": "node", "run_id": run}
    return [
        {"record": "run", "run_id": run, "task_id": run, "question": question, "level_by_level": True},
        {**node, "node_id": "root", "parent_ids": [], "fate": "expanded", "step": "start"},
        {**node, "node_id": "kept", "parent_ids": ["root"], "fate": "terminal", "score": 0.9, "step": "left"},
        {**node, "node_id": "cut", "parent_ids": ["root"], "fate": "pruned", "score": 0.2, "step": "right", "prune_rule": "beam"},
        {"record": "run_end", "run_id": run, "outcome": outcome, "selected_path": ["root", "kept"]},
    ]


def say(store: Path, **said: Any) -> reviews.Review:
    return reviews.add(Store(store), {"run_id": "r", "node_id": "cut", "reviewer": "AB", **said})


def chips(page: AppTest) -> list[dict[str, Any]]:
    return [fact for data in component_data(page, "facts") for fact in data["facts"]]


def table(page: AppTest, column: str) -> list[dict[str, Any]]:
    """The rows of the first table that has the column."""
    return next(frame.value.to_dict("records") for frame in page.dataframe if column in frame.value.columns)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return store_of_lines(tmp_path, *lines("r"), *lines("fine", "right"))


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recorded samples of the Game of 24, asked about by the oracle."""
    store = tmp_path_factory.mktemp("judged") / "store"
    ingest(store, [str(PROJECT / "sample_traces" / "native" / "1")])
    judge(store, "game24")
    return store


def test_a_run_without_truth_says_what_is_missing_and_how_to_settle_it(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    page = open_page(monkeypatch, store, "investigate", run="r")
    expected = "Run r (which way?) is wrong. It cannot be told where the right path was lost"
    assert [text for text in texts(page) if text.startswith(expected)]
    missing = [fact["text"] for fact in chips(page) if fact["label"] == "missing"]
    assert missing == ["truth of a node: an oracle, a label, a known-good route or a reviewer's mark"]
    assert "What would settle it: mark a step as right or not right" in shown_words(page)
    assert [button.label for button in page.button if button.key == "settle"] == []


def test_a_mark_gives_the_verdict_the_decisive_node_and_the_viable_candidate(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    say(store, kind="mark", mark="right")
    page = open_page(monkeypatch, store, "investigate", run="r", node="cut", view="ladder")
    assert [text for text in texts(page) if "The right path was lost at depth 1 by evaluation" in text]
    assert [(fact["text"], fact["pick"]) for fact in chips(page) if fact["label"] == "open the decisive node"] == [("cut", "cut")]
    (ladder,) = component_data(page, "ladder")
    rows = [row for column in ladder["ladder"]["columns"] for row in column["rows"] if row["kind"] == "row"]
    assert {row["id"]: row["viable"] for row in rows} == {"kept": False, "cut": True}
    assert [fact["text"] for fact in chips(page) if fact["label"] == "marked by AB"] == ["✓ right step"]


def test_a_reviewers_verdict_stands_beside_the_computed_one(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    say(store, kind="verdict", verdict="control", confidence="sure", note="a\nnote", better="go right")
    page = open_page(monkeypatch, store, "investigate", run="r")
    assert [fact["text"] for fact in chips(page) if fact["label"] == "reviewer AB"] == ["control at cut (sure) — a note · better: go right"]
    assert [text for text in texts(page) if "It cannot be told" in text]


def test_a_right_run_has_lost_nothing(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    page = open_page(monkeypatch, store, "investigate", run="fine")
    assert [text for text in texts(page) if text.startswith("Run fine (which way?) is right, and nothing was lost")]


def test_why_so_unfolds_to_the_stages_and_the_evidence(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    say(store, kind="mark", mark="right")
    page = open_page(monkeypatch, store, "investigate", run="r")
    assert "evaluator's answers on cut, lost: not recorded" not in texts(page)
    page.session_state["verdict_why"] = True  # what a click on "Why so?" does
    page.run()
    assert "evaluator's answers on cut, lost: not recorded" in texts(page)
    assert [row["what"] for row in table(page, "what")] == ["lost", "worst kept", "cut"]
    assert [row["node_id"] for row in table(page, "what")][:2] == ["cut", "kept"]
    assert "✗ survived" in [fact["text"] for fact in chips(page)]


def test_the_button_asks_the_oracle_and_the_verdict_follows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ingest(tmp_path / "store", [str(PROJECT / "sample_traces" / "native" / "1" / "lost_by_evaluation.jsonl")])
    page = open_page(monkeypatch, tmp_path / "store", "investigate", run="game24-lost_by_evaluation")
    page.button(key="settle").click().run()
    assert [error.value for error in page.exception] == []
    assert [text for text in texts(page) if "by evaluation" in text and "oracle game24" in text]
    assert [button.label for button in page.button if button.key == "settle"] == []


def test_the_run_list_shows_verdict_mechanism_and_depth(monkeypatch: pytest.MonkeyPatch, judged: Path) -> None:
    rows = {row["run"]: (row["verdict"], row["mechanism"], row["lost_depth"]) for row in table(open_page(monkeypatch, judged, "runs"), "verdict")}
    assert rows["game24-lost_by_evaluation"] == ("evaluation", "underscored", "1")
    assert rows["game24-lost_by_tie"][:2] == ("control", "tie order")
    assert rows["game24-right_by_beam"] == ("nothing lost", "–", "–")


@pytest.mark.parametrize(
    ("address", "runs"),
    [
        ({"lost": "1.evaluation.underscored"}, ["game24-lost_by_evaluation"]),
        ({"lost": "1.control.tie_order"}, ["game24-lost_by_tie"]),
        ({"lost": "nonsense"}, []),
    ],
)
def test_the_address_filters_the_runs_as_a_click_on_the_bar_does(
    monkeypatch: pytest.MonkeyPatch, judged: Path, address: dict[str, str], runs: list[str]
) -> None:
    page = open_page(monkeypatch, judged, "runs", **address)
    assert [error.value for error in page.exception] == []
    assert [row["run"] for frame in page.dataframe for row in frame.value.to_dict("records")] == runs
    assert [fact["pick"] for fact in chips(page) if fact["label"] == "only runs"] == [address["lost"]]


def test_the_bars_carry_the_name_of_their_part(monkeypatch: pytest.MonkeyPatch, judged: Path) -> None:
    (chart,) = open_page(monkeypatch, judged, "runs").get("plotly_chart")
    assert "1.evaluation.underscored" in chart.proto.spec


def test_without_any_truth_one_line_says_what_would_settle_it(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    page = open_page(monkeypatch, store, "runs")
    assert page.get("plotly_chart") == []
    assert "of no wrong run is it known which nodes are right" in shown_words(page)


def test_the_suite_counts_labelled_runs_only_and_says_so(monkeypatch: pytest.MonkeyPatch, judged: Path) -> None:
    page = open_page(monkeypatch, judged, "suite")
    found = chips(page)
    assert "labelled runs only: truth and all stages known" in [fact["text"] for fact in found]
    assert "labelled candidates only" in [fact["text"] for fact in found]
    cards = {fact["label"]: fact["hint"] for data in component_data(page, "facts") if data["kind"] == "cards" for fact in data["facts"]}
    assert list(cards) == ["oracle-generated success", "selected success", "search gap", "pruning regret", "allocation regret"]
    assert all(" of " in hint and "95 %" in hint for hint in cards.values())
    assert len(page.get("plotly_chart")) >= 3
    assert {"viable_lost", "tied_lost", "rule"} <= set(table(page, "viable_lost")[0])


def test_the_suite_of_runs_without_truth_counts_nothing_and_invents_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = open_page(monkeypatch, store_of_lines(tmp_path, *lines("r", "unknown")), "suite")
    assert [error.value for error in page.exception] == []
    cards = [fact for data in component_data(page, "facts") if data["kind"] == "cards" for fact in data["facts"]]
    assert {(card["text"], card["hint"]) for card in cards} == {("undefined", "0 of 0 runs")}
    assert "No scored candidate has a known truth, so the evaluator cannot be judged. Labelled candidates only." in texts(page)


def test_the_page_of_verdicts_shows_kappa_matrix_disagreement_and_exports(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    say(store, kind="mark", mark="right")
    say(store, kind="verdict", verdict="evaluation")
    say(store, kind="verdict", verdict="control", reviewer="CD")
    page = open_page(monkeypatch, store, "verdicts")
    pairs = [(row["one"], row["other"], row["agreed"]) for row in table(page, "kappa")]
    assert pairs == [("computed", "AB", 1), ("computed", "CD", 0), ("AB", "CD", 0)]
    assert [list(row.values()) for row in table(page, CORNER)] == [["evaluation", 0, 1, 1, 0, 0]]
    assert [row["verdicts"] for row in table(page, "verdicts")] == ["computed: evaluation; AB: evaluation; CD: control"]
    assert [(row["reviewer"], row["said"]) for row in table(page, "reviewer")] == [("CD", "control"), ("AB", "evaluation"), ("AB", "right step")]
    assert [button.proto.label for button in page.get("download_button")] == ["Export as CSV", "Export as JSON", "Export as Parquet"]


def test_a_torn_line_is_named_on_the_page_and_the_rest_is_shown(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    say(store, kind="mark", mark="right")
    path = reviews.file_of(store, "AB")
    with path.open("ab") as out:
        out.write(b'{"id": "x')
    page = open_page(monkeypatch, store, "verdicts")
    assert [text for text in texts(page) if f"{path}:2: this line is not a whole JSON object" in text]
    assert len(table(page, "reviewer")) == 1


def test_what_a_reviewer_typed_is_never_rendered(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    for number, text in enumerate(HOSTILE):
        say(store, kind="verdict", verdict="control", note=text, better=text, reviewer=f"{number} {text}"[:60])
        say(store, kind="note", note=text, reviewer=f"{number} {text}"[:60])
    for view, address in (("investigate", {"run": "r", "node": "cut"}), ("verdicts", {}), ("suite", {}), ("runs", {})):
        page = open_page(monkeypatch, store, view, **address)
        assert [error.value for error in page.exception] == []
        for kind, content in markup(page):
            assert not [text for text in HOSTILE if text[:20] in content], (view, kind)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"kind": "mark", "mark": "right", "node": "nowhere"}, "this run has no node named 'nowhere'"),
        ({"kind": "mark", "mark": "right", "node": 7}, "this run has no node named 7"),
        ({"kind": "mark", "mark": "great", "node": "cut"}, "'mark' is 'great'"),
        ({"kind": "verdict", "node": "cut"}, "a verdict that says nothing"),
    ],
)
def test_a_browser_may_not_say_just_anything(store: Path, said: dict[str, Any], message: str) -> None:
    with pytest.raises(TraceError) as raised:
        reviewing.record(Store(store), "r", {"reviewer": "AB", "id": "1", **said})
    assert message in raised.value.message
    assert reviews.read(store) == reviews.Reviews()


def test_a_verdict_rests_on_the_decisive_node_and_on_what_its_reviewer_marked(store: Path) -> None:
    say(store, kind="mark", mark="not_right", node_id="kept")
    say(store, kind="mark", mark="right", node_id="root", reviewer="CD")
    said = {"id": "1", "kind": "verdict", "verdict": "control", "node": "cut", "reviewer": "AB", "run_id": "other"}
    line = reviewing.record(Store(store), "r", said)
    assert (line.evidence, line.run_id, line.id) == (("cut", "kept"), "r", "1")


def test_a_page_that_waits_for_an_answer_shows_the_rest_and_says_so(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    monkeypatch.setattr(background, "WAIT_S", 0)
    monkeypatch.setattr(Job, "result", lambda self, wait_s: None)
    page = open_page(monkeypatch, store, "runs")
    assert [error.value for error in page.exception] == []
    assert "Computing the verdicts on all runs; the page is usable meanwhile." in texts(page)
    assert [row["run"] for row in table(page, "run")] == ["r", "fine"]


def test_a_job_gives_all_or_nothing_and_passes_on_what_went_wrong() -> None:
    assert Job(iter("abc"), 3, lambda: True).result(5) == ["a", "b", "c"]
    assert Job(_slowly(), 2, lambda: True).result(0) is None
    with pytest.raises(ZeroDivisionError):
        Job((1 // n for n in (1, 0)), 2, lambda: True).result(5)


def test_a_job_that_nobody_wants_any_more_ends() -> None:
    job = Job(iter(range(10**9)), 10**9, lambda: False)
    _until(lambda: job.result(0) is not None)
    assert len(job.found) == 255


def _slowly() -> Iterator[int]:
    yield 1
    time.sleep(0.3)
    yield 2


def _until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)

"""Several policies over one recorded suite: the published Game of 24 log against what is known of it and a computation of our own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from explorer.figures.sweep import success_and_spend
from explorer.judging import judge
from explorer.replay import sweep_reading
from explorer.replay.record import Paid
from explorer.replay.sweep import Point, Swept, paid_by_all, swept, tries, with_differences
from ingest.pipeline import ingest
from ingest.schema import Call, Truth
from ingest.store import Store
from tests.logs import SHARED
from tests.stores import store_of, tree

TOT = SHARED / "real_traces" / "tot-bfs" / "game24_gpt-4_0.7_propose1_value3_greedy5.json"
WIDTHS = range(1, 9)
needs_logs = pytest.mark.skipif(not SHARED.exists(), reason="the folder 'shared' beside this repository is absent: no published log to replay")
KEYS = ["policy", "runs", "right_kept", "right_selected", "upper_right_kept", "upper_right_selected", "calls_by_role", "tokens", "cost",
        "runs_past_horizon"]  # fmt: skip


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp("published")
    ingest(folder, [str(TOT)])
    judge(folder, "game24")
    return Store(folder)


@pytest.fixture(scope="module")
def points(published: Store) -> Swept:
    return swept(tries(published, None, [{"beam_width": width} for width in WIDTHS]), len(WIDTHS))


# the same once more, from the JSON of the log and the rules of the game


class Ended(NamedTuple):
    kept: bool
    selected: bool
    calls: int
    asked_for_more: bool


def is_right(question: str, text: str) -> bool:
    line = text.strip().rsplit("\n", 1)[-1].lower()
    formula = line.replace("answer: ", "").split("=")[0]
    if "answer" not in line or sorted(re.findall(r"\d+", formula)) != sorted(question.split()):
        return False
    if not re.fullmatch(r"[\d\s()+*/-]+", formula):
        return False
    try:
        return bool(eval(re.sub(r"\d+", r"Fraction(\g<0>)", formula), {"Fraction": Fraction}) == 24)
    except (SyntaxError, ZeroDivisionError, TypeError):
        return False


def beam(task: dict[str, Any], width: int) -> Ended:
    """Texts alone: a candidate belongs to the state whose text it goes on from; a repeated one counts nothing beside its first copy."""
    frontier, calls, more = [""], 0, False
    for level in task["steps"]:
        value: dict[str, float] = {}
        for text, given in zip(level["new_ys"], level["values"], strict=True):
            value.setdefault(text, given)
        made: list[str] = []
        for state in frontier:
            calls += 1
            more = more or frontier.count(state) > level["ys"].count(state)  # a copy that was never asked for is not in the record either
            own = [text for text in level["new_ys"] if text.startswith(state)]
            copies = level["ys"].count(state)
            made += own[: len(own) // copies] if copies > 1 else own
        worth = [0 if text in made[:at] else value[text] for at, text in enumerate(made)]
        frontier = [made[at] for at in sorted(range(len(made)), key=lambda at: -worth[at])[:width]]
    answers = [is_right(task["steps"][0]["x"], text) for text in frontier]
    return Ended(any(answers), bool(answers and answers[0]), calls, more)


@needs_logs
def test_the_published_log_gives_the_known_figures_at_each_width(points: Swept) -> None:
    assert [point.right_kept for point in points.points[:5]] == [40, 51, 58, 65, 69]
    assert [point.right_selected for point in points.points[:5]] == [40, 47, 52, 58, 62]
    assert [point.paid.roles["proposer"] for point in points.points[:5]] == [393, 696, 1000, 1300, 1600]
    assert points.refused == {}


@needs_logs
def test_the_published_log_gives_what_its_texts_alone_give(points: Swept) -> None:
    tasks = json.loads(TOT.read_text("utf-8"))
    for width, point in zip(WIDTHS, points.points, strict=True):
        ends = [beam(task, width) for task in tasks]
        assert (point.right_kept, point.right_selected) == (sum(end.kept for end in ends), sum(end.selected for end in ends)), width
        assert point.paid.roles["proposer"] == sum(end.calls for end in ends), width
        assert point.runs_past_horizon == sum(end.asked_for_more for end in ends), width


@needs_logs
def test_wider_than_recorded_there_are_bounds(points: Swept) -> None:
    for point in points.points[5:]:
        assert point.runs_past_horizon == 100
        assert 69 <= point.right_kept < point.upper_right_kept <= 100
        assert 62 <= point.right_selected < point.upper_right_selected <= 100
    for point in points.points[:5]:  # what these widths asked for in vain cannot lead to 24, says the oracle
        assert (point.upper_right_kept, point.upper_right_selected) == (point.right_kept, point.right_selected)


@needs_logs
def test_the_recorded_point_is_the_recorded_policy_and_the_totals_of_the_log(points: Swept) -> None:
    document = points.document()
    assert list(document) == ["points", "recorded"]
    assert all(list(point) == KEYS for point in (*document["points"], document["recorded"]))
    own = document["recorded"]
    assert (own["policy"]["beam_width"], own["tokens"], own["cost"]) == (5, 1_935_795, 74.50962)
    known = {name: own[name] for name in KEYS if name not in ("tokens", "cost")}
    assert known == {name: document["points"][4][name] for name in known}


@needs_logs
def test_without_truth_nothing_is_known_beyond_what_the_log_checked(tmp_path: Path) -> None:
    ingest(tmp_path, [str(TOT)])
    (point,) = swept(tries(Store(tmp_path), None, [{"beam_width": 1}]), 1).points
    assert point.right_kept <= 40 <= point.upper_right_kept


# by hand


def suite() -> Iterator[Any]:
    """Two tasks, recorded with a beam of 2: in the first the right answer is the second best, in the second nothing is right."""
    protocol = json.dumps({"search": "beam", "beam_width": 2, "pruning": ["beam_width"], "termination": "exhaustion"})
    for run, is_good in (("a", True), ("b", False)):
        calls = tuple(
            Call(run_id=run, call_id=f"{node}{role}", node_id=node, role=role, input_tokens=10, output_tokens=1, cost=0.5)
            for node, role in (("0", "proposer"), ("0.0", "evaluator"), ("0.1", "evaluator"), ("0.2", "evaluator"), ("0.0", "proposer"))
        )
        drawing = """
            0       fate=expanded expanded_seq=0
              0.0   score=0.9 fate=expanded expanded_seq=1
              0.1   score=0.8 fate=terminal
              0.2   score=0.1 fate=pruned pruned_by=survived prune_rule=beam_width
        """
        truth = tuple(Truth(run_id=run, node_id=node, viable=viable, viable_by="oracle") for node, viable in (("0.1", is_good), ("0.2", False)))
        yield tree(drawing, run, calls=calls, truth=truth, protocol=protocol, selected_path=("0", "0.1"))


def test_a_suite_by_hand(tmp_path: Path) -> None:
    found = swept(tries(store_of(tmp_path, *suite()), None, [{"beam_width": width} for width in (1, 2, 3)]), 3)
    one, two, three = found.points
    assert (two.document(), found.recorded.document()["right_kept"]) == (found.recorded.document(), 1)
    assert (one.runs, one.right_kept, one.right_selected, one.runs_past_horizon) == (2, 0, 0, 0)
    assert one.paid.document() == {"calls_by_role": {"evaluator": 6, "proposer": 4}, "tokens": 110, "cost": 5.0}
    assert (three.right_kept, three.upper_right_kept, three.runs_past_horizon, three.paid.roles) == (1, 1, 2, {"evaluator": 6, "proposer": 6})


def test_no_runs_are_no_figures(tmp_path: Path) -> None:
    found = swept(tries(Store(tmp_path), None, [{}]), 1)
    assert found.recorded.document() == dict(zip(KEYS, [{}, 0, 0, 0, 0, 0, {}, None, None, 0], strict=True))
    assert success_and_spend([], [], found.recorded, "selected", "calls", "light").layout.annotations[0].text.startswith("No run could be asked")


def test_reasons_stand_once_with_the_runs_that_they_hold_for(tmp_path: Path) -> None:
    silent = [tree("0 fate=expanded\n  a score=1 fate=terminal", name) for name in ("x", "y")]
    found = swept(tries(store_of(tmp_path, *suite(), *silent), None, [{"beam_width": 1}]), 1)
    why = "does not record how it searched (search, beam width, tie-break), so no policy can be compared with its own"
    assert (found.refused, found.recorded.runs) == ({why: ["x", "y"]}, 2)


def test_the_differences_come_with_each_run(tmp_path: Path) -> None:
    ((one, nodes),) = with_differences(store_of(tmp_path, *suite()), ["a"], {"beam_width": 1})
    assert (one.run_id, [(node.node_id, node.now) for node in nodes]) == ("a", [("0.1", "pruned")])


# how it reads


def test_bounds_are_said_in_words(tmp_path: Path) -> None:
    point = Point({}, 100, 65, 58, 71, 58, Paid({"proposer": 1300}), 18)
    recorded = Point({}, 100, 69, 62, 69, 62, Paid({"proposer": 1600}), 0)
    assert sweep_reading.sentences(point, recorded) == [
        "A right answer is among those kept in 65 of 100 runs (recorded: 69); up to 71 if what is not known had gone well.",
        "The selected answer is right in 58 of 100 runs (recorded: 62).",
        "In 18 runs the policy asks for what was never asked: past that horizon the lower figure supposes that it brings nothing, the upper that "
        "it goes well, and spend is a lower bound.",
    ]


def test_a_point_that_another_one_beats_is_a_cross_and_an_open_end_is_never_beating() -> None:
    def point(right: int, upper: int, calls: int, past: int) -> Point:
        return Point({}, 10, right, right, upper, upper, Paid({"proposer": calls}), past)

    figure = success_and_spend(
        ["width 1", "width 2", "width 3", "width 4"], [point(5, 5, 10, 0), point(4, 4, 20, 0), point(5, 8, 30, 3), point(4, 4, 40, 0)],
        point(5, 5, 10, 0), "kept", "calls", "light",
    )  # fmt: skip
    drawn = {trace.name: (list(trace.x), list(trace.text)) for trace in figure.data if trace.name and trace.text}
    assert drawn == {
        "not dominated": ([1.0], ["1"]), "not dominated, past the horizon: spend at least": ([3.0], ["3"]), "dominated": ([2.0, 4.0], ["2", "4"]),
    }  # fmt: skip


def test_what_some_runs_did_not_record_is_not_summed_over_all_of_them() -> None:
    known, unknown, idle = Paid({"proposer": 2}, 30, 0.5), Paid({"proposer": 1}), Paid({})
    assert paid_by_all([known, idle]) == Paid({"proposer": 2}, 30, 0.5)
    assert paid_by_all([known, unknown]) == Paid({"proposer": 3}, None, None)

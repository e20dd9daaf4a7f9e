"""Oracles: exact about Game of 24, loaded by name, and harmless when they fail."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from explorer import oracles
from explorer.oracles import game24
from explorer.oracles.ask import ask
from ingest.errors import Problem, TraceError
from ingest.schema import Node, Run, Truth

RUN = Run(run_id="run", question="1 5 10 11")


def says(text: object, question: str | None = "1 5 10 11") -> bool | None:
    return game24.oracle(Run(run_id="run", question=question), Node(run_id="run", node_id="n", state=json.dumps(text)))


@pytest.mark.parametrize(
    ("lines", "viable"),
    [
        ("", True),
        ("10 / 5 = 2 (left: 1 2 11)", True),
        ("10 / 5 = 2 (left: 11 2 1)  (a good start)", True),
        ("10 / 5 = 2 (left: 1 2 11)\n11 + 1 = 12 (left: 2 12)\n12 * 2 = 24 (left: 24)\n", True),
        ("10 / 5 = 2 (left: 1 2 11)\n2 - 1 = 1 (left: 1 11)", False),
        ("1 / 5 = 0.2 (left: 0.2 10 11)", False),
        ("10 / 11 = 0.91 (left: 0.91 1 5)", False),
        ("11 - 10 = 2 (left: 1 2 5)", False),
        ("9 + 1 = 10 (left: 5 10 11)", False),
        ("10 / 5 = 2 (left: 1 2 10)", False),
        ("Here are some steps:", False),
        ("10 / 5 = 2 (left: 1 2 11)\nAnswer: (11 + 1) * (10 / 5) = 24", True),
        ("Answer: (11 + 1) * 2 = 24", False),
        ("Answer: 11 + 10 + 5 - 1 = 24", False),
        ("Answer: (11 + 1 = 24", False),
        ("Answer: __import__('os')", False),
    ],
)
def test_a_text_of_steps_is_checked_line_by_line(lines: str, viable: bool) -> None:
    assert says(lines) is viable


def test_only_exact_division_counts() -> None:
    assert says("8 / 3 = 2.667 (left: 2.667 3 8)", "3 3 8 8") is False
    assert says("8 / 3 = 8/3 (left: 8/3 3 8)", "3 3 8 8") is True


@pytest.mark.parametrize(
    ("state", "viable"),
    [
        ({"left": ["5", "6", "6"], "made": ["5", "6", "(10 - 4)"]}, True),
        ({"left": ["1", "4", "10"]}, False),
        ({"left": ["24"], "made": ["((10 - 4) * (10 - 6))"]}, None),
        ({"left": ["24"], "made": ["(6 * 5 - 10 + 4)"]}, True),
        ({"left": ["23"]}, False),
        ({"left": ["a"]}, None),
        ({"board": 1}, None),
        ([1], None),
    ],
)
def test_a_recorded_object_is_read_by_what_is_left(state: object, viable: bool | None) -> None:
    assert says(state, "4 5 6 10") is viable


def test_what_cannot_be_read_is_not_judged() -> None:
    assert says("10 / 5 = 2 (left: 1 2 11)", None) is None
    assert says("10 / 5 = 2 (left: 1 2 11)", "Write a story.") is None
    assert game24.oracle(RUN, Node(run_id="run", node_id="n", parent_ids=("r",), step="10 / 5 = 2 (left: 1 2 11)")) is None
    assert game24.oracle(RUN, Node(run_id="run", node_id="n", state="{torn")) is None


def test_a_root_without_a_state_is_the_question() -> None:
    assert game24.oracle(RUN, Node(run_id="run", node_id="r")) is True
    assert game24.oracle(Run(run_id="run", question="1 1 1 1"), Node(run_id="run", node_id="r")) is False


def test_the_search_is_exhaustive_and_exact() -> None:
    assert game24.reaches((Fraction(3), Fraction(3), Fraction(8), Fraction(8))), "8 / (3 - 8 / 3), which floats miss"
    assert not game24.reaches((Fraction(1), Fraction(1), Fraction(1), Fraction(1)))
    assert game24.value("8 / (3 - 8 / 3)") == (Fraction(24), Counter({Fraction(8): 2, Fraction(3): 2}))
    assert game24.value("1 / (2 - 2)") is None and game24.value("") is None and game24.value("(" * 500) is None


def test_an_oracle_is_suggested_where_its_questions_are() -> None:
    assert oracles.fitting("1 5 10 11") == ("game24",)
    assert oracles.fitting("Who wrote this?") == oracles.fitting(None) == ()


@pytest.mark.parametrize("name", ["game25", "json:", ":x", "no_such_module:oracle", "json:no_such_function", "json:__name__"])
def test_a_wrong_name_is_said_with_what_there_is(name: str) -> None:
    with pytest.raises(TraceError) as caught:
        oracles.load(name)
    assert "game24" in caught.value.hint


MINE = """
import os, time
print("this goes to stderr, not between the answers")
seen = []
def oracle(run, node):
    seen.append(node.node_id)
    step = node.step
    if step == "raise": raise ValueError("no such step")
    if step == "hang": time.sleep(60)
    if step == "die": os._exit(3)
    if step == "print": print("hello")
    return {"yes": True, "no": False, "print": True, "nonsense": 0.7, "none": None}[step]
def hangs(run, node):
    time.sleep(60)
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "my_task.py").write_text(MINE, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return "my_task:oracle"


def asked(name: str, *steps: str, limit_s: float = 10.0) -> list[str]:
    nodes = [Node(run_id="run", node_id=f"n{i}", step=step) for i, step in enumerate(steps)]
    found = []
    for said in ask(name, [(RUN, nodes)], limit_s):
        assert said.run_id == "run"
        found.append(f"{said.node_id} {said.viable}" if isinstance(said, Truth) else f"{said.node_id}: {said.message.split(': ', 1)[1]}")
    return found


def test_every_node_is_asked_once_in_order(mine: str) -> None:
    assert asked(mine, "yes", "no", "none", "print") == ["n0 True", "n1 False", "n3 True"]


def test_an_oracle_that_raises_or_returns_nonsense_is_named_at_the_node_and_the_rest_is_kept(mine: str) -> None:
    assert asked(mine, "yes", "raise", "nonsense", "no") == [
        "n0 True",
        "n1: it raised ValueError: no such step",
        "n2: it returned float 0.7, expected True, False or None",
        "n3 False",
    ]


def test_an_oracle_that_hangs_or_dies_is_started_again(mine: str) -> None:
    assert asked(mine, "yes", "hang", "die", "no", limit_s=1.0) == [
        "n0 True",
        "n1: it took longer than 1 s",
        "n2: its process ended without an answer",
        "n3 False",
    ]


def test_an_oracle_that_always_hangs_is_given_up_and_the_nodes_left_are_named(mine: str) -> None:
    nodes = [Node(run_id="run", node_id=f"n{i}") for i in range(20)]
    found = list(ask("my_task:hangs", [(RUN, nodes)], 0.05))
    assert all(isinstance(said, Problem) for said in found)
    assert str(found[-1]).startswith("run: the oracle 'my_task:hangs' hung or crashed 6 times; 14 nodes were not asked, from 'n6' on")


def test_asking_an_oracle_that_does_not_exist_says_so() -> None:
    with pytest.raises(TraceError, match="there is no oracle named 'game25'"):
        list(ask("game25", [(RUN, [Node(run_id="run", node_id="n")])]))

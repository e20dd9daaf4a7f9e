"""Do the programs that record the samples keep their promises: caps, moves, exact arithmetic, stated faults?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from explorer.replay.caps import Caps
from sample_traces.record import puzzle
from sample_traces.record.arithmetic import HIGHEST_LEFT, STATE_KEYS
from sample_traces.record.game24 import Sample, record
from sample_traces.record.plan import Plan
from sample_traces.record.players import Judge, Proposer, chance
from sample_traces.record.samples import BEAM, DEPTH_FIRST
from tests.test_samples import Log

USUAL = Sample("x", "4 5 6 10", BEAM, seed=9)


@pytest.mark.parametrize("plan", [BEAM, replace(DEPTH_FIRST, threshold=0.5)], ids=["beam", "depth_first"])
@pytest.mark.parametrize(
    ("caps", "reason"),
    [
        (Caps(max_calls=12), "call_budget"),
        (Caps(max_nodes=5), "max_nodes"),
        (Caps(max_depth=1), "max_depth"),
        (Caps(max_calls=0), "call_budget"),
        (Caps(wall_clock_s=0.0), "wall_clock"),
    ],
)
def test_a_cap_that_fires_is_named_is_never_exceeded_and_leaves_a_best_so_far(tmp_path: Path, plan: Plan, caps: Caps, reason: str) -> None:
    log = Log(record(replace(USUAL, plan=replace(plan, caps=caps)), tmp_path))
    assert (log.end["stop_reason"], log.end["complete"], log.end["outcome"]) == (reason, False, "wrong")
    assert len(log.calls) <= (len(log.calls) if caps.max_calls is None else caps.max_calls)
    assert len(log.nodes) <= (caps.max_nodes or len(log.nodes))
    assert log.end["depth_reached"] <= (caps.max_depth or 3)
    assert log.end["selected_path"][0] == "0"
    assert all("fate" in node for node in log.nodes.values())


def test_a_state_from_which_nothing_is_proposed_ends_the_search_without_an_answer(tmp_path: Path) -> None:
    log = Log(record(replace(USUAL, forgets=1.0), tmp_path))
    assert (log.end["stop_reason"], log.end["complete"], log.end["selected_path"]) == ("frontier_exhausted", True, ["0"])
    assert "answer" not in log.end


def test_the_protocol_holds_every_setting_that_applies_and_no_other() -> None:
    fields = replace(BEAM, caps=Caps(max_depth=3, max_cost=0.5)).run_fields(seed=9)
    assert fields["protocol"] == {
        "search": "beam", "pruning": ("constraint", "beam_width"), "beam_width": 3, "termination": "goal", "tie_break": "order", "dedup": "state_key",
        "state_key": "numbers left, by size", "joins": False, "prefer": "better_evidence", "select": "best", "evaluates": "all",
        "most_calls": {"expansion": 1, "evaluation": 2, "check": 1}, "at_once": 1, "seed": 9,
    }  # fmt: skip
    assert {name: value for name, value in fields.items() if name.startswith("budget") and value is not None} == {
        "budget_max_depth": 3, "budget_max_cost": 0.5,
    }  # fmt: skip


def test_a_proposer_that_is_asked_for_fewer_says_so_in_the_log(tmp_path: Path) -> None:
    log = Log(record(replace(USUAL, plan=replace(BEAM, width=2)), tmp_path))
    assert {call["asked_for"] for call in log.calls if call["role"] == "proposer"} == {2}
    assert all(len(log.children(node_id)) <= 2 for node_id in log.nodes)


def test_the_unsound_key_takes_states_for_equal_that_are_not() -> None:
    key, states = STATE_KEYS[HIGHEST_LEFT], (puzzle.start("5 6 6"), puzzle.start("4 5 6"))
    assert key(states[0]) == key(states[1]) == "3 numbers up to 6"
    assert [puzzle.solvable(state) for state in states] == [True, False]


def test_a_label_in_capitals_is_read_as_impossible() -> None:
    judge, state = Judge(seed=1, errs=0.0, fails=0.0, shouts=1.0), puzzle.start("4 6")
    response = judge.ask(state, 0).response or ""
    assert (response.splitlines()[-1], judge.parse(response)) == ("SURE", "impossible")


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [("24", True), ("23", False), ("4 6", True), ("3 8 1", True), ("3 3 8 8", True), ("1 1 1 1", False), ("0 0 24", True)],
)
def test_exact_arithmetic_tells_what_can_reach_24(numbers: str, expected: bool) -> None:
    assert puzzle.solvable(puzzle.start(numbers)) is expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [("(8 / (3 - (8 / 3)))", True), ("8 * 3", False), ("(8 * 3) + (8 - 3)", False), ("((8 + 8) + 3) + 3", False)],
)
def test_an_answer_is_right_only_with_exactly_the_numbers_of_the_question(expression: str, expected: bool) -> None:
    assert puzzle.is_right("3 3 8 8", expression) is expected


def test_a_step_can_be_read_back_and_one_that_is_no_move_is_refused() -> None:
    state = puzzle.start("10 4 4")
    assert [number.expression for number in puzzle.after(state, "10 - 4 = 6 (left: 4 6)")] == ["4", "(10 - 4)"]
    assert puzzle.state_key(puzzle.after(state, "4 * 4 = 16 (left: 10 16)")) == "10 16"
    with pytest.raises(ValueError, match="is no move from 4 4 10"):
        puzzle.after(state, "10 - 5 = 5 (left: 4 5)")
    with pytest.raises(ValueError, match="the result is 6"):
        puzzle.after(state, "10 - 4 = 7 (left: 4 7)")


def test_the_proposer_lists_every_move_once_when_it_forgets_nothing_and_none_when_it_forgets_all() -> None:
    state = puzzle.start("4 4 10")
    assert Proposer(1, 1.0, 99).ask(state).response == ""
    steps = Proposer.parse(Proposer(1, 0.0, 99).ask(state).response or "")
    whole = {"4 + 4 = 8", "4 - 4 = 0", "4 * 4 = 16", "4 / 4 = 1", "10 + 4 = 14", "10 - 4 = 6", "10 * 4 = 40"}
    assert {step.partition(" (")[0] for step in steps} == whole
    assert len(steps) == len(whole)


def test_chance_depends_on_its_arguments_alone_and_is_spread_evenly() -> None:
    drawn = [chance(7, "a", str(number)) for number in range(2000)]
    assert chance(7, "a", "0") == drawn[0]
    assert all(0 <= value < 1 for value in drawn)
    assert 0.45 < sum(drawn) / len(drawn) < 0.55


def test_a_judge_that_never_errs_and_never_fails_says_the_truth_once_two_numbers_are_left() -> None:
    judge = Judge(seed=1, errs=0.0, fails=0.0)
    answers = {numbers: judge.ask(puzzle.start(numbers), 0).response or "" for numbers in ("4 6", "4 7", "3 8", "1 24")}
    assert {numbers: judge.parse(text) for numbers, text in answers.items()} == {
        "4 6": "sure", "4 7": "impossible", "3 8": "sure", "1 24": "sure",
    }  # fmt: skip


def test_the_judge_errs_and_fails_at_its_stated_rates() -> None:
    states = [puzzle.start(f"{one} {other}") for one in range(1, 60) for other in range(1, 60)]
    errs, fails = Judge(seed=3, errs=0.15, fails=0.0), Judge(seed=3, errs=0.0, fails=0.05)
    wrong = sum((errs.parse(errs.ask(state, 0).response or "") == "sure") != puzzle.solvable(state) for state in states)
    failed = sum(fails.ask(state, 0).error is not None for state in states)
    assert 0.12 < wrong / len(states) < 0.18
    assert 0.03 < failed / len(states) < 0.07

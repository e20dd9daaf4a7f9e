"""When is a search settled?"""

from __future__ import annotations

import math

import pytest

from explorer.replay import methods
from explorer.replay.endings import Exhaustion, Goal, Settled
from explorer.replay.loop import search
from explorer.replay.node import Frontier, Proposal, SearchNode, Tree
from ingest.errors import TraceError
from ingest.schema import StopReason
from tests.explorer.replay.worlds import Drawn, judged


def tree(*finished: SearchNode, waiting: SearchNode | None = None, turns: int = 0) -> Tree:
    frontier = Frontier()
    if waiting is not None:
        frontier.add(waiting)
    return Tree(nodes=[judged("0", None), *finished], finished=list(finished), frontier=frontier, turns=turns)


def test_the_goal_is_an_answer_that_passed_its_check() -> None:
    assert Goal().should_stop(tree()) is None
    assert Goal().should_stop(tree(judged("a", 1.0, verified=False), judged("b", 1.0))) is None
    assert Goal().should_stop(tree(judged("a", 0.1, verified=True), judged("b", 0.9))) is StopReason.GOAL


def test_exhaustion_never_stops_a_search() -> None:
    assert Exhaustion().should_stop(tree(judged("a", 1.0, verified=True))) is None


def test_a_lead_settles_the_search_once_it_is_wide_and_old_enough() -> None:
    settled, answer = Settled(margin=0.25, turns=2), judged("a", 0.75)
    assert settled.should_stop(tree()) is None
    assert settled.should_stop(tree(answer, waiting=judged("b", 0.5), turns=1)) is None
    assert settled.should_stop(tree(answer, waiting=judged("b", 0.6), turns=2)) is None
    assert settled.should_stop(tree(answer, waiting=judged("b", 0.5), turns=2)) is StopReason.POLICY_STOP
    assert settled.should_stop(tree(answer, turns=2)) is StopReason.POLICY_STOP
    assert settled.should_stop(tree(judged("a", None), turns=2)) is None


def test_a_passed_check_settles_it_at_once() -> None:
    assert Settled(margin=9.0, turns=9).should_stop(tree(judged("a", 0.1, verified=True))) is StopReason.GOAL


def test_an_answer_that_passed_among_others_of_the_same_turn_stops_the_search() -> None:
    world = Drawn({"root": "a b c"}, {"a": 0.9, "b": 0.5, "c": 0.1}, answers="a b! c")
    assert search(Proposal(None, "root"), methods.best_first(world, world)).stop_reason is StopReason.GOAL


def test_an_answer_that_passed_stops_the_search_however_many_did_not_before() -> None:
    world = Drawn({"root": "a b", "b": "c d"}, answers="a c!")
    result = search(Proposal(None, "root"), methods.best_first(world, world))
    assert (result.stop_reason, world.asked) == (StopReason.GOAL, ["root", "b"])


def test_a_lead_that_is_no_number_or_less_than_no_decisions_is_refused() -> None:
    with pytest.raises(TraceError, match="a lead of nan over 1 decisions was asked for"):
        Settled(math.nan, 1)
    with pytest.raises(TraceError, match=r"a lead of 0\.5 over -1 decisions was asked for"):
        Settled(0.5, -1)

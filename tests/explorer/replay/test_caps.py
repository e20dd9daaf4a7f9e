"""Does the meter count what is spent and set aside, and name the first cap that forbids the next call?"""

from __future__ import annotations

import math

import pytest

from explorer.replay.caps import Caps, Meter
from explorer.replay.node import UNKNOWN_CALL, Spend
from ingest.errors import TraceError
from ingest.schema import StopReason
from tests.explorer.replay.worlds import Clock, noon

FREE = Spend(1, 0, 0.0)


@pytest.mark.parametrize("cap", ["max_depth", "max_calls", "max_tokens", "max_cost", "wall_clock_s"])
@pytest.mark.parametrize("limit", [-1, math.nan])
def test_a_cap_that_is_negative_or_no_number_is_refused_by_name(cap: str, limit: float) -> None:
    with pytest.raises(TraceError, match=f"the cap {cap} is {limit}, expected 0 or more"):
        Caps(**{cap: limit})  # type: ignore[arg-type]  # nan is no int


@pytest.mark.parametrize("limit", [0, -1, math.nan])
def test_the_cap_on_nodes_has_room_for_the_root(limit: float) -> None:
    with pytest.raises(TraceError, match=f"the cap max_nodes is {limit}, expected 1, for the root, or more"):
        Caps(max_nodes=limit)  # type: ignore[arg-type]  # nan is no int


def test_without_caps_everything_may_be_asked() -> None:
    meter = Meter(Caps(), noon)
    assert meter.reserve(UNKNOWN_CALL, more_to_come=True) is None
    assert meter.nodes_left == math.inf


def test_what_is_set_aside_counts_until_the_answer_says_what_it_cost() -> None:
    meter = Meter(Caps(max_tokens=10), noon)
    most = Spend(1, 6, 0.0)
    assert meter.reserve(most, more_to_come=False) is None
    assert meter.reserve(most, more_to_come=True) is StopReason.TOKEN_BUDGET
    meter.settle(most, Spend(1, 3, 0.0))
    assert meter.reserve(most, more_to_come=False) is None
    assert meter.spent == Spend(1, 3, 0.0)


def test_a_call_that_recorded_nothing_counts_as_the_most_it_could_cost_and_is_not_known_in_the_sum() -> None:
    meter = Meter(Caps(max_tokens=10), noon)
    meter.reserve(Spend(1, 6, 0.0), more_to_come=False)
    meter.settle(Spend(1, 6, 0.0), Spend(1, None, None))
    assert meter.reserve(Spend(1, 5, 0.0), more_to_come=False) is StopReason.TOKEN_BUDGET
    assert meter.spent == Spend(1, None, None)


def test_a_call_of_unknown_cost_is_asked_alone_and_only_while_the_cap_is_not_reached() -> None:
    meter = Meter(Caps(max_cost=0.5), noon)
    assert meter.reserve(UNKNOWN_CALL, more_to_come=True) is StopReason.COST_BUDGET
    assert meter.reserve(UNKNOWN_CALL, more_to_come=False) is None
    meter.settle(UNKNOWN_CALL, Spend(1, 9, 0.5))
    assert meter.reserve(UNKNOWN_CALL, more_to_come=False) is StopReason.COST_BUDGET


def test_three_calls_of_a_tenth_fit_a_cap_of_three_tenths() -> None:
    meter = Meter(Caps(max_cost=0.3), noon)
    tenth = Spend(1, 0, 0.1)
    found = []
    for _ in range(4):
        found.append(meter.reserve(tenth, more_to_come=False))
        if found[-1] is None:
            meter.settle(tenth, tenth)
    assert found == [None, None, None, StopReason.COST_BUDGET]


@pytest.mark.parametrize(
    ("caps", "reason"),
    [
        (Caps(max_calls=0, max_tokens=0, wall_clock_s=0), StopReason.WALL_CLOCK),
        (Caps(max_calls=0, max_tokens=0, max_cost=0), StopReason.CALL_BUDGET),
        (Caps(max_tokens=0, max_cost=0), StopReason.TOKEN_BUDGET),
        (Caps(max_cost=0), StopReason.COST_BUDGET),
    ],
)
def test_of_several_caps_that_forbid_a_call_one_is_named(caps: Caps, reason: StopReason) -> None:
    assert Meter(caps, noon).reserve(Spend(1, 5, 0.5), more_to_come=False) is reason


def test_a_free_call_passes_a_cap_of_nothing() -> None:
    assert Meter(Caps(max_tokens=0, max_cost=0), noon).reserve(FREE, more_to_come=False) is None


def test_the_time_counts_from_the_beginning() -> None:
    clock = Clock()
    meter = Meter(Caps(wall_clock_s=2), clock)
    clock.now = clock.now.replace(second=1)
    assert (meter.elapsed_s, meter.reserve(FREE, more_to_come=False)) == (1.0, None)
    clock.now = clock.now.replace(second=2)
    assert meter.reserve(FREE, more_to_come=False) is StopReason.WALL_CLOCK

"""What would a search answer if it were stopped now?"""

from __future__ import annotations

import pytest

from explorer.replay.best_so_far import BestSoFar, worth
from explorer.replay.caps import Caps, Meter
from explorer.replay.node import Spend
from tests.explorer.replay.worlds import Clock, judged

ROOT = judged("0", None)
SHALLOW = judged("0.0", 0.9, ROOT)
DEEP = judged("0.0.0", 0.1, SHALLOW)


def test_answers_go_before_partial_ones_checked_before_others_deeper_before_shallower_and_then_the_score_decides() -> None:
    blocked_deep = judged("0.0.1", 0.9, SHALLOW, violations=1)
    answers = [judged(f"0.{n}", score, ROOT, terminal=True, violations=blocked) for n, score, blocked in ((1, 0.9, 1), (2, 0.1, 0), (3, 0.6, 0))]
    answers.insert(1, judged("0.0.3", 0.05, SHALLOW, terminal=True))  # its depth does not count: it is finished
    passed = judged("0.4", 0.0, ROOT, terminal=True, verified=True)
    ascending = [blocked_deep, ROOT, SHALLOW, DEEP, judged("0.0.2", 0.2, SHALLOW), *answers, passed]
    assert sorted([*answers, passed, *ascending[:5]], key=worth) == ascending


def test_each_change_is_noted_with_its_time_and_the_calls_until_then() -> None:
    clock = Clock()
    meter = Meter(Caps(), clock)
    best = BestSoFar(meter)
    best.note([ROOT])
    clock.now = clock.now.replace(second=3)
    meter.settle(Spend(2, 0, 0.0), Spend(2, 7, 0.0))
    best.note([SHALLOW, ROOT, SHALLOW])
    assert best.node is SHALLOW
    assert best.entries == [
        {"at_s": 0.0, "node_id": "0", "score": None, "calls": 0}, {"at_s": 3.0, "node_id": "0.0", "score": 0.9, "calls": 2},
    ]  # fmt: skip


def test_before_there_is_a_root_there_is_no_answer() -> None:
    with pytest.raises(LookupError, match="the search has no root yet"):
        _ = BestSoFar(Meter(Caps(), Clock())).node

"""Are tokens that an outer span repeats counted once, wherever they stand?"""

from __future__ import annotations

from datetime import UTC, datetime

from ingest.readers import spans
from ingest.readers.spans import Usage


def test_without_usage_nothing_is_a_roll_up() -> None:
    assert spans.roll_ups({}, {}) == {}
    assert spans.roll_ups({"a": None}, {"a": Usage()}) == {}
    assert spans.roll_ups({"a": None}, {"a": Usage(3, 1)}) == {}


def test_a_span_above_others_that_report_usage_is_a_roll_up_through_spans_that_report_none() -> None:
    parents = {"agent": None, "step": "agent", "one": "step", "two": "step"}
    usage = {"agent": Usage(30, 3), "step": Usage(), "one": Usage(10, 1), "two": Usage(20, 2)}
    assert spans.roll_ups(parents, usage) == {"agent": "claims 30/3 tokens in/out, the calls below it add up to 30/3"}


def test_of_roll_ups_inside_of_each_other_only_the_innermost_calls_count() -> None:
    parents = {"a": None, "b": "a", "c": "b"}
    found = spans.roll_ups(parents, {"a": Usage(9, 9), "b": Usage(6, 6), "c": Usage(5, 1)})
    assert found == {
        "a": "claims 9/9 tokens in/out, the calls below it add up to 5/1: 4/8 are in no logged call",
        "b": "claims 6/6 tokens in/out, the calls below it add up to 5/1: 1/5 are in no logged call",
    }


def test_parents_that_go_round_or_are_missing_do_not_matter() -> None:
    usage = {"a": Usage(1, 1), "b": Usage(1, 1), "c": Usage(1, 1)}
    assert list(spans.roll_ups({"a": "b", "b": "a", "c": "lost"}, usage)) == ["a", "b"]


def test_spans_stand_in_the_order_of_their_starts_where_all_have_one() -> None:
    times = [datetime(2026, 1, day, tzinfo=UTC) for day in (3, 1, 2)]
    assert spans.order(times) == {1: 0, 2: 1, 0: 2}
    assert spans.order([*times, None]) == {0: 0, 1: 1, 2: 2, 3: 3}
    assert spans.order([]) == {}

"""Is a run without an end running or dead?"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from explorer.analysis import liveness
from explorer.analysis.liveness import RUNNING_S

NOW = datetime(2026, 11, 30, 14, 0, tzinfo=UTC)


def ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


def test_a_log_that_was_written_to_recently_is_of_a_running_run() -> None:
    assert [liveness.word(ago(seconds), NOW) for seconds in (-5, 0, RUNNING_S, RUNNING_S + 1)] == [
        "running", "running", "running", "dead since 2026-11-30 13:57 UTC",
    ]  # fmt: skip


def test_where_nobody_knows_when_it_was_written_it_may_be_either() -> None:
    assert liveness.word(None, NOW) == liveness.badge(None, NOW).text == "still running or died"


def test_the_chip_says_when_the_log_was_last_written_to() -> None:
    chip = liveness.badge(ago(3_600), NOW)
    assert (chip.text, chip.tone) == ("dead since 2026-11-30 13:00 UTC", "orange")
    assert chip.hint == "The log has no end record for this run. It was last written to at 2026-11-30 13:00:00+00:00."
    assert liveness.badge(ago(3), NOW).tone == "blue"


def test_runs_without_an_end_are_counted_by_what_became_of_them() -> None:
    said = [*liveness.words({"a": ago(1), "b": ago(2), "c": ago(999)}, NOW).values(), liveness.UNTOLD]
    assert [fact.text for fact in liveness.counted(said)] == ["2 running", "1 dead without an end", "1 still running or died"]
    assert liveness.counted([]) == []

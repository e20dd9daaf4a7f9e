"""A value that was not recorded is never written as a number, and a small one never as zero."""

from __future__ import annotations

import pytest

from explorer import wording


@pytest.mark.parametrize("write", [wording.cost, wording.tokens, wording.seconds, wording.share, wording.number, wording.count])
def test_what_was_not_recorded_says_so(write) -> None:  # type: ignore[no-untyped-def]  # six functions of different parameters
    assert wording.NOT_RECORDED in write(None)
    assert not any(character.isdigit() for character in write(None))


@pytest.mark.parametrize(
    ("dollars", "text"), [(0, "$0"), (0.0000004, "$4.0e-07"), (0.000096, "$0.000096"), (0.0052, "$0.0052"), (1234.5, "$1,234.50")]
)
def test_a_paid_call_never_reads_as_free(dollars: float, text: str) -> None:
    assert wording.cost(dollars) == text


@pytest.mark.parametrize(("s", "text"), [(0.31, "0.31 s"), (31, "31 s"), (119, "119 s"), (125, "2 min 5 s"), (7500, "2 h 5 min")])
def test_times_are_written_in_the_unit_that_reads_best(s: float, text: str) -> None:
    assert wording.seconds(s) == text


def test_a_noun_follows_its_number() -> None:
    assert [wording.count(n, "retry", "retries") for n in (0, 1, 1200)] == ["0 retries", "1 retry", "1,200 retries"]


@pytest.mark.parametrize(("share", "text"), [(0, "0%"), (1, "100%"), (0.5, "50%"), (0.001, "0.1%"), (0.999, "99.9%")])
def test_a_share_that_is_not_all_never_reads_as_all(share: float, text: str) -> None:
    assert wording.share(share) == text


def test_a_cap_is_named_as_one_and_an_unknown_reason_stays_as_logged() -> None:
    assert [wording.stopped_by(reason) for reason in ("max_depth", "goal", "gave_up", None)] == [
        "cap fired: max depth",
        "goal reached",
        "gave_up",
        "stop reason not recorded",
    ]

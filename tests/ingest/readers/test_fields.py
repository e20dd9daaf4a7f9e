"""Do the conversions that readers share let through what fits and nothing else?"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from ingest.readers import fields


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-01-02T03:04:05Z", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2026-01-02T03:04:05.250-04:00", datetime(2026, 1, 2, 3, 4, 5, 250_000, tzinfo=timezone(timedelta(hours=-4)))),
        ("2026-01-02T03:04:05", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("yesterday", None),
        ("", None),
        (None, None),
        (1.5, None),
    ],
)
def test_a_moment_is_an_iso_time_and_utc_where_it_names_no_zone(value: object, expected: datetime | None) -> None:
    assert fields.moment(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"), [(0, datetime(1970, 1, 1, tzinfo=UTC)), (1e300, None), ("0", None), (True, None), (float("nan"), None)]
)
def test_an_instant_is_seconds_since_1970(value: object, expected: datetime | None) -> None:
    assert fields.instant(value) == expected

"""Are the records of a text log found between its time stamps, and nothing in front of them lost?"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from ingest.readers import stamped
from ingest.readers.stamped import Record
from ingest.source import Source


def records(folder: Path, data: bytes) -> list[Record]:
    path = folder / "a.log"
    path.write_bytes(data)
    return list(stamped.records(Source(path)))


def test_a_record_runs_to_the_next_stamp_with_or_without_the_name_of_a_logger(tmp_path: Path) -> None:
    log = b"2026-01-02 03:04:05,678 - INFO - one\ntwo\n\n2026-01-02 03:04:06,000 - a.b - ERROR - three\r\n"
    assert records(tmp_path, log) == [Record(1, "2026-01-02 03:04:05,678", "one\ntwo\n"), Record(4, "2026-01-02 03:04:06,000", "three")]


def test_text_before_the_first_stamp_is_a_record_without_a_time(tmp_path: Path) -> None:
    first, second = records(tmp_path, b"Traceback\n2026-01-02 03:04:05,678 - INFO - one\n")
    assert (first, first.time) == (Record(1, "", "Traceback"), None)
    assert second.time == datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC)


def test_a_stamp_inside_of_a_line_begins_nothing_and_bytes_that_are_no_text_stay_visible(tmp_path: Path) -> None:
    (record,) = records(tmp_path, b"2026-01-02 03:04:05,678 - INFO - see 2026-01-02 03:04:05,678 - INFO - \xff\n")
    assert record.message == "see 2026-01-02 03:04:05,678 - INFO - \ufffd"


def test_an_empty_log_has_no_records_and_a_date_that_is_none_has_no_time(tmp_path: Path) -> None:
    assert records(tmp_path, b"") == []
    assert [record.time for record in records(tmp_path, b"2026-13-45 03:04:05,678 - INFO - one\n")] == [None]


def test_a_message_is_read_behind_its_first_words() -> None:
    record = Record(1, "", "VALUES: 0.5")
    assert (record.after("VALUES:"), record.after("RESULTS:")) == ("0.5", None)


def test_only_a_log_that_begins_with_a_record_looks_like_one() -> None:
    heads = ["2026-01-02 03:04:05,678 - INFO - one", "\n2026-01-02 03:04:05,678 - root - INFO - one", "2026-01-02 one", ""]
    assert [stamped.begins_with_a_stamp(head) for head in heads] == [True, True, False, False]

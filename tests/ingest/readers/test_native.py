"""Which words does our own log have, and what do a run's own lines say together?"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ingest.readers import native
from ingest.readers.native import ALIASES, JSON_FIELDS, TEXT_FIELDS, run_from_lines, sniff
from ingest.record_line import clean_fields
from ingest.schema import Call, Node, Outcome, Run
from ingest.source import Source


@pytest.mark.parametrize(
    ("text", "claimed"),
    [
        ('{"record": "run", "run_id": "r"}\n', True),
        ('{"run_id": "r", "node_id": 0}\n', True),
        ('{"run_id": null, "task_id": null}\n', True),
        ('half a line {"a"\n\n{"run_id": "r", "node_id": "a"}\n', True),
        ('\ufeff{"run_id": "r", "node_id": "a"}', True),
        ('{"run_id": "r", "span_id": "s"}\n', False),
        ('{"node_id": "a"}\n', False),
        ('[{"run_id": "r", "node_id": "a"}]', False),
        ('{\n "run_id": "r",\n "node_id": "a"\n}\n', False),
        ("x\n" * 50 + '{"run_id": "r", "node_id": "a"}\n', False),
        ("", False),
    ],
)  # fmt: skip
def test_a_log_is_ours_when_its_first_object_has_a_run_and_one_of_our_words(tmp_path: Path, text: str, claimed: bool) -> None:
    (tmp_path / "log").write_text(text, "utf-8")
    assert sniff(Source(tmp_path / "log")) is claimed


def test_the_two_kinds_of_fields_do_not_overlap_and_every_alias_leads_to_one() -> None:
    assert TEXT_FIELDS & JSON_FIELDS == set()
    assert set(ALIASES.values()) <= TEXT_FIELDS | JSON_FIELDS
    assert set(ALIASES) & (TEXT_FIELDS | JSON_FIELDS) == set()


@pytest.mark.parametrize("record", [Node, Call])
def test_every_field_that_the_recorder_writes_is_a_field_that_the_reader_knows(record: type[Node | Call]) -> None:
    values: tuple[Any, ...] = ("x", 1, 0.5, True, ["x"], datetime(2026, 3, 1, tzinfo=UTC))
    for name in record.__dataclass_fields__.keys() - {"run_id", "extra"}:
        for value in (*values, *native.FATES.values(), "judge", "model", "proposer", "survived"):
            try:
                line = clean_fields(record, {name: value}, str)
            except (TypeError, ValueError):
                continue
            assert line.keys() <= TEXT_FIELDS | JSON_FIELDS
            break
        else:
            pytest.fail(f"no value fits {name}")


def test_no_line_of_its_own_leaves_everything_unrecorded() -> None:
    assert run_from_lines("r", []) == (Run(run_id="r"), [])


def test_later_lines_win_field_by_field_and_null_takes_nothing_away() -> None:
    lines: list[dict[str, Any]] = [
        {"record": "run", "task_id": "t", "question": "q", "outcome": "wrong"},
        {"record": "run", "task_id": None, "question": "better", "outcome": "right", "note": 1},
    ]
    run, wrong = run_from_lines("r", lines)
    assert (run, wrong) == (Run(run_id="r", task_id="t", question="better", outcome=Outcome.RIGHT, ended=False, extra='{"note": 1}'), [])


def test_a_run_that_only_began_has_not_ended_and_one_with_an_end_has() -> None:
    begun: dict[str, Any] = {"record": "run"}
    end: dict[str, Any] = {"record": "run_end", "stop_reason": "goal"}
    told = [run_from_lines("r", lines)[0].ended for lines in ([begun], [begun, end], [end], [{"stop_reason": "goal"}], list[dict[str, Any]]())]
    assert told == [
        False, True, True, True, None,
    ]  # fmt: skip


def test_a_budget_may_be_an_object_and_a_cut_off_answer_may_be_called_partial() -> None:
    run, wrong = run_from_lines("r", [{"record": "run", "budget": {"max_depth": 3, "wall_clock_s": 60, "max_wishes": 3}, "answer_is_partial": True}])
    assert (run.budget_max_depth, run.budget_wall_clock_s, run.complete, wrong) == (3, 60.0, False, [])
    assert run.extra == '{"budget_max_wishes": 3}'


@pytest.mark.parametrize(
    ("field", "value", "stored", "said"),
    [
        ("outcome", "right", "right", None),
        ("outcome", "great", "unknown", 'outcome is "great", expected one of right, wrong, unknown'),
        ("outcome", {"is": 1}, "unknown", 'outcome is {"is": 1}, expected one of right, wrong, unknown'),
        ("budget_max_calls", 0, 0, None),
        ("budget_max_calls", 1.5, None, "budget_max_calls is 1.5, expected a whole number"),
        ("budget_max_calls", True, None, "budget_max_calls is true, expected a whole number"),
        ("reported_cost", 0, 0.0, None),
        ("reported_cost", "free", None, 'reported_cost is "free", expected a finite number'),
        ("complete", False, False, None),
        ("complete", "yes", None, 'complete is "yes", expected true or false'),
        ("task_id", 7, "7", None),
        ("answer", {"x": [1]}, '{"x": [1]}', None),
        ("selected_path", ["a", 0], ("a", "0"), None),
        ("selected_path", [], (), None),
        ("selected_path", "a", None, "selected_path is not a list of node ids"),
        ("selected_path", [["a"]], None, "selected_path is not a list of node ids"),
        ("protocol", {"b": 1, "a": None}, '{"a": null, "b": 1}', None),
        ("started_at", "2026-03-01T12:00:00+02:00", datetime(2026, 3, 1, 10, tzinfo=UTC), None),
        ("started_at", 0, datetime(1970, 1, 1, tzinfo=UTC), None),
        ("started_at", "2026-03-01T10:00:00", datetime(2026, 3, 1, 10, tzinfo=UTC), "started_at has no zone; it is read as UTC"),
        ("started_at", "soon", None, 'started_at is "soon", expected an ISO 8601 time'),
        ("started_at", 1e300, None, "started_at is 1e+300, expected an ISO 8601 time"),
        ("warnings", ["w", 1], ("w", "1"), None),
    ],
)  # fmt: skip
def test_a_value_fits_or_is_left_out_and_named(field: str, value: Any, stored: Any, said: str | None) -> None:
    run, wrong = run_from_lines("r", [{"record": "run", field: value}])
    assert (getattr(run, field), wrong) == (stored, [said] if said else [])


@pytest.mark.parametrize(
    "field", ["outcome", "stop_reason", "selected_path", "started_at", "budget_max_calls", "reported_cost", "complete", "budget", "warnings"]
)
def test_a_value_that_was_left_out_is_kept_under_extra(field: str) -> None:
    run, _ = run_from_lines("r", [{"record": "run", field: {"odd": "value"}}])
    assert "odd" in (run.extra or "")


def test_numbers_too_large_for_a_column_are_left_out_and_named() -> None:
    run, wrong = run_from_lines("r", [{"record": "run", "reported_calls": 10**30, "reported_cost": float("nan"), "budget_max_cost": float("inf")}])
    assert (run.reported_calls, run.reported_cost, run.budget_max_cost, len(wrong)) == (None, None, None, 3)
    assert run.extra == '{"budget_max_cost": "Infinity", "reported_calls": 1000000000000000000000000000000, "reported_cost": "NaN"}'


def test_nothing_that_a_run_line_says_is_dropped() -> None:
    line = {"record": "run", "algorithm": "beam", "note": {"deep": None}, "extra": ["odd"], "budget": 5, "answer_is_partial": "perhaps"}
    run, wrong = run_from_lines("r", [line])
    assert (run.extra, wrong) == ('{"algorithm": "beam", "answer_is_partial": "perhaps", "budget": 5, "extra": ["odd"], "note": {"deep": null}}', [])

"""Which values does a line of the native log take, how are they written, and what is refused?"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from ingest.recorder import Recorder
from tests.native_log import lines, sha256


def test_what_is_none_is_left_out_and_what_is_zero_is_written(tmp_path: Path) -> None:
    with Recorder(tmp_path / "log") as recorder:
        recorder.run("r").call(None, role="tool", prompt=None, response="", cost=0, input_tokens=None)
    assert lines(tmp_path / "log")[1] == {
        "record": "call", "run_id": "r", "call_id": "run:tool:0", "role": "tool", "cost": 0.0,
        "response_hash": sha256(""), "response": "",
    }  # fmt: skip


@pytest.mark.parametrize(("score", "raw"), [(float("nan"), "nan"), (float("inf"), "inf"), (float("-inf"), "-inf")])
def test_a_score_that_json_cannot_hold_is_null_with_its_text_beside_it(tmp_path: Path, score: float, raw: str) -> None:
    with Recorder(tmp_path / "log") as recorder:
        recorder.run("r").node("0", score=score, state={"best": score})
    assert lines(tmp_path / "log")[1] == {
        "record": "node", "run_id": "r", "node_id": "0", "score": None, "state": {"best": raw}, "score_raw": raw,
    }  # fmt: skip


def test_times_are_written_in_utc_with_their_offset(tmp_path: Path) -> None:
    with Recorder(tmp_path / "log") as recorder:
        recorder.run("r", started_at=datetime(2026, 1, 5, 14, tzinfo=timezone(timedelta(hours=2))))
    assert lines(tmp_path / "log")[0]["started_at"] == "2026-01-05T12:00:00.000000+00:00"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"score": "high"}, "score: a number was expected, found str"),
        ({"score": True}, "score: a number was expected, found bool"),
        ({"depth": 1.5}, "depth: a whole number was expected, found float"),
        ({"verified": 1}, "verified: True or False was expected, found int"),
        ({"step": 7}, "step: text was expected, found int"),
        ({"parent_ids": "0.1"}, "parent_ids: a list of texts was expected, found str"),
        ({"parent_ids": ["0", 1]}, "parent_ids[1]: text was expected, found int"),
        ({"state": {"seen": [{1, 2}]}}, "state.seen[0]: a value that JSON can hold was expected, found set"),
        ({"state": {(1, 2): 0}}, "state, a key: text was expected, found tuple"),
        (
            {"started_at": datetime(2026, 1, 5)},
            "started_at: a datetime with a time zone was expected, found a datetime without a time zone",
        ),
        ({"scoer": 1.0}, "a node has no field 'scoer'; give it in extra={'scoer': ...} to keep it"),
        (
            {"extra": {"score": 1.0}},
            "extra['score']: this name belongs to the format; give it as a field of its own or rename it",
        ),
    ],
)
def test_a_value_that_does_not_fit_names_its_field_and_writes_nothing(
    tmp_path: Path, fields: dict[str, Any], message: str
) -> None:
    with Recorder(tmp_path / "log") as recorder:
        run = recorder.run("r")
        before = (tmp_path / "log").read_bytes()
        with pytest.raises(TypeError) as error:
            run.node("0", **fields)
    assert str(error.value) == message
    assert (tmp_path / "log").read_bytes() == before


def test_a_value_that_holds_itself_is_a_type_error_too(tmp_path: Path) -> None:
    state: list[object] = []
    state.append(state)
    with Recorder(tmp_path / "log") as recorder, pytest.raises(TypeError, match=r"^state: nested too deeply, or inside itself"):
        recorder.run("r").node("0", state=state)


def test_a_word_outside_the_vocabulary_is_refused_with_the_words_that_there_are(tmp_path: Path) -> None:
    with (
        Recorder(tmp_path / "log") as recorder,
        pytest.raises(ValueError, match=r"^fate: 'cut' is none of expanded, pruned, terminal"),
    ):
        recorder.run("r").node("0", fate="cut")


def test_text_that_breaks_lines_or_is_no_unicode_stays_on_one_line_and_comes_back(tmp_path: Path) -> None:
    texts = ["two\nlines\r", "next\x85line", "sep\u2028par\u2029", "half \ud83d of a pair", "nul \x00", "größer ≥ 🌿"]
    with Recorder(tmp_path / "log") as recorder:
        run = recorder.run("r")
        for text in texts:
            run.node("0", step=text)
    assert [line["step"] for line in lines(tmp_path / "log")[1:]] == texts
    assert len((tmp_path / "log").read_text(encoding="utf-8").splitlines()) == 1 + len(texts)

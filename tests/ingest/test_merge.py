"""Do lines that speak of the same node or call become one record, however many there are?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ingest import merge
from tests.logs import contents, load, node, rows, write_log


def said(number: int, **fields: Any) -> dict[str, Any]:
    """A later line about one of the nodes."""
    return {"record": "node", "run_id": "r", "node_id": f"n{number}", **fields}


def test_of_many_lines_each_field_is_from_the_last_that_carries_it(tmp_path: Path) -> None:
    lines = [node("n0", step="first"), said(0, tier="judge"), said(0, seq=4), said(0, fate="open"), said(0, seq=4), said(0, fate="expanded"), said(0)]
    load(tmp_path / "store", write_log(tmp_path / "log", *lines))
    assert rows(tmp_path / "store", "select step, tier, seq, fate from nodes") == [("first", "judge", 4, "expanded")]
    assert rows(tmp_path / "store", "select * from problems") == []


@pytest.mark.parametrize("scores", [(1, 2, 2, 2, 2), (2, 2, 2, 2, 1), (1, 2, 1, 1, 1), (1, None, 1, 2, 1), (1, 2, 1, 2, 1)])
def test_a_contradiction_between_any_two_lines_is_named_at_every_line(tmp_path: Path, scores: tuple[int | None, ...]) -> None:
    lines = [node("n0"), *(said(0, score=score, tier="judge") for score in scores)]
    load(tmp_path / "store", write_log(tmp_path / "log", *lines))
    assert rows(tmp_path / "store", "select score from nodes") == [(scores[-1],)]
    message = "node n0 is recorded more than once with different score"
    assert rows(tmp_path / "store", "select line, message from problems order by 1") == [(line, message) for line in range(1, 7)]


def test_a_few_at_a_time_are_folded_as_all_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call = {"record": "call", "run_id": "r", "node_id": "n1"}
    lines: list[dict[str, Any]] = [node(f"n{number}", f"n{number - 1}" if number else None, prompt=f"p{number}") for number in range(7)]
    lines += [said(number, **{field: value}) for number in range(7) for field, value in (("score", number / 8), ("fate", "pruned"), ("seq", number))]
    lines += [said(3, score=0.75), *(call | {"call_id": f"c{number % 4}", "output_tokens": number % 2} for number in range(12))]
    log = write_log(tmp_path / "log", *lines)
    load(tmp_path / "at_once", log)
    monkeypatch.setattr(merge, "CHUNK", 2)
    load(tmp_path / "by_twos", log)
    assert contents(tmp_path / "by_twos") == contents(tmp_path / "at_once")
    assert rows(tmp_path / "by_twos", "select count(*), count(score), sum(seq) from nodes") == [(7, 7, 21)]

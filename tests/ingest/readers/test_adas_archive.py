"""Are ADAS archives read as designs without parents, scored by what the search saw and not by what it never saw?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.readers import adas_archive
from ingest.schema import Trace
from ingest.source import Source
from tests.foreign import SAMPLES, extra, one, said, split, withstands_every_change, write

SAMPLE = SAMPLES / "adas-archive" / "archive" / "riddles.json"


def sample() -> Trace:
    return one(adas_archive, Source(SAMPLE))


def test_a_design_is_a_root_with_its_position_as_id() -> None:
    assert [(node.node_id, node.parent_ids, node.step, node.fate) for node in sample().nodes] == [
        ("0", (), "Chain\nThink first.", None), ("1", (), "Vote\nAsk five times.", None), ("2", (), "Third\nUnfinished.", None),
    ]  # fmt: skip
    assert sample().nodes[0].state == '"def forward(self): ..."'


def test_the_score_is_the_median_of_the_validation_fitness_in_percent() -> None:
    assert [(node.score, node.score_source) for node in sample().nodes] == [(30.0, "verifier"), (55.5, "verifier"), (None, None)]
    assert sample().nodes[2].error == "the fitness holds no median"
    assert "scores are medians in percent" in sample().run.warnings


def test_what_the_search_never_saw_stands_apart_and_is_no_outcome() -> None:
    assert [extra(node).get("test_median") for node in sample().nodes] == [32.0, 22.0, None]
    assert sample().run.outcome == "unknown"


def test_a_median_outside_of_its_interval_is_named() -> None:
    assert "in 1 entries the median lies outside of the interval that stands beside it: they measure different things" in sample().run.warnings
    assert extra(sample().nodes[1])["interval"] == [40.0, 44.0]


def test_a_bad_entry_is_named_by_its_place(tmp_path: Path) -> None:
    assert said(adas_archive, write(tmp_path, [{"name": "a"}, 7])) == [("$[1]", "a number where an object was expected")]


@pytest.mark.parametrize("content", [[], "x", None, {}])
def test_a_document_of_another_shape_is_one_problem(tmp_path: Path, content: Any) -> None:
    ((problem,), traces) = split(adas_archive, write(tmp_path, content))
    assert (problem.rejected, traces) == (True, [])


def test_no_change_of_a_single_value_breaks_the_reader(tmp_path: Path) -> None:
    withstands_every_change(adas_archive, json.loads(SAMPLE.read_bytes()), tmp_path)

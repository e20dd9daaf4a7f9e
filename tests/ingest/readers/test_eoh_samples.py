"""Are EoH samples read as programs without parents, lower objectives as higher scores, with what lies beside them?"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from ingest.readers import eoh_samples
from ingest.schema import Trace
from ingest.source import Source
from tests.foreign import SAMPLES, extra, one, said, split, withstands_every_change, write

FOLDER = SAMPLES / "eoh-samples" / "tours"
SAMPLE = FOLDER / "samples_1~4.json"


def sample() -> Trace:
    return one(eoh_samples, Source(SAMPLE))


def test_a_program_is_a_root_under_its_number() -> None:
    assert [(node.node_id, node.parent_ids, node.action_kind, node.step) for node in sample().nodes] == [
        ("1", (), "i1", "Nearest first."),
        ("2", (), "i1", "Farthest first."),
        ("3", (), "e1", "Does not run."),
        ("4", (), "m1", "Nearest, then swap."),
    ]
    assert sample().run.run_id == "tours/samples_1~4"


def test_a_lower_objective_is_a_higher_score_and_none_is_no_score() -> None:
    assert [(node.score, node.score_raw) for node in sample().nodes] == [(-7.5, "7.5"), (-9.0, "9.0"), (None, None), (-6.25, "6.25")]
    assert "objective is minimised: the score is its negative" in sample().run.warnings


def test_the_last_population_says_who_survived() -> None:
    assert [(node.fate, node.pruned_by, node.prune_rule) for node in sample().nodes] == [
        ("open", None, None), ("pruned", "survived", "not in population_generation_1.json"), ("unscored", None, None), ("open", None, None),
    ]  # fmt: skip


def test_the_log_says_in_which_generation_a_program_was_made() -> None:
    assert [extra(node)["generation"] for node in sample().nodes] == [0, 0, 1, 1]
    assert extra(sample().nodes[2])["logged_objective"] == "None"


def test_samples_alone_have_no_fate_but_for_those_that_failed(tmp_path: Path) -> None:
    (tmp_path / "alone" / "deeper").mkdir(parents=True)
    path = shutil.copy(SAMPLE, tmp_path / "alone" / "deeper")
    assert [(node.fate, node.extra) for node in one(eoh_samples, Source(Path(path))).nodes] == [
        (None, None),
        (None, None),
        ("unscored", None),
        (None, None),
    ]


def test_folders_as_the_program_makes_them_are_found(tmp_path: Path) -> None:
    (tmp_path / "samples").mkdir()
    shutil.copytree(FOLDER / "pops", tmp_path / "pops")
    path = Path(shutil.copy(SAMPLE, tmp_path / "samples"))
    assert [node.fate for node in one(eoh_samples, Source(path)).nodes] == ["open", "pruned", "unscored", "open"]


@pytest.mark.parametrize(("name", "what"), [("run_log.txt", "a text log of EoH"), ("pops/population_generation_1.json", "a population of EoH")])
def test_a_population_or_a_log_is_claimed_and_is_no_run_of_its_own(name: str, what: str) -> None:
    source = Source(FOLDER / name)
    assert eoh_samples.sniff(source)
    ((problem,), found) = split(eoh_samples, source)
    assert (problem.kind, problem.rejected, found) == ("empty", False, [])
    assert problem.message.startswith(what)


def test_a_bad_program_is_named_by_its_place(tmp_path: Path) -> None:
    source = write(tmp_path, [{"sample_order": 1}, 7, {"sample_order": "two"}, {"sample_order": 1}])
    assert said(eoh_samples, source) == [
        ("$[1]", "a number where an object was expected"),
        ("$[2].sample_order", "a text where the number of a sample was expected"),
        ("$[3].sample_order", "sample 1 stands in this file before"),
    ]


@pytest.mark.parametrize("content", [[{"sample_order": None}], ["sample_order"]])
def test_a_list_without_a_program_is_no_run(tmp_path: Path, content: Any) -> None:
    problems, found = split(eoh_samples, write(tmp_path, content))
    assert (len(problems), found) == (1, [])


def test_no_change_of_a_single_value_breaks_the_reader(tmp_path: Path) -> None:
    withstands_every_change(eoh_samples, json.loads(SAMPLE.read_bytes()), tmp_path)

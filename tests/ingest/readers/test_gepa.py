"""Are GEPA's candidates nodes below all of their parents, with scores from a result and with rejected proposals from a run folder?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.discover import discover
from ingest.readers import gepa
from ingest.schema import Trace
from ingest.source import Source
from tests.broken_json import broken
from tests.foreign import SAMPLES, extra, one, said, split, storable, withstands_every_change, write

RESULT = SAMPLES / "gepa" / "result" / "two_prompts.json"
FOLDER = SAMPLES / "gepa" / "run_folder"


def result() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(RESULT.read_bytes())
    return document


def folder(path: Path, **changed: Any) -> Source:
    """The sample's run folder with other contents."""
    for name in ("candidates", "run_log"):
        content = changed.get(name, json.loads((FOLDER / f"{name}.json").read_bytes()))
        (path / f"{name}.json").write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return Source(path)


def sample() -> Trace:
    return one(gepa, Source(RESULT))


def test_a_merge_has_both_parents_and_the_scores_are_those_of_the_validation_set() -> None:
    assert [(node.node_id, node.parent_ids, node.seq, node.score and round(node.score, 3), node.fate) for node in sample().nodes] == [
        ("0", (), 0, 0.333, "expanded"), ("1", ("0",), 1, 0.667, "expanded"), ("2", ("0",), 2, 0.333, "expanded"),
        ("3", ("1", "2"), 3, 1.0, "open"), ("4", ("0",), 4, 0.0, None),
    ]  # fmt: skip


def test_what_was_scored_on_each_instance_and_who_is_best_there_stands_with_the_node() -> None:
    assert extra(sample().nodes[1]) == {"val_subscores": {"0": 1.0, "1": 1.0, "2": 0.0}, "discovery_eval_counts": 9, "best_on": ["0", "1"]}
    assert json.loads(sample().nodes[1].state or "") == {"solve": "Answer step by step.", "check": "Is it right?"}


def test_the_selected_path_leads_to_the_best_candidate_along_first_parents() -> None:
    assert sample().run.selected_path == ("0", "1", "3")
    assert extra(sample().run)["total_metric_calls"] == 36
    assert sample().run.reported_calls is None


def test_scores_of_instances_were_lists_in_earlier_versions(tmp_path: Path) -> None:
    document = result() | {"val_subscores": [[1.0, 0.0, 0.0]] * 5, "per_val_instance_best_candidates": [[0, 1, 3], [1, 3], [2, 3]]}
    del document["validation_schema_version"], document["run_dir"]
    trace = one(gepa, write(tmp_path, document | {"log_dir": "logs"}))
    assert (extra(trace.nodes[1])["val_subscores"], extra(trace.nodes[1])["best_on"]) == ([1.0, 0.0, 0.0], [0, 1])
    assert extra(trace.run)["log_dir"] == "logs"


def test_a_candidate_without_a_finite_score_has_none_and_says_so(tmp_path: Path) -> None:
    document = result()
    document["val_aggregate_scores"][4] = float("-inf")
    node = one(gepa, write(tmp_path, document)).nodes[4]
    assert (node.score, node.score_raw, node.error) == (None, '"-Infinity"', "the logged score is not a finite number")


def test_a_list_that_does_not_fit_the_candidates_is_named_and_kept(tmp_path: Path) -> None:
    document = result() | {"discovery_eval_counts": [0, 9], "val_subscores": {"x": 1}}
    trace = one(gepa, write(tmp_path, document))
    assert trace.run.warnings[1:] == (
        "val_subscores is not a list of one entry for each of 5 candidates",
        "discovery_eval_counts is not a list of one entry for each of 5 candidates",
    )
    assert extra(trace.run)["val_subscores"] == {"x": 1}


def test_a_candidate_whose_parents_cannot_be_read_is_no_seed(tmp_path: Path) -> None:
    document = result() | {"parents": [[None], ["0"], [True], [1, 2]]}
    document["candidates"][3] = "text"
    source = write(tmp_path, document)
    assert said(gepa, source) == [
        ("$.parents[1][0]", "a text where the position of a candidate was expected"),
        ("$.parents[2][0]", "true or false where the position of a candidate was expected"),
        ("$.candidates[3]", "a text where a candidate was expected"),
        ("$.parents[4]", "null where a list was expected"),
    ]
    assert [node.node_id for node in split(gepa, source)[1][0].nodes] == ["0"]


def test_long_candidates_hide_the_other_keys_from_the_head_and_answers_of_a_model_have_candidates_too(tmp_path: Path) -> None:
    document = result()
    document["candidates"][0]["solve"] = "x" * 100_000
    assert gepa.sniff(write(tmp_path, document))
    assert not gepa.sniff(write(tmp_path, {"candidates": [{"content": {"parts": ["x" * 100_000]}}], "usageMetadata": {}}))


def test_a_run_folder_is_one_log_and_tells_what_was_rejected() -> None:
    assert [item.path for item in discover([str(FOLDER)]) if isinstance(item, Source)] == [FOLDER]
    trace = one(gepa, Source(FOLDER))
    assert [(node.node_id, node.parent_ids, node.fate, node.prune_reason) for node in trace.nodes] == [
        ("0", (), "expanded", None), ("1", ("0",), "expanded", None),
        ("i1", ("0",), "pruned", "its minibatch scores sum to 1, those of its parent to 2"),
        ("2", ("0",), "expanded", None), ("3", ("1", "2"), None, None),
    ]  # fmt: skip
    assert {node.score for node in trace.nodes} == {None}
    assert [entry["i"] for entry in extra(trace.run)["iterations_without_a_proposal"]] == [4]


def test_a_merge_that_was_rejected_lies_below_both(tmp_path: Path) -> None:
    log = json.loads((FOLDER / "run_log.json").read_bytes())
    merge = {key: value for key, value in log[3].items() if not key.startswith("new_program_i")} | {"new_program_subsample_scores": [0.0, 0.0, 0.0]}
    trace = one(gepa, folder(tmp_path, run_log=[*log[:3], merge]))
    assert [(node.parent_ids, node.prune_reason) for node in trace.nodes if node.node_id == "i3"] == [
        (("1", "2"), "the merge's minibatch scores sum to 0, those of its parents to 2 and 1"),
    ]  # fmt: skip
    assert "parents of candidates 3 are not recorded: no iteration names them, or it tried several parents at once" in trace.run.warnings


def test_several_proposals_of_one_iteration_are_told_apart_as_far_as_the_log_does(tmp_path: Path) -> None:
    tasks = [{"parent_idx": parent, "subsample_scores": [1.0], "new_subsample_scores": [0.0]} for parent in (0, 1)]
    log = [{"i": 0, "tasks": tasks, "new_program_indices": [1]}, {"i": 1, "tasks": tasks}]
    trace = one(gepa, folder(tmp_path, run_log=log, candidates=[{"p": "a"}, {"p": "b"}]))
    assert [(node.node_id, node.parent_ids) for node in trace.nodes] == [("0", ()), ("1", ()), ("i1.0", ("0",)), ("i1.1", ("1",))]
    assert trace.run.warnings[1:] == (
        "parents of candidates 1 are not recorded: no iteration names them, or it tried several parents at once",
        "1 rejected proposals have no node: others of their iteration were accepted, and which is which is not recorded",
    )


def test_an_iteration_that_stands_twice_or_a_file_that_was_cut_is_named(tmp_path: Path) -> None:
    log = json.loads((FOLDER / "run_log.json").read_bytes())
    source = folder(tmp_path, run_log=[*log, log[1], log[2], 7], candidates="[{")
    assert said(gepa, source) == [
        ("/candidates.json:1", "not JSON: Expecting property name enclosed in double quotes at column 3"),
        ("/run_log.json: $[5].i", "iteration 1 stands in this log before"),
        ("/run_log.json: $[6]", "candidate 2 was added by an iteration before"),
        ("/run_log.json: $[7]", "a number where an object was expected"),
    ]
    assert [node.node_id for node in split(gepa, source)[1][0].nodes] == ["1", "i1", "2", "3"]


@pytest.mark.parametrize("content", ["x", None, {}, 3, {"candidates": []}])
def test_a_document_of_another_shape_is_one_problem(tmp_path: Path, content: Any) -> None:
    ((problem,), traces) = split(gepa, write(tmp_path, content))
    assert (problem.rejected, traces) == (True, [])


def test_no_change_of_a_single_value_breaks_the_reader(tmp_path: Path) -> None:
    withstands_every_change(gepa, result(), tmp_path)
    for name in ("candidates", "run_log"):
        for changed in broken(json.loads((FOLDER / f"{name}.json").read_bytes())):
            problems, (trace,) = split(gepa, folder(tmp_path, **{name: changed}))
            assert all(problem.rejected for problem in problems)
            storable(trace)

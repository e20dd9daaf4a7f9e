"""Is a folder of program files read as one search: checkpoints united, dropped parents missing and not roots, metrics never averaged?"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from ingest.errors import Problem
from ingest.readers import openevolve_db as reader
from ingest.schema import Trace
from ingest.source import Source
from tests.broken_json import broken
from tests.foreign_log import SAMPLES, extra, one, problems

SAMPLE = SAMPLES / "openevolve-db" / "checkpoints"
A, B, C, D, E, F = (f"{x * 8}-{x * 4}-4{x * 3}-8{x * 3}-{x * 12}" for x in "abcdef")


def program(node_id: str, parent: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"id": node_id, "code": "", "parent_id": parent, "metrics": {"combined_score": 1}, **fields}


def database(folder: Path, *programs: Any, name: str = "db") -> Source:
    """A bare folder of program files."""
    (folder / name).mkdir(parents=True, exist_ok=True)
    for content in programs:
        (folder / name / f"{content['id']}.json").write_text(json.dumps(content), encoding="utf-8")
    return Source(folder / name)


def test_checkpoints_are_united_in_the_order_of_making() -> None:
    trace = one(reader, Source(SAMPLE))
    assert [(n.node_id[0], [p[0] for p in n.parent_ids], n.depth, n.seq) for n in trace.nodes] == [
        ("a", [], 0, 0), ("b", ["a"], 1, 1), ("c", ["b"], 2, 2), ("f", ["a"], 1, 3), ("d", ["b"], 2, 4), ("e", ["c"], 3, 5),
    ]  # fmt: skip
    assert (trace.run.run_id, extra(trace.run)["checkpoints"]) == ("openevolve-db/checkpoints", ["checkpoint_2", "checkpoint_10"])


def test_what_only_an_earlier_checkpoint_holds_was_dropped() -> None:
    trace = one(reader, Source(SAMPLE))
    assert {n.node_id[0]: n.fate for n in trace.nodes} == {
        "a": "expanded", "b": "expanded", "c": "expanded", "f": "pruned", "d": "unscored", "e": "open",
    }  # fmt: skip
    assert {n.node_id[0]: extra(n)["last_checkpoint"] for n in trace.nodes if "last_checkpoint" in extra(n)} == {
        "b": "checkpoint_2",
        "f": "checkpoint_2",
    }
    assert "2 programs are in earlier checkpoints only: the database dropped them, by no recorded rule" in trace.run.warnings
    assert {n.prune_rule for n in trace.nodes} == {None}


def test_a_parent_that_no_file_holds_is_missing_and_its_child_is_no_root() -> None:
    trace = one(reader, Source(SAMPLE / "checkpoint_10"))
    assert [(n.node_id[0], [p[0] for p in n.parent_ids]) for n in trace.nodes] == [("a", []), ("c", ["b"]), ("d", ["b"]), ("e", ["c"])]
    assert "2 programs name a parent that is not in the folder: they hang from a stand-in and are no roots" in trace.run.warnings
    assert any(warning.startswith("the search made 10 iterations and 4 programs are left") for warning in trace.run.warnings)


def test_the_score_is_the_combined_one_and_other_metrics_stay_beside_it() -> None:
    nodes = {n.node_id[0]: n for n in one(reader, Source(SAMPLE)).nodes}
    assert (nodes["b"].score, nodes["b"].score_raw, nodes["b"].score_source) == (0.5, "0.5", "verifier")
    assert extra(nodes["b"])["metrics"] == {"combined_score": 0.5, "runs": True}
    assert (nodes["d"].score, nodes["d"].error, nodes["d"].observation) == (
        None, "the evaluation gave no combined_score", '{"stderr": "the toy evaluator timed out"}',
    )  # fmt: skip


def test_a_kept_prompt_is_a_call_at_the_parent_that_was_asked_about() -> None:
    (call,) = one(reader, Source(SAMPLE)).calls
    assert (call.node_id, call.role, call.template_id, call.response, call.cost) == (A, "proposer", "diff_user", "Make it b.", None)
    assert json.loads(call.prompt or "")[1] == {"role": "user", "content": "Improve version a."}


def test_the_path_to_the_best_program_is_selected_where_the_database_names_it(tmp_path: Path) -> None:
    assert one(reader, Source(SAMPLE)).run.selected_path == (A, B, C)
    run = one(reader, database(tmp_path, program(A))).run
    assert (run.run_id, run.selected_path, run.warnings) == ("db", None, ("no metadata.json: which program was chosen is not recorded",))


def test_a_later_checkpoint_tells_the_state_of_a_program(tmp_path: Path) -> None:
    for number, score in ((9, 0.1), (10, 0.9)):
        database(tmp_path, program(A, metrics={"combined_score": score}), name=f"out/checkpoint_{number}/programs")
    assert [n.score for n in one(reader, Source(tmp_path / "out")).nodes] == [0.9]


def test_files_that_cannot_be_read_or_do_not_belong_are_named(tmp_path: Path) -> None:
    source = database(tmp_path, program(A), program(B, parent_id=3), program(C, id=C))
    (source.path / f"{D}.json").write_text('{"id": ')
    (source.path / f"{E}.json").write_text('["no program"]')
    (source.path / "notes.txt").write_text("by hand")
    found = [item for item in reader.read(source) if isinstance(item, Problem)]
    assert [(item.where.removeprefix(source.name), item.message, item.rejected) for item in found] == [
        (f"/{B}.json: $.parent_id", "a number where the id of a program was expected", True),
        (f"/{D}.json:1", "not JSON: Expecting value at column 8", True),
        (f"/{E}.json: $", "a list where a program was expected", True),
        ("/notes.txt", "is no part of this program database and was left alone", False),
    ]


@pytest.mark.parametrize("name", ["metadata.json", f"programs/{C}.json", f"programs/{D}.json"])
def test_no_change_of_a_single_value_breaks_the_reader(tmp_path: Path, name: str) -> None:
    shutil.copytree(SAMPLE / "checkpoint_10", tmp_path / "db")
    for changed in broken(json.loads((SAMPLE / "checkpoint_10" / name).read_bytes())):
        (tmp_path / "db" / name).write_text(json.dumps(changed))
        found = list(reader.read(Source(tmp_path / "db")))
        assert [type(item) for item in found if isinstance(item, Trace)] == [Trace]
        assert all(item.rejected for item in found if isinstance(item, Problem))


def test_only_folders_of_programs_or_of_checkpoints_are_claimed(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / f"{A}.json").write_text('{"id": "x", "code": ""}')
    claimed = [SAMPLE, SAMPLE / "checkpoint_10", SAMPLE / "checkpoint_10" / "programs", database(tmp_path, program(A)).path]
    left = [SAMPLES, SAMPLE.parent, other, tmp_path / "gone", SAMPLE / "checkpoint_10" / "programs" / f"{C}.json"]
    assert [reader.sniff(Source(path)) for path in (*claimed, *left)] == [True] * 4 + [False] * 5


def test_a_folder_without_programs_and_a_file_are_one_problem(tmp_path: Path) -> None:
    assert problems(reader, Source(tmp_path)) == [("", "a folder of program files was expected")]
    file = SAMPLE / "checkpoint_10" / "metadata.json"
    assert problems(reader, Source(file)) == [("", "cannot be read as a folder: not a directory")]

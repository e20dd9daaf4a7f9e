"""Reviews are lines that are only added: by several tabs, several processes, and after a writer that died in the middle."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from explorer import reviews
from explorer.analysis import attribution
from explorer.analysis.known import Marks
from ingest.errors import TraceError
from ingest.schema import Truth
from ingest.store import Store
from tests.stores import store_of, tree

PROJECT = Path(__file__).parents[2]
WRITER = """
import sys
from pathlib import Path
from explorer import reviews
from ingest.store import Store
store = Store(Path(sys.argv[1]))
for number in range(25):
    note = f"{sys.argv[2]} saw {number} " + "x" * 2000
    reviews.add(store, {"kind": "note", "run_id": "run", "node_id": f"n{number}", "note": note, "reviewer": "AB"})
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    drawn = tree(
        """
        root fate=expanded
          good score=0.3 fate=pruned prune_rule=beam_width pruned_by=survived
          bad  score=0.4 fate=terminal
        """,
        outcome="wrong",
        selected_path=("root", "bad"),
    )
    return store_of(tmp_path / "store", drawn)


def mark(store: Store, node: str, what: str, reviewer: str = "AB", **more: object) -> reviews.Review:
    return reviews.add(store, {"kind": "mark", "run_id": "run", "node_id": node, "mark": what, "reviewer": reviewer, **more})


def test_a_store_without_reviews_has_none(store: Store) -> None:
    assert reviews.read(store.folder) == reviews.Reviews()
    assert reviews.state_of(store.folder) == "none"


def test_what_was_written_is_read_again(store: Store) -> None:
    said = {
        "kind": "verdict", "run_id": "run", "node_id": "good", "verdict": "evaluation", "better": "a step\nin ünicode", "confidence": "likely",
        "evidence": ["good", "bad"], "note": "  the judge erred  ", "reviewer": "AB",
    }  # fmt: skip
    line = reviews.add(store, said)
    assert reviews.read(store.folder) == reviews.Reviews((line,))
    assert (line.note, line.evidence, line.supersedes) == ("the judge erred", ("good", "bad"), None)
    assert line.run_digest is not None and len(line.run_digest) == 12
    (written,) = reviews.file_of(store.folder, "AB").read_text("utf-8").splitlines()
    assert json.loads(written) == {**reviews.document(line), "evidence": ["good", "bad"]}


def test_a_correction_is_a_new_line_that_names_the_old_one(store: Store) -> None:
    first = mark(store, "good", "right")
    second = mark(store, "good", "not_right")
    found = reviews.read(store.folder)
    assert (second.supersedes, found.lines, found.current) == (first.id, (first, second), (second,))


def test_an_identical_repeat_is_dropped(store: Store) -> None:
    assert [mark(store, "good", "right").id for _ in range(3)] == [reviews.read(store.folder).lines[0].id] * 3
    path = reviews.file_of(store.folder, "AB")
    path.write_bytes(path.read_bytes() * 2)  # two processes at the very same moment, or a merge
    assert len(reviews.read(store.folder).lines) == 1


def test_what_is_taken_back_no_longer_counts_and_stays_in_the_file(store: Store) -> None:
    mark(store, "good", "right")
    mark(store, "good", "right", withdrawn=True)
    found = reviews.read(store.folder)
    assert (len(found.lines), found.current) == (2, ())
    again = mark(store, "good", "right")
    assert reviews.read(store.folder).current == (again,)


def test_a_run_has_one_verdict_a_reviewer_whatever_the_node(store: Store) -> None:
    verdict = {"kind": "verdict", "run_id": "run", "reviewer": "AB"}
    reviews.add(store, {**verdict, "node_id": "good", "verdict": "evaluation"})
    last = reviews.add(store, {**verdict, "node_id": "bad", "verdict": "control"})
    assert reviews.read(store.folder).current == (last,)


def test_reviewers_stand_beside_each_other_and_those_of_one_name_share_a_file(store: Store) -> None:
    mark(store, "good", "right", reviewer="AB")
    mark(store, "good", "not_right", reviewer="CD")
    mark(store, "bad", "not_right", reviewer="AB")
    assert sorted(path.name for path in (store.folder / "reviews").iterdir()) == ["AB.jsonl", "CD.jsonl"]
    assert [(line.reviewer, line.node_id) for line in reviews.read(store.folder).current] == [("AB", "good"), ("CD", "good"), ("AB", "bad")]


@pytest.mark.parametrize(
    ("reviewer", "file"),
    [("A B", "A%20B"), ("../../x/y", "%2E%2E%2F%2E%2E%2Fx%2Fy"), (".hidden", "%2Ehidden"), ("a\\b:c*", "a%5Cb%3Ac%2A"), ("é", "%C3%A9")],
)
def test_any_name_gives_a_file_inside_the_folder(store: Store, reviewer: str, file: str) -> None:
    line = mark(store, "good", "right", reviewer=reviewer)
    assert [path.name for path in (store.folder / "reviews").iterdir()] == [f"{file}.jsonl"]
    assert reviews.read(store.folder).lines == (line,)


def test_a_very_long_name_is_cut_and_still_a_file_of_its_own(store: Store) -> None:
    names = {reviews.file_of(store.folder, "ü" * 500 + end).name for end in "ab"}
    assert len(names) == 2 and all(len(name) < 120 for name in names)


def test_a_torn_line_is_named_and_does_not_swallow_the_next_one(store: Store) -> None:
    first = mark(store, "good", "right")
    path = reviews.file_of(store.folder, "AB")
    with path.open("ab") as out:
        out.write(b'{"id": "1", "kind": "mark", "run_')  # the writer was killed here
    second = mark(store, "bad", "not_right")
    found = reviews.read(store.folder)
    assert found.lines == (first, second)
    assert [(p.where, p.line, p.raw, p.rejected) for p in found.problems] == [(f"{path}:2", 2, '{"id": "1", "kind": "mark", "run_', True)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1, 2]", "this line is no review: it is list, expected an object"),
        ("{}", "this line is no review: 'id' is None, expected text"),
        ("\\xff", "this line is not a whole JSON object: it was torn, or edited by hand"),
        ('{"id": "1", "kind": "praise", "run_id": "r", "reviewer": "AB", "at": "2026"}', "this line is no review: 'kind' is 'praise'"),
        ('{"id": "1", "kind": "mark", "run_id": "r", "reviewer": "AB", "at": "2026"}', "this line is no review: a mark names no node"),
        (
            '{"id": "1", "kind": "verdict", "run_id": "r", "reviewer": "AB", "at": "2026", "verdict": 7}',
            "this line is no review: 'verdict' is 7, expected text",
        ),
        ('{"id": "1", "kind": "verdict", "run_id": "r", "reviewer": "AB", "at": "2026"}', "this line is no review: a verdict that says nothing"),
    ],
)
def test_a_bad_line_is_a_problem_and_the_rest_works(store: Store, line: str, message: str) -> None:
    good = mark(store, "good", "right")
    path = reviews.file_of(store.folder, "AB")
    path.write_bytes(line.encode().decode("unicode_escape").encode("latin-1") + b"\n" + path.read_bytes())
    found = reviews.read(store.folder)
    assert found.lines == (good,)
    assert [(p.where, p.message[: len(message)]) for p in found.problems] == [(f"{path}:1", message)]


def test_fields_of_a_later_version_do_no_harm(store: Store) -> None:
    line = mark(store, "good", "right")
    path = reviews.file_of(store.folder, "AB")
    path.write_text(json.dumps({**reviews.document(line), "mood": "good"}) + "\n", "utf-8")
    assert reviews.read(store.folder) == reviews.Reviews((line,))


@pytest.mark.parametrize("said", [{"mark": "maybe"}, {"reviewer": " "}, {"node_id": ""}, {"note": "x" * 100_001}, {"evidence": "good"}])
def test_what_is_not_allowed_is_refused_and_nothing_is_written(store: Store, said: dict[str, object]) -> None:
    with pytest.raises(TraceError):
        reviews.add(store, {"kind": "mark", "run_id": "run", "node_id": "good", "mark": "right", "reviewer": "AB", **said})
    assert not (store.folder / "reviews").exists()


def test_a_folder_that_cannot_be_written_is_an_error_that_says_so(store: Store) -> None:
    (store.folder / "reviews").write_text("in the way")
    with pytest.raises(TraceError, match="the review cannot be written"):
        mark(store, "good", "right")


def test_four_processes_write_at_once_and_nothing_is_lost_or_torn(store: Store) -> None:
    command = [sys.executable, "-c", WRITER, str(store.folder)]
    writers = [subprocess.Popen([*command, name], cwd=PROJECT) for name in "pqrs"]
    assert [writer.wait(60) for writer in writers] == [0] * 4
    raw = reviews.file_of(store.folder, "AB").read_text("utf-8").splitlines()
    found = reviews.read(store.folder)
    assert (len(raw), found.problems) == (100, ())
    assert len({(line.node_id, (line.note or "")[0]) for line in found.lines}) == 100
    assert len(found.current) == 25


def test_marks_become_truth_of_the_reviewer_and_change_the_verdict(store: Store) -> None:
    assert attribution.of_run(store, "run").verdict == "cannot_tell"
    mark(store, "good", "right")
    mark(store, "bad", "not_right")
    mark(store, "good", "none_of_its_children", reviewer="CD")
    said = reviews.marks(reviews.read(store.folder).current)
    right = Truth(run_id="run", node_id="good", viable=True, viable_by="reviewer", detail="AB")
    wrong = Truth(run_id="run", node_id="bad", viable=False, viable_by="reviewer", detail="AB")
    assert said == Marks((right, wrong), frozenset({("run", "good")}))
    found = attribution.of_run(store, "run", said)
    assert (found.verdict, found.mechanism, found.node_id) == ("evaluation", "underscored", "good")
    assert "reviewer AB" in found.sentence


def test_two_reviewers_who_contradict_each_other_leave_the_node_unknown_and_are_both_named(store: Store) -> None:
    mark(store, "good", "right", reviewer="AB")
    mark(store, "good", "not_right", reviewer="CD")
    found = attribution.of_run(store, "run", reviews.marks(reviews.read(store.folder).current))
    assert found.verdict == "cannot_tell"
    assert [(one["node_id"], [said["detail"] for said in one["said"]]) for one in found.conflicts] == [("good", ["AB", "CD"])]


def test_the_digest_of_a_run_changes_with_its_nodes(store: Store, tmp_path: Path) -> None:
    other = store_of(tmp_path / "other", tree("root fate=expanded\n  good score=0.31", run_id="run"))
    digests = {one.run_digest for one in (mark(store, "good", "right"), mark(other, "good", "right"))}
    assert len(digests) == 2

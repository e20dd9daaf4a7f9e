"""Which logs have to be read? New and changed ones, once each, whatever they are called and wherever they lie."""

from __future__ import annotations

import os
import shutil
import zipfile
from pathlib import Path

import pytest

from ingest import jobs
from ingest.errors import TraceError
from ingest.jobs import Report
from ingest.pipeline import ingest
from tests.logs import PROJECT, load, node, rows, write_log

RUNS = "select run_id, nodes from runs order by run_id"


def statuses(reports: list[Report]) -> dict[str, str]:
    return {Path(report.source).name: report.status for report in reports}


def said(report: Report) -> list[object]:
    return [problem["message"] for problem in report.problems]


def test_a_second_ingest_reads_nothing_and_reports_the_same_counts(tmp_path: Path) -> None:
    write_log(tmp_path / "logs/a.jsonl", node("x"), node("y", "x", score="odd"))
    (first,) = load(tmp_path / "store", tmp_path / "logs")
    (again,) = load(tmp_path / "store", tmp_path / "logs")
    assert (first.status, again.status) == ("loaded", "unchanged")
    assert (first.counts, first.problems) == (again.counts, again.problems)
    assert rows(tmp_path / "store", RUNS) == [("r", 2)]


def test_a_file_that_was_only_touched_is_unchanged(tmp_path: Path) -> None:
    path = write_log(tmp_path / "a.jsonl", node("x"))
    load(tmp_path / "store", path)
    os.utime(path, ns=(0, 0))
    assert statuses(load(tmp_path / "store", path)) == {"a.jsonl": "unchanged"}


def test_a_file_that_changed_is_replaced_and_the_others_are_left_alone(tmp_path: Path) -> None:
    write_log(tmp_path / "logs/a.jsonl", node("x"), node("old", "x"))
    write_log(tmp_path / "logs/b.jsonl", node("x", run="s"))
    load(tmp_path / "store", tmp_path / "logs")
    write_log(tmp_path / "logs/a.jsonl", node("x"), node("new", "x"), node("newer", "x"))
    assert statuses(load(tmp_path / "store", tmp_path / "logs")) == {"a.jsonl": "replaced", "b.jsonl": "unchanged"}
    assert rows(tmp_path / "store", "select run_id, node_id from nodes order by all") == [("r", "new"), ("r", "newer"), ("r", "x"), ("s", "x")]


def test_a_large_file_is_compared_by_size_and_time_of_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "DIGEST_BYTES", 10)
    path = write_log(tmp_path / "a.jsonl", node("x"))
    load(tmp_path / "store", path)
    assert statuses(load(tmp_path / "store", path)) == {"a.jsonl": "unchanged"}
    os.utime(path, ns=(0, 0))
    assert statuses(load(tmp_path / "store", path)) == {"a.jsonl": "replaced"}
    assert rows(tmp_path / "store", RUNS) == [("r", 1)]


def test_the_same_bytes_under_two_names_count_once_and_are_named(tmp_path: Path) -> None:
    path = write_log(tmp_path / "a.jsonl", node("x"))
    shutil.copy(path, tmp_path / "b.jsonl")
    one, two = load(tmp_path / "store", path, tmp_path / "b.jsonl")
    assert (one.status, two.status, two.rejected) == ("loaded", "unchanged", False)
    assert said(two) == [f"holds the same bytes as {path}; counted once"]
    (later,) = load(tmp_path / "store", tmp_path / "b.jsonl")
    assert said(later) == [f"holds the same bytes as {path}, which is loaded already"]
    assert rows(tmp_path / "store", RUNS) == [("r", 1)]


def test_a_copy_of_what_a_changed_file_held_before_is_loaded(tmp_path: Path) -> None:
    path = write_log(tmp_path / "logs/current.jsonl", node("x"))
    load(tmp_path / "store", path)
    shutil.copy(path, tmp_path / "logs/rotated.jsonl")
    write_log(path, node("x", run="s"))
    assert statuses(load(tmp_path / "store", tmp_path / "logs")) == {"current.jsonl": "replaced", "rotated.jsonl": "loaded"}
    assert rows(tmp_path / "store", RUNS) == [("r", 1), ("s", 1)]


def test_a_file_that_became_a_copy_of_another_loses_what_it_held_before(tmp_path: Path) -> None:
    one = write_log(tmp_path / "one.jsonl", node("x", run="gone"))
    two = write_log(tmp_path / "two.jsonl", node("x", run="kept"))
    load(tmp_path / "store", one, two)
    shutil.copy(two, one)
    for status in ("replaced", "unchanged"):
        (report,) = load(tmp_path / "store", one)
        assert (report.status, report.rejected) == (status, False)
        assert said(report) == [f"holds the same bytes as {two}, which is loaded already"]
        assert rows(tmp_path / "store", RUNS) == [("kept", 1)]
    write_log(two, node("x", run="other"))
    load(tmp_path / "store", two)
    load(tmp_path / "store", one)
    assert rows(tmp_path / "store", RUNS) == [("kept", 1), ("other", 1)]


def test_two_files_of_one_relative_name_are_two_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        write_log(tmp_path / name / "log.jsonl", node("x", run=name), node("bad", "x", run=name, score="odd"))
        monkeypatch.chdir(tmp_path / name)
        load(tmp_path / "store", "log.jsonl")
    write_log(tmp_path / "two/log.jsonl", node("x", run="two"))
    load(tmp_path / "store", "log.jsonl")
    assert rows(tmp_path / "store", RUNS) == [("one", 2), ("two", 1)]
    assert rows(tmp_path / "store", "select run_id, source from problems") == [("one", "log.jsonl")]
    assert rows(tmp_path / "store", "select source from sources order by 1") == [(f"{tmp_path}/two/log.jsonl",), ("log.jsonl",)]


def test_a_path_given_twice_is_read_once(tmp_path: Path) -> None:
    path = write_log(tmp_path / "logs/a.jsonl", node("x"))
    assert statuses(load(tmp_path / "store", path, tmp_path / "logs", f"{tmp_path}/logs/*.jsonl")) == {"a.jsonl": "loaded"}


def test_the_store_inside_a_folder_of_logs_is_not_a_log(tmp_path: Path) -> None:
    write_log(tmp_path / "a.jsonl", node("x"))
    for _ in range(2):
        (report,) = load(tmp_path / "store", tmp_path)
        assert Path(report.source).name == "a.jsonl"


def test_files_that_are_no_logs_are_left_alone_in_a_folder_and_rejected_when_named(tmp_path: Path) -> None:
    write_log(tmp_path / "logs/README.md", "# Notes")
    write_log(tmp_path / "logs/weather.json", '{"rain": 1}')
    write_log(tmp_path / "logs/__init__.py")
    write_log(tmp_path / "logs/log.jsonl", node("a"))
    walked = load(tmp_path / "store", tmp_path / "logs")
    assert {Path(report.source).name: (report.status, report.rejected) for report in walked} == {
        "README.md": ("rejected", False), "__init__.py": ("rejected", False), "weather.json": ("rejected", False), "log.jsonl": ("loaded", False),
    }  # fmt: skip
    (named,) = load(tmp_path / "store", tmp_path / "logs/weather.json")
    assert (named.status, named.rejected, said(named)) == ("rejected", True, ["no reader knows this format"])
    assert "native: a first line that is an object" in str(named.problems[0]["hint"])


def test_a_folder_without_any_log_is_rejected_as_a_whole(tmp_path: Path) -> None:
    write_log(tmp_path / "logs/README.md", "# Notes")
    write_log(tmp_path / "logs/weather.json", '{"rain": 1}')
    *_, folder = load(tmp_path / "store", tmp_path / "logs")
    assert (folder.source, folder.rejected, said(folder)) == (
        f"{tmp_path}/logs", True, ["none of the 2 files there is a log that a reader knows"],
    )  # fmt: skip


def test_an_empty_log_and_a_missing_path_are_rejected_by_name(tmp_path: Path) -> None:
    write_log(tmp_path / "logs/empty.jsonl")
    empty, missing = load(tmp_path / "store", tmp_path / "logs", tmp_path / "gone.jsonl")
    assert (empty.status, empty.rejected, said(empty)) == ("rejected", True, ["the file is empty"])
    assert (missing.source, missing.rejected, said(missing)) == (f"{tmp_path}/gone.jsonl", True, ["no such file or folder"])


def test_a_rejected_log_is_reported_again_without_being_read_again(tmp_path: Path) -> None:
    path = write_log(tmp_path / "weather.json", '{"rain": 1}')
    first, again = load(tmp_path / "store", path)[0], load(tmp_path / "store", path)[0]
    assert (again.status, again.rejected, said(again)) == (first.status, first.rejected, said(first))
    write_log(path, node("x"))
    assert load(tmp_path / "store", path)[0].status == "replaced"
    assert rows(tmp_path / "store", RUNS) == [("r", 1)]


def test_the_format_can_be_named_and_an_unknown_name_is_refused(tmp_path: Path) -> None:
    path = write_log(tmp_path / "a.jsonl", '{"run_id": "r", "call_id": "c"}', node("x"))
    (report,) = ingest(tmp_path / "store", [str(path)], "native")
    assert (report.format, report.counts["nodes"]) == ("native", 1)
    with pytest.raises(TraceError, match="no format is named 'nativ'\n  Known: native, tot-bfs"):
        ingest(tmp_path / "store", [str(path)], "nativ")


@pytest.mark.parametrize("name", ["odd!name.jsonl", "it's.jsonl", "ü [1] *.jsonl", "two  spaces\t.jsonl"])
def test_any_file_name_can_be_loaded_and_loaded_again_beside_a_new_part(tmp_path: Path, name: str) -> None:
    write_log(tmp_path / "logs" / name, node("x"))
    assert load(tmp_path / "store", tmp_path / "logs")[0].status == "loaded"
    write_log(tmp_path / "logs" / f"part 2 of {name}", node("y", "x"))
    reports = load(tmp_path / "store", tmp_path / "logs")
    assert sorted(report.status for report in reports) == ["loaded", "unchanged"]
    assert rows(tmp_path / "store", "select nodes, orphans from runs") == [(2, 0)]


def test_members_of_an_archive_are_loaded_each_and_replaced_with_it(tmp_path: Path) -> None:
    for parts in (("a", "b"), ("a", "b", "c")):
        with zipfile.ZipFile(tmp_path / "logs.zip", "w") as archive:
            for part in parts:
                archive.writestr(f"{part}!.jsonl", write_log(tmp_path / "part", node("x", run=part)).read_bytes())
        load(tmp_path / "store", tmp_path / "logs.zip")
        assert rows(tmp_path / "store", RUNS) == [(part, 1) for part in parts]


def test_a_folder_that_is_one_log_is_replaced_when_any_of_its_files_changes(tmp_path: Path) -> None:
    shutil.copytree(PROJECT / "sample_traces/openevolve-db/checkpoints", tmp_path / "out")
    assert statuses(load(tmp_path / "store", tmp_path)) == {"out": "loaded"}
    assert statuses(load(tmp_path / "store", tmp_path / "out")) == {"out": "unchanged"}
    os.utime(next((tmp_path / "out").rglob("*.py")))
    assert statuses(load(tmp_path / "store", tmp_path)) == {"out": "unchanged"}
    next((tmp_path / "out").rglob("ffff*.json")).unlink()
    assert statuses(load(tmp_path / "store", tmp_path)) == {"out": "replaced"}
    assert rows(tmp_path / "store", RUNS) == [("out", 5)]

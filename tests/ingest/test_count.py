"""Are sources counted as a careful person counts them: only what the file records, an orphan no root, a link only with both its ends?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from explorer.commands.ingest import document
from tests.logs import load, node, write_log

NAMES = ("runs", "nodes", "edges", "roots", "orphans", "merged", "max_depth")


def counted(folder: Path, *logs: list[dict[str, Any]]) -> list[tuple[int | None, ...]]:
    paths = [write_log(folder / f"{number}.jsonl", *log) for number, log in enumerate(logs)]
    return [tuple(report.counts[name] for name in NAMES) for report in load(folder / "store", *paths)]


def test_worked_by_hand(tmp_path: Path) -> None:
    log = [node("a"), node("b", "a"), node("c", "b") | {"parent_ids": ["b", "a"]}, node("d", "gone"), node("e", "d") | {"parent_ids": ["d", "lost"]}]
    assert counted(tmp_path, [*log, node("x", run="s")]) == [(2, 6, 4, 2, 2, 2, 2)]


def test_a_single_node_and_a_run_without_nodes(tmp_path: Path) -> None:
    assert counted(tmp_path, [node("a")], [{"record": "run", "run_id": "empty"}]) == [(1, 1, 0, 1, 0, 0, 0), (1, 0, 0, 0, 0, 0, None)]


def test_a_logged_depth_is_believed_and_a_missing_one_rebuilt(tmp_path: Path) -> None:
    assert counted(tmp_path, [node("a", depth=5)], [node("b", run="s"), node("c", "b", run="s")]) == [(1, 1, 0, 1, 0, 0, 5), (1, 2, 1, 1, 0, 0, 1)]


def test_a_run_in_two_files_counts_in_both_and_each_node_in_the_file_that_named_it_first(tmp_path: Path) -> None:
    first, second = [node("a"), node("b", "a")], [node("c", "b"), node("b", "a", fate="pruned")]
    assert counted(tmp_path, first, second) == [(1, 2, 1, 1, 0, 0, 1), (1, 1, 1, 0, 0, 0, 2)]


def test_problems_are_listed_in_the_order_of_the_file_and_counted_beyond_the_thousandth(tmp_path: Path) -> None:
    log = [node(f"n{number}", score="odd") for number in range(1_003)]
    (report,) = load(tmp_path / "store", write_log(tmp_path / "log", *log, "half a line {", *log[:0]))
    assert [problem["where"] for problem in report.problems] == [f"{tmp_path}/log:{line}" for line in range(1, 1_001)]
    assert (report.counts["problems"], report.counts["rejected"], report.rejected) == (1_004, 1, True)


def test_the_totals_are_the_sums_of_the_sources(tmp_path: Path) -> None:
    paths = [write_log(tmp_path / "a", node("x"), node("y", "x", score="odd")), write_log(tmp_path / "b", node("x", run="s"), "{"), tmp_path / "gone"]
    totals = document(load(tmp_path / "store", *paths))["totals"]
    assert totals == {
        "runs": 2, "nodes": 3, "edges": 1, "roots": 2, "orphans": 0, "merged": 0, "max_depth": 1, "problems": 3, "sources": 3,
        "loaded": 2, "unchanged": 0, "replaced": 0, "rejected": 1,
    }  # fmt: skip

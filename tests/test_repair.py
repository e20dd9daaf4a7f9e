"""Are the repairs made in worlds of their own, by tests that really run, committed once, and readable when the program is killed?"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from explorer.commands import main
from ingest.pipeline import ingest
from sample_traces.record.mender import TESTS, Edit, edits, gains
from sample_traces.record.worktree import SHOP, Repository, run_tests
from tests.logs import rows
from tests.test_samples import NATIVE, PROJECT

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
REPAIR = NATIVE / "repair"
FAILING = {"test_a_dutch_cart", "test_a_dutch_cart_over_100", "test_half_a_cent_goes_up", "test_the_dutch_rate"}


@pytest.fixture
def shop(tmp_path: Path) -> Repository:
    return Repository.of(SHOP, tmp_path / "shop")


def lines(name: str, run_id: str) -> list[dict[str, Any]]:
    found = map(json.loads, (REPAIR / f"{name}.jsonl").read_text("utf-8").splitlines())
    return [line for line in found if line["run_id"] == run_id]


def nodes_of(listed: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    nodes: dict[str, dict[str, Any]] = {}
    for line in listed:
        if line["record"] == "node":
            nodes.setdefault(line["node_id"], {}).update(line)
    return nodes


def test_the_tests_of_the_shop_really_run_and_four_fail(shop: Repository) -> None:
    before = run_tests(shop.main, [TESTS])
    assert len(before) == 8
    assert {name for name, passed in before.items() if not passed} == FAILING


def test_an_edit_in_one_work_tree_is_seen_by_no_other(shop: Repository) -> None:
    base = shop.head()
    one, other = shop.branch("one", base), shop.branch("other", base)
    Edit("money.py", 11, "_DOWN", "_HALF_UP").make(one)
    checkpoint = shop.commit(one, "half up")
    assert checkpoint != base
    assert run_tests(one, [TESTS])["test_half_a_cent_goes_up"] is True
    assert run_tests(other, [TESTS]) == run_tests(shop.main, [TESTS])
    assert shop.head() == base, "main has not moved"


def test_the_same_edit_on_the_same_commit_has_the_same_hash_everywhere(shop: Repository, tmp_path: Path) -> None:
    hashes = []
    for repository in (shop, Repository.of(SHOP, tmp_path / "again")):
        tree = repository.branch("x", repository.head())
        Edit("money.py", 11, "_DOWN", "_HALF_UP").make(tree)
        hashes.append((repository.head(), repository.commit(tree, "x")))
    assert hashes[0] == hashes[1]


def test_main_moves_only_from_where_it_is_expected_to_be(shop: Repository) -> None:
    base = shop.head()
    tree = shop.branch("x", base)
    Edit("rates.json", 3, "0.19", "0.21").make(tree)
    checkpoint = shop.commit(tree, "x")
    with pytest.raises(subprocess.CalledProcessError):
        shop.fast_forward(checkpoint, checkpoint)
    assert shop.head() == base
    shop.fast_forward(checkpoint, base)
    assert shop.head() == checkpoint and '"NL": "0.21"' in (shop.main / "rates.json").read_text("utf-8")


def test_a_file_that_cannot_be_loaded_breaks_every_test(shop: Repository) -> None:
    before = run_tests(shop.main, [TESTS])
    (shop.main / "cart.py").write_text("def total(:\n", "utf-8")
    now = run_tests(shop.main, [TESTS])
    assert now == {} and gains(before, now) == (0.0, 4)


def test_progress_is_what_was_fixed_and_regressions_are_what_was_newly_broken() -> None:
    before = {"a": False, "b": False, "c": True, "d": True}
    assert gains(before, before) == (0.0, 0)
    assert gains(before, {"a": True, "b": False, "c": False, "d": True}) == (0.5, 1)
    assert gains(before, dict.fromkeys(before, True)) == (1.0, 0)


def test_an_edit_is_one_replacement_on_one_line() -> None:
    assert [edit.step for edit in edits("x.py", "if a > b:\n    return a + b\n")] == ["x.py:1: > becomes >=", "x.py:2: + becomes -"]
    assert [edit.new for edit in edits("x.json", '{"NL": "0.20"}')] == ["0.07", "0.21"]


def test_every_node_of_the_search_resumes_from_its_parents_checkpoint_and_edits_leave_one_of_their_own() -> None:
    nodes = nodes_of(lines("repair", "repair-search"))
    checkpoints = [node["env_checkpoint"] for node in nodes.values() if node.get("action_effect") != "informational"]
    assert len(checkpoints) == len(set(checkpoints)), "no two edits share a checkpoint"
    for node in nodes.values():
        if node["parent_ids"]:
            assert node["resumed_from"] == nodes[node["parent_ids"][0]]["env_checkpoint"]
            assert (node["env_checkpoint"] == node["resumed_from"]) == (node["action_effect"] == "informational")


def test_the_search_goes_beyond_the_file_that_the_tests_name_and_its_scores_are_the_tests() -> None:
    listed = lines("repair", "repair-search")
    nodes, end = nodes_of(listed), listed[-1]
    path = [nodes[node_id] for node_id in end["selected_path"]]
    assert [node.get("action_target") for node in path if node.get("action_kind") == "edit"] == ["rates.json", "money.py"]
    assert all(parent["node_id"] in child["parent_ids"] for parent, child in pairwise(path))
    assert (end["outcome"], end["stop_reason"], path[-1]["verified"]) == ("right", "goal", True)
    runs = {line["node_id"]: line["response"] for line in listed if line["record"] == "call" and "unittest" in line["prompt"]}
    for node_id, response in runs.items():
        passed = {line.partition(" ")[0] for line in response.splitlines() if line.endswith(" ok")}
        assert nodes[node_id]["progress"] == len(FAILING & passed) / 4
        assert nodes[node_id]["tier"] == "environment"


def test_the_winner_is_committed_once_after_a_second_check() -> None:
    listed = lines("repair", "repair-commit")
    events = [(line["parsed"]["boundary"], line["node_id"]) for line in listed if line["record"] == "call" and "boundary" in line.get("parsed", {})]
    assert [name for name, _ in events].count("execute") == 1
    assert events[-2:] == [("recheck", "0.0"), ("execute", "0.0")]
    assert (listed[-1]["outcome"], listed[-1]["selected_path"]) == ("right", ["0", "0.0"])
    search = lines("repair", "repair-search")
    handed_in = nodes_of(search)[search[-1]["selected_path"][-1]]["state"]["edited"]
    assert nodes_of(listed)["0.0"]["state"]["edits"] == handed_in


def test_the_right_edit_was_refused_at_the_boundary_and_the_refusal_stands_in_the_log() -> None:
    nodes = nodes_of(lines("lost_by_boundary", "repair-lost_by_boundary"))
    right = next(node for node in nodes.values() if node.get("step") == "rates.json:3: 0.19 becomes 0.21")
    assert (right["fate"], right["prune_rule"]) == ("pruned", "boundary") and "score" not in right
    assert right["prune_reason"].startswith("rejected at prepare: authorise: rates.json")


def test_a_search_that_is_killed_leaves_a_log_that_can_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = [sys.executable, "-m", "sample_traces.record.repair", str(tmp_path / "logs")]
    running = subprocess.Popen(command, cwd=PROJECT, env={**os.environ, "TMPDIR": str(tmp_path)})
    path, until = tmp_path / "logs" / "repair.jsonl", time.monotonic() + 30
    while running.poll() is None and time.monotonic() < until and not (path.exists() and path.read_bytes().count(b"\n") > 12):
        time.sleep(0.02)
    running.send_signal(signal.SIGKILL)
    assert running.wait() == -signal.SIGKILL
    (report,) = ingest(tmp_path / "store", [str(path)])
    assert report.status == "loaded"
    assert rows(tmp_path / "store", "select run_id, ended, outcome from runs") == [("repair-search", False, "unknown")]
    assert rows(tmp_path / "store", "select count(*) > 3 from nodes") == [(True,)]
    assert main(["why", "repair-search", "--store", str(tmp_path / "store")]) == 0
    assert "It cannot be told where the right path was lost" in capsys.readouterr().out

"""Do the recorded samples show what they claim, and does recording them again give the same bytes?"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ingest.schema import Fate
from sample_traces.record import game24, puzzle
from sample_traces.record.players import LABELS

PROJECT = Path(__file__).parents[1]
SAMPLES = PROJECT / "sample_traces"
NATIVE = SAMPLES / "native" / "1"
NAMES = [recording.name for recording in game24.RECORDINGS]


class Log:
    """One recorded run: its lines, and its nodes with later lines laid over earlier ones."""

    def __init__(self, path: Path) -> None:
        self.lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        self.run = self.lines[0]
        self.end: dict[str, Any] = self.lines[-1] if self.lines[-1]["record"] == "run_end" else {}
        self.calls = [line for line in self.lines if line["record"] == "call"]
        self.nodes: dict[str, dict[str, Any]] = {}
        for line in self.lines:
            if line["record"] == "node":
                self.nodes.setdefault(line["node_id"], {}).update(line)

    def decisions(self) -> list[list[dict[str, Any]]]:
        """The nodes that were ranked together, decision by decision."""
        names = dict.fromkeys(node["decision_id"] for node in self.nodes.values() if "decision_id" in node)
        return [[node for node in self.nodes.values() if node.get("decision_id") == name] for name in names]

    def children(self, node_id: str) -> list[dict[str, Any]]:
        return [node for node in self.nodes.values() if node["parent_ids"][:1] == [node_id]]


@pytest.fixture(params=NAMES)
def log(request: pytest.FixtureRequest) -> Log:
    return Log(NATIVE / f"{request.param}.jsonl")


def can_reach_24(node: dict[str, Any]) -> bool:
    return puzzle.solvable(puzzle.start(" ".join(node["state"]["left"])))


def is_kept(node: dict[str, Any]) -> bool:
    return node.get("fate") in (Fate.EXPANDED, Fate.TERMINAL, Fate.OPEN) and node.get("score") is not None


def furthest(log: Log) -> list[dict[str, Any]]:
    """The deepest nodes from which 24 could still be reached."""
    viable = [node for node in log.nodes.values() if can_reach_24(node)]
    return [node for node in viable if node["depth"] == max(other["depth"] for other in viable)]


def test_recording_again_gives_the_same_bytes(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sample_traces.record.game24", str(tmp_path)]
    subprocess.run(command, cwd=PROJECT, check=True, capture_output=True)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert made == {path.name: path.read_bytes() for path in NATIVE.iterdir()}
    subprocess.run(command, cwd=PROJECT, check=True, capture_output=True)
    assert made == {path.name: path.read_bytes() for path in tmp_path.iterdir()}


def test_no_sample_is_larger_than_100_kb() -> None:
    sizes = {path.name: path.stat().st_size for path in SAMPLES.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert {name: size for name, size in sizes.items() if size >= 100_000} == {}


def test_the_readme_names_every_sample_of_its_folders_and_no_other() -> None:
    text = (SAMPLES / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `([\w.]+)` \|", text, flags=re.MULTILINE))
    assert named == {path.name for folder in (NATIVE, SAMPLES / "broken") for path in folder.iterdir()}


def test_ids_are_the_parents_id_and_the_request_index_without_gaps(log: Log) -> None:
    for node_id, node in log.nodes.items():
        if node_id == "0":
            assert node["parent_ids"] == []
        else:
            assert node_id == f"{node['parent_ids'][0]}.{node['request_index']}"
        children = log.children(node_id)
        assert [child["request_index"] for child in children] == list(range(len(children)))


def test_every_node_has_one_fate_and_was_given_it_once(log: Log) -> None:
    given = [line["node_id"] for line in log.lines if line["record"] == "node" and "fate" in line]
    expected = [node_id for node_id, node in log.nodes.items() if log.end or "fate" in node]
    assert sorted(given) == sorted(expected)


def test_every_pruned_node_names_stage_rule_and_reason(log: Log) -> None:
    pruned = [node for node in log.nodes.values() if node.get("fate") == Fate.PRUNED]
    assert all(node["pruned_by"] and node["prune_rule"] and node["prune_reason"] for node in pruned)
    assert all(re.search(r"score [\d.]+ is ", node["prune_reason"]) for node in pruned if node["pruned_by"] == "survived")
    assert {node["pruned_by"] for node in pruned if "merged_into" in node} <= {"distinct"}


def test_a_merged_node_has_the_state_of_the_node_that_stands_for_it(log: Log) -> None:
    for node in log.nodes.values():
        if "merged_into" in node:
            assert log.nodes[node["merged_into"]]["state_key"] == node["state_key"]
            assert log.nodes[node["merged_into"]]["seq"] < node["seq"]


def test_in_every_decision_those_kept_rank_before_those_cut_by_score_then_order(log: Log) -> None:
    for decision in log.decisions():
        ranked = sorted(
            (node for node in decision if node.get("score") is not None), key=lambda node: (-node["score"], node["seq"])
        )
        cut = [node.get("prune_rule") == "beam_width" for node in ranked]
        assert cut == sorted(cut)
        threshold = log.run["protocol"].get("threshold")
        assert all(node["score"] < threshold for node in ranked if node.get("prune_rule") == "threshold")


def test_the_selected_path_leads_from_the_root_along_parents_and_its_answer_is_checked(log: Log) -> None:
    if not log.end:
        return
    path = log.end["selected_path"]
    assert path[0] == "0"
    assert all(parent in log.nodes[child]["parent_ids"] for parent, child in pairwise(path))
    last = log.nodes[path[-1]]
    right = "answer" in log.end and puzzle.is_right(log.run["question"], log.end["answer"])
    assert log.end["outcome"] == ("right" if right else "wrong")
    assert last.get("verified", False) == right


def test_a_score_is_the_mean_of_the_samples_that_were_parsed_from_the_responses(log: Log) -> None:
    for node in log.nodes.values():
        samples = [call for call in log.calls if call["node_id"] == node["node_id"] and call["role"] == "evaluator"]
        if samples and node.get("score") is not None:
            assert [call["parsed"] for call in samples] == [call["response"].splitlines()[-1] for call in samples]
            assert node["score"] == sum(LABELS[call["parsed"]] for call in samples) / len(samples)
            assert node["score_raw"].split() == [call["parsed"] for call in samples]
        if node.get("fate") == Fate.UNSCORED:
            assert all(call["error"] and "response" not in call for call in samples)


def test_the_children_of_an_expanded_node_are_what_its_proposal_call_says(log: Log) -> None:
    for call in log.calls:
        if call["role"] == "proposer":
            steps = [child["step"] for child in log.children(call["node_id"])]
            assert steps == call["parsed"][: len(steps)]
            assert len(steps) == len(call["parsed"]) or log.end.get("stop_reason") == "max_nodes" or not log.end


def test_the_reported_totals_are_the_sums_over_the_calls(log: Log) -> None:
    if log.end:
        sums = {name: sum(call.get(name) or 0 for call in log.calls) for name in ("input_tokens", "output_tokens", "cost")}
        assert (log.end["reported_nodes"], log.end["reported_calls"]) == (len(log.nodes), len(log.calls))
        assert log.end["reported_input_tokens"] == sums["input_tokens"]
        assert log.end["reported_output_tokens"] == sums["output_tokens"]
        assert log.end["reported_cost"] == pytest.approx(sums["cost"], abs=1e-9)


def test_no_budget_is_ever_exceeded(log: Log) -> None:
    assert max(node["depth"] for node in log.nodes.values()) <= log.run["budget_max_depth"]
    assert len(log.nodes) <= log.run.get("budget_max_nodes", len(log.nodes))
    assert len(log.calls) <= log.run.get("budget_max_calls", len(log.calls))


ENDS = {
    "right_by_beam": ("right", "goal", True),
    "lost_by_generation": ("wrong", "frontier_exhausted", True),
    "lost_by_evaluation": ("wrong", "frontier_exhausted", True),
    "lost_by_failed_judge": ("wrong", "frontier_exhausted", True),
    "lost_by_tie": ("wrong", "frontier_exhausted", True),
    "cut_off_by_max_nodes": ("wrong", "max_nodes", False),
    "died": (None, None, None),
    "right_by_depth_first": ("right", "goal", True),
    "merged_states": ("right", "goal", True),
    "tiny": ("right", "goal", True),
}


def test_every_run_ends_as_its_name_says() -> None:
    ends = {name: Log(NATIVE / f"{name}.jsonl").end for name in NAMES}
    assert {name: (end.get("outcome"), end.get("stop_reason"), end.get("complete")) for name, end in ends.items()} == ENDS


def test_lost_by_generation_expanded_every_furthest_viable_state_and_got_proposals_of_which_none_is_viable() -> None:
    log = Log(NATIVE / "lost_by_generation.jsonl")
    assert {(node["depth"], node["fate"]) for node in furthest(log)} == {(1, "expanded")}
    for node in furthest(log):
        call = next(call for call in log.calls if call["role"] == "proposer" and call["node_id"] == node["node_id"])
        assert len(call["parsed"]) == len(log.children(node["node_id"])) > 0


def test_lost_by_evaluation_scored_every_furthest_viable_state_below_all_that_were_kept() -> None:
    log = Log(NATIVE / "lost_by_evaluation.jsonl")
    kept = [node["score"] for node in log.decisions()[0] if is_kept(node)]
    assert {node["depth"] for node in furthest(log)} == {1}
    assert all(node["prune_rule"] == "beam_width" and node["score"] < min(kept) for node in furthest(log))


def test_lost_by_failed_judge_never_scored_the_furthest_viable_states() -> None:
    log = Log(NATIVE / "lost_by_failed_judge.jsonl")
    assert {(node["fate"], node.get("score"), node["error"]) for node in furthest(log)} == {
        ("unscored", None, "the judge answered none of its samples")
    }


def test_lost_by_tie_cut_a_viable_state_with_the_score_of_the_last_one_kept_while_others_scored_differently() -> None:
    log = Log(NATIVE / "lost_by_tie.jsonl")
    scores = {node["score"] for node in log.decisions()[0]}
    kept = [node["score"] for node in log.decisions()[0] if is_kept(node)]
    assert len(scores) > 1
    assert {node["depth"] for node in furthest(log)} == {1}
    assert all(node["score"] == min(kept) and node["prune_reason"].endswith("the order decided") for node in furthest(log))


def test_cut_off_by_max_nodes_stops_in_the_middle_of_a_level_and_returns_the_best_so_far() -> None:
    log, whole = Log(NATIVE / "cut_off_by_max_nodes.jsonl"), Log(NATIVE / "right_by_beam.jsonl")
    assert len(log.nodes) == log.run["budget_max_nodes"] < len(whole.nodes)
    assert list(log.nodes) == list(whole.nodes)[: len(log.nodes)]
    last_level = log.decisions()[-1]
    assert {(node["fate"], node.get("score")) for node in last_level} == {("open", None)}
    assert log.end["selected_path"][-1] == log.end["best_so_far"][-1]["node_id"]
    assert "answer" not in log.end


def test_died_is_the_beginning_of_the_run_that_lived() -> None:
    def without_name(path: Path) -> list[str]:
        return [re.sub(r'"(run_id|started_at)":"[^"]*"', "", line) for line in path.read_text(encoding="utf-8").splitlines()]

    died, lived = without_name(NATIVE / "died.jsonl"), without_name(NATIVE / "right_by_beam.jsonl")
    assert died == lived[: len(died)]
    assert any("fate" not in node for node in Log(NATIVE / "died.jsonl").nodes.values())


def test_depth_first_goes_back_after_a_branch_that_ended() -> None:
    log = Log(NATIVE / "right_by_depth_first.jsonl")
    order = sorted((node for node in log.nodes.values() if "expanded_seq" in node), key=lambda node: node["expanded_seq"])
    depths = [node["depth"] for node in order]
    assert any(later <= earlier for earlier, later in pairwise(depths[1:]))
    assert {"threshold"} == {node["prune_rule"] for node in log.nodes.values() if node["fate"] == "pruned"}


def test_a_second_parent_is_the_parent_of_a_repetition_of_the_state() -> None:
    log = Log(NATIVE / "merged_states.jsonl")
    joined = {node_id: set(node["parent_ids"][1:]) for node_id, node in log.nodes.items() if len(node["parent_ids"]) > 1}
    repeated: dict[str, set[str]] = {}
    for node in log.nodes.values():
        first = node.get("merged_into")
        if first and node["parent_ids"][0] != log.nodes[first]["parent_ids"][0]:
            repeated.setdefault(first, set()).add(node["parent_ids"][0])
    assert joined == repeated
    assert len(joined) == 4

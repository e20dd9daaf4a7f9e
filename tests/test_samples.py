"""Do the recorded samples show what they claim, and does recording them again give the same bytes?"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from explorer.commands import main
from explorer.judging import judge
from ingest.judgements import add_routes, read_routes
from ingest.pipeline import ingest
from ingest.schema import Fate
from sample_traces.record import puzzle
from sample_traces.record.game24 import Sample
from sample_traces.record.players import LABELS
from sample_traces.record.samples import SAMPLES as GAMES

PROJECT = Path(__file__).parents[1]
SAMPLES = PROJECT / "sample_traces"
NATIVE = SAMPLES / "native"
GAME, TRAP = NATIVE / "1", NATIVE / "trap"
RECORD = SAMPLES / "record"
README = (SAMPLES / "README.md").read_text(encoding="utf-8")
NAMES = [sample.name for sample in GAMES]
BY_NAME = {sample.name: sample for sample in GAMES}


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


@pytest.fixture(params=[*(f"1/{name}" for name in NAMES), *sorted(f"trap/{path.stem}" for path in TRAP.iterdir())])
def log(request: pytest.FixtureRequest) -> Log:
    return Log(NATIVE / f"{request.param}.jsonl")


@pytest.fixture(params=NAMES)
def game(request: pytest.FixtureRequest) -> Log:
    return Log(GAME / f"{request.param}.jsonl")


def sample_of(log: Log) -> Sample:
    return BY_NAME[log.run["run_id"].removeprefix("game24-")]


def can_reach_24(node: dict[str, Any]) -> bool:
    return puzzle.solvable(puzzle.start(" ".join(node["state"]["left"])))


def is_kept(node: dict[str, Any]) -> bool:
    return node.get("fate") in (Fate.EXPANDED, Fate.TERMINAL, Fate.OPEN) and node.get("score") is not None


def unscored_of(log: Log) -> set[str | None]:
    """What is said of the nodes that nobody scored."""
    return {node.get("prune_reason") for node in log.nodes.values() if node.get("fate") == Fate.UNSCORED and "error" not in node}


def furthest(log: Log) -> list[dict[str, Any]]:
    """The deepest nodes from which 24 could still be reached."""
    viable = [node for node in log.nodes.values() if can_reach_24(node)]
    return [node for node in viable if node["depth"] == max(other["depth"] for other in viable)]


def test_recording_again_gives_the_same_bytes_whatever_the_users_git_is_told(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    told = "[user]\nname = Somebody\n[commit]\ngpgsign = true\n[init]\ndefaultBranch = other\n[core]\nautocrlf = true\n"
    (home / ".gitconfig").write_text(told, encoding="utf-8")
    environment = {**os.environ, "HOME": str(home), "GIT_DIR": str(tmp_path / "nowhere"), "GIT_AUTHOR_NAME": "Somebody", "TZ": "Asia/Tokyo"}
    command = [sys.executable, "-m", "sample_traces.record", str(tmp_path / "again")]
    subprocess.run(command, cwd=PROJECT, check=True, capture_output=True, env=environment)
    made = {path.relative_to(tmp_path / "again"): path.read_bytes() for path in (tmp_path / "again").rglob("*.jsonl")}
    assert made == {path.relative_to(NATIVE): path.read_bytes() for path in NATIVE.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """The verdict on every run that is recorded here, with the truth that its README names."""
    store = tmp_path_factory.mktemp("verdicts")
    ingest(store, [str(NATIVE)])
    judge(store, "game24")
    judge(store, "sample_traces.record.incident:oracle")
    routes, problems = read_routes(RECORD / "known_good.json")
    assert problems == []
    add_routes(store, routes)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(["why", "--store", str(store), "--json"]) == 0
    return {one["run_id"]: one for one in json.loads(out.getvalue())["runs"]}


def test_every_run_has_the_verdict_that_stands_in_the_readme(verdicts: dict[str, dict[str, Any]]) -> None:
    said = dict(re.findall(r"^\| `(\w+)\.jsonl` \| .* \| ([a-z ,]+) \|$", README, flags=re.MULTILINE))
    found = {}
    for run_id, one in verdicts.items():
        words = f"{one['verdict']}, {one['mechanism']}" if one["mechanism"] else str(one["verdict"])
        found[run_id.partition("-")[2]] = words.replace("_", " ")
    assert said.pop("repair") == found.pop("search") == found.pop("commit") == "none"
    assert found == said
    assert {one["confidence"] for one in verdicts.values()} == {"established", None}


def test_every_mechanism_that_a_search_can_produce_is_among_the_samples(verdicts: dict[str, dict[str, Any]]) -> None:
    assert {(one["verdict"], one["mechanism"], one["lost_at"]) for one in verdicts.values()} == {
        ("generation", "not_proposed", "generated"),
        ("evaluation", "unscored", "evaluated"),
        ("evaluation", "underscored", "survived"),
        ("evaluation", "underscored", "verified"),
        ("evaluation", "not_discriminating", "survived"),
        ("evaluation", "blocked", "survived"),
        ("evaluation", "misparsed", "survived"),
        ("control", "deduplication", "distinct"),
        ("control", "tie_order", "survived"),
        ("control", "pruning", "survived"),
        ("control", "boundary", "survived"),
        ("control", "allocation", "completed"),
        ("control", "termination", "completed"),
        ("control", "selection", "verified"),
        ("cannot_tell", "cap", "evaluated"),
        ("cannot_tell", "void", None),
        ("none", None, None),
    }


def test_no_sample_is_larger_than_100_kb() -> None:
    sizes = {path.name: path.stat().st_size for path in SAMPLES.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert {name: size for name, size in sizes.items() if size >= 100_000} == {}


def test_the_readme_names_every_sample_of_its_folders_and_no_other() -> None:
    named = re.findall(r"^\| `([\w.]+)` \|", README, flags=re.MULTILINE)
    assert sorted(named) == sorted(path.name for folder in (NATIVE, SAMPLES / "broken") for path in folder.rglob("*") if path.is_file())


def test_ids_are_the_parents_id_and_the_request_index_without_gaps(log: Log) -> None:
    for node_id, node in log.nodes.items():
        if not node["parent_ids"]:
            assert node_id.isdigit()
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
    assert all(re.search(r"score [\d.]+ is |among its siblings|violates", node["prune_reason"]) for node in pruned if node["pruned_by"] == "survived")
    assert {node["pruned_by"] for node in pruned if "merged_into" in node} <= {"distinct"}


def test_a_merged_node_has_the_state_of_the_node_that_stands_for_it(log: Log) -> None:
    for node in log.nodes.values():
        if "merged_into" in node:
            assert log.nodes[node["merged_into"]]["state_key"] == node["state_key"]
            assert log.nodes[node["merged_into"]]["score"] >= node["score"] or log.nodes[node["merged_into"]]["fate"] == "expanded"


def test_in_every_decision_those_kept_rank_before_those_cut_by_score_then_order(log: Log) -> None:
    for decision in log.decisions():
        scored = [node for node in decision if node.get("score") is not None]
        competing = [node for node in scored if node.get("pruned_by") != "distinct" and not node.get("violations")]
        ranked = sorted(competing, key=lambda node: (-node["score"], node["seq"]))
        cut = [node.get("prune_rule") == "beam_width" for node in ranked]
        assert cut == sorted(cut)
        threshold = log.run["protocol"].get("threshold")
        assert all(node["score"] < threshold for node in ranked if node.get("prune_rule") == "threshold")


def test_the_selected_path_leads_from_the_root_along_parents_and_its_answer_is_checked(log: Log) -> None:
    if not log.end:
        return
    path = log.end["selected_path"]
    assert path[0].isdigit()
    assert all(parent in log.nodes[child]["parent_ids"] for parent, child in pairwise(path))
    assert log.end["partial"] == (log.nodes[path[-1]]["fate"] != "terminal")


def test_the_outcome_is_what_exact_arithmetic_says_about_the_answer(game: Log) -> None:
    if game.end:
        right = "answer" in game.end and puzzle.is_right(game.run["question"], game.end["answer"])
        assert game.end["outcome"] == ("right" if right else "wrong")
        if sample_of(game).checks:
            assert game.nodes[game.end["selected_path"][-1]].get("verified", False) == right


def test_a_score_is_the_mean_of_the_samples_that_were_parsed_from_the_responses(game: Log) -> None:
    for node in game.nodes.values():
        samples = [call for call in game.calls if call["node_id"] == node["node_id"] and call["role"] == "evaluator"]
        if samples and node.get("score") is not None:
            if not sample_of(game).shouts:
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
        assert log.end["reported_tokens"] == sums["input_tokens"] + sums["output_tokens"]
        if all("cost" in call for call in log.calls):
            assert log.end["reported_cost"] == pytest.approx(sums["cost"], abs=1e-9)
        else:
            assert "reported_cost" not in log.end


def test_no_budget_is_ever_exceeded_but_by_the_size_of_the_last_call(log: Log) -> None:
    assert max(node["depth"] for node in log.nodes.values()) <= log.run.get("budget_max_depth", 99)
    assert len(log.nodes) <= log.run.get("budget_max_nodes", len(log.nodes))
    assert len(log.calls) <= log.run.get("budget_max_calls", len(log.calls))
    before = log.calls[: -log.run["protocol"]["most_calls"]["expansion" if log.calls[-1]["role"] in ("proposer", "tool") else "evaluation"]]
    tokens = sum((call.get("input_tokens") or 0) + (call.get("output_tokens") or 0) for call in before)
    assert tokens < log.run.get("budget_max_tokens", tokens + 1)
    assert sum(call.get("cost") or 0 for call in before) < log.run.get("budget_max_cost", 99)
    assert sum(call["latency_ms"] for call in before) / 1000 < log.run.get("budget_wall_clock_s", 999)


CUT_OFF = {
    "cut_off_by_max_depth": "max_depth", "cut_off_by_max_nodes": "max_nodes", "cut_off_by_calls": "call_budget",
    "cut_off_by_tokens": "token_budget", "cut_off_by_cost": "cost_budget", "cut_off_by_wall_clock": "wall_clock", "lost_by_allocation": "call_budget",
}  # fmt: skip
UNCHECKED = {"right_by_best_of", "lost_by_selection", "lost_by_final_score"}


def test_every_run_ends_as_its_name_says() -> None:
    ends = {name: Log(GAME / f"{name}.jsonl").end for name in NAMES if name != "died"}
    assert Log(GAME / "died.jsonl").end == {}
    assert {name: (end["outcome"], end["stop_reason"], end["complete"]) for name, end in ends.items()} == {
        name: ("wrong", CUT_OFF[name], False) if name in CUT_OFF
        else ("right" if name in ("right_by_best_of", "merged_states", "tiny") or name.startswith("right") else "wrong",
              "goal" if name not in UNCHECKED and not name.startswith("lost") else "frontier_exhausted", True)
        for name in ends
    }  # fmt: skip


def test_lost_by_generation_expanded_every_furthest_viable_state_and_got_proposals_of_which_none_is_viable() -> None:
    log = Log(GAME / "lost_by_generation.jsonl")
    assert {(node["depth"], node["fate"]) for node in furthest(log)} == {(1, "expanded")}
    for node in furthest(log):
        call = next(call for call in log.calls if call["role"] == "proposer" and call["node_id"] == node["node_id"])
        assert len(call["parsed"]) == len(log.children(node["node_id"])) > 0


def test_lost_by_evaluation_scored_every_furthest_viable_state_below_all_that_were_kept() -> None:
    log = Log(GAME / "lost_by_evaluation.jsonl")
    kept = [node["score"] for node in log.decisions()[0] if is_kept(node)]
    assert {node["depth"] for node in furthest(log)} == {1}
    assert all(node["prune_rule"] == "beam_width" and node["score"] < min(kept) for node in furthest(log))


def test_lost_by_failed_judge_never_scored_the_furthest_viable_states() -> None:
    log = Log(GAME / "lost_by_failed_judge.jsonl")
    assert {(node["fate"], node.get("score"), node["error"]) for node in furthest(log)} == {
        ("unscored", None, "the judge answered none of its samples")
    }


def test_lost_by_tie_cut_a_viable_state_with_the_score_of_the_last_one_kept_while_others_scored_differently() -> None:
    log = Log(GAME / "lost_by_tie.jsonl")
    scores = {node["score"] for node in log.decisions()[0]}
    kept = [node["score"] for node in log.decisions()[0] if is_kept(node)]
    assert len(scores) > 1
    assert {node["depth"] for node in furthest(log)} == {1}
    assert all(node["score"] == min(kept) and node["prune_reason"].endswith("the order decided") for node in furthest(log))


def test_cut_off_by_max_nodes_stops_in_the_middle_of_a_level_and_returns_the_best_so_far() -> None:
    log, whole = Log(GAME / "cut_off_by_max_nodes.jsonl"), Log(GAME / "right_by_beam.jsonl")
    assert len(log.nodes) == log.run["budget_max_nodes"] < len(whole.nodes)
    assert list(log.nodes) == list(whole.nodes)[: len(log.nodes)]
    last_level = log.decisions()[-1]
    assert {(node["fate"], node.get("score")) for node in last_level} == {("unscored", None)}
    assert unscored_of(log) == {"the cap max_nodes fired before it was scored"}
    assert log.end["selected_path"][-1] == log.end["best_so_far"][-1]["node_id"]
    assert "answer" not in log.end


def test_died_is_the_beginning_of_the_run_that_lived() -> None:
    def without_name(path: Path) -> list[str]:
        return [re.sub(r'"(run_id|started_at)":"[^"]*"', "", line) for line in path.read_text(encoding="utf-8").splitlines()]

    died, lived = without_name(GAME / "died.jsonl"), without_name(GAME / "right_by_beam.jsonl")
    assert died == lived[: len(died)]
    assert any("fate" not in node for node in Log(GAME / "died.jsonl").nodes.values())


def test_depth_first_goes_back_after_a_branch_that_ended() -> None:
    log = Log(GAME / "right_by_depth_first.jsonl")
    order = sorted((node for node in log.nodes.values() if "expanded_seq" in node), key=lambda node: node["expanded_seq"])
    depths = [node["depth"] for node in order]
    assert any(later <= earlier for earlier, later in pairwise(depths[1:]))
    assert {"threshold"} == {node["prune_rule"] for node in log.nodes.values() if node["fate"] == "pruned"}


def test_a_second_parent_is_the_parent_of_a_repetition_of_the_state() -> None:
    log = Log(GAME / "merged_states.jsonl")
    joined = {node_id: set(node["parent_ids"][1:]) for node_id, node in log.nodes.items() if len(node["parent_ids"]) > 1}
    repeated: dict[str, set[str]] = {}
    for node in log.nodes.values():
        other = node.get("merged_into")
        if other and node["parent_ids"][0] != log.nodes[other]["parent_ids"][0]:
            repeated.setdefault(other, set()).add(node["parent_ids"][0])
    assert joined == repeated
    assert len(joined) == 4


def test_the_better_scored_of_two_equal_states_goes_on_wherever_it_stands() -> None:
    later = [
        (node["node_id"], node["merged_into"])
        for log in (Log(path) for path in (*GAME.iterdir(), *TRAP.iterdir()))
        for node in log.nodes.values()
        if "merged_into" in node and log.nodes[node["merged_into"]]["seq"] > node["seq"]
    ]
    assert later, "a state that came later, cheaper or better scored, stands for an earlier one in some sample"


def test_deepening_records_every_pass_and_each_has_an_answer_that_could_be_shipped() -> None:
    log = Log(GAME / "right_by_deepening.jsonl")
    assert [(one["bound"], one["partial"]) for one in log.end["passes"]] == [(1, True), (2, True), (3, False)]
    assert sum(one["calls"] for one in log.end["passes"]) == len(log.calls)
    for number, one in enumerate(log.end["passes"]):
        nodes = [node for node_id, node in log.nodes.items() if node_id.split(".")[0] == str(number)]
        assert {node["pass"] for node in nodes} == {one["bound"]}
        assert max(node["depth"] for node in nodes) == one["bound"]
        assert one["node_id"] in {node["node_id"] for node in nodes}
        assert {node["decision_id"].split(",")[0] for node in nodes if "decision_id" in node} == {f"pass {one['bound']}"}


def test_the_last_pass_of_a_deepening_is_the_direct_search() -> None:
    sample = BY_NAME["right_by_deepening"]
    direct = replace(sample, plan=replace(sample.plan, deepening_start=None)).try_out()
    last = Log(GAME / "right_by_deepening.jsonl").end["passes"][-1]
    assert direct.selected.node_id == last["node_id"].replace("2", "0", 1)
    assert (direct.spent.calls, direct.selected.score) == (last["calls"], last["score"])

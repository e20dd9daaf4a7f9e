"""Truth that is given after the ingest: kept beside the nodes, replaced by asking again, gone with its run; and the commands that give and use it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from explorer.commands import main
from explorer.judging import judge
from ingest import commit
from ingest.errors import TraceError
from ingest.judgements import add_routes, add_truth, read_routes
from ingest.pipeline import ingest
from ingest.schema import Truth
from ingest.store import Store
from tests.logs import PROJECT, node, rows, write_log
from tests.stores import store_of, tree

NATIVE = PROJECT / "sample_traces" / "native" / "1"
LOG = "select run_id, node_id, viable, viable_by, detail from truth order by run_id, node_id, viable_by, detail"


def log(path: Path, run: str = "r", question: str = "1 5 10 11") -> Path:
    records: list[dict[str, Any]] = [
        {"record": "run", "run_id": run, "task_id": "t", "question": question},
        node("0", run=run, fate="expanded"),
        node("0.0", "0", run=run, state={"left": ["1", "2", "11"]}, step="10 / 5 = 2", score=1, fate="pruned", pruned_by="survived"),
        node("0.1", "0", run=run, state={"left": ["1", "1", "1"]}, step="no", score=2, fate="terminal"),
        {"record": "run_end", "run_id": run, "outcome": "wrong", "outcome_by": "check", "stop_reason": "goal", "selected_path": ["0", "0.1"]},
    ]
    return write_log(path, *records)


def truth(node_id: str, viable: bool, run: str = "r", by: str = "oracle", detail: str = "mine") -> Truth:
    return Truth(run_id=run, node_id=node_id, viable=viable, viable_by=by, detail=detail)


def test_judging_keeps_what_the_oracle_says_and_changes_nothing_else(tmp_path: Path) -> None:
    store = tmp_path / "store"
    ingest(store, [str(log(tmp_path / "a.jsonl"))])
    nodes, version = rows(store, "select * from nodes order by preorder"), Store(store).version
    judged = judge(store, "game24")
    assert (judged.runs, judged.nodes, judged.viable, judged.not_viable, judged.unknown, judged.problems) == (1, 3, 2, 1, 0, ())
    assert rows(store, LOG) == [("r", "0", True, "oracle", "game24"), ("r", "0.0", True, "oracle", "game24"), ("r", "0.1", False, "oracle", "game24")]
    assert rows(store, "select * from nodes order by preorder") == nodes
    assert Store(store).version != version, "caches must notice"


def test_asking_again_replaces_what_the_same_oracle_said_and_nothing_else(tmp_path: Path) -> None:
    store_of(tmp_path, tree("root\n  a", run_id="r"), tree("root\n  a", run_id="s"))
    add_truth(tmp_path, [truth("a", True), truth("a", True, run="s")], ["r", "s"], "oracle", "mine")
    add_truth(tmp_path, [truth("a", True, detail="other")], ["r"], "oracle", "other")
    add_truth(tmp_path, [truth("a", False)], ["r"], "oracle", "mine")
    assert rows(tmp_path, LOG) == [("r", "a", False, "oracle", "mine"), ("r", "a", True, "oracle", "other"), ("s", "a", True, "oracle", "mine")]
    add_truth(tmp_path, [], ["r", "s"], "oracle", "mine")
    add_truth(tmp_path, [], ["r", "s"], "oracle", "other")
    assert rows(tmp_path, LOG) == [] and Store(tmp_path).manifest.truth is None


def test_truth_that_readers_found_stands_beside_it(tmp_path: Path) -> None:
    import dataclasses

    store_of(tmp_path, dataclasses.replace(tree("root", run_id="r"), truth=(truth("root", True, by="label"),)))
    add_truth(tmp_path, [truth("root", False)], ["r"], "oracle", "mine")
    assert [row[3] for row in rows(tmp_path, LOG)] == ["label", "oracle"]


def test_truth_goes_with_a_run_that_is_replaced_and_stays_with_the_others(tmp_path: Path) -> None:
    store, first = tmp_path / "store", log(tmp_path / "a.jsonl")
    ingest(store, [str(first), str(log(tmp_path / "b.jsonl", "s"))])
    judge(store, "game24")
    assert [report.status for report in ingest(store, [str(first)])] == ["unchanged"]
    assert len(rows(store, LOG)) == 6
    log(first, question="1 1 1 1")
    assert [report.status for report in ingest(store, [str(first)])] == ["replaced"]
    assert {row[0] for row in rows(store, LOG)} == {"s"}


def test_truth_and_routes_outlive_later_ingests_and_compaction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "store"
    ingest(store, [str(log(tmp_path / "a.jsonl"))])
    judge(store, "game24")
    add_routes(store, [{"run_id": "r", "route": [{"step": "x"}]}])
    monkeypatch.setattr(commit, "COMPACT_ABOVE", 1)
    ingest(store, [str(log(tmp_path / "b.jsonl", "s"))])
    assert len(rows(store, LOG)) == 3 and len(Store(store).manifest.batches) == 1
    assert Store(store).routes == ({"run_id": "r", "route": [{"step": "x"}]},)


def test_an_open_reader_sees_truth_that_was_added_since(tmp_path: Path) -> None:
    store = store_of(tmp_path, tree("root", run_id="r"))
    assert store.query("select * from truth").num_rows == 0
    add_truth(tmp_path, [truth("root", True)], ["r"], "oracle", "mine")
    assert store.query("select * from truth").num_rows == 1


def test_routes_given_again_replace_those_of_the_same_run(tmp_path: Path) -> None:
    store_of(tmp_path, tree("root"))
    add_routes(tmp_path, [{"run_id": "run", "route": [{"step": "wrong"}]}, {"task_id": "t", "route": [{"step": "x"}]}])
    add_routes(tmp_path, [{"run_id": "run", "route": [{"step": "right"}]}])
    assert [route["route"][0]["step"] for route in Store(tmp_path).routes] == ["right", "x"]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('{"route": [{"step": "x"}]}', "names neither a run_id nor a task_id"),
        ('{"run_id": "r", "route": []}', "has no list 'route' with at least one element"),
        ('{"run_id": "r", "route": [{"step": "x"}, {"text": "y"}]}', "has no step and no state_key in element 1"),
        ("[3]", "is int, expected an object"),
    ],
)
def test_a_bad_route_is_named_and_the_good_ones_beside_it_are_kept(tmp_path: Path, text: str, wrong: str) -> None:
    path = tmp_path / "known_good.json"
    path.write_text(f'[{text.strip("[]") if text == "[3]" else text}, {{"task_id": 7, "route": [{{"state_key": "k", "note": 1}}]}}]', "utf-8")
    routes, problems = read_routes(path)
    assert routes == [{"task_id": "7", "route": [{"state_key": "k"}]}]
    assert [(problem.where, problem.message) for problem in problems] == [(f"{path}: $[0]", f"a known-good route {wrong}")]


def test_a_file_that_is_no_json_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "known_good.json"
    path.write_text("{", "utf-8")
    with pytest.raises(TraceError, match="not JSON"):
        read_routes(path)
    with pytest.raises(TraceError, match="cannot be read"):
        read_routes(tmp_path / "absent.json")


# the commands


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, Any, str]:
    status = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return status, json.loads(out) if "--json" in arguments and out else out, err


def test_judge_and_why_tell_where_each_sample_was_lost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "store"
    assert run(capsys, "ingest", NATIVE, "--store", store)[0] == 0
    status, judged, _ = run(capsys, "judge", "--oracle", "game24", "--store", store, "--json")
    assert status == 0 and (judged["oracle"], judged["runs"], judged["unknown"], judged["problems"]) == ("game24", 28, 0, [])
    status, found, _ = run(capsys, "why", "--store", store, "--json")
    assert status == 0
    shown = ("verdict", "lost_at", "mechanism", "confidence")
    assert {one["run_id"].removeprefix("game24-"): tuple(one[name] for name in shown) for one in found["runs"]} == {
        "cut_off_by_calls": ("control", "completed", "termination", "established"),
        "cut_off_by_cost": ("cannot_tell", "evaluated", "cap", None),
        "cut_off_by_max_depth": ("control", "completed", "termination", "established"),
        "cut_off_by_max_nodes": ("cannot_tell", "evaluated", "cap", None),
        "cut_off_by_tokens": ("control", "completed", "termination", "established"),
        "cut_off_by_wall_clock": ("cannot_tell", "evaluated", "cap", None),
        "died": ("cannot_tell", None, "void", None),
        "lost_by_allocation": ("control", "completed", "allocation", "established"),
        "lost_by_evaluation": ("evaluation", "survived", "underscored", "established"),
        "lost_by_failed_judge": ("evaluation", "evaluated", "unscored", "established"),
        "lost_by_final_score": ("evaluation", "verified", "underscored", "established"),
        "lost_by_flat_scores": ("evaluation", "survived", "not_discriminating", "established"),
        "lost_by_generation": ("generation", "generated", "not_proposed", "established"),
        "lost_by_misread_answer": ("evaluation", "survived", "misparsed", "established"),
        "lost_by_per_parent": ("control", "survived", "pruning", "established"),
        "lost_by_selection": ("control", "verified", "selection", "established"),
        "lost_by_tie": ("control", "survived", "tie_order", "established"),
        "lost_by_unsound_key": ("control", "distinct", "deduplication", "established"),
        "lost_by_wrong_constraint": ("evaluation", "survived", "blocked", "established"),
        **dict.fromkeys(
            ("merged_states", "right_by_beam", "right_by_best_first", "right_by_best_of", "right_by_breadth_first", "right_by_deepening",
             "right_by_depth_first", "right_by_mcts", "tiny"),
            ("none", None, None, None),
        ),
    }
    documented = "run_id outcome verdict lost_at mechanism node_id depth confidence sentence evidence missing also_lost flags".split()
    assert all(list(one)[: len(documented)] == documented for one in found["runs"])
    share = found["suite"]["oracle_generated_success"]
    assert (share["value"], share["numerator"], share["denominator"]) == (26 / 27, 26, 27)
    assert (share["low"], share["high"]) == (pytest.approx(0.817, abs=1e-3), pytest.approx(0.993, abs=1e-3))
    assert found["suite"]["left_out"] == ["game24-died"]


def test_the_same_store_gives_the_same_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "ingest", NATIVE / "lost_by_tie.jsonl", "--store", tmp_path, "--oracle", "game24")
    first = run(capsys, "why", "--store", tmp_path, "--json")
    assert first == run(capsys, "why", "--store", tmp_path, "--json")


def test_why_one_run_shows_its_evidence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "ingest", NATIVE, "--store", tmp_path, "--oracle", "game24")
    status, out, _ = run(capsys, "why", "game24-lost_by_tie", "--store", tmp_path)
    assert status == 0 and "by control" in out and "worst kept" in out
    status, out, _ = run(capsys, "why", "--store", tmp_path)
    assert "pruning_regret" in out and "28 runs are counted" in out


def test_why_on_an_empty_store_says_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "why", "--store", tmp_path / "nothing")
    assert status == 0 and "holds no runs" in out
    status, found, _ = run(capsys, "why", "--store", tmp_path / "nothing", "--json")
    assert found["runs"] == [] and found["suite"]["search_gap"]["value"] is None


def test_ingest_asks_an_oracle_and_takes_routes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    routes = tmp_path / "known_good.json"
    routes.write_text('[{"task_id": "t", "route": [{"step": "10 / 5 = 2"}]}, {"run_id": "absent", "route": [{"step": "x"}]}]', "utf-8")
    arguments = ("ingest", log(tmp_path / "a.jsonl"), "--store", tmp_path / "store", "--oracle", "game24", "--known-good", routes, "--json")
    status, found, _ = run(capsys, *arguments)
    assert status == 1, "a route that names no run is said"
    assert (found["judged"]["viable"], found["judged"]["not_viable"], found["known_good"]["routes"]) == (2, 1, 2)
    (problem,) = found["known_good"]["problems"]
    assert problem["message"] == "a known-good route is for run_id 'absent', which this store does not hold"
    assert run(capsys, *arguments)[1]["judged"]["runs"] == 0, "nobody is asked twice about what has not changed"


def test_a_wrong_oracle_is_said_before_anything_is_loaded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, "ingest", log(tmp_path / "a.jsonl"), "--store", tmp_path / "store", "--oracle", "game25")
    assert status == 1 and "there is no oracle named 'game25'" in err and not (tmp_path / "store").exists()


def test_an_oracle_that_fails_at_a_node_ends_with_status_1_and_keeps_the_rest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shaky_task.py").write_text("def oracle(run, node):\n    return {'no': False}[node.step] if node.step else True\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    ingest(tmp_path / "store", [str(log(tmp_path / "a.jsonl"))])
    status, found, _ = run(capsys, "judge", "--oracle", "shaky_task:oracle", "--store", tmp_path / "store", "--json")
    assert status == 1
    assert [(problem["run_id"], problem["node_id"]) for problem in found["problems"]] == [("r", "0.0")]
    assert [row[1] for row in rows(tmp_path / "store", LOG)] == ["0", "0.1"]


def test_stage_labels_out_of_order_end_with_status_1_and_name_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = {"reachable": True, "generated": False, "distinct": True}
    line = {"record": "run", "run_id": "r", "outcome": "wrong", "flags": labels}
    ingest(tmp_path / "store", [str(write_log(tmp_path / "a.jsonl", line, node("0")))])
    status, _, err = run(capsys, "why", "--store", tmp_path / "store")
    assert status == 1 and err.startswith("r: the stage labels are not in order")

"""Are the logs of breadth-first Tree of Thoughts read as they were written, and is nothing in them mistaken for a score?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest import columns
from ingest.errors import Problem
from ingest.readers import tot_bfs
from ingest.schema import Fate, Node, Trace
from ingest.source import Source
from tests.broken_json import broken

SAMPLES = Path(__file__).parents[3] / "sample_traces" / "tot-bfs"
TREE = SAMPLES / "tree" / "game24_toy-model_0.7_propose1_value3_greedy2_start40_end42.json"
VOTES = SAMPLES / "tree" / "text_toy-model_1.0_sample3_vote5_greedy1_start7_end8.json"
BEST_OF_3 = SAMPLES / "samples" / "game24_toy-model_0.7_naive_cot_sample_3_start40_end42.json"


def step(ys: list[str], new_ys: list[str], values: list[Any], kept: list[str], place: int = 0) -> dict[str, Any]:
    return {"step": place, "x": "a task", "ys": ys, "new_ys": new_ys, "values": values, "select_new_ys": kept}


def record(*steps: dict[str, Any], idx: Any = 1, **fields: Any) -> dict[str, Any]:
    ys = steps[-1]["select_new_ys"]
    return {"steps": list(steps), "idx": idx, "ys": ys, "infos": [{"r": 0} for _ in ys], "usage_so_far": used(1), **fields}


def used(times: float) -> dict[str, float]:
    return {"completion_tokens": int(100 * times), "prompt_tokens": int(300 * times), "cost": 0.07 * times}


def write(folder: Path, document: Any, name: str = "log.json") -> Source:
    path = folder / name
    path.write_text(json.dumps(document), encoding="utf-8")
    return Source(path)


def traces(source: Source) -> list[Trace]:
    found = list(tot_bfs.read(source))
    assert [item for item in found if isinstance(item, Problem)] == []
    return [item for item in found if isinstance(item, Trace)]


def one(folder: Path, *steps: dict[str, Any], **fields: Any) -> Trace:
    (trace,) = traces(write(folder, [record(*steps, **fields)]))
    return trace


def by_id(trace: Trace) -> dict[str, Node]:
    return {node.node_id: node for node in trace.nodes}


def extra(item: Any) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(item.extra or "{}")
    return fields


def test_ids_come_from_the_parent_and_the_place_under_it() -> None:
    first, _ = traces(Source(TREE))
    assert {node.node_id: (node.parent_ids, node.depth, node.request_index) for node in first.nodes if node.depth != 1} == {
        "r": ((), 0, 0),
        "r.1.0": (("r.1",), 2, 0), "r.1.1": (("r.1",), 2, 1), "r.0.0": (("r.0",), 2, 0), "r.0.1": (("r.0",), 2, 1),
        "r.0.1.0": (("r.0.1",), 3, 0), "r.0.1.1": (("r.0.1",), 3, 1),
        "r.1.0.0": (("r.1.0",), 3, 0), "r.1.0.1": (("r.1.0",), 3, 1),
        "r.1.0.0.0": (("r.1.0.0",), 4, 0), "r.0.1.0.0": (("r.0.1.0",), 4, 0),
    }  # fmt: skip
    assert [node.seq for node in first.nodes] == list(range(15))


def test_a_step_is_the_text_beyond_its_parent_and_the_state_is_all_of_it() -> None:
    node = by_id(traces(Source(TREE))[0])["r.0.1"]
    assert (node.step, json.loads(node.state or "")) == (
        "3 * 1 = 3 (left: 3 24)",
        "12 * 2 = 24 (left: 1 3 24)\n3 * 1 = 3 (left: 3 24)\n",
    )


def test_the_state_key_is_the_numbers_left_in_any_order_and_an_answer_has_none(tmp_path: Path) -> None:
    trace = one(tmp_path, step([""], ["1 + 1 = 2 (left: 10 2 2)\n", "2 (left: 2 10 2)\n", "Answer: 4\n"], [1.0, 2.0, 3.0], []))
    assert [node.state_key for node in trace.nodes] == [None, "left:2 2 10", "left:2 2 10", None]


def test_a_repeated_text_has_no_score_and_names_the_first_copy() -> None:
    nodes = by_id(traces(Source(TREE))[0])
    repeated = nodes["r.2"]
    assert (repeated.score, repeated.score_raw, extra(repeated)) == (None, "0", {"unscored_because": "repeated text"})
    assert (repeated.fate, repeated.pruned_by, repeated.prune_rule, repeated.merged_into) == (
        "pruned",
        "distinct",
        "repeated text",
        "r.0",
    )
    assert (nodes["r.0"].score, nodes["r.0"].fate) == (3.0, "expanded")


def test_a_repeated_text_that_the_beam_kept_stays_expanded(tmp_path: Path) -> None:
    trace = one(
        tmp_path,
        step([""], ["a\n", "a\n"], [0.5, 0], ["a\n", "a\n"]),
        step(["a\n", "a\n"], ["a\nb\n", "a\nc\n", "a\nb\n"], [0.5, 1.0, 0], ["a\nc\n"]),
    )
    nodes = by_id(trace)
    assert (nodes["r.1"].fate, nodes["r.1"].score, nodes["r.1"].merged_into) == ("expanded", None, None)
    # "a b" begins the list anew, so that it was asked of the second copy
    assert [node.node_id for node in trace.nodes if node.depth == 2] == ["r.0.0", "r.0.1", "r.1.0"]
    assert [extra(node).get("parent_ambiguous") for node in trace.nodes if node.depth == 2] == [True] * 3
    assert "steps[1]: 3 candidates extend two equal kept states; the order in the log decides their parent" in trace.run.warnings


def test_zeros_by_rule_and_from_the_cache_of_the_whole_file_are_no_scores() -> None:
    first, second = traces(Source(TREE))
    reasons = {node.node_id: extra(node)["unscored_because"] for trace in (first, second) for node in trace.nodes if "unscored" in (node.extra or "")}
    assert reasons == {
        "r.2": "repeated text",
        "r.0.1.0.0": "rule: no 'answer' in a last step",
        "r.1.0.2": "rule's zero from the value cache",
        "r.0.0.1.0": "rule: no 'answer' in a last step",
    }


def test_a_fractional_zero_is_a_score_and_says_what_it_means() -> None:
    node = by_id(traces(Source(TREE))[0])["r.0.1.1"]
    assert (node.score, node.score_raw) == (0.0, "0.0")
    assert extra(node) == {"score_note": "0.0: no sample of the evaluator ended in a known label"}


def test_in_a_log_of_votes_an_integer_zero_is_a_vote() -> None:
    (trace,) = traces(Source(VOTES))
    assert [node.score for node in trace.nodes] == [None, 1.0, 4.0, 0.0, 3.0, 2.0, 0.0]


def test_a_value_that_is_no_number_is_kept_raw_and_is_no_score(tmp_path: Path) -> None:
    trace = one(tmp_path, step([""], ["a", "b", "c", "d"], ["sure", True, None, float("nan")], ["a"]))
    assert [(node.score, node.score_raw) for node in trace.nodes[1:]] == [
        (None, '"sure"'),
        (None, "true"),
        (None, "null"),
        (None, '"NaN"'),
    ]
    assert {node.error for node in trace.nodes[1:]} == {"the logged value is not a finite number"}
    assert trace.nodes[2].prune_rule is None


def test_fates_follow_what_was_kept_and_the_rule_is_named_only_where_the_log_bears_it_out(tmp_path: Path) -> None:
    greedy = one(tmp_path, step([""], ["a", "b", "c"], [1.0, 2.0, 1.0], ["b", "a"]))
    other = one(tmp_path, step([""], ["a", "b", "c"], [1.0, 2.0, 1.0], ["b", "c"]))
    assert [(node.fate, node.prune_rule) for node in greedy.nodes] == [
        (Fate.EXPANDED, None), (Fate.TERMINAL, None), (Fate.TERMINAL, None), (Fate.PRUNED, "greedy top-2"),
    ]  # fmt: skip
    assert [(node.fate, node.prune_rule) for node in other.nodes] == [
        (Fate.EXPANDED, None), (Fate.PRUNED, None), (Fate.TERMINAL, None), (Fate.TERMINAL, None),
    ]  # fmt: skip


def test_the_order_of_expansions_is_that_of_the_kept_states() -> None:
    expanded = {node.expanded_seq: node.node_id for node in traces(Source(TREE))[0].nodes if node.expanded_seq is not None}
    assert [expanded[place] for place in range(7)] == ["r", "r.1", "r.0", "r.0.1", "r.1.0", "r.1.0.0", "r.0.1.0"]


def test_the_selected_path_ends_in_the_first_final_candidate_and_its_check_is_the_outcome() -> None:
    first, second = (trace.run for trace in traces(Source(TREE)))
    assert (first.outcome, first.outcome_by, first.selected_path) == (
        "wrong", "log: infos[0].r", ("r", "r.1", "r.1.0", "r.1.0.0", "r.1.0.0.0"),
    )  # fmt: skip
    assert (second.outcome, second.selected_path) == ("right", ("r", "r.0", "r.0.0", "r.0.0.0", "r.0.0.0.0"))
    assert (second.answer or "").endswith("Answer: (8 - 5) * 4 * 2 = 24\n")
    verified = {node.node_id: node.verified for node in traces(Source(TREE))[1].nodes if node.verified is not None}
    assert verified == {"r.0.0.0.0": True, "r.0.0.1.0": False}


def test_a_judges_mark_and_an_accs_that_was_never_filled_in_are_no_outcome(tmp_path: Path) -> None:
    (marked,) = traces(Source(VOTES))
    assert (marked.run.outcome, marked.run.outcome_by) == ("unknown", None)
    assert extra(by_id(marked)["r.1.0"]) == {"check": {"rs": [6, 8], "r": 7.0}}
    row = record(step([""], ["a"], [1], ["a"]), accs=[0])
    del row["infos"]
    (unfilled,) = traces(write(tmp_path, [row]))
    assert unfilled.run.outcome == "unknown"
    assert [node.verified for node in unfilled.nodes] == [None, None]
    assert "accs: 1 of 1 entries are not a right or wrong (a judge's mark, or never filled in)" in unfilled.run.warnings


def test_crosswords_are_right_when_the_whole_game_is(tmp_path: Path) -> None:
    trace = one(tmp_path, step([""], ["a"], [1], ["a"]), infos=[{"r_word": 1.0, "r_letter": 0.9, "r_game": False, "r": 1.0}])
    assert (trace.run.outcome, trace.run.outcome_by) == ("wrong", "log: infos[0].r_game")


def test_a_run_pays_the_difference_to_the_record_before() -> None:
    first, second = (trace.run for trace in traces(Source(TREE)))
    assert (first.reported_input_tokens, first.reported_output_tokens, first.reported_cost) == (1500, 410, 0.07)
    assert (second.reported_input_tokens, second.reported_output_tokens, second.reported_cost) == (1400, 380, 0.06)
    assert (first.reported_calls, first.reported_tokens) == (None, None)


def test_a_total_that_falls_is_a_restart(tmp_path: Path) -> None:
    rows = [record(step([""], ["a"], [1], ["a"]), idx=i, usage_so_far=used(n)) for i, n in enumerate((5, 2, 3))]
    runs = [trace.run for trace in traces(write(tmp_path, rows))]
    assert [run.reported_input_tokens for run in runs] == [1500, 600, 300]
    assert [any("falls here" in warning for warning in run.warnings) for run in runs] == [False, True, False]


def test_after_a_record_without_a_total_the_spend_is_not_known(tmp_path: Path) -> None:
    rows = [record(step([""], ["a"], [1], ["a"]), idx=i, usage_so_far=usage) for i, usage in enumerate((None, used(2), used(3)))]
    runs = [trace.run for trace in traces(write(tmp_path, rows))]
    assert [run.reported_cost for run in runs] == [None, None, pytest.approx(0.07)]
    assert "the record before holds no whole usage_so_far, so this run's spend is not known" in runs[1].warnings


def test_best_of_n_is_a_row_of_roots() -> None:
    first, second = traces(Source(BEST_OF_3))
    assert [(n.node_id, n.parent_ids, n.fate, n.verified) for n in second.nodes] == [
        ("s0", (), "terminal", True), ("s1", (), "terminal", False), ("s2", (), "terminal", True),
    ]  # fmt: skip
    assert (second.run.level_by_level, second.run.selected_path, second.run.outcome) == (None, ("s0",), "right")
    assert "independent samples: the program chose none, so the first one stands as the answer" in first.run.warnings


def test_settings_in_the_file_name_are_the_protocol_and_the_run_says_so(tmp_path: Path) -> None:
    rows = [record(step([""], ["a"], [1], ["a"]))]
    (named,) = traces(write(tmp_path, rows, "gpt-9_0.7_propose1_value3_greedy5.json"))
    (other,) = traces(write(tmp_path, rows, "monday.json"))
    warning = "protocol read from the file name; the log itself holds no setting"
    assert (json.loads(named.run.protocol or "{}")["backend"], warning in named.run.warnings) == ("gpt-9", True)
    assert (other.run.protocol, warning in other.run.warnings) == (None, False)


def test_what_the_log_does_not_say_stays_absent() -> None:
    run = traces(Source(TREE))[0].run
    assert (run.stop_reason, run.complete, run.ended, run.fingerprint, run.started_at, run.wall_clock_s) == (None,) * 6
    assert (run.level_by_level, run.task_id, run.question) == (True, "40", "1 2 3 12")


def test_fields_without_a_column_are_kept(tmp_path: Path) -> None:
    other = {**step(["a"], ["ab"], [1], ["ab"], place=7), "x": "another task", "note": "by hand"}
    trace = one(tmp_path, step([""], ["a"], [1], ["a"]), other, colour="blue", ys=["a"])
    assert extra(trace.run) == {
        "ys": ["a"], "infos": [{"r": 0}], "usage_so_far": used(1), "colour": "blue",
        "steps": {"1": {"step": 7, "x": "another task", "note": "by hand"}},
    }  # fmt: skip
    assert "ys is not what the last step kept; where a text stands in both, its place in ys counts" in trace.run.warnings


def test_a_candidate_that_extends_nothing_kept_is_an_orphan_not_a_root(tmp_path: Path) -> None:
    trace = one(tmp_path, step([""], ["a"], [1], ["a"]), step(["a"], ["ab", "zz"], [1, 0], ["ab"]))
    assert {node.node_id: node.parent_ids for node in trace.nodes if node.depth == 2} == {
        "r.0.0": ("r.0",),
        "missing.1.0": ("missing.1",),
    }
    assert "steps[1]: 1 candidates extend no recorded kept state" in trace.run.warnings


def test_a_bad_record_is_named_by_its_path_and_the_others_load(tmp_path: Path) -> None:
    good = record(step([""], ["a"], [1], ["a"]), idx=3)
    short = record(step([""], ["a", "b"], [1], ["a"]), idx=4)
    source = write(tmp_path, [good, short, 7, record(step([""], ["a"], [1], ["a"]), idx=3)])
    found = list(tot_bfs.read(source))
    assert [item.run.run_id if isinstance(item, Trace) else (item.where, item.message, item.rejected) for item in found] == [
        "log/3",
        (f"{source.name}: $[1].steps[0].values", "1 values for 2 candidates in new_ys", True),
        (f"{source.name}: $[2]", "a number where a record was expected", True),
        "log/3#2",
    ]


@pytest.mark.parametrize("document", [{}, [], "x", None, 3])
def test_a_document_that_is_no_list_of_records_is_one_problem(tmp_path: Path, document: Any) -> None:
    (problem,) = tot_bfs.read(write(tmp_path, document))
    assert isinstance(problem, Problem)
    assert problem.rejected


@pytest.mark.parametrize("sample", [TREE, VOTES, BEST_OF_3], ids=lambda path: path.parent.name + path.name[:6])
def test_no_change_of_a_single_value_breaks_the_reader_or_loses_a_record(tmp_path: Path, sample: Path) -> None:
    for document in broken(json.loads(sample.read_bytes())):
        found = list(tot_bfs.read(write(tmp_path, document)))
        assert len(found) == max(len(document), 1)
        for trace in (item for item in found if isinstance(item, Trace)):
            columns.table_of(trace.nodes, columns.NODES)
            columns.table_of([trace.run], columns.RUNS)


def test_only_lists_of_the_producers_records_are_claimed(tmp_path: Path) -> None:
    tree = record(step([""], ["a"], [1], ["a"]))
    fork = {**tree, "steps": [*tree["steps"], {"step": 1, "x": "a task", "thoughts": ["a"], "answer": ["b"]}]}
    spoken = [{"idx": 1, "text": '"ys": 1, "usage_so_far": 2'}]
    assert tot_bfs.sniff(write(tmp_path, [tree]))
    assert [tot_bfs.sniff(write(tmp_path, document)) for document in (tree, [fork], spoken, [])] == [False] * 4


def test_a_first_record_longer_than_the_head_is_claimed_all_the_same(tmp_path: Path) -> None:
    long = record(step([""], ["a" * 70_000], [1], ["a" * 70_000]))
    assert tot_bfs.sniff(write(tmp_path, [{"steps": [step([""], ["b"], [1], ["b"]), *long["steps"]], "idx": 1, "ys": []}]))

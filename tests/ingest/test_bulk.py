"""What do the lines of a native log say together? Later lines complete earlier ones, inline calls become calls, and every run has its row."""

from __future__ import annotations

import hashlib
import json
import math
import random
from pathlib import Path
from typing import Any

from tests.logs import load, node, rows, write_log


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def loaded(folder: Path, *records: Any) -> Path:
    load(folder / "store", write_log(folder / "log", *records))
    return folder / "store"


def test_a_later_line_changes_only_the_fields_that_it_carries(tmp_path: Path) -> None:
    store = loaded(
        tmp_path,
        node("a", step="start", score=0.5),
        node("b", "a", step="b", state={"left": [4]}),
        {"record": "node", "run_id": "r", "node_id": "b", "score": 0.25, "fate": "pruned"},
        {"record": "node", "run_id": "r", "node_id": "b", "step": None, "prune_rule": "beam_width"},
    )
    assert rows(store, "select node_id, parent_ids, step, state, score, fate, prune_rule from nodes order by 1") == [
        ("a", [], "start", None, 0.5, "expanded", None),
        ("b", ["a"], "b", '{"left":[4]}', 0.25, "pruned", "beam_width"),
    ]
    assert rows(store, "select * from problems") == []


def test_the_same_line_twice_counts_once(tmp_path: Path) -> None:
    call = {"record": "call", "run_id": "r", "call_id": "c", "node_id": "a", "input_tokens": 7}
    inline = node("b", "a", output_tokens=5, evaluation={"response": "good", "output_tokens": 3})
    store = loaded(tmp_path, node("a"), call, inline, inline, call, dict(reversed(call.items())))
    assert rows(store, "select node_id from nodes order by 1") == [("a",), ("b",)]
    assert rows(store, "select call_id, input_tokens, output_tokens from calls order by 1") == [
        ("b/evaluator", None, 3), ("b/proposer", None, 5), ("c", 7, None),
    ]  # fmt: skip
    assert rows(store, "select * from problems") == []


def test_lines_that_contradict_each_other_are_named_both_and_the_last_one_wins(tmp_path: Path) -> None:
    first = write_log(tmp_path / "part-1", node("a"), node("b", "a", step="x", score=0.5, fate="open"))
    second = write_log(tmp_path / "part-2", node("b", "a", step="y", score=0.5, fate="expanded"))
    load(tmp_path / "store", first, second)
    assert rows(tmp_path / "store", "select step, score, fate from nodes where node_id = 'b'") == [("y", 0.5, "expanded")]
    message = "node b is recorded more than once with different step"
    assert rows(tmp_path / "store", "select path, kind, message, rejected from problems order by 1") == [
        (f"{first}:2", "conflict", message, False), (f"{second}:1", "conflict", message, False),
    ]  # fmt: skip


def test_a_node_that_is_evaluated_in_two_of_its_lines_has_one_evaluation(tmp_path: Path) -> None:
    store = loaded(tmp_path, node("a", evaluation={"response": "good"}), node("a", evaluation={"response": "bad"}))
    assert rows(store, "select call_id, response_hash from calls") == [("a/evaluator", sha("bad"))]
    message = "call a/evaluator is recorded more than once with different response_sha"
    assert rows(store, "select kind, message from problems") == [("conflict", message)] * 2


def test_a_call_that_is_logged_twice_with_other_numbers_is_named_too(tmp_path: Path) -> None:
    call = {"record": "call", "run_id": "r", "call_id": "c", "node_id": "a"}
    store = loaded(tmp_path, node("a"), call | {"input_tokens": 7}, call | {"input_tokens": 9})
    assert rows(store, "select call_id, input_tokens from calls") == [("c", 9)]
    assert rows(store, "select line, node_id, message from problems order by 1") == [
        (2, "a", "call c is recorded more than once with different input_tokens"),
        (3, "a", "call c is recorded more than once with different input_tokens"),
    ]


PARENTS: list[tuple[dict[str, Any], list[str]]] = [
    ({"parent_id": "a"}, ["a"]),
    ({"parent_id": ""}, []),
    ({"parent_id": None}, []),
    ({"parent_id": 0}, ["0"]),
    ({"parent_ids": ["a", "b"]}, ["a", "b"]),
    ({"parent_ids": ["a", "b"], "parent_id": "b"}, ["a", "b"]),
    ({"parent_ids": ["b"], "parent_id": "a"}, ["a", "b"]),
    ({"parent_ids": [], "parent_id": "a"}, ["a"]),
    ({"parent_ids": ["", "a"]}, ["a"]),
    ({"parent_ids": [0, 7, "07"]}, ["0", "7", "07"]),
    ({"parent_ids": None}, []),
    ({}, []),
]


def test_parents_are_a_list_of_texts_with_the_primary_one_first(tmp_path: Path) -> None:
    store = loaded(tmp_path, *({"run_id": f"{number:02}", "node_id": "x", **members} for number, (members, _) in enumerate(PARENTS)))
    assert rows(store, "select parent_ids from nodes order by run_id") == [(parents,) for _, parents in PARENTS]


def test_a_node_line_with_a_prompt_tokens_or_cost_is_a_proposers_call_too(tmp_path: Path) -> None:
    line = node("a", prompt="p", raw_response="q", model="m", input_tokens=5, cached_prefix_tokens=2, retry_count=1, cost=0.5, error="late")
    store = loaded(tmp_path, line, node("b", "a", step="only a node"))
    assert rows(
        store, "select call_id, node_id, role, prompt_hash, response_hash, model, input_tokens, cached_tokens, retries, cost, error, depth from calls"
    ) == [("a/proposer", "a", "proposer", sha("p"), sha("q"), "m", 5, 2, 1, 0.5, None, 0)]
    assert rows(store, "select error from nodes where node_id = 'a'") == [("late",)]
    assert rows(store, "select run_id, hash, text, redacted from texts order by text") == [("r", sha("p"), "p", False), ("r", sha("q"), "q", False)]


SAID: dict[str, tuple[Any, list[tuple[Any, ...]]]] = {
    "object": ({"response": "sure", "score": 0.75, "input_tokens": 3}, [("", "sure", None, 3, None)]),
    "samples": ([{"response": "one"}, {"response": "two", "vote": 2}], [("", "one", None, None, None), ("/2", "two", None, None, '{"vote":2}')]),
    "text": ("sure", [("", "sure", None, None, None)]),
    "number": (7, [("", None, "7", None, None)]),
    "odd": ({"response": "", "input_tokens": "many"}, [("", "", None, None, None)]),
    "nothing": ([], []),
    "null": (None, []),
}


def test_an_inline_evaluation_is_a_call_for_each_sample(tmp_path: Path) -> None:
    store = loaded(tmp_path, *(node(name, evaluation=said) for name, (said, _) in SAID.items()))
    said = "calls c left join texts t on t.hash = c.response_hash"
    sql = f"select call_id, text, parsed, input_tokens, c.extra from {said} where node_id = $name order by 1"
    for name, (_, calls) in SAID.items():
        assert rows(store, sql, name=name) == [(f"{name}/evaluator{number}", *rest) for number, *rest in calls], name
    assert rows(store, "select distinct role from calls") == [("evaluator",)]


def test_the_score_of_an_inline_evaluation_is_the_nodes_where_it_has_none_of_its_own(tmp_path: Path) -> None:
    judged: dict[str, Any] = {"score": 0.75}
    store = loaded(tmp_path, node("a", evaluation=judged), node("b", score=0.5, evaluation=judged), node("c", evaluation={"score": "high"}))
    assert rows(store, "select node_id, score, score_raw from nodes order by 1") == [("a", 0.75, "0.75"), ("b", 0.5, "0.5"), ("c", None, "high")]
    assert rows(store, "select node_id, kind from problems") == [("c", "score")]


def test_an_evaluators_answer_or_error_beside_the_node_is_one_call(tmp_path: Path) -> None:
    store = loaded(
        tmp_path,
        node("a", evaluator_raw_response="5", evaluator_error=None),
        node("b", "a", evaluator_error="timeout"),
        node("c", "a", evaluation={"response": "in", "model": "m"}, evaluator_raw_response="beside"),
    )
    sql = "select call_id, error, model, text from calls c left join texts t on t.run_id = c.run_id and t.hash = c.response_hash order by call_id"
    assert rows(store, sql) == [("a/evaluator", None, None, "5"), ("b/evaluator", "timeout", None, None), ("c/evaluator", None, "m", "in")]


def test_a_call_without_an_id_gets_one_of_its_own(tmp_path: Path) -> None:
    call = {"record": "call", "run_id": "r", "node_id": "a", "role": "tool"}
    store = loaded(tmp_path, node("a"), call, call, {"record": "call", "run_id": "r"})
    assert rows(store, "select count(*), count(distinct call_id), count(node_id) from calls") == [(3, 3, 2)]


def test_a_text_is_kept_once_a_run_however_often_it_is_used(tmp_path: Path) -> None:
    log = [node(f"n{i}", run=run, prompt="same", evaluation={"prompt": "same", "response": "same"}) for run in "rs" for i in range(3)]
    store = loaded(tmp_path, *log)
    assert rows(store, "select run_id, hash, text from texts order by 1") == [("r", sha("same"), "same"), ("s", sha("same"), "same")]
    assert rows(store, "select count(*), count(distinct prompt_hash) from calls") == [(12, 1)]


def test_a_logged_hash_stays_where_the_text_was_not_kept(tmp_path: Path) -> None:
    store = loaded(tmp_path, node("a", prompt_hash="1e10", response_hash="007"), node("b", prompt="p", prompt_hash="other"))
    assert rows(store, "select node_id, prompt_hash, response_hash from calls order by 1") == [("a", "1e10", "007"), ("b", sha("p"), None)]


def test_a_run_is_its_own_lines_put_together(tmp_path: Path) -> None:
    store = loaded(
        tmp_path,
        {"record": "run", "run_id": "r", "task_id": 7, "question": "q", "protocol": {"width": 3, "model": "m"}, "budget": {"max_depth": 4}},
        node("a"),
        {"record": "run_end", "run_id": "r", "outcome": "right", "stop_reason": "goal", "selected_path": ["a"], "reported_cost": 1, "mood": "good"},
    )
    columns = "task_id, question, protocol, budget_max_depth, outcome, stop_reason, ended, selected_path, reported_cost, extra, source_format"
    assert rows(store, f"select {columns} from runs") == [
        ("7", "q", '{"model": "m", "width": 3}', 4, "right", "goal", True, ["a"], 1.0, '{"mood": "good"}', "native")
    ]


def test_a_run_without_lines_of_its_own_is_there_and_says_nothing(tmp_path: Path) -> None:
    store = loaded(tmp_path, node("a", run="of a node"), {"record": "call", "run_id": "of a call", "cost": 1})
    assert rows(store, "select run_id, nodes, calls, outcome, ended, stop_reason, spend_from, source from runs order by 1") == [
        ("of a call", 0, 1, "unknown", None, None, "calls", f"{tmp_path}/log"),
        ("of a node", 1, 0, "unknown", None, None, None, f"{tmp_path}/log"),
    ]


def test_what_is_wrong_in_a_line_of_a_run_is_named_and_kept(tmp_path: Path) -> None:
    store = loaded(tmp_path, node("a"), {"record": "run", "run_id": "r", "budget_max_depth": "deep", "outcome": ["right"], "stop_reason": "bored"})
    assert rows(store, "select line, kind, run_id, message from problems order by message") == [
        (2, "type", "r", "run r: budget_max_depth is \"deep\", expected a whole number"),
        (2, "type", "r", 'run r: outcome is ["right"], expected one of right, wrong, unknown'),
        (2, "type", "r", 'run r: stop_reason is "bored", expected one of goal, policy_stop, frontier_exhausted, max_depth, max_nodes, wall_clock, '
         "call_budget, token_budget, cost_budget, error, unknown"),
    ]  # fmt: skip
    ((extra,),) = rows(store, "select extra from runs")
    assert extra is not None
    assert "deep" in extra


def test_every_field_without_a_column_is_kept_under_extra(tmp_path: Path) -> None:
    line = node("a", note="n", nested={"deep": {"er": None, "s": [None]}}, extra={"own": 1, "note": "older"})
    store = loaded(tmp_path, line)
    ((extra,),) = rows(store, "select extra from nodes")
    assert json.loads(extra) == {"own": 1, "note": "n", "nested": {"deep": {"er": None, "s": [None]}}}


def test_the_cost_of_a_run_is_the_same_to_the_last_bit_however_its_calls_are_ordered(tmp_path: Path) -> None:
    rng = random.Random(4)
    spent = [{"cost": round(rng.random() / 100, 6), "latency_ms": rng.random()} for _ in range(999)]
    calls = [{"record": "call", "run_id": "r", "call_id": f"c{number}", **one} for number, one in enumerate(spent)]
    shuffled = rng.sample(calls, len(calls))
    found = [rows(loaded(tmp_path / name, *lines), "select cost, latency_ms from runs") for name, lines in (("a", calls), ("b", shuffled))]
    assert found[0] == found[1] == [tuple(math.fsum(one[name] for one in spent) for name in ("cost", "latency_ms"))]

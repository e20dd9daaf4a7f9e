"""Which logged value becomes which typed value? What does not fit is null, named as a problem, and never a guess."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.logs import load, node, rows, write_log

pytestmark = pytest.mark.xdist_group("convert")
BIG = 10**30
Kept = tuple[Any, str | None]
"""The stored value, and the kind of the problem that names it or None."""

NODE: dict[str, list[tuple[Any, Any, str | None]]] = {
    "score": [
        (0.5, 0.5, None), (0, 0.0, None), (-3, -3.0, None), (1e300, 1e300, None), (BIG, 1e30, None), (None, None, None),
        ("0.5", None, "score"), (True, None, "score"), (False, None, "score"), ("sure", None, "score"), ("", None, "score"),
        (float("nan"), None, "score"), (float("inf"), None, "score"), ([0.5], None, "score"), ({"a": 1}, None, "score"),
    ],
    "promise": [(0.25, 0.25, None), ("x", None, "type"), (float("-inf"), None, "type")],
    "seq": [
        (3, 3, None), (3.0, 3, None), (0, 0, None), (-1, -1, None), (2**53 + 1, 2**53 + 1, None), (2.5, None, "type"), (BIG, None, "type"),
        ("3", None, "type"), (True, None, "type"),
    ],
    "verified": [(True, True, None), (False, False, None), (1, None, "type"), ("true", None, "type"), (None, None, None)],
    "tier": [("judge", "judge", None), ("environment", "environment", None), ("Judge", None, "word"), (3, None, "word")],
    "score_source": [("verifier", "verifier", None), ("oracle", None, "word")],
    "pruned_by": [("survived", "survived", None), ("beam", None, "word")],
    "fate": [
        ("expanded", "expanded", None), ("open", "open", None), ("frontier", "open", None), ("alive", "open", None), ("merged", "pruned", None),
        ("unscored_error", "unscored", None), ("vaporised", None, "word"), ("", None, "word"), (None, None, None),
    ],
    "started_at": [
        ("2026-03-01T12:00:05+02:00", datetime(2026, 3, 1, 10, 0, 5, tzinfo=UTC), None),
        ("2026-03-01T10:00:00.123456Z", datetime(2026, 3, 1, 10, 0, 0, 123456, tzinfo=UTC), None),
        ("2026-03-01T10:00:00", datetime(2026, 3, 1, 10, tzinfo=UTC), "time"),
        ("2026-03-01", datetime(2026, 3, 1, tzinfo=UTC), "time"),
        (1_700_000_000, datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC), None),
        (1_700_000_000_500, datetime(2023, 11, 14, 22, 13, 20, 500_000, tzinfo=UTC), None),
        ("yesterday", None, "time"), (True, None, "time"), ([], None, "time"),
        (float("nan"), None, "time"), (1e30, None, "time"), (-1e15, None, "time"), ("infinity", None, "time"), ("99999-01-01", None, "time"),
    ],
    "step": [("take", "take", None), ("", "", None), (5, "5", None), (True, "true", None), ({"a": [1]}, '{"a":[1]}', None), (None, None, None)],
    "state": [({"left": [4, 6]}, '{"left":[4,6]}', None), ("text", '"text"', None), (0, "0", None), (None, None, None)],
    "observation": [("saw", "saw", None), ([1], "[1]", None)],
}  # fmt: skip
CALL: dict[str, list[tuple[Any, Any, str | None]]] = {
    "cost": [(0.5, 0.5, None), (0, 0.0, None), (-0.5, None, "type"), ("free", None, "type"), (None, None, None), (float("nan"), None, "type")],
    "input_tokens": [(5, 5, None), (0, 0, None), (-5, None, "type"), (5.5, None, "type"), ("5", None, "type")],
    "latency_ms": [(1.5, 1.5, None), (-1, None, "type")],
    "temperature": [(0.7, 0.7, None), (-1, -1.0, None), ("hot", None, "type")],
    "seed": [(-7, -7, None), (1.5, None, "type")],
    "from_cache": [(True, True, None), ("yes", None, "type")],
    "role": [("tool", "tool", None), (1, "1", None)],
    "parsed": [({"a": 1}, '{"a":1}', None), ("x", "x", None)],
    "started_at": [("2026-03-01T10:00:00Z", datetime(2026, 3, 1, 10, tzinfo=UTC), None), ("soon", None, "time")],
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One log that holds every value of both tables, one value a record."""
    folder = tmp_path_factory.mktemp("convert")
    lines = [node(f"{name}{i}") | {name: value} for name, cases in NODE.items() for i, (value, *_) in enumerate(cases)]
    for name, cases in CALL.items():
        lines += [{"record": "call", "run_id": "r", "call_id": f"{name}{i}", name: value} for i, (value, *_) in enumerate(cases)]
    load(folder / "store", write_log(folder / "log", *lines))
    return folder / "store"


def kept(store: Path, table: str, name: str) -> list[Kept]:
    """For every case of the column: what the store holds, and the kind of what it says about it."""
    key = f"regexp_extract({table}_id, '^{name}([0-9]+)$', 1)"
    values = dict(rows(store, f"select {key}, {name} from {table}s where {key} <> '' order by {key}::int"))
    named = dict(rows(store, f"select regexp_extract(message, '^{table} {name}([0-9]+): {name} ', 1), kind from problems"))
    return [(value, named.get(number)) for number, value in values.items()]


@pytest.mark.parametrize("name", NODE)
def test_a_value_of_a_node_is_typed_or_null_and_named(store: Path, name: str) -> None:
    assert kept(store, "node", name) == [(value, kind) for _, value, kind in NODE[name]]


@pytest.mark.parametrize("name", CALL)
def test_a_value_of_a_call_is_typed_or_null_and_named(store: Path, name: str) -> None:
    assert kept(store, "call", name) == [(value, kind) for _, value, kind in CALL[name]]


def test_the_score_as_logged_stays_readable_beside_the_number(store: Path) -> None:
    logged = [value for value, *_ in NODE["score"]]
    raw = [None if value is None else value if isinstance(value, str) else json.dumps(value, separators=(",", ":")) for value in logged]
    raw[raw.index("1e+300")] = "1e300"
    found = dict(rows(store, "select node_id, score_raw from nodes where regexp_matches(node_id, '^score[0-9]+$')"))
    assert [found[f"score{i}"] for i in range(len(logged))] == raw


def test_a_problem_names_the_node_the_value_and_what_was_expected(store: Path) -> None:
    wanted = "node seq5: seq is 2.5, expected a whole number"
    assert rows(store, "select run_id, node_id, kind, raw, rejected, line is not null from problems where message = $wanted", wanted=wanted) == [
        ("r", "seq5", "type", "2.5", False, True)
    ]


ACTIONS: list[tuple[dict[str, Any], tuple[str | None, ...]]] = [
    ({"action": {"kind": "edit", "target": "a.py", "effect": "transformational"}}, ("edit", "a.py", "transformational")),
    ({"action": {"kind": "edit", "target": {"file": "a.py"}}}, ("edit", '{"file":"a.py"}', None)),
    ({"action": "look around"}, (None, "look around", None)),
    ({"action": ["a", 1]}, (None, '["a",1]', None)),
    ({"action_kind": "own", "action": {"kind": "other", "target": "t"}}, ("own", "t", None)),
    ({"action": None}, (None, None, None)),
]


def test_an_action_is_taken_apart_or_kept_whole_as_its_target(tmp_path: Path) -> None:
    load(tmp_path / "store", write_log(tmp_path / "log", *(node(f"{number}", **members) for number, (members, _) in enumerate(ACTIONS))))
    assert rows(tmp_path / "store", "select action_kind, action_target, action_effect from nodes order by node_id") == [parts for _, parts in ACTIONS]


def test_terminal_is_a_fate_only_where_none_is_logged(tmp_path: Path) -> None:
    log = [node("a", terminal=True), node("b", terminal=False), node("c", terminal=True, fate="pruned"), node("d", fate="vaporised", terminal=True)]
    load(tmp_path / "store", write_log(tmp_path / "log", *log))
    assert rows(tmp_path / "store", "select node_id, fate, extra from nodes order by 1") == [
        ("a", "terminal", '{"terminal":true}'),
        ("b", None, '{"terminal":false}'),
        ("c", "pruned", '{"terminal":true}'),
        ("d", "terminal", '{"terminal":true}'),
    ]


def test_a_node_with_a_child_was_expanded_and_no_other_fate_is_worked_out(tmp_path: Path) -> None:
    load(tmp_path / "store", write_log(tmp_path / "log", node("a"), node("b", "a", fate="pruned"), node("c", "a"), node("d", "b")))
    assert rows(tmp_path / "store", "select node_id, fate from nodes order by 1") == [("a", "expanded"), ("b", "pruned"), ("c", None), ("d", None)]


def test_cached_tokens_beside_the_input_are_added_to_it_once(tmp_path: Path) -> None:
    """The five cases of c12 in one place: said to be inside, said to be outside, not said but larger, no cached number, not said."""
    counts = [(17903, 17817, "inclusive"), (86, 17817, "exclusive"), (86, 17817, None), (500, None, None), (1000, 400, None)]
    lines = [
        node(f"n{i}", input_tokens=count, cached_tokens=cached, usage_convention=said) for i, (count, cached, said) in enumerate(counts)
    ]
    load(store := tmp_path / "store", write_log(tmp_path / "a.jsonl", *lines))
    assert rows(store, "select input_tokens from calls order by node_id") == [(17903,), (17903,), (17903,), (500,), (1000,)]
    assert rows(store, "select node_id, kind from problems") == [("n2", "usage")]

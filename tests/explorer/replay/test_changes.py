"""What a what-if changes: how it is typed, what it does to a policy, and the sentences where it does not apply."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from explorer.replay.changes import READ, Sweep, changed, keys, sweep
from explorer.replay.record import Record, records
from explorer.replay.settings import Refused
from ingest.errors import TraceError
from tests.stores import store_of, tree

TREE = """
    0    fate=expanded expanded_seq=0 state={"left":"a"} state_key=s
      a  score=0.9 fate=terminal
"""


def record(folder: Path, keys: tuple[str, ...] = (), drawing: str = TREE, **protocol: Any) -> Record:
    store = store_of(folder, tree(drawing.replace('{"left":"a"}', '"\\"a\\""'), protocol=json.dumps(protocol)))
    (found,) = records(store, keys=keys)
    assert isinstance(found, Record)
    return found


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("beam_width", "8", 8), ("threshold", "-0.5", -0.5), ("tie_break", "random:7", "random:7"), ("dedup", "on", "state_key"),
        ("dedup", "off", "off"), ("dedup", "state.left", "state.left"), ("max_calls", "0", 0), ("max_cost", "0.25", 0.25),
        ("select", "majority", "majority"),
    ],
)  # fmt: skip
def test_a_setting_is_read_as_typed(name: str, text: str, value: object) -> None:
    assert READ[name](name, text) == value


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("beam_width", "0", "--beam-width: '0' was given, a whole number from 1 up is expected"),
        ("per_parent", "1.5", "--per-parent: '1.5' was given, a whole number from 1 up is expected"),
        ("max_depth", "-1", "--max-depth: '-1' was given, a whole number from 0 up is expected"),
        ("max_nodes", "0", "--max-nodes: '0' was given, a whole number from 1 up is expected"),
        ("max_cost", "-1", "--max-cost: '-1' was given, a number from 0 up is expected"),
        ("threshold", "nan", "--threshold: 'nan' was given, a number is expected"),
        ("tie_break", "random", "--tie-break: 'random' was given, order, diverse or random:SEED with a whole number is expected"),
        ("select", "first", "--select: 'first' was given, best, majority, verifier is expected"),
        ("dedup", "a b", "--dedup: 'a b' was given, on, off, or the name of a column or of a field of the state is expected"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(name: str, text: str, sentence: str) -> None:
    with pytest.raises(TraceError) as error:
        READ[name](name, text)
    assert str(error.value) == sentence


def test_a_sweep_is_a_range_or_a_list_each_value_once() -> None:
    assert sweep("beam-width=1..5") == Sweep("beam_width", (1, 2, 3, 4, 5))
    assert sweep("threshold=0.1,.5,0.1") == Sweep("threshold", (0.1, 0.5))
    assert sweep("tie-break=order,random:1") == Sweep("tie_break", ("order", "random:1"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("width=1..5", "SETTING is beam-width, threshold, per-parent"),
        ("beam-width", "SETTING=FROM..TO or SETTING=A,B,C is expected"),
        ("beam-width=5..1", "'5..1' runs backwards, the smaller end comes first"),
        ("beam-width=0..3", "'0' was given, a whole number from 1 up is expected"),
        ("beam-width=1..100000000", "names more than 100 values"),
        ("threshold=a..b", "'a..b' was given, a number is expected"),
    ],
)
def test_a_sweep_that_cannot_be_read_is_one_sentence(text: str, words: str) -> None:
    with pytest.raises(TraceError) as error:
        sweep(text)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_a_rule_is_added_where_it_belongs_and_a_beam_makes_a_breadth_first_search_one(tmp_path: Path) -> None:
    own = record(tmp_path, search="breadth_first")
    now = changed(own, {"beam_width": 2, "threshold": 0.5, "per_parent": 1})
    assert (now.search, now.pruning) == ("beam", ("constraint", "threshold", "per_parent", "beam_width"))


def test_without_changes_it_is_the_recorded_policy(tmp_path: Path) -> None:
    own = record(tmp_path, search="mcts", exploration=0.5)
    assert changed(own, {}) == own.settings


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"beam_width": 2}, "searched by mcts: a beam width belongs to a search that goes level by level"),
        ({"max_tokens": 10}, "does not record the tokens of its calls, so a cap on them cannot be tried"),
        ({"max_cost": 1.0}, "does not record the cost of its calls, so a cap on them cannot be tried"),
        ({"dedup": "colour"}, "has no node with a column or a field of the state named 'colour'"),
    ],
)
def test_what_the_record_does_not_allow_is_refused_in_one_sentence(tmp_path: Path, changes: dict[str, Any], why: str) -> None:
    with pytest.raises(Refused) as refused:
        changed(record(tmp_path, tuple(keys(changes)), search="mcts"), changes)
    assert str(refused.value) == f"run 'run' {why}"


def test_equal_states_cannot_be_told_where_no_key_is_recorded(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="records no state keys, so its equal states cannot be told; name another column with --dedup"):
        changed(record(tmp_path, drawing=TREE.replace("state_key=s", ""), search="beam", beam_width=1), {"dedup": "state_key"})


def test_a_key_can_be_a_column_or_a_field_of_the_state(tmp_path: Path) -> None:
    drawing = """
        0    fate=expanded expanded_seq=0
          a  score=0.9 fate=terminal action_kind=look state="{\\"left\\":\\"3\\"}"
    """
    own = record(tmp_path, ("action_kind", "left"), drawing, search="beam", beam_width=1)
    place = own.search.place["a"]
    assert own.keys == {"action_kind": {place: "look"}, "left": {place: "3"}}

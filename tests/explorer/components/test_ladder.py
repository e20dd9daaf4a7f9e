"""The ladder's payload: who stands in a column, where the cut is drawn, what is left out, and how large it may become."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from explorer.components.ladder import ladder_payload, window
from explorer.components.ladder_rows import on_scale, scale_words
from ingest.schema import Call, Node, Run, Trace, Truth
from ingest.store import Store
from tests.stores import store_of, tree

BEAM = """
    root fate=expanded
      a score=3 fate=expanded
      b score=3 fate=expanded
      c score=3 fate=pruned pruned_by=survived prune_rule=beam_width
      d score=1 fate=pruned pruned_by=survived
      e fate=pruned pruned_by=distinct prune_rule=same_state
"""
PATH = ("root", "b")


def payload(folder: Path, drawing: str, *, scope: Any = "level", inspected: str | None = None, **run: Any) -> dict[str, Any]:
    return ladder_payload(store_of(folder, tree(drawing, **run)), "run", scope=scope, inspected=inspected)


def read(column: dict[str, Any]) -> list[str]:
    """A column as one reads it: candidates by id, the cut and the gaps in their words."""
    return [row["id"] if row["kind"] == "row" else row["text"] for row in column["rows"]]


def test_a_run_that_is_not_there_has_no_columns(tmp_path: Path) -> None:
    assert ladder_payload(Store(tmp_path / "nothing"), "run")["columns"] == []


def test_a_lone_root_is_the_only_column(tmp_path: Path) -> None:
    (only,) = payload(tmp_path, "root score=1 fate=terminal", selected_path=("root",))["columns"]
    assert (only["depth"], only["summary"], read(only)) == (0, "1 candidate · chosen ranked #1", ["root"])


def test_worked_by_hand(tmp_path: Path) -> None:
    (one,) = payload(tmp_path, BEAM, level_by_level=True, selected_path=PATH)["columns"]
    assert one["summary"] == "5 candidates · 4 scored · chosen ranked #2"
    assert one["ties"] == "3 of 5 candidates scored 3.0; arrival order chose the 2 kept"
    assert read(one) == ["a", "b", "▲ kept · 2 of 5 · cut-off 3.0 · pruned ▼", "c", "d", "e"]
    rows = {row["id"]: row for row in one["rows"] if row["kind"] == "row"}
    assert {name: (row["rank"], row["score"], row["badge"], row["fate"], row["chosen"]) for name, row in rows.items()} == {
        "a": ("#1", "3.0", "expanded", "expanded", False),
        "b": ("#2", "3.0", "expanded", "expanded", True),
        "c": ("#3", "3.0", "beam_width", "pruned", False),
        "d": ("#4", "1.0", "rule not recorded", "pruned", False),
        "e": ("–", "–", "same_state", "duplicate", False),
    }
    assert rows["b"]["label"] == "Depth 1, rank 2 of 5, score 3.0, chosen, expanded, b"
    assert rows["c"]["label"] == "Depth 1, rank 3 of 5, score 3.0, pruned by beam_width, c"
    assert (one["strip"]["cut_off"], one["strip"]["chosen"], one["strip"]["dots"]) == (1.0, 1.0, True)


def test_of_equal_scores_the_first_to_arrive_stands_first(tmp_path: Path) -> None:
    (one,) = payload(tmp_path, "root\n  x score=1 seq=7\n  y score=1 seq=2\n  z score=1 seq=5")["columns"]
    assert read(one) == ["y", "z", "x"]


def test_a_better_one_that_was_pruned_is_counted_at_the_cut(tmp_path: Path) -> None:
    drawn = "root\n  a score=9 fate=pruned\n  b score=5 fate=expanded\n  c score=1 fate=pruned"
    (one,) = payload(tmp_path, drawn, selected_path=("root", "b"))["columns"]
    assert read(one) == ["a", "b", "▲ kept · 1 of 3 · cut-off 5.0 · 1 pruned above it · pruned ▼", "c"]


def test_without_pruning_there_is_no_cut(tmp_path: Path) -> None:
    (one,) = payload(tmp_path, "root\n  a score=1 fate=expanded\n  b score=1 fate=open")["columns"]
    assert read(one) == ["a", "b"]
    assert (one["ties"], one["strip"]["cut_off"], one["summary"]) == (None, None, "2 candidates · no selected path recorded")


def test_the_whole_level_or_the_children_of_one_parent_or_a_recorded_decision(tmp_path: Path) -> None:
    drawn = """
        root
          p score=1
            a score=1 decision_id=x
            b score=2
          q score=1
            c score=3 decision_id=x
            d score=4
    """
    store = store_of(tmp_path, tree(drawn, selected_path=("root", "p", "a")))
    shown = {scope: read(ladder_payload(store, "run", scope=scope)["columns"][-1]) for scope in ("level", "parent", "decision")}
    assert shown == {"level": ["d", "c", "b", "a"], "parent": ["b", "a"], "decision": ["c", "a"]}


def wide(chosen: int, inspected: int) -> Trace:
    nodes = [Node(run_id="run", node_id="root", fate="expanded", seq=0)]
    nodes += [
        Node(
            run_id="run",
            node_id=f"n{i:02}",
            parent_ids=("root",),
            seq=i + 1,
            score=100 - i,
            fate="expanded" if i < 15 else "pruned",
        )
        for i in range(40)
    ]
    return Trace(Run(run_id="run", level_by_level=True, selected_path=("root", f"n{chosen:02}")), tuple(nodes))


def test_ten_rows_and_always_the_chosen_the_inspected_the_pinned_and_the_cut(tmp_path: Path) -> None:
    store = store_of(tmp_path, wide(chosen=12, inspected=30))
    (one,) = ladder_payload(store, "run", inspected="n30", pinned=["n35"])["columns"]
    assert read(one) == [
        *[f"n{i:02}" for i in range(10)], "… 2 not shown", "n12", "… 1 not shown", "n14",
        "▲ kept · 15 of 40 · cut-off 86.0 · pruned ▼",
        "n15", "… 14 not shown", "n30", "… 4 not shown", "n35", "… 4 not shown",
    ]  # fmt: skip


def test_identity_shown_and_not_shown_make_up_the_candidates(tmp_path: Path) -> None:
    (one,) = ladder_payload(store_of(tmp_path, wide(12, 30)), "run", inspected="n30")["columns"]
    hidden = sum(int(row["text"].split()[1]) for row in one["rows"] if row["kind"] == "gap")
    assert hidden + sum(row["kind"] == "row" for row in one["rows"]) == 40
    assert sum(kept + cut + other for _, kept, cut, other in one["strip"]["bins"]) == 40


def test_below_the_end_of_the_path_the_way_to_the_inspected_node_goes_on(tmp_path: Path) -> None:
    drawn = "root\n  a score=1 fate=terminal\n  b score=2 fate=expanded\n    c score=1\n      d score=1"
    columns = payload(tmp_path, drawn, selected_path=("root", "a"), inspected="d")["columns"]
    assert [(column["depth"], column["summary"]) for column in columns] == [
        (1, "2 candidates · chosen ranked #2"), (2, "1 candidate · none chosen"), (3, "1 candidate · none chosen"),
    ]  # fmt: skip


def test_the_evaluator_is_heard_by_its_samples_and_its_last_line(tmp_path: Path) -> None:
    said = ("hm\nI cannot reach 24\n\n", "sure", "5 - 1 = 4\r\nlikely  ")
    calls = tuple(
        Call(run_id="run", call_id=str(i), node_id="a", role="evaluator", parsed=parsed, response=response)
        for i, (parsed, response) in enumerate(zip(("0.5", "sure", "1"), said, strict=True))
    )
    (one,) = payload(tmp_path, "root\n  a score=2\n  b score=1", calls=calls)["columns"]
    a, b = one["rows"]
    assert (a["ticks"], a["said"]) == ([0.25, 0.5], "likely")
    assert (b["ticks"], b["said"]) == ([], None)
    assert "evaluator: likely" in a["label"]
    assert "evaluator samples: 0.5, 1.0" in a["hint"]


def test_a_failed_evaluator_is_quoted_where_it_said_nothing(tmp_path: Path) -> None:
    calls = (Call(run_id="run", call_id="1", node_id="a", role="evaluator", error="timed out"),)
    (one,) = payload(tmp_path, "root\n  a fate=unscored\n  b score=1", calls=calls)["columns"]
    assert one["rows"][1]["said"] == "evaluator failed: timed out"


def test_known_good_ones_are_marked_and_what_the_caller_knows_wins(tmp_path: Path) -> None:
    store = store_of(tmp_path, tree(BEAM, truth=(Truth(run_id="run", node_id="c", viable=True, viable_by="label"),)))
    (one,) = ladder_payload(store, "run", viable={"a": False})["columns"]
    assert {row["id"]: row["viable"] for row in one["rows"] if row["kind"] == "row"} == {
        "a": False, "b": None, "c": True, "d": None, "e": None,
    }  # fmt: skip


def test_a_deep_run_shows_columns_around_the_inspected_depth(tmp_path: Path) -> None:
    nodes = tuple(Node(run_id="run", node_id=f"n{i}", parent_ids=(f"n{i - 1}",) if i else (), seq=i, score=i, step="s" * 5_000) for i in range(400))
    store = store_of(tmp_path, Trace(Run(run_id="run", selected_path=tuple(f"n{i}" for i in range(400))), nodes))
    around = ladder_payload(store, "run", inspected="n200")
    assert [column["depth"] for column in around["columns"]] == list(range(190, 211))
    assert (around["before"], around["after"]) == ("depths 1 to 189", "depths 211 to 399")
    assert len(json.dumps(around)) < 40_000, "texts are cut"
    first = ladder_payload(store, "run")
    assert ([c["depth"] for c in first["columns"]][:2], first["before"]) == ([1, 2], "")


def test_a_window_never_leaves_the_run() -> None:
    anchors = [{"depth": depth} for depth in range(1, 101)]
    assert [a["depth"] for a in window(anchors, 100)] == list(range(80, 101))
    assert window(anchors[:30], 5) == anchors[:30]
    assert window([], None) == []


def test_the_key_changes_with_what_is_drawn_and_not_with_the_selection(tmp_path: Path) -> None:
    store = store_of(tmp_path, tree(BEAM, selected_path=PATH))
    first = ladder_payload(store, "run", inspected="a")
    assert first["key"] == ladder_payload(store, "run", inspected="b")["key"]
    assert first["key"] != ladder_payload(store, "run", scope="parent")["key"]


@pytest.mark.parametrize(("score", "place"), [(None, None), (0.0, 0.0), (1.5, 0.5), (3.0, 1.0), (-1.0, 0.0), (9.0, 1.0)])
def test_a_score_lies_on_the_scale(score: float | None, place: float | None) -> None:
    assert on_scale(score, (0.0, 3.0)) == place


def test_a_scale_of_one_value_is_full() -> None:
    assert on_scale(0.0, (0.0, 0.0)) == 1.0
    assert scale_words((0.0, 3.0)) == "bars and strips: 0.0 to 3.0, the evaluator's own scale over the run"


def test_without_scores_candidates_stand_in_order_of_arrival_and_nothing_is_drawn_on_a_scale(tmp_path: Path) -> None:
    drawn = payload(tmp_path, "root\n  x seq=7\n  y seq=2", selected_path=("root", "x"))
    (one,) = drawn["columns"]
    assert (read(one), one["strip"], one["summary"]) == (["y", "x"], None, "2 candidates · none scored")
    assert drawn["scale"] == "no candidate has a score: they stand in order of arrival"
    assert on_scale(1.0, None) is None

"""Does the drawing of a tree say what the run says? Layout, marks and size of what the browser gets."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from explorer import queries
from explorer.components.columns import CUT, ERROR, FATES, MERGED, ON_PATH, ORPHAN, REFUTED, VERIFIED, encoded
from explorer.components.tree import LIMIT, MAX_BYTES, tree_payload
from tests.explorer.components import grown


def payload_of(parents: list[int], path: list[str] | None = None, *, limit: int = LIMIT, **columns: Any) -> dict[str, Any]:
    nodes = grown.nodes_of(parents, **columns)
    return tree_payload(grown.answer(nodes, path or [], "tree_nodes", limit=limit), path or [], "r")


#   n0 ─┬─ n1 ─┬─ n3
#       │      └─ n4 ── n5
#       └─ n2
SMALL = [-1, 0, 0, 1, 1, 4]


def test_a_leaf_has_a_row_of_its_own_and_a_parent_spans_its_children() -> None:
    payload = payload_of(SMALL)
    assert payload["id"] == ["n0", "n1", "n3", "n4", "n5", "n2"]
    assert payload["parent_index"] == [-1, 0, 1, 1, 3, 0]
    assert payload["depth"] == [0, 1, 2, 2, 3, 1]
    assert list(zip(payload["lo"], payload["hi"], strict=True)) == [(0, 2), (0, 1), (0, 0), (1, 1), (1, 1), (2, 2)]
    assert "column" not in payload


@pytest.mark.parametrize("shape", [grown.bushy, grown.beam, grown.chain])
def test_every_child_lies_within_its_parent_and_one_column_right_of_it(shape: Any) -> None:
    payload = payload_of(shape(2_000))
    parent, lo, hi = (np.array(payload[name]) for name in ("parent_index", "lo", "hi"))
    depth, child = np.array(payload["depth"]), np.flatnonzero(parent >= 0)
    assert (lo[parent[child]] <= lo[child]).all() and (hi[child] <= hi[parent[child]]).all()
    assert (depth[child] == depth[parent[child]] + 1).all()
    assert hi[0] + 1 == len(set(range(2_000)) - set(parent.tolist()))


def test_the_selected_path_is_marked_node_by_node() -> None:
    payload = payload_of(SMALL, ["n0", "n1", "n4"])
    assert [name for name, flag in zip(payload["id"], payload["flag"], strict=True) if flag & ON_PATH] == ["n0", "n1", "n4"]


def test_a_node_whose_parent_is_not_in_the_log_stands_at_its_own_depth_with_the_name_of_that_parent() -> None:
    depth = [0, 1, 4, 5]
    payload = payload_of([-1, 0, -1, 2], parent_ids=[[], ["n0"], ["lost"], ["n2"]], depth=depth)
    assert payload["flag"] == [0, 0, ORPHAN, 0]
    assert payload["missing_parent"] == [[2, "lost"]]
    assert payload["parent_index"] == [-1, 0, -1, 2] and payload["depth"] == depth


def test_several_roots_stand_under_one_another() -> None:
    payload = payload_of([-1, -1, 1, -1])
    assert payload["parent_index"] == [-1, -1, 1, -1]
    assert payload["flag"] == [0, 0, 0, 0]
    assert payload["lo"] == [0, 1, 1, 2]


def test_a_logged_depth_that_contradicts_the_parents_is_shown_but_does_not_bend_the_drawing() -> None:
    payload = payload_of([-1, 0, 1], depth=[0, 1, 1])
    assert payload["depth"] == [0, 1, 1]
    assert payload["column"] == [0, 1, 2]


def test_further_parents_of_a_merged_node_are_links_beside_the_tree() -> None:
    payload = payload_of([-1, 0, 0, 1], parent_ids=[[], ["n0"], ["n0"], ["n1", "n2", "lost"]])
    at = payload["id"].index
    assert payload["extra_edges"] == [[at("n3"), at("n2")]]
    assert payload["flag"][at("n3")] == MERGED


def test_error_and_outside_check_are_marks_and_a_missing_check_is_none() -> None:
    payload = payload_of([-1, 0, 0, 0], error=["timed out", None, None, None], verified=[None, True, False, None])
    assert payload["flag"] == [ERROR, VERIFIED, REFUTED, 0]


def test_what_was_not_recorded_stays_so() -> None:
    fate, rule, unknown = [None, "pruned", "made up"], [None, "beam_width", None], [None, None, None]
    payload = payload_of([-1, 0, 0], score=[None, 0.0, None], fate=fate, prune_rule=rule, step=unknown)
    assert payload["score"] == [None, 0, None]
    assert payload["norm"] == [None, None, None]
    assert [payload["fates"][code] for code in payload["fate"]] == ["not recorded", "pruned", "not recorded"]
    assert [payload["rules"][code] for code in payload["rule"]] == ["", "beam_width", ""]
    assert payload["label"] == [None, None, None]
    assert payload["fates"] == list(FATES)


def test_scores_are_placed_on_the_scale_of_the_run() -> None:
    payload = payload_of([-1, 0, 0], score=[2.0, 5.0, 3.0])
    assert payload["norm"] == [0, 1, 0.333]
    assert payload["score_range"] == [2, 5]


def test_an_empty_run_and_a_run_of_one_node_can_be_drawn() -> None:
    empty = payload_of([])
    assert empty["id"] == [] and empty["lo"] == [] and empty["score_range"] is None and empty["run_nodes"] == 0
    one = payload_of([-1])
    assert (one["id"], one["parent_index"], one["lo"], one["hi"], one["badge"]) == (["n0"], [-1], [0], [0], [0])


def test_a_chain_of_6000_is_one_row_of_leaves() -> None:
    payload = payload_of(grown.chain(6_000))
    assert payload["depth"] == list(range(6_000))
    assert set(payload["lo"]) == set(payload["hi"]) == {0}


def test_hostile_text_stays_the_text_it_is() -> None:
    hostile = ["<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", "![x](http://x/x.png) \u202e"]
    payload = json.loads(encoded(payload_of([-1, 0, 0], step=hostile)))
    assert payload["label"] == [text.strip() for text in hostile]


def test_a_label_is_one_line_of_80_characters_at_most_and_falls_back_to_action_and_state() -> None:
    payload = payload_of(
        [-1, 0, 0],
        step=["a\n b\t\tc" + "x" * 200, None, None],
        action_kind=[None, "edit", None],
        action_target=[None, "cart.py", None],
        state=["{}", "{}", '{"left": 4}'],
    )
    assert payload["label"] == ["a b c" + "x" * 75, "edit cart.py", '{"left": 4}']


def test_five_thousand_nodes_take_at_most_600_kb_even_with_long_ids() -> None:
    ids = [f"{i:032x}" for i in range(5_000)]
    parents = grown.bushy(5_000)
    for payload in (payload_of(parents), payload_of(parents, node_id=ids, step=["é" * 80] * 5_000)):
        assert len(payload["id"]) == 5_000
        assert len(encoded(payload)) <= 605_000


def test_of_100000_nodes_the_path_and_the_upper_levels_are_drawn_and_the_rest_is_counted() -> None:
    parents = grown.bushy(100_000)
    path = grown.path_to(parents, grown.deepest(parents))
    payload = payload_of(parents, path)
    assert len(payload["id"]) == LIMIT // 3 and payload["run_nodes"] == 100_000
    assert {name for name, flag in zip(payload["id"], payload["flag"], strict=True) if flag & ON_PATH} == set(path)
    assert not any(flag & CUT for flag in payload["flag"])
    assert payload["badge"][0] == 0 or payload["badge"][0] == 100_000 - len(payload["id"])
    assert len(encoded(payload)) <= MAX_BYTES


def test_no_payload_passes_two_megabytes_whatever_the_ids_are() -> None:
    payload = payload_of(grown.bushy(9_000), node_id=[f"{i}" + "x" * 400 for i in range(9_000)])
    assert len(encoded(payload)) <= MAX_BYTES
    assert 0 < len(payload["id"]) < 9_000
    assert sum(1 for parent in payload["parent_index"] if parent < 0) == 1


def test_the_badge_counts_what_is_left_out_below_a_node() -> None:
    payload = payload_of([-1, 0, 0, 1, 3, 4, 2], ["n0", "n2"], limit=6)
    # two nodes are drawn of seven: a third of the limit
    assert payload["id"] == ["n0", "n1"] or payload["id"] == ["n0", "n2"]
    assert payload["badge"][0] == 5


def test_the_version_follows_the_contents_and_the_key_is_the_callers() -> None:
    first, again, other = payload_of(SMALL), payload_of(SMALL), payload_of(SMALL, ["n0"])
    assert first == again
    assert first["key"] == other["key"] == "r"
    assert first["version"] != other["version"]


def test_the_query_returns_the_columns_that_its_header_lists() -> None:
    table = grown.answer(grown.nodes_of(SMALL), [], "tree_nodes", limit=LIMIT)
    assert tuple(table.column_names) == queries.columns_documented("tree_nodes")

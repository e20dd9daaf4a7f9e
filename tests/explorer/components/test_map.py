"""Does the map of a large run count every node once and stay small?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from explorer import queries
from explorer.components.columns import encoded
from explorer.components.map import MAX_CELLS, MAX_COLUMNS, Part, map_payload, query_parameters
from tests.explorer.components import grown

SMALL = [-1, 0, 0, 1, 1, 4]


def map_of(parents: list[int], path: list[str] | None = None, part: Part | None = None, **columns: Any) -> dict[str, Any]:
    nodes = grown.nodes_of(parents, **columns)
    return map_payload(grown.answer(nodes, path or [], "map_cells", **query_parameters(part)), "r")


def test_a_small_run_has_a_cell_a_node_at_its_depth_and_leaves() -> None:
    payload = map_of(SMALL)
    places = zip(payload["_node_id"], payload["column"], payload["row_from"], payload["row_to"], strict=True)
    assert sorted(places) == [
        ("n0", 0, 0, 2), ("n1", 1, 0, 1), ("n2", 1, 2, 2), ("n3", 2, 0, 0), ("n4", 2, 1, 1), ("n5", 3, 1, 1)
    ]
    assert payload["nodes"] == [1] * 6
    assert payload["part"] == [0, 2, 0, 3]


@pytest.mark.parametrize(("shape", "n"), [(grown.bushy, 100_000), (grown.beam, 100_000), (grown.chain, 20_000)])
def test_every_node_is_in_one_cell_and_the_map_stays_small(shape: Any, n: int) -> None:
    payload = map_of(shape(n))
    assert sum(payload["nodes"]) == payload["run_nodes"] == n
    assert len(payload["nodes"]) <= 11_000
    assert len(encoded(payload)) <= 650_000
    assert payload["map_columns"] <= MAX_COLUMNS and payload["map_columns"] * payload["map_rows"] <= MAX_CELLS
    assert max(payload["column"]) < payload["map_columns"] and max(payload["row_to"]) < payload["map_rows"]
    assert (np.array(payload["row_from"]) <= np.array(payload["row_to"])).all()


def test_a_cell_of_many_gives_their_best_score_and_the_share_pruned() -> None:
    parents = [-1] + [0] * 20_000
    score = [None] + [0.25] * 19_999 + [1.0]
    fate = ["expanded"] + ["pruned", "terminal"] * 10_000
    payload = map_of(parents, score=score, fate=fate, node_id=[f"n{i}" for i in range(20_001)])
    below = [i for i, column in enumerate(payload["column"]) if column == 1]
    assert {payload["best"][i] for i in below[:-1]} == {0.25} and payload["best"][below[-1]] == 1
    assert payload["_node_id"][below[-1]] == "n20000"
    assert {payload["norm"][i] for i in below[:-1]} == {0} and payload["norm"][below[-1]] == 255
    assert all(abs(payload["pruned"][i] - 50) <= 25 for i in below)
    assert payload["best"][0] is None and payload["norm"][0] == -1


def test_a_cell_whose_fates_were_not_recorded_says_so() -> None:
    payload = map_of([-1, 0], fate=[None, "pruned"], prune_rule=[None, None])
    assert payload["pruned"] == [-1, 100]


def test_the_selected_path_can_be_followed_from_column_to_column() -> None:
    parents = grown.bushy(50_000)
    path = grown.path_to(parents, grown.deepest(parents))
    payload = map_of(parents, path)
    on_path = {column for column, on in zip(payload["column"], payload["on_path"], strict=True) if on}
    assert on_path == set(range(payload["map_columns"]))


def test_zooming_in_ends_at_single_nodes_and_leaves_out_empty_depths() -> None:
    parents = grown.bushy(50_000)
    payload = map_of(parents, part=Part(100, 130, 3, 10_000))
    assert set(payload["nodes"]) == {1}
    assert payload["part"][:3] == [100, 130, 3]
    assert payload["part"][3] == 3 + max(payload["column"])
    assert payload["depth_from"] == []
    assert len(payload["label"]) == len(payload["nodes"])


def test_beyond_110_depths_several_share_a_column() -> None:
    payload = map_of(grown.chain(1_000))
    assert payload["map_columns"] == MAX_COLUMNS
    assert payload["depth_from"][0] == 0 and payload["depth_to"][-1] == 999


def test_an_empty_run_and_a_run_of_one_node_have_a_map() -> None:
    assert map_of([])["nodes"] == [] and map_of([])["run_nodes"] == 0
    assert map_of([-1])["nodes"] == [1]


def test_node_ids_of_cells_do_not_leave_the_server() -> None:
    assert b"_node_id" not in encoded(map_of(SMALL))


def test_the_query_returns_the_columns_that_its_header_lists() -> None:
    table = grown.answer(grown.nodes_of(SMALL), [], "map_cells", **query_parameters(None))
    assert tuple(table.column_names) == queries.columns_documented("map_cells")

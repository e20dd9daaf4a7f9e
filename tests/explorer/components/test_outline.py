"""Does the outline list the path and what it beat, in a run of any size?"""

from __future__ import annotations

from typing import Any

import pytest

from explorer import queries
from explorer.components.columns import encoded
from explorer.components.outline import ABOVE, LIMIT, MORE, NODE, SIBLINGS, outline_payload
from tests.explorer.components import grown


def outline_of(
    parents: list[int], path: list[str], inspected: str | None = None, siblings: int = SIBLINGS, **columns: Any
) -> dict[str, Any]:
    nodes = grown.nodes_of(parents, **columns)
    found = grown.answer(nodes, path, "outline_nodes", limit=LIMIT, siblings=siblings, inspected=inspected)
    return outline_payload(found, path, "r")


def drawn(payload: dict[str, Any]) -> str:
    """The list as text, indented by level."""
    base = min(payload["level"], default=0)
    words = []
    for kind, name, level, badge in zip(payload["kind"], payload["id"], payload["level"], payload["badge"], strict=True):
        text = {NODE: name + (f" +{badge}" if badge else ""), MORE: f"{badge} more", ABOVE: f"{badge} above, {name}"}[kind]
        words.append("  " * (level - base) + text)
    return "\n".join(words)


#   n0 ─┬─ n1 ─┬─ n4
#       │      └─ n5 ── n9
#       ├─ n2 ─┬─ n6 ── n8
#       │      └─ n7
#       └─ n3
PARENTS = [-1, 0, 0, 0, 1, 1, 2, 2, 6, 5]


def test_the_path_is_a_staircase_and_its_rivals_stand_on_each_step() -> None:
    assert drawn(outline_of(PARENTS, ["n0", "n1", "n5"])) == (
        "n0\n"
        "  n2 +3\n"
        "  n3\n"
        "  n1\n"
        "    n4\n"
        "    n5\n"
        "      n9"
    )


def test_the_inspected_node_opens_its_ancestors_their_siblings_and_its_children() -> None:
    assert drawn(outline_of(PARENTS, ["n0", "n1"], inspected="n6")) == (
        "n0\n"
        "  n3\n"
        "  n2\n"
        "    n7\n"
        "    n6\n"
        "      n8\n"
        "  n1\n"
        "    n4\n"
        "    n5 +1"
    )


def test_without_a_recorded_path_the_roots_are_listed_and_what_is_inspected() -> None:
    assert drawn(outline_of(PARENTS, [])) == "n0 +9"
    assert drawn(outline_of(PARENTS, [], inspected="n0")) == "n0\n  n1 +3\n  n2 +3\n  n3"


def test_of_a_large_family_the_best_scored_are_listed_and_the_others_counted() -> None:
    score = [None, 0.1, 0.9, None, 0.5, 0.7]
    assert drawn(outline_of([-1, 0, 0, 0, 0, 0], ["n0", "n1"], siblings=2, score=score)) == "n0\n  n2\n  n5\n  2 more\n  n1"


def test_a_deep_run_is_listed_around_the_inspected_node_with_a_way_up() -> None:
    parents = grown.beam(60_000, kept=4, children=3)
    path = grown.path_to(parents, grown.deepest(parents))
    payload = outline_of(parents, path, inspected=path[2_000])
    assert len(path) > 4_000
    assert payload["kind"][0] == ABOVE and payload["id"][0] in path
    assert payload["badge"][0] == payload["level"][0] > 1_000
    assert path[2_000] in payload["id"]
    assert len(payload["id"]) <= LIMIT + 3  # the way up, and what the limit cuts off at both ends
    assert len(encoded(payload)) <= 605_000


def test_a_chain_of_6000_lists_its_first_levels_and_counts_the_rest() -> None:
    parents = grown.chain(6_000)
    payload = outline_of(parents, grown.path_to(parents, 5_999))
    assert payload["id"] == [f"n{i}" for i in range(LIMIT)]
    assert payload["badge"][-1] == 6_000 - LIMIT


@pytest.mark.parametrize("shape", [grown.bushy, grown.beam])
def test_every_node_of_the_run_is_listed_or_counted_once(shape: Any) -> None:
    parents = shape(3_000)
    path = grown.path_to(parents, grown.deepest(parents))
    payload = outline_of(parents, path, inspected="n77", siblings=10_000)
    listed = [name for kind, name in zip(payload["kind"], payload["id"], strict=True) if kind == NODE]
    assert len(listed) == len(set(listed))
    assert len(listed) + sum(payload["badge"]) == 3_000


def test_an_empty_run_and_a_run_of_one_node_can_be_listed() -> None:
    assert outline_of([], [])["id"] == []
    assert drawn(outline_of([-1], ["n0"])) == "n0"


def test_several_roots_are_one_family() -> None:
    assert drawn(outline_of([-1, -1, 1, -1], ["n1", "n2"])) == "n0\nn3\nn1\n  n2"


def test_the_query_returns_the_columns_that_its_header_lists() -> None:
    table = grown.answer(grown.nodes_of(PARENTS), [], "outline_nodes", limit=9, siblings=9, inspected=None)
    assert tuple(table.column_names) == queries.columns_documented("outline_nodes")

"""Does a page send what is drawn once and what is selected apart from it?"""

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest

from explorer.components import scripts


def _page() -> None:
    import streamlit as st

    from explorer.components.map import draw_map, map_payload, query_parameters
    from explorer.components.outline import draw_outline, outline_payload
    from explorer.components.tree import draw_tree, tree_payload
    from tests.explorer.components import grown

    parents = grown.beam(60)
    path, nodes = grown.path_to(parents, 55), grown.nodes_of(parents)
    selected = st.text_input("selected")
    tree = tree_payload(grown.answer(nodes, path, "tree_nodes", limit=99), path, "r")
    table = grown.answer(nodes, path, "outline_nodes", limit=99, siblings=9, inspected=None)
    cells = map_payload(grown.answer(nodes, path, "map_cells", **query_parameters(None)), "r")
    chosen = [
        draw_tree(tree, selected=selected, color="fate", height=700, key="tree", lit=("n7", "n3")),
        draw_outline(outline_payload(table, path, "r"), selected=selected, color="score", height=700, key="outline"),
        draw_map(cells, selected=selected, color="score", height=700, key="map", selected_at=(0, 0, 52)),
    ]
    st.text(f"chosen {chosen}")


def test_the_data_of_a_drawing_does_not_change_with_the_selection_and_the_view_says_what_is_selected() -> None:
    page = AppTest.from_function(_page).run()
    before = [element.proto for element in page.get("bidi_component")]
    page.text_input[0].set_value("n5").run()
    after = [element.proto for element in page.get("bidi_component")]
    assert not page.exception
    assert [proto.bytes for proto in before[::2]] == [proto.bytes for proto in after[::2]]
    views = [json.loads(proto.json) for proto in after[1::2]]
    assert [view["selected"] for view in views] == ["n5", "n5", "n5"]
    for data, view in zip(after[::2], views, strict=True):
        payload = json.loads(data.bytes)
        assert (view["role"], view["key"], view["version"]) == ("view", payload["key"], payload["version"])
    assert views[0]["lit"] == ["n3", "n7"]


def test_nothing_was_chosen_before_anyone_chose() -> None:
    page = AppTest.from_function(_page).run()
    assert page.text[0].value == "chosen [None, None, None]"


def test_each_script_exports_one_function_and_names_no_address() -> None:
    for name in scripts.DRAWINGS:
        assert scripts.script(name).count("export default ") == 1
        assert "http" not in scripts.script(name) + scripts.style()
        assert ".innerHTML" not in scripts.script(name)

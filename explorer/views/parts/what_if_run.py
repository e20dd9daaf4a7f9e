"""What would another policy have made of one run: its tree, the nodes kept and cut, the path, and the horizon?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import streamlit as st

from explorer import queries, selection, widgets
from explorer.components.tree import LIMIT, draw_tree, tree_payload
from explorer.replay import sweep, sweep_reading
from explorer.replay.difference import NOT_MADE, Difference
from explorer.replay.outcome import Outcome
from explorer.views.parts import what_ifs

MOST_DRAWN = 2_000
"""Nodes up to which the tree is drawn."""


def show(run_id: str, changes: Mapping[str, Any]) -> None:
    """The check of its own policy first; then what the policy makes of it."""
    if target := st.session_state.pop("what_if_node", None):
        selection.go("investigate", run=target[0], node=target[1])
    answer = what_ifs.of_run(run_id, changes)
    if answer is None:
        return
    one, otherwise = answer
    if one.recorded is None:
        widgets.say(f"No what-if can be asked: this run {one.refused}.")
        selection.link("investigate", "Open the run", run=run_id)
        return
    found, now = sweep.swept([one], 1), one.outcomes[0]
    widgets.badge_line(sweep_reading.checks(found), key="what_if_checks")
    widgets.badge_line(sweep_reading.policy_facts(found.recorded.policy, found.points[0].policy), key="what_if_policy")
    widgets.badge_line(sweep_reading.run_facts(one.recorded, now), key="what_if_facts")
    widgets.number_cards(sweep_reading.cards(found.points[0], found.recorded), key="what_if_cards")
    widgets.say(sweep_reading.path_words(one.recorded, now))
    nodes = queries.run(selection.store(), "tree_nodes", run_id=run_id, limit=LIMIT)
    _tree(run_id, nodes, changes, now, otherwise)
    _nodes(run_id, otherwise)
    _horizon(run_id, nodes, now)
    if one.assumed:
        widgets.say("\n".join(one.assumed))


def _tree(run_id: str, nodes: pa.Table, changes: Mapping[str, Any], now: Outcome, otherwise: Sequence[Difference]) -> None:
    if not nodes.num_rows or nodes["run_nodes"][0].as_py() > MOST_DRAWN:
        return
    st.subheader("The tree under this policy")
    st.caption(
        "Fates as the policy decides them, and the path that it selects; of what it never gets to there is only the number. A click opens the node."
    )
    turned = [node.node_id for node in otherwise if node.kept or node.cut]
    payload = tree_payload(_with_fates(nodes, otherwise), now.path or (), f"what_if {run_id} {what_ifs.key_of(changes)}")
    draw_tree(payload, selected=None, color="fate", height=560, key="what_if_tree", lit=[*turned, *now.horizon],
              lit_as="kept or cut otherwise, or past the horizon", on_choose=_open(run_id))  # fmt: skip


def _nodes(run_id: str, otherwise: Sequence[Difference]) -> None:
    st.subheader("Nodes kept or cut otherwise")
    table = sweep_reading.nodes(otherwise)
    if not table.num_rows:
        widgets.say("None: every node that was kept is kept, and every other one is not.")
        return
    open_node = _open(run_id)
    st.caption("A row opens its node.")
    widgets.show_table(table, key="what_if_nodes", missing="–", height=widgets.height_of(table.num_rows, 14),
                       on_row=lambda row: open_node(table["node"][row].as_py()))  # fmt: skip


def _horizon(run_id: str, nodes: pa.Table, now: Outcome) -> None:
    table = sweep_reading.horizon(now, nodes)
    if not table.num_rows:
        return
    st.subheader("Where the record ends")
    st.caption("What the policy asks for and the record does not hold. What would have come of it is not known; a row opens its node.")
    open_node = _open(run_id)
    widgets.show_table(table, key="what_if_horizon", missing="–", height=widgets.height_of(table.num_rows, 10),
                       on_row=lambda row: open_node(table["node"][row].as_py()))  # fmt: skip


def _with_fates(nodes: pa.Table, otherwise: Sequence[Difference]) -> pa.Table:
    """The nodes that the policy gets to, with the fates that they have now."""
    now = {node.node_id: node.now for node in otherwise}
    fates = [now.get(name, fate) for name, fate in zip(nodes["node_id"].to_pylist(), nodes["fate"].to_pylist(), strict=True)]
    nodes = nodes.set_column(nodes.column_names.index("fate"), "fate", pa.array(fates, pa.string()))
    return nodes.filter(pa.array([fate != NOT_MADE for fate in fates], pa.bool_()))


def _open(run_id: str) -> Any:
    def choose(node_id: str) -> None:
        st.session_state["what_if_node"] = (run_id, node_id)

    return choose

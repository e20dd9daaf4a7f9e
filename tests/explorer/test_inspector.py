"""What the inspector says of one node: ranks, spend, fate, relatives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from explorer import queries
from explorer.analysis import inspector
from ingest.schema import Call
from ingest.store import Store
from tests.stores import store_of, tree

DRAWN = """
    root fate=expanded
      a score=0.9 fate=expanded
        d score=0.1 fate=terminal
      b score=0.5 fate=pruned prune_rule=beam_width prune_reason="rank_3"
      c score=0.5 fate=pruned
"""


def node(store: Store, node_id: str, run_id: str = "run") -> dict[str, Any]:
    row: dict[str, Any] = queries.run(store, "node", run_id=run_id, node_id=node_id).to_pylist()[0]
    return row


def call(call_id: str, **fields: Any) -> Call:
    return Call(run_id="run", call_id=call_id, **fields)


def calls_of(store: Store, node_id: str, parent_id: str | None) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = queries.run(store, "node_calls", run_id="run", node_id=node_id, parent_id=parent_id, most=9).to_pylist()
    return rows


def test_a_rank_names_its_field_and_its_ties(tmp_path: Path) -> None:
    store = store_of(tmp_path / "store", tree(DRAWN))
    rank = queries.run(store, "node_rank", run_id="run", node_id="b").to_pylist()[0]
    facts = inspector.evaluation(node(store, "b"), rank, [])
    assert [(fact.label, fact.text) for fact in facts] == [
        ("score", "0.5"), ("tier", "not recorded"), ("rank", "2 of 3 at depth 1, tied with 1"), ("rank", "2 of 3 siblings"),
    ]  # fmt: skip


def test_a_node_without_a_score_has_no_rank(tmp_path: Path) -> None:
    store = store_of(tmp_path / "store", tree("root"))
    rank = queries.run(store, "node_rank", run_id="run", node_id="root").to_pylist()[0]
    assert [fact.text for fact in inspector.evaluation(node(store, "root"), rank, [])] == ["not recorded", "not recorded"]


def test_the_evaluators_samples_stand_beside_the_score(tmp_path: Path) -> None:
    votes = tuple(call(f"v{n}", node_id="a", role="evaluator", parsed=value) for n, value in enumerate(("sure", "likely")))
    store = store_of(tmp_path / "store", tree(DRAWN, calls=votes))
    rank = queries.run(store, "node_rank", run_id="run", node_id="a").to_pylist()[0]
    facts = inspector.evaluation(node(store, "a"), rank, calls_of(store, "a", "root"))
    assert ("2 samples", "sure, likely") in [(fact.label, fact.text) for fact in facts]


def test_spend_counts_the_nodes_own_calls_and_says_where_a_sum_is_too_low(tmp_path: Path) -> None:
    calls = (
        call("p", node_id="root", role="proposer", cost=5.0),
        call("e1", node_id="a", role="evaluator", cost=0.25, input_tokens=10, output_tokens=2, latency_ms=1500, retries=1),
        call("e2", node_id="a", role="evaluator", input_tokens=10),
    )
    rows = calls_of(store_of(tmp_path / "store", tree(DRAWN, calls=calls)), "a", "root")
    assert [row["call_id"] for row in rows if row["at_parent"]] == ["p"]
    assert [fact.text for fact in inspector.spend(rows)] == ["2 calls", "at least $0.25", "22 tokens", "at least 1.5 s", "1 retry"]


def test_without_calls_the_spend_is_not_zero() -> None:
    assert [fact.text for fact in inspector.spend([])] == ["calls at this node: not recorded"]


def test_a_pruned_node_shows_rule_and_reason_and_others_show_neither(tmp_path: Path) -> None:
    store = store_of(tmp_path / "store", tree(DRAWN))
    rule, reason = inspector.verdict_of_pruning(node(store, "b"))
    assert ([fact.text for fact in rule], reason) == (["beam_width"], "rank_3")
    assert inspector.verdict_of_pruning(node(store, "a")) == ([], None)
    assert [fact.text for fact in inspector.verdict_of_pruning(node(store, "c"))[0]] == ["not recorded"]


def test_parents_are_links_and_one_that_the_log_lacks_is_none(tmp_path: Path) -> None:
    store = store_of(tmp_path / "store", tree('root\n  a\n  b\n    m parent_ids=["b","a","gone"]'))
    family = queries.run(store, "node_family", run_id="run", node_id="m", children=9).to_pylist()
    parents = inspector.relatives(family, "parent")
    assert [(fact.label, fact.pick) for fact in parents] == [("parent", "b"), ("merged parent", "a"), ("parent", "")]
    of_a = queries.run(store, "node_family", run_id="run", node_id="a", children=9).to_pylist()
    assert [fact.pick for fact in inspector.relatives(of_a, "child")] == ["m"]

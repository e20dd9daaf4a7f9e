"""The six cards of a run: each number with what it leaves out, and words where the log says nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from explorer import queries
from explorer.analysis import cards, pruning, spend
from ingest.schema import Call
from tests.stores import store_of, tree


def read(folder: Path, drawing: str, calls: tuple[Call, ...] = (), **run: Any) -> dict[str, tuple[str, str]]:
    store = store_of(folder, tree(drawing, calls=calls, **run))
    totals = queries.run(store, "run_totals", run_id="run").to_pylist()[0]
    made = cards.cards(totals, pruning.of_run(store, "run"), spend.of_run(store, "run"))
    return {card.label: (card.text, card.hint) for card in made}


def test_a_run_of_which_little_is_recorded(tmp_path: Path) -> None:
    assert read(tmp_path, "root") == {
        "Nodes": ("1", "0 with more than one parent"),
        "Depth reached": ("0", "cap not recorded"),
        "Spend": ("not recorded", "the log has no calls"),
        "Call time, summed": ("not recorded", "the log has no calls"),
        "Pruned : expanded": ("not recorded", "0 pruned, 0 expanded, 0 terminal"),
        "Fate unscored / open": ("0 / 0", "of 1 node, 1 without a fate"),
    }


def test_worked_by_hand(tmp_path: Path) -> None:
    calls = (
        Call(run_id="run", call_id="1", node_id="root", role="proposer", cost=0.5, latency_ms=1_500),
        Call(run_id="run", call_id="2", node_id="a", role="evaluator", latency_ms=500),
    )
    drawn = "root fate=expanded\n  a fate=pruned\n  b fate=pruned\n  c fate=unscored\n  d fate=open"
    assert read(tmp_path, drawn, calls, budget_max_depth=3, wall_clock_s=60.0) == {
        "Nodes": ("5", "0 with more than one parent"),
        "Depth reached": ("1", "of 3 that the cap allows"),
        "Spend": ("≥ $0.50", "cost recorded on 1 of 2 calls"),
        "Call time, summed": ("2 s", "time recorded on 2 of 2 calls; wall clock 60 s"),
        "Pruned : expanded": ("2.0 : 1", "2 pruned, 1 expanded, 0 terminal"),
        "Fate unscored / open": ("1 / 1", "of 5 nodes"),
    }


def test_a_run_counted_only_as_a_whole_and_a_clock_without_calls(tmp_path: Path) -> None:
    found = read(tmp_path, "root fate=terminal", reported_cost=1.27, wall_clock_s=30.0)
    assert found["Spend"] == ("$1.27", "as the log reports it for the whole run")
    assert found["Wall clock"] == ("30 s", "start to end of the run")
    assert found["Pruned : expanded"] == ("neither", "0 pruned, 0 expanded, 1 terminal")

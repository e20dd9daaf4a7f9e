"""Pruned to expanded, by stage and rule: what counts inside the ratio, what beside it, and what the two zero cases give."""

from __future__ import annotations

import math
from pathlib import Path

from explorer import queries
from explorer.analysis import pruning
from explorer.analysis.pruning import DepthFates, RuleCount
from explorer.figures.pruning import fates_by_depth
from ingest.store import Store
from tests.stores import store_of, tree

DRAWN = """
    root fate=expanded
      a fate=expanded
      b fate=pruned pruned_by=survived prune_rule=beam_width
      c fate=pruned pruned_by=survived prune_rule=beam_width
      d fate=pruned pruned_by=distinct prune_rule=same_state
      e fate=pruned
      f fate=terminal
      g fate=unscored
      h fate=open
      i
      j fate=abandoned
"""


def test_a_run_that_is_not_there_has_no_depths(tmp_path: Path) -> None:
    assert pruning.of_run(Store(tmp_path / "nothing"), "run") == ()
    assert pruning.whole(()).nodes == 0


def test_a_single_node_has_no_ratio(tmp_path: Path) -> None:
    (only,) = pruning.of_run(store_of(tmp_path, tree("root fate=terminal")), "run")
    assert (only.terminal, only.nodes) == (1, 1)
    assert math.isnan(only.ratio) and math.isnan(only.share)


def test_worked_by_hand(tmp_path: Path) -> None:
    _, one = pruning.of_run(store_of(tmp_path, tree(DRAWN)), "run")
    assert one == DepthFates(
        depth=1, expanded=1, pruned=4, terminal=1, unscored=1, open=1, not_recorded=one.not_recorded,
        rules=(RuleCount("distinct", "same_state", 1), RuleCount("survived", "beam_width", 2), RuleCount(None, None, 1)),
    )  # fmt: skip
    assert (one.ratio, one.share, one.without_rule) == (4.0, 0.8, 1)


def test_identity_every_node_is_counted_once_and_rules_add_up_to_the_pruned(tmp_path: Path) -> None:
    store = store_of(tmp_path, tree(DRAWN))
    depths = pruning.of_run(store, "run")
    assert sum(depth.nodes for depth in depths) == 11
    assert all(sum(rule.nodes for rule in depth.rules) == depth.pruned for depth in depths)
    assert pruning.whole(depths).share == pruning.whole(depths).pruned / (pruning.whole(depths).pruned + pruning.whole(depths).expanded)


def test_pruned_without_expanded_is_infinite_and_neither_is_undefined() -> None:
    assert pruning.prune_ratio(3, 0) == math.inf
    assert math.isnan(pruning.prune_ratio(0, 0))
    assert pruning.prune_ratio(0, 2) == 0
    assert math.isnan(pruning.prune_share(0, 0))


def test_what_was_not_recorded_is_a_class_of_its_own(tmp_path: Path) -> None:
    store = store_of(tmp_path, tree(DRAWN))
    figure = fates_by_depth(pruning.of_run(store, "run"), "light")
    names = [trace.name for trace in figure.data]
    assert names[0] == "expanded"
    assert {"pruned: beam_width", "pruned: same_state (distinct)", "pruned: rule not recorded", "fate not recorded"} <= set(names)
    read = pruning.for_reading(queries.run(store, "pruning_by_depth", run_id="run"))
    assert {"fate": "pruned", "stage": "not recorded", "rule": "not recorded", "depth": 1, "nodes": 1} in read.to_pylist()
    assert {"fate": "terminal", "stage": None, "rule": None, "depth": 1, "nodes": 1} in read.to_pylist()


def test_patterns_overlay_their_colour_and_rule_names_are_escaped(tmp_path: Path) -> None:
    store = store_of(tmp_path, tree("root\n  a fate=pruned prune_rule=<b>top</b>"))
    (bar,) = [trace for trace in fates_by_depth(pruning.of_run(store, "run"), "dark").data if "top" in trace.name]
    assert bar.name == "pruned: &lt;b&gt;top&lt;/b&gt;"
    assert (bar.marker.pattern.fillmode, bar.unselected.marker.opacity) == ("overlay", 1)


def test_thousands_of_depths_share_bars_and_no_node_is_lost() -> None:
    deep = [DepthFates(depth=d, expanded=1, pruned=0, terminal=0, unscored=0, open=0, not_recorded=0, rules=()) for d in range(6_000)]
    figure = fates_by_depth(deep, "light")
    assert len(figure.data[0].x) == 120
    assert sum(figure.data[0].y) == 6_000
    assert figure.layout.xaxis.title.text == "depth (50 depths to a mark)"


def test_a_run_without_nodes_is_a_sentence() -> None:
    assert fates_by_depth((), "light").layout.annotations[0].text == "This run recorded no nodes."

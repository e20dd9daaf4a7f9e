"""How many candidates were cut for each one followed, at which depth, and by which stage and rule?"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from explorer import queries, wording
from ingest.schema import Fate
from ingest.store import Store

RULE_NOT_RECORDED = "rule not recorded"


@dataclass(frozen=True, slots=True)
class RuleCount:
    """Nodes that one rule pruned at one stage."""

    stage: str | None
    """None: not recorded."""
    rule: str | None
    """None: not recorded, which is a class of its own."""
    nodes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DepthFates:
    """What became of the nodes of one depth, or of a whole run."""

    depth: int | None
    """None for a whole run."""
    expanded: int
    pruned: int
    terminal: int
    unscored: int
    open: int
    not_recorded: int
    """Nodes whose fate the log does not say, or says in a word of its own."""
    rules: tuple[RuleCount, ...]
    """What makes up ``pruned``, in order of stage and rule."""

    @property
    def nodes(self) -> int:
        """All nodes; every one is counted under exactly one fate."""
        return self.expanded + self.pruned + self.terminal + self.unscored + self.open + self.not_recorded

    @property
    def ratio(self) -> float:
        """Pruned nodes for each one expanded."""
        return prune_ratio(self.pruned, self.expanded)

    @property
    def share(self) -> float:
        """Pruned among pruned and expanded."""
        return prune_share(self.pruned, self.expanded)

    @property
    def without_rule(self) -> int:
        """Pruned nodes whose rule the log does not name."""
        return sum(count.nodes for count in self.rules if count.rule is None)


def prune_ratio(pruned: int, expanded: int) -> float:
    """Pruned nodes for each one expanded.

    Returns:
        A ratio from 0 up; inf when nodes were pruned and none expanded, nan when neither happened.
    """
    if expanded:
        return pruned / expanded
    return math.inf if pruned else math.nan


def prune_share(pruned: int, expanded: int) -> float:
    """Pruned among pruned and expanded, in [0, 1]; nan when neither happened."""
    return pruned / (pruned + expanded) if pruned + expanded else math.nan


def of_run(store: Store, run_id: str) -> tuple[DepthFates, ...]:
    """The depths of one run, from the root down; empty for a run without nodes."""
    return by_depth(queries.run(store, "pruning_by_depth", run_id=run_id))


def by_depth(table: pa.Table) -> tuple[DepthFates, ...]:
    """The rows of the query ``pruning_by_depth``, gathered by depth."""
    grouped: dict[int, list[dict[str, object]]] = {}
    for row in table.to_pylist():
        grouped.setdefault(row["depth"], []).append(row)
    return tuple(_fates(depth, rows) for depth, rows in grouped.items())


def whole(depths: Iterable[DepthFates]) -> DepthFates:
    """All depths added up; zeros for none."""
    parts = tuple(depths)
    rules: dict[tuple[str | None, str | None], int] = {}
    for part in parts:
        for count in part.rules:
            rules[count.stage, count.rule] = rules.get((count.stage, count.rule), 0) + count.nodes
    return DepthFates(
        depth=None,
        expanded=sum(p.expanded for p in parts),
        pruned=sum(p.pruned for p in parts),
        terminal=sum(p.terminal for p in parts),
        unscored=sum(p.unscored for p in parts),
        open=sum(p.open for p in parts),
        not_recorded=sum(p.not_recorded for p in parts),
        rules=tuple(RuleCount(stage, rule, nodes) for (stage, rule), nodes in rules.items()),
    )


def ratio_text(fates: DepthFates) -> str:
    """The ratio as it stands above a bar; empty where nothing was pruned or expanded."""
    if math.isnan(fates.ratio):
        return ""
    return "∞ : 1" if math.isinf(fates.ratio) else f"{fates.ratio:.1f} : 1" if fates.pruned else "0 : 1"


def for_reading(table: pa.Table) -> pa.Table:
    """The rows of the query ``pruning_by_depth`` with what was not recorded in words; empty where a column does not apply."""
    pruned = pc.fill_null(pc.equal(table["fate"], Fate.PRUNED.value), False)
    words = {
        "fate": pc.fill_null(table["fate"], wording.NOT_RECORDED),
        "stage": pc.if_else(pruned, pc.fill_null(table["stage"], wording.NOT_RECORDED), table["stage"]),
        "rule": pc.if_else(pruned, pc.fill_null(table["rule"], wording.NOT_RECORDED), table["rule"]),
    }
    for name, column in words.items():
        table = table.set_column(table.schema.get_field_index(name), name, column)
    return table


def class_name(count: RuleCount) -> str:
    """How a stage and rule are named in a legend; what was not recorded is said."""
    rule = count.rule or RULE_NOT_RECORDED
    return rule if count.stage in (None, "survived") else f"{rule} ({count.stage})"


def _fates(depth: int, rows: list[dict[str, object]]) -> DepthFates:
    counts = {fate.value: 0 for fate in Fate}
    not_recorded, rules = 0, []
    for row in rows:
        fate, nodes = row["fate"], row["nodes"]
        assert isinstance(nodes, int)
        if not isinstance(fate, str) or fate not in counts:
            not_recorded += nodes
            continue
        counts[fate] += nodes
        if fate == Fate.PRUNED:
            rules.append(RuleCount(_text(row["stage"]), _text(row["rule"]), nodes))
    return DepthFates(depth=depth, not_recorded=not_recorded, rules=tuple(rules), **counts)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None

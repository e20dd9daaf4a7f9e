"""What came of one run, as recorded or under another policy? Right or not, in bounds; its path, its spend, its horizon."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from explorer.replay.record import NOTHING_PAID, Paid, Record
from explorer.replay.what_if import KEPT, Replay, together
from ingest.schema import Fate


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One run under one policy."""

    run_id: str
    policy: Mapping[str, Any]
    right_kept: bool
    right_selected: bool
    upper_right_kept: bool
    upper_right_selected: bool
    path: tuple[str, ...] | None
    """Node ids of the selected path; None where the record names none."""
    stop_reason: str | None
    paid: Paid
    viable_depth: int | None
    """The greatest depth at which a viable node was kept; None where none was, or none is known."""
    expansions: int
    """How many the record holds of those that the policy asked for."""
    past_horizon: bool = False
    horizon: tuple[str, ...] = ()
    """Nodes whose expansion the policy wants and the record does not hold."""
    unjudged: tuple[str, ...] = ()
    """Nodes whose evaluation it wants and the record does not hold."""

    def document(self) -> dict[str, Any]:
        """As ``replay --json`` prints it."""
        return {
            "run_id": self.run_id, "policy": dict(self.policy), "right_kept": self.right_kept, "right_selected": self.right_selected,
            "upper_right_kept": self.upper_right_kept, "upper_right_selected": self.upper_right_selected,
            "selected_path": None if self.path is None else list(self.path), "stop_reason": self.stop_reason, **self.paid.document(),
            "viable_depth": self.viable_depth, "horizon": list(self.horizon), "unjudged": list(self.unjudged),
        }  # fmt: skip


def of_record(record: Record) -> Outcome:
    """The run as it was."""
    nodes, run = record.search.nodes, record.search.run
    finished = [node.preorder for node in nodes if node.fate == Fate.TERMINAL]
    selected = record.search.selected
    end = selected[-1] if selected and nodes[selected[-1]].fate == Fate.TERMINAL else None
    right, kept = (None if end is None else record.right(end)), [record.right(i) for i in finished]
    viable = [nodes[i].depth for i in record.known.viable_nodes() if nodes[i].fate in KEPT]
    return Outcome(
        run_id=record.run_id, policy=record.settings.document(), right_kept=any(kept), right_selected=right is True,
        upper_right_kept=any(one is not False for one in kept), upper_right_selected=end is not None and right is not False,
        path=None if run["selected_path"] is None else tuple(run["selected_path"]), stop_reason=run["stop_reason"], paid=_paid(record),
        viable_depth=max(viable, default=None), expansions=sum(node.went_on or node.expanded_seq is not None for node in nodes),
    )  # fmt: skip


def of_replay(again: Replay) -> Outcome:
    """The run under the policy of a replay."""
    ids = again.record.search.ids
    return Outcome(
        run_id=again.record.run_id, policy=again.settings.document(), right_kept=again.right_kept, right_selected=again.right_selected,
        upper_right_kept=again.upper_right_kept, upper_right_selected=again.upper_right_selected, path=tuple(ids(again.path)),
        stop_reason=str(again.result.stop_reason), paid=again.paid, viable_depth=again.viable_depth(),
        expansions=sum(node.fate is Fate.EXPANDED for node in again.result.tree.nodes), past_horizon=again.past_horizon,
        horizon=tuple(ids(again.horizon)), unjudged=tuple(ids(again.unjudged)),
    )  # fmt: skip


def _paid(record: Record) -> Paid:
    """By its calls; where the log holds none, the run's own totals beside the number of its expansions."""
    found = together([*record.for_children.values(), *record.for_score.values()])
    return found if record.counts_calls else together([found, Paid(NOTHING_PAID.roles, record.tokens, record.cost)])

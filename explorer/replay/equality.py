"""Which of two equal states goes on? Equal states compete: the better evidence stands for both, not the one seen first."""

from __future__ import annotations

from collections.abc import Hashable

from explorer.replay.journal import Journal
from explorer.replay.node import SearchNode, Tree
from explorer.replay.policies import Policies
from ingest.schema import Fate, Stage


class Equals:
    """The representative of each state key so far."""

    def __init__(self, policies: Policies, tree: Tree, journal: Journal) -> None:
        self._policies, self._tree, self._journal = policies, tree, journal
        self._of_key: dict[Hashable, SearchNode] = {}

    def settle(self, node: SearchNode) -> bool:
        """Whether this judged node goes on to be ranked. An equal one that is worse is dropped, be it this one or an earlier one.

        An earlier one that was expanded or finished stays whatever the evidence: its future is paid for already.
        """
        if self._policies.state_key is None:
            return True
        key = self._policies.state_key(node)
        old = self._of_key.setdefault(key, node)
        if old is node:
            return True
        spent = old.fate in (Fate.EXPANDED, Fate.TERMINAL)
        if not spent and self._policies.prefer_equivalent(node, old):
            self._of_key[key] = node
            if old.fate is None:
                self._drop(old, node, "the same state was reached with better evidence")
            return True
        became = "came before, with evidence as good" if not spent else "was finished before" if old.terminal else "was expanded before"
        self._drop(node, old, f"the same state {became}")
        return False

    def _drop(self, node: SearchNode, instead: SearchNode, why: str) -> None:
        node.fate, node.pruned_by, node.prune_rule = Fate.PRUNED, Stage.DISTINCT, "same_state_key"
        node.prune_reason, node.merged_into = f"{why}, as {instead.node_id}", instead
        self._tree.frontier.discard(node)
        self._tree.too_deep.pop(node, None)
        self._journal.settled(node)
        if self._policies.joins and (more := [one for one in node.parents if one not in instead.parents and not _above(instead, one)]):
            instead.parents += more
            self._journal.joined(instead)


def _above(node: SearchNode, other: SearchNode) -> bool:
    """Whether ``node`` is ``other`` or an ancestor of it, by any parent."""
    seen: set[SearchNode] = set()
    waiting = [other]
    while waiting:
        one = waiting.pop()
        if one is node:
            return True
        if one not in seen:
            seen.add(one)
            waiting += one.parents
    return False

"""What did each cut cost and save? One row a decision: what was kept, what was lost, ties on both sides, spend saved, viable nodes killed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

import pyarrow as pa

from explorer import queries
from explorer.analysis import known
from explorer.analysis.competitors import decision_of, field_of
from explorer.analysis.known import NO_MARKS, Known, Marks
from explorer.analysis.search import Candidate, Search
from explorer.wording import CAPS
from ingest.schema import Fate, Stage
from ingest.store import Store


@dataclass(frozen=True, slots=True)
class Spend:
    """Calls, tokens and US dollars; None where it was recorded nowhere."""

    calls: float | None
    tokens: float | None
    cost: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """One decision against some candidates: they were pruned by a rule, merged away, or left open when a cap fired."""

    run_id: str
    kind: Literal["prune", "merge", "cap"]
    decision: str
    """The recorded decision, or the depth or parent that it was inferred from."""
    basis: str
    """decision (recorded), depth or siblings (inferred); end for a cap."""
    depth: int
    rule: str | None
    """The rule, or the cap that fired. None: not recorded."""
    kept: int
    lost: int
    kept_min: float | None
    kept_max: float | None
    lost_min: float | None
    lost_max: float | None
    tied_kept: int
    """Kept candidates with the score of the worst one kept."""
    tied_lost: int
    """Lost candidates with that score: order decided between them and the kept ones."""
    viable_lost: int
    viable_known: int
    """Lost candidates of which it is known whether they are viable."""
    saved: Spend
    """Estimated: candidates lost, times the mean recorded spend on and below a kept one once it was kept. For a merge nothing is estimated."""
    lost_ids: tuple[str, ...]
    viable_ids: tuple[str, ...]


def of_run(store: Store, run_id: str, marks: Marks = NO_MARKS) -> tuple[Cut, ...]:
    """The cuts of one run, by depth; empty for an unknown run or one without any."""
    return tuple(of_runs(store, [run_id], marks))


def of_runs(store: Store, run_ids: Sequence[str] | None = None, marks: Marks = NO_MARKS) -> Iterator[Cut]:
    """The cuts of these runs (None: of all), run by run."""
    for first, last, found in known.of_runs(store, run_ids, marks):
        spent = _spent(queries.run(store, "spend_of_nodes", first_run=first, last_run=last))
        for one in found:
            yield from cuts(one, spent.get(one.search.run["run_id"], {}))


def cuts(one: Known, spent: Mapping[int, tuple[Spend, Spend]]) -> tuple[Cut, ...]:
    """The cuts of one search. ``spent`` holds by place what was spent at a node, and which part of that only evaluated it."""
    groups: dict[tuple[str, str, str, str | None], list[Candidate]] = {}
    for node in one.search.nodes:
        if (kind := _kind(one.search, node)) is not None:
            basis, decision = decision_of(one.search, node) if kind != "cap" else ("end", "end")
            rule = node.prune_rule if kind != "cap" else one.search.run["stop_reason"]
            groups.setdefault((kind, basis, decision, rule), []).append(node)
    below = _Below(one.search, spent)
    found = [_cut(one, key, lost, below) for key, lost in groups.items()]
    return tuple(sorted(found, key=lambda cut: (cut.depth, cut.kind, cut.decision, cut.rule or "")))


class _Below:
    """Spend on and below a node once it was kept, from running totals in preorder."""

    def __init__(self, search: Search, spent: Mapping[int, tuple[Spend, Spend]]) -> None:
        self._spent, self._nodes = spent, search.nodes
        self._totals = {name: self._running(name, len(search.nodes)) for name in ("calls", "tokens", "cost")}

    def mean(self, kept: Sequence[Candidate]) -> Spend:
        """Mean over these nodes; None where nothing of the kind is recorded in the run, or there are no nodes."""
        values = {name: [self._of(node, name, totals) for node in kept] if totals and kept else None for name, totals in self._totals.items()}
        return Spend(**{name: sum(found) / len(found) if found else None for name, found in values.items()})

    def _of(self, node: Candidate, name: str, totals: list[float]) -> float:
        own = self._spent.get(node.preorder)
        judged = getattr(own[1], name) if own else None
        return totals[node.preorder + node.subtree_size] - totals[node.preorder] - (judged or 0)

    def _running(self, name: str, nodes: int) -> list[float]:
        if not any(getattr(whole, name) is not None for whole, _ in self._spent.values()):
            return []
        values = (getattr(self._spent[i][0], name) or 0 if i in self._spent else 0 for i in range(nodes))
        return list(accumulate(values, initial=0))


def _kind(search: Search, node: Candidate) -> Literal["prune", "merge", "cap"] | None:
    if node.pruned_at is not None:
        return "merge" if node.pruned_at == Stage.DISTINCT else "prune"
    return "cap" if node.fate == Fate.OPEN and search.run["stop_reason"] in CAPS else None


def _cut(one: Known, key: tuple[str, str, str, str | None], lost: Sequence[Candidate], below: _Below) -> Cut:
    kind, basis, decision, rule = key
    gone = {node.preorder for node in lost}
    rivals = [other for other in field_of(one.search, lost[0].preorder).others if other.preorder not in gone] if kind != "cap" else []
    kept = [other for other in rivals if other.kept]
    kept_scores, lost_scores = _scores(kept), _scores(lost)
    cut_off = min(kept_scores, default=None)
    viable = [node for node in lost if one.beliefs.viable(node.preorder)]
    mean = below.mean([other for other in kept if other.went_on]) if kind == "prune" else Spend(None, None, None)
    return Cut(
        run_id=one.search.run["run_id"], kind=kind, decision=decision, basis=basis, depth=min(node.depth for node in lost), rule=rule,  # type: ignore[arg-type] # kind came from _kind
        kept=len(kept), lost=len(lost), kept_min=cut_off, kept_max=max(kept_scores, default=None), lost_min=min(lost_scores, default=None),
        lost_max=max(lost_scores, default=None), tied_kept=kept_scores.count(cut_off) if cut_off is not None else 0,
        tied_lost=lost_scores.count(cut_off) if cut_off is not None and kind == "prune" else 0, viable_lost=len(viable),
        viable_known=sum(one.beliefs.viable(node.preorder) is not None for node in lost), saved=_times(mean, len(lost)),
        lost_ids=tuple(node.node_id for node in lost), viable_ids=tuple(node.node_id for node in viable),
    )  # fmt: skip


def _scores(nodes: Sequence[Candidate]) -> list[float]:
    return [node.score for node in nodes if node.score is not None]


def _times(mean: Spend, nodes: int) -> Spend:
    return Spend(*(None if value is None else value * nodes for value in (mean.calls, mean.tokens, mean.cost)))


def _spent(table: pa.Table) -> dict[str, dict[int, tuple[Spend, Spend]]]:
    found: dict[str, dict[int, tuple[Spend, Spend]]] = {}
    for row in table.to_pylist():
        whole = Spend(row["calls"], row["tokens"], row["cost"])
        found.setdefault(row["run_id"], {})[row["preorder"]] = (whole, Spend(row["judge_calls"], row["judge_tokens"], row["judge_cost"]))
    return found

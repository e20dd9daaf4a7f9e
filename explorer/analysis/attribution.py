"""Where was the right path lost: generation, evaluation, or control? One verdict a run, with its evidence, computed from the log alone.

``of_run`` and ``of_runs`` read the store; everything between what they read and the verdict is pure. The parts: ``search`` (what the log
says), ``known`` (what is true of its nodes), ``stages`` (how far each viable node got), ``competitors``, ``breaches``, ``verdict_table``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from explorer import queries
from explorer.analysis import breaches, known
from explorer.analysis.known import NO_MARKS, Known, Marks
from explorer.analysis.proposing import missing_step
from explorer.analysis.ruling import Kind, Said
from explorer.analysis.search import without_collector
from explorer.analysis.stages import Loss, losses
from explorer.analysis.verdict import MOST_ALSO_LOST, Verdict, outcome_of, verdict
from explorer.analysis.verdict_table import field_for
from ingest.errors import TraceError
from ingest.schema import Stage
from ingest.store import Store

__all__ = ["Kind", "Marks", "Verdict", "of_run", "of_runs"]


@dataclass(frozen=True)
class _Case:
    """One run on its way to a verdict."""

    known: Known
    losses: tuple[Loss, ...]


def of_run(store: Store, run_id: str, marks: Marks = NO_MARKS) -> Verdict:
    """The verdict on one run. Raises TraceError when there is no such run."""
    for found in of_runs(store, [run_id], marks):
        return found
    raise TraceError(f"no run is called {run_id!r} in this store", str(store.folder), "branchlight runs lists them.")


def of_runs(store: Store, run_ids: Sequence[str] | None = None, marks: Marks = NO_MARKS) -> Iterator[Verdict]:
    """The verdicts on these runs (None: on all), in order of their ids; unknown ids are left out.

    ``marks`` is what reviewers said: truth of source ``reviewer``, and nodes of which none of the children is right.
    """
    batches = known.of_runs(store, run_ids, marks)
    while True:
        with without_collector():
            batch = next(batches, None)
            verdicts = [] if batch is None else _verdicts(store, *batch)
        if batch is None:
            return
        yield from verdicts


def _verdicts(store: Store, first: str, last: str, found: Sequence[Known]) -> list[Verdict]:
    cases = [_Case(one, losses(one) if outcome_of(one) != "right" else ()) for one in found]
    said = _said(store, first, last, cases)
    return [verdict(case.known, case.losses, said[case.known.search.run["run_id"]]) for case in cases]


def _said(store: Store, first: str, last: str, cases: Sequence[_Case]) -> Mapping[str, Said]:
    """What the log holds beside the nodes, for the nodes that the verdicts rest on."""
    of_run = {case.known.search.run["run_id"]: case for case in cases}
    found = {run_id: Said() for run_id in of_run}
    compared = {run_id: _places(case, generated=False) for run_id, case in of_run.items()}
    expanded = {run_id: _places(case, generated=True) for run_id, case in of_run.items()}
    answers = _rows(store, "evaluations_said", first, last, of_run, compared)
    rivals = {run_id: _rivals(of_run[run_id], Said(evaluations=rows)) for run_id, rows in answers.items()}
    more = _rows(store, "evaluations_said", first, last, of_run, {run_id: nodes for run_id, nodes in rivals.items() if nodes})
    proposals = _rows(store, "proposals_of", first, last, of_run, expanded)
    for run_id, case in of_run.items():
        first_loss = case.losses[0].node if case.losses else None
        mentions = _mentions(store, case, first_loss) if first_loss in expanded[run_id] else []
        found[run_id] = Said({**answers.get(run_id, {}), **more.get(run_id, {})}, proposals.get(run_id, {}), mentions)
    return found


def _places(case: _Case, generated: bool) -> list[int]:
    """The nodes of the losses that are listed, either the expanded parents or the lost nodes."""
    listed = case.losses[: MOST_ALSO_LOST + 1]
    return [loss.node for loss in listed if loss.node is not None and (loss.stage == Stage.GENERATED) == generated]


def _rivals(case: _Case, said: Said) -> list[int]:
    """The competitors whose answers are needed, too: only where the node's own answer belies its score."""
    fields = (field_for(case.known, loss) for loss in case.losses[: MOST_ALSO_LOST + 1])
    belied = (field for field in fields if field is not None and breaches.belied(case.known.search, field.node, said) is not None)
    return sorted({other.preorder for field in belied for other in field.scored})


def _rows(
    store: Store, query: str, first: str, last: str, cases: Mapping[str, _Case], wanted: Mapping[str, Sequence[int]]
) -> dict[str, dict[int, list[Mapping[str, Any]]]]:
    """Rows of a query about some nodes, by run and place."""
    pairs = [(run_id, cases[run_id].known.search.nodes[i].node_id) for run_id, places in wanted.items() for i in places]
    found: dict[str, dict[int, list[Mapping[str, Any]]]] = {}
    if pairs:
        runs, nodes = map(list, zip(*pairs, strict=True))
        for row in queries.run(store, query, first_run=first, last_run=last, node_runs=runs, nodes=nodes).to_pylist():
            place = cases[row["run_id"]].known.search.place[row["node_id"]]
            found.setdefault(row["run_id"], {}).setdefault(place, []).append(row)
    return found


def _mentions(store: Store, case: _Case, i: int | None) -> list[Mapping[str, Any]]:
    """Where the words of the missing step of a known-good route occur all the same."""
    step = missing_step(case.known, i) if i is not None else None
    if not step or not step.strip():
        return []
    rows: list[Mapping[str, Any]] = queries.run(store, "mentions", run_id=case.known.search.run["run_id"], needle=step.strip()).to_pylist()
    return rows

"""How does an oracle's truth get into the store? Every node of the chosen runs is asked once, and the answers are kept as rows of ``truth``."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from explorer.analysis.search import ranges
from explorer.oracles.ask import LIMIT_S, ask
from ingest.errors import Problem
from ingest.judgements import add_truth
from ingest.schema import Node, Run, Truth
from ingest.store import Store

_RUN = ", ".join(f.name for f in dataclasses.fields(Run))
_NODE = ", ".join('"pass" as pass_bound' if f.name == "pass_bound" else f.name for f in dataclasses.fields(Node))


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What came of asking one oracle."""

    oracle: str
    runs: int
    nodes: int
    """Nodes that were to be asked."""
    viable: int
    not_viable: int
    unknown: int
    """Nodes that the oracle does not know, problems included."""
    problems: tuple[Problem, ...]


def judge(
    folder: Path, oracle: str, run_ids: Sequence[str] | None = None, limit_s: float = LIMIT_S, tell: Callable[[str, int, int], None] | None = None
) -> Judged:
    """Ask ``oracle`` about every node of these runs (None: of all) and keep what it says, in place of what it said about them before.

    Raises TraceError when there is no such oracle or the store cannot be written.
    """
    store = Store(folder)
    sizes = store.query("select run_id, nodes from runs order by run_id").to_pydict()
    wanted = sizes["run_id"] if run_ids is None else [run_id for run_id in sizes["run_id"] if run_id in set(run_ids)]
    total = sum(size for run_id, size in zip(sizes["run_id"], sizes["nodes"], strict=True) if run_id in set(wanted))
    truth: list[Truth] = []
    problems: list[Problem] = []
    read = _records(store, sizes["run_id"], sizes["nodes"], set(wanted), _told(tell, oracle, total))
    for said in ask(oracle, read, limit_s):
        if isinstance(said, Truth):
            truth.append(said)
        else:
            problems.append(said)
    add_truth(folder, truth, wanted, "oracle", oracle)
    viable = sum(row.viable for row in truth)
    return Judged(
        oracle=oracle, runs=len(wanted), nodes=total, viable=viable, not_viable=len(truth) - viable, unknown=total - len(truth),
        problems=tuple(problems),
    )  # fmt: skip


def _records(
    store: Store, ids: list[str], sizes: list[int], wanted: set[str], told: Callable[[int], None]
) -> Iterator[tuple[Run, list[Node]]]:
    """The runs and their nodes as records, some runs at a time."""
    for first, last in ranges(ids, sizes, wanted):
        place = {"first": first, "last": last}
        runs = store.query(f"select {_RUN} from runs where run_id between $first and $last order by run_id", **place).to_pylist()
        rows = store.query(f"select {_NODE} from nodes where run_id between $first and $last order by run_id, preorder", **place).to_pylist()
        nodes: dict[str, list[Node]] = {}
        for row in rows:
            if row["run_id"] in wanted:
                nodes.setdefault(row["run_id"], []).append(Node(**{**row, "parent_ids": tuple(row["parent_ids"] or ())}))
        for row in runs:
            if row["run_id"] in nodes:
                run = Run(**{**row, "warnings": tuple(row["warnings"] or ()), "selected_path": _tuple(row["selected_path"])})
                yield run, nodes[run.run_id]
                told(len(nodes[run.run_id]))


def _tuple(path: list[str] | None) -> tuple[str, ...] | None:
    return None if path is None else tuple(path)


def _told(tell: Callable[[str, int, int], None] | None, oracle: str, total: int) -> Callable[[int], None]:
    done = 0

    def told(more: int) -> None:
        nonlocal done
        done += more
        if tell:
            tell(f"asking {oracle}", done, total)

    return told

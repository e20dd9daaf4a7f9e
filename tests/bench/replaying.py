"""What does a what-if cost? Five beam widths over the published Game of 24 runs, recorded nodes a second, and the growth with the size of a run.

    python -m tests.bench.replaying      (also part of python -m tests.bench)
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from explorer.analysis.search import without_collector
from explorer.judging import judge
from explorer.replay.record import Record, records
from explorer.replay.sweep import swept, tries
from explorer.replay.what_if import first_difference, replay
from ingest.pipeline import ingest
from ingest.store import Store
from tests.bench.measure import Line
from tests.logs import SHARED

PUBLISHED = SHARED / "real_traces" / "tot-bfs" / "game24_gpt-4_0.7_propose1_value3_greedy5.json"
WIDTHS = (1, 2, 3, 4, 5)
LIMIT_S = 2.0
LIMIT_US = 5.0
"""For each recorded node: 200,000 nodes a second."""
KEPT, EACH = 100, 3


def lines(folder: Path, sizes: tuple[int, ...], repeats: int) -> Iterator[Line]:
    """Seconds of the sweep, microseconds a recorded node and policy, and time a node in the largest run against the smallest.

    Of replays the time of this process is taken: they use one core, whatever else the machine does.
    """
    if PUBLISHED.exists():
        yield from _published(folder, repeats)
    else:
        print("the folder 'shared' beside this repository is absent: no published runs to sweep", file=sys.stderr)
    small, large = min(sizes), max(sizes)
    each = {nodes: _a_node(_beam(folder, nodes), nodes, repeats) for nodes in sizes}
    note = f"{each[large]['replay']:.1f} us a node, and {each[large]['read']:.1f} us to read it"
    for what in ("replay", "read"):
        yield Line(f"{what} one run: a node of {large:,} against {small:,}", each[large][what] / each[small][what], "x", 1.3, note)


def _published(folder: Path, repeats: int) -> Iterator[Line]:
    target = folder / "replay-published"
    if not (target / "store.json").exists():
        ingest(target, [str(PUBLISHED)])
        judge(target, "game24")
    store = Store(target)
    policies = [{"beam_width": width} for width in WIDTHS]
    whole = _median(repeats, lambda: swept(tries(store, None, policies), len(policies)), time.perf_counter)
    yield Line(f"what-if, {len(WIDTHS)} beam widths over 100 published runs", whole, "s", LIMIT_S, "read, checked, replayed, counted")
    found = [record for record in records(store) if isinstance(record, Record)]
    recorded = len(WIDTHS) * sum(len(record.search.nodes) for record in found)
    with without_collector():
        again = [replay(record, replace(record.settings, beam_width=width)) for record in found for width in WIDTHS]
        visited = sum(len(one.result.tree.nodes) for one in again)
        seconds = _median(repeats, lambda: [replay(record, replace(record.settings, beam_width=width)) for record in found for width in WIDTHS])
    note = f"{recorded / seconds:,.0f} recorded nodes a second, {visited / seconds:,.0f} visited ones"
    yield Line("replay of the published runs, a recorded node and width", seconds / recorded * 1e6, "us/node", LIMIT_US, note)


def _a_node(store: Store, nodes: int, repeats: int) -> dict[str, float]:
    """Microseconds a node to read the record of the only run, and to replay its own policy."""
    reading = _median(repeats, lambda: list(records(store)))
    (record,) = records(store)
    assert isinstance(record, Record), record
    assert first_difference(record) is None
    with without_collector():
        replaying = _median(repeats, lambda: replay(record, record.settings))
    return {"read": reading / nodes * 1e6, "replay": replaying / nodes * 1e6}


def _beam(folder: Path, nodes: int) -> Store:
    """One run in a store: the best 100 of the 300 candidates of a level go on."""
    target, log = folder / f"replay-{nodes}", folder / f"replay-{nodes}.jsonl"
    if not (target / "store.json").exists():
        with log.open("w", encoding="utf-8") as out:
            out.writelines(f"{json.dumps(line)}\n" for line in _run(nodes))
        ingest(target, [str(log)])
        log.unlink()
    return Store(target)


def _run(nodes: int, seed: int = 3) -> Iterator[dict[str, object]]:
    rng = random.Random(seed)
    protocol = {"search": "beam", "beam_width": KEPT, "pruning": ["beam_width"], "termination": "exhaustion"}
    yield {"record": "run", "run_id": "beam", "protocol": protocol, "budget_max_depth": -(-nodes // (KEPT * EACH)), "level_by_level": True}
    yield {"run_id": "beam", "node_id": "n0", "parent_ids": [], "depth": 0, "seq": 0, "fate": "expanded"}
    frontier, made, depth = ["n0"], 1, 0
    while made < nodes:
        depth += 1
        level = [(f"n{made + at}", frontier[at // EACH], at % EACH, rng.random()) for at in range(EACH * len(frontier))]
        made += len(level)
        kept = {name for name, *_ in sorted(level, key=lambda node: -node[3])[:KEPT]}
        last = made >= nodes
        for name, parent, index, score in level:
            cut = {"fate": "pruned", "pruned_by": "survived", "prune_rule": "beam_width"}
            fate = {"fate": "open" if last else "expanded"} if name in kept else cut
            yield {"run_id": "beam", "node_id": name, "parent_ids": [parent], "depth": depth, "request_index": index, "score": score, **fate}
        frontier = [name for name, *_ in sorted(level, key=lambda node: -node[3])[:KEPT]]
    yield {"record": "run", "run_id": "beam", "budget_max_depth": depth}
    yield {"record": "run_end", "run_id": "beam", "outcome": "unknown", "stop_reason": "max_depth", "complete": False}


def _median(repeats: int, work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    taken = []
    for _ in range(repeats):
        start = clock()
        work()
        taken.append(clock() - start)
    return statistics.median(taken)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        for line in lines(Path(name), (10_000, 100_000), 5):
            print(line)

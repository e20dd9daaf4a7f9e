"""How long do verdicts on many small runs take, beside DuckDB reading the same rows once? Searches of 100 nodes over ten levels.

    python -m tests.bench.verdicts 10000      (also part of python -m tests.bench)
"""

from __future__ import annotations

import dataclasses
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa

from explorer.analysis import attribution, funnel
from ingest import commit
from ingest.columns import TRUTH
from ingest.pipeline import ingest
from ingest.store import Store, read_manifest
from tests.bench.measure import Line

LEVELS, WIDTH, KEPT = 11, 9, 3


def lines(folder: Path, runs: int) -> Iterator[Line]:
    """The ratio of all verdicts to one reading of the same rows (limit 20)."""
    target = folder / f"verdicts-{runs}"
    store = Store(target / "store") if (target / "store" / "store.json").exists() else make(target, runs)
    found = measure(store)
    note = f"{found['verdicts_s']:.1f} s against {found['read_s']:.2f} s"
    yield Line(f"why, {runs:,} runs of 100 nodes", found["ratio"], "x read", 20, note)


def searches(runs: int, seed: int = 5) -> Iterator[tuple[str, list[tuple[str, str, bool]]]]:
    """The lines of one run, and what is true of its nodes: some right paths are cut by score, some tied, some never proposed."""
    rng = random.Random(seed)
    for number in range(runs):
        run_id = f"run-{number:06d}"
        rows = [{"record": "run", "run_id": run_id, "task_id": f"t{number % 50}", "protocol": {"beam_width": KEPT}, "level_by_level": True}]
        rows.append({"run_id": run_id, "node_id": "r", "depth": 0, "seq": 0, "fate": "expanded"})
        truth = [(run_id, "r", True)]
        frontier, right, path = ["r"], "r", ["r"]
        for depth in range(1, LEVELS + 1):
            made = [(f"{depth}.{i}", frontier[i * len(frontier) // WIDTH], rng.choice((0.1, 0.5, 0.5, 0.9))) for i in range(WIDTH)]
            own = [node for node, parent, _ in made if parent == right] if rng.random() < 0.9 else []
            right = own[0] if own else ""
            ranked = sorted(made, key=lambda item: -item[2])[:KEPT]
            frontier = [node for node, _, _ in ranked]
            for i, (node, parent, score) in enumerate(made):
                kept = "terminal" if depth == LEVELS else "expanded"
                fate = {"fate": kept} if node in frontier else {"fate": "pruned", "pruned_by": "survived", "prune_rule": "beam"}
                rows.append({
                    "run_id": run_id, "node_id": node, "parent_ids": [parent], "depth": depth, "request_index": i, "seq": depth * WIDTH + i,
                    "step": f"join {rng.randrange(99)} and {rng.randrange(99)}", "score": score, "score_source": "model", "tier": "judge", **fate,
                })  # fmt: skip
                truth.append((run_id, node, node == right))
            path.append(frontier[0])
            right = right if right in frontier else ""
        outcome = "right" if right and right == path[-1] else "wrong"
        end = {"outcome": outcome, "outcome_by": "check", "stop_reason": "max_depth", "selected_path": ["r", path[-1]]}
        rows.append({"record": "run_end", "run_id": run_id, **end})
        yield "".join(f"{json.dumps(row)}\n" for row in rows), truth


def make(folder: Path, runs: int) -> Store:
    """A store with these runs and the truth about all their nodes."""
    folder.mkdir(parents=True, exist_ok=True)
    truth: list[tuple[str, str, bool]] = []
    log = folder / "runs.jsonl"
    with log.open("w", encoding="utf-8") as out:
        for text, said in searches(runs):
            out.write(text)
            truth += said
    ingest(folder / "store", [str(log)])
    columns = {"run_id": [t[0] for t in truth], "node_id": [t[1] for t in truth], "viable": [t[2] for t in truth]}
    rest = {"viable_by": ["oracle"] * len(truth), "detail": ["bench"] * len(truth), "recorded_at": [None] * len(truth)}
    with commit.writing(folder / "store"):
        manifest = read_manifest(folder / "store")
        batch = commit.write_truth(folder / "store", manifest, pa.table(columns | rest, schema=TRUTH))
        commit.publish(folder / "store", dataclasses.replace(manifest, truth=batch))
    return Store(folder / "store")


def measure(store: Store) -> dict[str, float]:
    """Seconds to read the rows of nodes, runs and truth once, seconds for all verdicts, and their ratio."""
    read, judged = [], []
    for _ in range(5):  # in turns, so that a slow minute hits both
        read.append(_seconds(lambda: [store.query(f"select * from {name}") for name in ("nodes", "runs", "truth")]))
        judged.append(_seconds(lambda: funnel.suite(attribution.of_runs(store))))
    reading, judging = statistics.median(read), statistics.median(judged)
    return {"read_s": reading, "verdicts_s": judging, "ratio": judging / reading}


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        for line in lines(Path(name), int(sys.argv[1])):
            print(line)

"""Native logs of any size for the benchmark: seeded, in four shapes, about 1.4 kB a node.

    python -m tests.bench.generate runs60 1000000 out.jsonl
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

SHAPES = ("runs60", "agent500", "beam", "bushy")
_WORDS = "take the left branch then divide both sides check the remainder and carry what is left over to the next step".split()
_CAP = 8_192
_OF_THE_CALL = (
    "template_id template_version prompt response model temperature top_p max_output_tokens input_tokens output_tokens cached_tokens cost latency_ms"
).split()
_OF_THE_JUDGEMENT = "score tier score_source fate pruned_by prune_rule prune_reason".split()


def shape(name: str, nodes: int) -> Iterator[tuple[int, int, int]]:
    """Run number, index in the run and parent's index (-1 for the root) of every node, parents first.

    runs60: runs of 60 nodes, three children each. agent500: runs of 500, a long trunk with short branches. beam: one run,
    four kept of twelve candidates at each depth, so it is nodes / 12 deep. bushy: one run, ten children each.
    """
    for number in range(nodes):
        if name == "runs60":
            run, index = divmod(number, 60)
            yield run, index, (index - 1) // 3 if index else -1
        elif name == "agent500":
            run, index = divmod(number, 500)
            yield run, index, -1 if index == 0 else max(index - 1 - (index % 5), 0)
        elif name == "beam":
            level, slot = divmod(number - 1, 12)
            yield 0, number, -1 if number == 0 else 0 if level == 0 else (level - 1) * 12 + 1 + slot // 3
        else:
            yield 0, number, (number - 1) // 10 if number else -1


def lines(name: str, nodes: int, seed: int = 7) -> Iterator[str]:
    """One node a line, with its proposer call and its evaluation inline: 32 fields."""
    rng = random.Random(seed)
    pool = [" ".join(rng.choices(_WORDS, k=40)) for _ in range(512)]
    depths: list[int] = []
    for run, index, parent in shape(name, nodes):
        if index == 0:
            depths.clear()
        depth = depths[parent] + 1 if parent >= 0 else 0
        depths.append(depth)
        length = min(int(rng.lognormvariate(5.7, 0.9)), _CAP)
        response = (pool[rng.randrange(512)] * (length // 300 + 1))[:length]
        pruned = rng.random() < 0.6
        yield json.dumps(
            {
                "record": "node", "run_id": f"run-{run:07d}", "node_id": f"n{index}",
                "parent_ids": [f"n{parent}"] if parent >= 0 else [], "depth": depth, "request_index": index % 10, "seq": index,
                "decision_id": f"d{depth}", "step": pool[rng.randrange(512)][:70], "state": {"left": [rng.randrange(99) for _ in range(4)]},
                "state_key": f"k{rng.randrange(1 << 40):x}", "score": round(rng.random(), 4), "tier": "judge", "score_source": "model",
                "fate": "pruned" if pruned else "expanded", "pruned_by": "survived" if pruned else None,
                "prune_rule": "beam_width" if pruned else None, "prune_reason": f"rank {index % 12} of 12" if pruned else None,
                "template_id": "propose", "template_version": "1.10", "prompt": f"{index} " + pool[rng.randrange(512)] + " Next step?",
                "response": response, "model": "program-a", "temperature": 0.7, "top_p": 1.0, "max_output_tokens": 256,
                "input_tokens": rng.randrange(100, 900), "output_tokens": length // 4, "cached_tokens": 64, "cost": round(rng.random() / 100, 6),
                "latency_ms": rng.randrange(100, 5000),
                "evaluation": {"response": f"{rng.random():.3f} " + pool[rng.randrange(512)][:90], "model": "judge-b", "input_tokens": 300},
            }
        )  # fmt: skip


def told_by_turns(inline: Iterator[str]) -> Iterator[str]:
    """The same nodes as a recorder tells of them: proposed, two calls, and judged, each in a line of its own; runs begin and end."""
    run_id = ""
    for line in inline:
        record = json.loads(line)
        if record["run_id"] != run_id:
            if run_id:
                yield json.dumps({"record": "run_end", "run_id": run_id, "outcome": "wrong", "stop_reason": "goal"})
            run_id = record["run_id"]
            yield json.dumps({"record": "run", "run_id": run_id, "protocol": {"search": "beam", "beam_width": 4}})
        own = {"run_id": run_id, "node_id": record["node_id"]}
        evaluation = record.pop("evaluation")
        call, judged = ({key: record.pop(key) for key in keys} for keys in (_OF_THE_CALL, _OF_THE_JUDGEMENT))
        yield json.dumps(record)
        yield json.dumps({"record": "call", "call_id": f"{own['node_id']}:p", "role": "proposer", **own, **call})
        yield json.dumps({"record": "call", "call_id": f"{own['node_id']}:e", "role": "evaluator", **own, **evaluation})
        yield json.dumps({"record": "node", **own, **{key: value for key, value in judged.items() if value is not None}})


def write(name: str, nodes: int, target: Path, by_turns: bool = False) -> Path:
    """The log in ``target``; written once, kept for later calls."""
    if not target.exists():
        part = target.with_suffix(".part")
        told = told_by_turns(lines(name, nodes)) if by_turns else lines(name, nodes)
        with part.open("w", encoding="utf-8") as out:
            out.writelines(f"{line}\n" for line in told)
        part.rename(target)
    return target


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))

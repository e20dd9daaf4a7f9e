"""Which figures do trees and chains of thoughts, and solutions labelled step by step, hold?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ingest.schema import Fate, Node, Outcome, Trace
from tests.figures_of.counting import Figures, children, counted, depths, extra, repeats, spread, spread_per_depth, structure

# mcts-reasoning


def summary_figures(traces: Sequence[Trace]) -> dict[str, Any]:
    runs = [trace.run for trace in traces]
    logged = [extra(run) for run in runs]
    columns = {"problem_id": "task_id", "question": "question", "mcts_answer": "answer", "config": "protocol"}
    known = {key for key, column in columns.items() if any(getattr(run, column) is not None for run in runs)}
    models = [json.loads(run.protocol)["model"] for run in runs if run.protocol]
    right = sum(run.outcome == Outcome.RIGHT for run in runs)
    return {
        "runs": len(runs),
        "kind": "run summaries, no tree" if not any(trace.nodes for trace in traces) else "trees",
        "keys": sorted({key for log in logged for key in log} | known),
        "mcts_correct": right,
        "mcts_ok": right,
        "cot_ok": sum(log.get("cot_ok") is True for log in logged),
        "mcts_nodes": sum(run.reported_nodes or 0 for run in runs),
        "node_count_sum": sum(run.reported_nodes or 0 for run in runs),
        "max_depth_max": max(run.depth_reached or 0 for run in runs),
        "time_seconds": sum(run.wall_clock_s or 0 for run in runs),
        "models": counted(models),
        "ground_truth_present": sum("ground_truth" in log for log in logged),
        "mcts_answer_null": sum(run.answer is None for run in runs),
    }


def mcts_figures(traces: Sequence[Trace], _path: Path) -> dict[str, Any]:
    if not traces[0].nodes:
        return summary_figures(traces)
    (trace,) = traces
    run, nodes, below = trace.run, trace.nodes, children(trace)
    logged = {node.node_id: extra(node) for node in nodes}
    states = {node.node_id: json.loads(node.state or "null") for node in nodes}
    caps, listed = json.loads(run.protocol or "{}"), extra(run)["terminal_states"]
    scores = [state["score"] for state in listed]
    top = max(listed, key=lambda state: state["score"], default={"answer": None})
    unknown = {(run.selected_path, run.outcome, run.reported_tokens) == (None, Outcome.UNKNOWN, None): "not recorded"}[True]
    return structure(traces) | {
        "question": (run.question or "")[:80],  # expected.json holds the first 80 characters
        "simulations_run": extra(run)["simulations_run"],
        "caps": caps,
        "expanded": sum(node.fate == Fate.EXPANDED for node in nodes),
        "leaves": sum(node.node_id not in below for node in nodes),
        "terminal": sum(log["is_terminal"] for log in logged.values()),
        "terminal_with_children": sum(log["is_terminal"] and node_id in below for node_id, log in logged.items()),
        "max_branching": max(map(len, below.values())),
        "above_max_children": sum(len(found) > caps["max_children_per_node"] for found in below.values()),
        "root_visits": logged["r"]["visits"],
        "visits_total": sum(log["visits"] for log in logged.values()),
        "unvisited": sum(log["visits"] == 0 for log in logged.values()),
        "nodes_with_fewer_visits_than_children": sum(logged[i]["visits"] < sum(logged[c.node_id]["visits"] > 0 for c in below[i]) for i in below),
        "value_per_depth": spread_per_depth((node.depth or 0, logged[node.node_id]["value"]) for node in nodes),
        "answers": counted(log["answer"] for log in logged.values() if log["answer"] is not None),
        "child_state_extends_parent": sum(states[n.node_id].startswith(states[n.parent_ids[0]]) for n in nodes if n.parent_ids),
        "duplicate_states": repeats(list(states.values())),
        "terminal_states_listed": len(listed),
        "terminal_scores": spread(scores) if scores else {"n": 0},
        "best_terminal_answer": top["answer"],
        "longest_state": max(map(len, states.values())),
        "selected_path": unknown,
        "final_correct": unknown,
        "tokens": unknown,
    }


# omegaprm-tree


def omegaprm_run(trace: Trace) -> dict[str, Any]:
    nodes, below = trace.nodes, children(trace)
    scores = [node.score for node in nodes if node.score is not None]
    named = {"question_id": int(trace.run.task_id or ""), "final_answer": extra(trace.run)["final_answer"], "nodes": len(nodes)}
    zeros = {"mc_value_zero": scores.count(0.0)}
    if any("parents are not recorded" in warning for warning in trace.run.warnings):
        texts = [node.step or "" for node in nodes]
        longer = sum(any(text != other and text.startswith(other) for other in texts) for text in texts)
        derived = {"edges": "not recorded", "prefix_edges": longer, "duplicate_prefixes": repeats(texts)}
        return named | zeros | derived | {"scores": spread(scores)}
    depth = depths(trace)
    tree = structure([trace])
    kept = ("edges", "roots", "orphans", "cycles", "max_depth", "nodes_per_depth")
    return named | zeros | {key: tree[key] for key in kept} | {
        "expanded": sum(node.fate == Fate.EXPANDED for node in nodes),
        "leaves": sum(node.node_id not in below for node in nodes),
        "max_branching": max(map(len, below.values())),
        "scores_per_depth": spread_per_depth((depth[node.node_id], node.score) for node in nodes if node.score is not None),
        "mc_value_one": scores.count(1.0),
        "mc_value_missing": len(nodes) - len(scores),
        "duplicate_sibling_texts": sum(repeats([node.step for node in found]) for found in below.values()),
        "extra_keys": sorted({key for node in nodes for key in extra(node)}),
    }  # fmt: skip


def omegaprm_figures(traces: Sequence[Trace], _path: Path) -> dict[str, Any]:
    tree = structure(traces)
    return {key: tree[key] for key in ("runs", "nodes", "edges", "roots")} | {"per_run": [omegaprm_run(trace) for trace in traces]}


# prm800k


def prm_run(trace: Trace) -> dict[str, Any]:
    run, nodes = trace.run, trace.nodes
    rated = {row.node_id: int((row.detail or "").removeprefix("rating ")) for row in trace.truth}
    path = {int(node_id.split(".")[0]): node_id for node_id in run.selected_path or ()}
    steps = 1 + max(node.depth or 0 for node in nodes)
    words = [
        "none" if at not in path else "human" if path[at].endswith("h") else f"completion {path[at].split('.')[1]} (rating {rated[path[at]]})"
        for at in range(steps)
    ]
    tree = structure([trace])
    assert {node.node_id: node.depth for node in nodes} == depths(trace)
    return {key: tree[key] for key in ("nodes", "edges", "roots", "max_depth", "nodes_per_depth")} | {
        "problem": (run.question or "")[:60],
        "ground_truth_answer": extra(run)["ground_truth_answer"],
        "steps": steps,
        "ratings": counted(sorted(rated.values())),
        "ratings_per_depth": spread_per_depth((node.depth or 0, rated[node.node_id]) for node in nodes if node.node_id in rated),
        "human_completions": sum(node.node_id.endswith("h") for node in nodes),
        "selected_path": words,
        "selected_path_nodes": len(path),
        "not_chosen": sum(node.fate == Fate.PRUNED for node in nodes),
        "finish_reason": extra(run)["finish_reason"],
        "total_time_ms": extra(run)["total_time"],
        "chosen_with_rating_below_1": sum(rated.get(node_id, 1) < 1 for node_id in path.values()),
    }


def prm_figures(traces: Sequence[Trace], _path: Path) -> dict[str, Any]:
    tree = structure(traces)
    return {key: tree[key] for key in ("runs", "nodes", "edges")} | {"per_run": [prm_run(trace) for trace in traces]}


# math-shepherd


def shepherd_figures(traces: Sequence[Trace], _path: Path) -> dict[str, Any]:
    verdicts = ["".join(row.detail or "" for row in trace.truth) for trace in traces]
    tree = structure(traces)
    return {key: tree[key] for key in ("runs", "nodes", "edges", "roots")} | {
        "plus": "".join(verdicts).count("+"),
        "minus": "".join(verdicts).count("-"),
        "per_run": [
            {"task": extra(trace.run)["task"], "steps": len(trace.nodes), "verdicts": marks, "first_wrong_step": marks.find("-")}
            for trace, marks in zip(traces, verdicts, strict=True)
        ],
    }


# swarms-tot


def spread_or_none(values: Sequence[float]) -> dict[str, float]:
    return spread(values) if values else {"n": 0}


def swarms_figures(traces: Sequence[Trace], path: Path) -> dict[str, Any]:
    (trace,) = traces
    nodes, chosen = trace.nodes, set(trace.run.selected_path or ())
    keys = json.loads(path.read_bytes()).keys()
    shape = "single thought" if "thought" in keys else "all_thoughts/final_thought" if "all_thoughts" in keys else "final_thoughts/pruned_branches"
    kept = [node for node in nodes if node.node_id.startswith("t")]
    pruned = [node for node in nodes if node.fate == Fate.PRUNED]
    scores = [[node.score for node in found if node.score is not None] for found in (kept, pruned)]
    return {
        "runs": 1,
        "shape": shape,
        "nodes": len(nodes),
        "edges": "not recorded" if not any(node.parent_ids for node in nodes) else "recorded",
        "depth": "not recorded" if {node.depth for node in nodes} <= {None} else "recorded",
        "pruned": len(pruned),
        "prune_reasons": counted(node.prune_reason for node in pruned),
        "kept": len(kept),
        "final_present": trace.run.answer is not None,
        "final_repeats": any(node_id.startswith("t") for node_id in chosen),
        "scores_kept": spread_or_none(scores[0]),
        "scores_pruned": spread_or_none(scores[1]),
        "final_score": next((node.score for node in nodes if node.node_id in chosen), None),
        "identical_texts": repeats([node.step for node in nodes]),
        "sorted_ascending": scores[0] == sorted(scores[0]),
        "evaluation_types": counted(type(json.loads(node.score_raw or "null")).__name__ for node in (*kept, *pruned)),
    }


# got-operations


def got_scores(nodes: Sequence[Node]) -> dict[str, Any]:
    values = [node.score for node in nodes if node.score is not None]
    return {**spread(values), "scored": {"True": len(values)}}


def got_figures(traces: Sequence[Trace], _path: Path) -> dict[str, Any]:
    (trace,) = traces
    run = trace.run
    of: dict[int, list[Node]] = {}
    for node in trace.nodes:
        of.setdefault(int(node.node_id.split(".")[0]), []).append(node)
    thoughts = [extra(node) | {"current": node.step, "requirement_text": run.question} for node in trace.nodes]
    truths = counted(json.dumps(thought["ground_truth"], ensure_ascii=True)[:60] for thought in thoughts if "ground_truth" in thought)
    dropped = [int(warning.split()[0]) for warning in run.warnings if "dropped by keep_best_n" in warning]
    return {
        "runs": len(traces),
        "operations": len(of),
        "operations_by_type": counted(found[0].action_kind for found in of.values()),
        "thought_entries": len(trace.nodes),
        "thoughts_per_operation": [len(found) for found in of.values()],
        "distinct_thought_texts": len({node.step for node in trace.nodes}),
        "edges": "not recorded" if not any(node.parent_ids for node in trace.nodes) else "recorded",
        "dropped_at_keep_best": sum(dropped),
        "scores_by_operation": {f"{at}:{found[0].action_kind}": got_scores(found) for at, found in of.items() if found[0].score is not None},
        "score_value_types": counted(type(json.loads(node.score_raw)).__name__ for node in trace.nodes if node.score_raw),
        "final_problem_solved": [node.verified for node in of[max(of)]],
        "ground_truth_values": truths,
        "prompt_tokens": run.reported_input_tokens,
        "completion_tokens": run.reported_output_tokens,
        "cost": run.reported_cost,
        "thought_fields": sorted({key for thought in thoughts for key in thought}),
        "non_ascii_text": not all((node.step or "").isascii() for node in trace.nodes),
    }


FIGURES: dict[str, Figures] = {
    "mcts-reasoning": mcts_figures,
    "omegaprm-tree": omegaprm_figures,
    "prm800k": prm_figures,
    "math-shepherd": shepherd_figures,
    "swarms-tot": swarms_figures,
    "got-operations": got_figures,
}
"""One entry a format."""

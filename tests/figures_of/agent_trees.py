"""Which figures do searches of agents over tools and repositories hold?"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ingest.schema import Call, Fate, Stage, Trace
from tests.figures_of.counting import Figures, children, counted, depths, extra, repeats, spread_per_depth, structure

# toolbench-dfsdt


def node_types(trace: Trace) -> dict[str, int]:
    return counted((node.step or "").split(":")[0] for node in trace.nodes)


def toolbench_figures(traces: Sequence[Trace], _path: Path) -> dict[str, Any]:
    (trace,) = traces
    run, log = trace.run, extra(trace.run)
    common = {
        "win": log["win"],
        "finish_type": log["answer_generation"].get("finish_type"),
        "valid_data": log["answer_generation"]["valid_data"],
        "query_count": run.reported_calls,
        "total_tokens": run.reported_tokens,
        "forward_args": json.loads(run.protocol or "{}"),
        "node_types": node_types(trace),
    }
    return structure(traces) | common | (chain_figures(trace) if "trys" in log else dfs_figures(trace))


def dfs_figures(trace: Trace) -> dict[str, Any]:
    below, marks = children(trace), {node.node_id: extra(node) for node in trace.nodes}
    leaves = [node for node in trace.nodes if node.node_id not in below]
    pruned = [node for node in trace.nodes if node.fate == Fate.PRUNED]
    path = trace.run.selected_path
    actions = [[node.step for node in siblings if node.action_kind] for siblings in below.values()]
    return {
        "kind": "dfs tree",
        "size_field": trace.run.reported_nodes,
        "max_length_field": extra(trace.run)["tree"]["max_length"],
        "recorded_depth_mismatches": sum(node.depth != depths(trace)[node.node_id] for node in trace.nodes),
        "child_count_mismatches": sum(marks[i].get("child_count") != len(below.get(i, ())) for i in marks),
        "expanded": sum(node.fate == Fate.EXPANDED for node in trace.nodes),
        "leaves": len(leaves),
        "pruned_with_children": sum(node.node_id in below for node in pruned),
        "terminal_flag": sum(mark["is_terminal"] for mark in marks.values()),
        "finished_nodes": sum(mark["finished"] for mark in marks.values()),
        "leaf_observation_codes": counted(marks[node.node_id].get("observation_code") for node in leaves),
        "elo_values": counted(mark["Elo"] for mark in marks.values()),
        "selected_path_nodes": [len(path)] if path else [],
        "selected_leaf_paths": [[int(place) for place in path[-1].split(".")[1:]]] if path else [],
        "duplicate_action_texts_among_siblings": sum(repeats(steps) for steps in actions),
        "max_branching": max(len(siblings) for siblings in below.values()),
        "messages_recorded": sum("messages" in mark for mark in marks.values()),
    }


def chain_figures(trace: Trace) -> dict[str, Any]:
    trys = extra(trace.run)["trys"]
    lengths = Counter(node.node_id.split(".")[0] for node in trace.nodes)
    return {
        "kind": "chain attempts",
        "try_count": extra(trace.run)["try_count"],
        "attempts": len(lengths),
        "chain_lengths": list(lengths.values()),
        "attempt_pruned": [attempt.get("pruned") for attempt in trys],
        "attempt_finish": [attempt.get("finish_type") for attempt in trys],
        "pruned_nodes": sum(node.fate == Fate.PRUNED for node in trace.nodes),
    }


# moatless-tree


def total_usage(calls: Sequence[Call]) -> dict[str, float]:
    return {
        "prompt_tokens": sum(call.input_tokens or 0 for call in calls),
        "completion_tokens": sum(call.output_tokens or 0 for call in calls),
        "cached_tokens": sum(call.cached_tokens or 0 for call in calls),
        "completion_cost": sum(call.cost or 0 for call in calls),
    }


def responses_agree(calls: Sequence[Call]) -> bool:
    """Whether the usage inside of each response is what the call counts."""
    inside = [json.loads(call.response or "{}")["usage"] for call in calls]
    return [(u["prompt_tokens"], u["completion_tokens"]) for u in inside] == [(call.input_tokens, call.output_tokens) for call in calls]


def moatless_figures(traces: Sequence[Trace], _path: Path) -> dict[str, Any]:
    (trace,) = traces
    run, nodes, below, depth = trace.run, trace.nodes, children(trace), depths(trace)
    settings, logged = json.loads(run.protocol or "{}"), {node.node_id: extra(node) for node in nodes}
    roles = sorted({extra(call)["completion"] for call in trace.calls})
    caps = {"max_iterations": run.budget_max_nodes, "max_cost": run.budget_max_cost, "max_depth": run.budget_max_depth}
    others = ("max_expansions", "reward_threshold", "min_finished_nodes", "max_finished_nodes")
    return structure(traces) | {
        "max_branching": max(map(len, below.values()), default=0),
        "branch_points": {i: [int(child.node_id) for child in found] for i, found in below.items() if len(found) > 1},
        "expanded": sum(node.fate == Fate.EXPANDED for node in nodes),
        "leaves": sum(node.node_id not in below for node in nodes),
        "terminal": sum(node.fate == Fate.TERMINAL for node in nodes),
        "duplicates_flagged": sum(node.pruned_by == Stage.DISTINCT for node in nodes),
        "is_duplicate_null": sum(log["is_duplicate"] is None for log in logged.values()),
        "scored": sum(node.score is not None for node in nodes),
        "unscored": sum(node.score is None for node in nodes),
        "scores_per_depth": spread_per_depth((depth[node.node_id], node.score) for node in nodes if node.score is not None),
        "visits": {i: log["visits"] for i, log in logged.items()},
        "value": {i: log["value"] for i, log in logged.items()},
        "action_names": counted((log.get("action") or {}).get("action_args_class") for log in logged.values()),
        "completions": len(trace.calls),
        "usage": total_usage(trace.calls),
        "cost_by_role": {role: sum(call.cost or 0 for call in trace.calls if extra(call)["completion"] == role) for role in roles},
        "usage_two_ways_agree": responses_agree(trace.calls),
        "caps": caps | {key: settings[key] for key in others},
        "selector": settings["selector"]["type"],
        "nonfinite_literals": counted(re.findall(r'"(-?Infinity|NaN)"', json.dumps(settings["selector"]))),
    }


# moatless-nodes


def usage_of(calls: Sequence[Call]) -> dict[str, Any]:
    return {
        "prompt_tokens": sum((call.input_tokens or 0) - (call.cached_tokens or 0) * ("cached_beside_prompt" in extra(call)) for call in calls),
        "completion_tokens": sum(call.output_tokens or 0 for call in calls),
        "cached_tokens": sum(call.cached_tokens or 0 for call in calls),
        "completion_cost": sum(call.cost or 0 for call in calls),
    }


def moatless_nodes_figures(traces: Sequence[Trace], _path: Path) -> dict[str, Any]:
    """What was read from the cache stands beside ``prompt_tokens`` in the log, and within the input of our calls."""
    (trace,) = traces
    run, nodes, below, logged = trace.run, trace.nodes, children(trace), [extra(node) for node in trace.nodes]
    copies = sum("execution_completion" in (log.get(place) or {}) for log in logged for place in ("observation", "output"))
    roles = sorted({extra(call)["completion"] for call in trace.calls})
    return structure(traces) | {
        "branch_points": {i: [int(child.node_id) for child in found] for i, found in below.items() if len(found) > 1},
        "expanded": sum(node.fate == Fate.EXPANDED for node in nodes),
        "leaves": sum(node.node_id not in below for node in nodes),
        "terminal": sum(node.fate == Fate.TERMINAL for node in nodes),
        "duplicates_flagged": sum(log.get("is_duplicate") is True for log in logged),
        "is_duplicate_null": sum(log.get("is_duplicate") is None for log in logged),
        "scored": sum(node.score is not None for node in nodes),
        "unscored": sum(node.score is None for node in nodes),
        "scores_per_depth": {},
        "visits": recorded("visits", logged),
        "value": recorded("value", logged),
        "action_names": counted((log.get("action") or {}).get("action_args_class") for log in logged),
        "completions": len(trace.calls),
        "usage": usage_of(trace.calls),
        "cost_by_role": {role: sum(call.cost or 0 for call in trace.calls if extra(call)["completion"] == role) for role in roles},
        "usage_two_ways_agree": copies == 0,
        "usage_records_anywhere": len(trace.calls) + copies,
        "caps": {"max_iterations": run.budget_max_nodes, "max_cost": run.budget_max_cost},
        "nonfinite_literals": {},
    }


def recorded(key: str, logged: Sequence[dict[str, Any]]) -> Any:
    found = [log[key] for log in logged if key in log]
    return found or "not recorded"


# moatless-transitions


def moatless_transitions_figures(traces: Sequence[Trace], _path: Path) -> dict[str, Any]:
    (trace,) = traces
    run, nodes, below, info = trace.run, trace.nodes, children(trace), extra(trace.run)["info"]
    priced = [call for call in trace.calls if call.input_tokens is not None]
    return structure(traces) | {
        "expanded": sum(node.fate == Fate.EXPANDED for node in nodes),
        "leaves": sum(node.node_id not in below for node in nodes),
        "state_names": counted(node.action_kind for node in nodes),
        "current_transition_id": int((run.selected_path or ("",))[-1]),
        "actions": sum(extra(node)["asked"] for node in nodes),
        "usage_anywhere": usage_of(priced) if priced else {},
        "usage_records_anywhere": len(priced),
        "info_status": info.get("status"),
        "info_total_cost": run.reported_cost,
        "info_duration": run.wall_clock_s,
        "info_error": bool(info.get("error")),
        "nonfinite_literals": {},
    }


FIGURES: dict[str, Figures] = {
    "toolbench-dfsdt": toolbench_figures,
    "moatless-tree": moatless_figures,
    "moatless-nodes": moatless_nodes_figures,
    "moatless-transitions": moatless_transitions_figures,
}
"""One entry a format."""

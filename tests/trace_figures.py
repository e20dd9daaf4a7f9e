"""Which figures does a log hold, counted from Trace objects alone as real_traces/README.md counts? For test_expected_figures."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from ingest.schema import Call, Fate, Node, Outcome, Stage, Trace


def depths(trace: Trace) -> dict[str, int]:
    """Parent links up to the top, counted from the links alone. Parents stand before their children in these readers."""
    found: dict[str, int] = {}
    for node in trace.nodes:
        found[node.node_id] = max((found[parent] + 1 for parent in node.parent_ids if parent in found), default=0)
    return found


def children(trace: Trace) -> dict[str, list[Node]]:
    below: defaultdict[str, list[Node]] = defaultdict(list)
    for node in trace.nodes:
        for parent in node.parent_ids:
            below[parent].append(node)
    return dict(below)


def extra(record: Any) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(record.extra) if record.extra else {}
    return fields


def spread(values: Sequence[float]) -> dict[str, float]:
    return {"n": len(values), "min": min(values), "mean": sum(values) / len(values), "max": max(values)}


def spread_per_depth(pairs: Iterable[tuple[int, float]]) -> dict[str, dict[str, float]]:
    values: defaultdict[int, list[float]] = defaultdict(list)
    for depth, value in pairs:
        values[depth].append(value)
    return {str(depth): spread(values[depth]) for depth in sorted(values)}


def counted(values: Iterable[Any]) -> dict[str, int]:
    return {str(value): count for value, count in Counter(values).items()}


def structure(traces: Sequence[Trace]) -> dict[str, Any]:
    """Counts that every format has, from parent links and fates."""
    by_depth = Counter(depth for trace in traces for depth in depths(trace).values())
    ids = [{node.node_id for node in trace.nodes} for trace in traces]
    links = [(parent in ids[i]) for i, trace in enumerate(traces) for node in trace.nodes for parent in node.parent_ids]
    return {
        "runs": len({trace.run.run_id for trace in traces}),
        "nodes": sum(len(known) for known in ids),
        "edges": sum(links),
        "orphans": len(links) - sum(links),
        "cycles": sum(len(depths(trace)) != len(trace.nodes) for trace in traces),
        "roots": sum(not node.parent_ids for trace in traces for node in trace.nodes),
        "max_depth": max(by_depth),
        "nodes_per_depth": {str(depth): by_depth[depth] for depth in sorted(by_depth)},
        "pruned": sum(node.fate == Fate.PRUNED for trace in traces for node in trace.nodes),
    }


# tot-bfs


def usage(traces: Sequence[Trace]) -> dict[str, Any]:
    totals = [extra(trace.run)["usage_so_far"] for trace in traces]
    rest = [trace.run for trace in traces[1:]]
    return {
        "meaning": "usage_so_far is CUMULATIVE over the file; per-run spend is the difference to the previous record",
        "first_record": {
            "completion_tokens": traces[0].run.reported_output_tokens,
            "prompt_tokens": traces[0].run.reported_input_tokens,
            "cost": traces[0].run.reported_cost,
        },
        "last_record": {
            "completion_tokens": sum(trace.run.reported_output_tokens or 0 for trace in traces),
            "prompt_tokens": sum(trace.run.reported_input_tokens or 0 for trace in traces),
            "cost": sum(trace.run.reported_cost or 0 for trace in traces),
        },
        "sum_of_differences": {
            "prompt_tokens": sum(run.reported_input_tokens or 0 for run in rest),
            "completion_tokens": sum(run.reported_output_tokens or 0 for run in rest),
            "cost": sum(run.reported_cost or 0 for run in rest),
        },
        "wrong_naive_sum_of_cost": sum(total["cost"] for total in totals),
    }


def because(node: Node) -> str:
    return str(extra(node).get("unscored_because", ""))


def levels(trace: Trace) -> list[list[Node]]:
    return [[node for node in trace.nodes if node.depth == depth] for depth in range(1, 1 + max(node.depth or 0 for node in trace.nodes))]


def repeats(texts: Sequence[Any]) -> int:
    return len(texts) - len(set(texts))


def left_values(candidates: Sequence[Node]) -> int:
    """Texts of remaining numbers that the log gives more than one value; a repeated text is no second asking."""
    values: defaultdict[str, set[str | None]] = defaultdict(set)
    for node in candidates:
        left = re.findall(r"\(left: ([^)]*)\)", (node.step or "").rsplit("\n", 1)[-1])
        if left and because(node) != "repeated text":
            values[left[-1]].add(node.score_raw)
    return sum(len(found) > 1 for found in values.values())


def tree_figures(traces: Sequence[Trace]) -> dict[str, Any]:
    nodes = [node for trace in traces for node in trace.nodes]
    candidates = [node for node in nodes if node.parent_ids]
    votes = all(re.fullmatch(r"\d+", node.score_raw or "") for node in candidates)
    logged = spread_per_depth((node.depth or 0, float(node.score_raw or "nan")) for node in candidates)
    evaluated = spread_per_depth((node.depth or 0, node.score) for node in candidates if node.score is not None)
    repeated = [node for node in candidates if because(node) == "repeated text"]
    steps = [level for trace in traces for level in levels(trace)]
    keys = [[node.state_key for node in level if node.state_key] for trace in traces for level in levels(trace)[:3]]
    return {
        "kind": "breadth-first tree" if all(trace.run.level_by_level for trace in traces) else "mixed",
        "expanded": sum(node.fate == Fate.EXPANDED for node in nodes),
        "selected_final": sum(node.fate == Fate.TERMINAL for node in nodes),
        "score_source": ", ".join(sorted({node.score_source for node in candidates if node.score_source})),
        "scores_per_depth": logged,
        "evaluated_scores_per_depth": "same as scores_per_depth" if votes and evaluated == logged else evaluated,
        "unscored_duplicates": "not applicable (votes)" if votes else len(repeated),
        "duplicates_kept": sum(node.fate != Fate.PRUNED for node in repeated),
        "zero_by_rule_not_by_evaluator": sum(because(node).startswith("rule:") for node in candidates),
        "zero_leaked_from_the_rule_through_the_value_cache": sum(because(node).startswith("rule's") for node in candidates),
        "same_remaining_numbers_but_different_value": left_values(candidates),
        "pruned_as_duplicate": sum(node.pruned_by == Stage.DISTINCT for node in nodes),
        "pruned_by_the_beam": sum(node.pruned_by == Stage.SURVIVED for node in nodes),
        "duplicate_texts_within_step": sum(repeats([node.state for node in level]) for level in steps),
        "parent_ambiguous_nodes": sum("parent_ambiguous" in extra(node) for node in nodes),
        "selected_path_nodes": counted(len(trace.run.selected_path or ()) for trace in traces),
        "state_key_left_multiset_merges": sum(repeats(level) for level in keys),
        "runs_correct_present_but_rank1_wrong": [
            int(trace.run.task_id or "") for trace in traces
            if trace.run.outcome == Outcome.WRONG and any(node.verified for node in trace.nodes)
        ],
        "runs_rank1_correct": sum(trace.run.outcome == Outcome.RIGHT for trace in traces),
        "runs_any_correct": sum(any(node.verified for node in trace.nodes) for trace in traces),
        "outcome": "not recorded: accs is [0] in every record and was never filled in"
        if {trace.run.outcome for trace in traces} == {Outcome.UNKNOWN} and all("accs" in extra(trace.run) for trace in traces)
        else "recorded",
    }  # fmt: skip


def sample_figures(traces: Sequence[Trace]) -> dict[str, Any]:
    marks = [[float(node.verified) for node in trace.nodes if node.verified is not None] for trace in traces]
    return {
        "kind": "naive samples (leaf-level, no tree recorded)" if not any(trace.run.level_by_level for trace in traces) else "mixed",
        "samples_per_run": counted(len(trace.nodes) for trace in traces),
        "outcome_key": "infos" if all("infos" in extra(trace.run) for trace in traces) else "accs",
        "outcome": spread([mark for run in marks for mark in run]),
        "runs_with_any_full_mark": sum(1.0 in run for run in marks),
        "duplicate_texts_within_run": sum(repeats([node.state for node in trace.nodes]) for trace in traces),
    }


def tot_figures(traces: Sequence[Trace]) -> dict[str, Any]:
    own = tree_figures(traces) if traces[0].run.level_by_level else sample_figures(traces)
    return structure(traces) | own | {"usage": usage(traces)}


# toolbench-dfsdt


def node_types(trace: Trace) -> dict[str, int]:
    return counted((node.step or "").split(":")[0] for node in trace.nodes)


def toolbench_figures(traces: Sequence[Trace]) -> dict[str, Any]:
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


def moatless_figures(traces: Sequence[Trace]) -> dict[str, Any]:
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


FIGURES = {"tot-bfs": tot_figures, "toolbench-dfsdt": toolbench_figures, "moatless-tree": moatless_figures}
"""One entry a format: the figures of one file."""

"""Which figures do runs of agents and their text logs hold: spans, checkpoints, attempts?"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ingest.schema import Trace
from tests.figures_of.counting import Figures, all_calls, all_nodes, children, counted, depths, extra, spread, structure

# langfuse-trace


def langfuse_figures(traces: Sequence[Trace], _path: Path) -> dict[str, Any]:
    (trace,) = traces
    run, nodes, below, logged = trace.run, trace.nodes, children(trace), [extra(node) for node in trace.nodes]
    paid = [call for call in trace.calls if call.input_tokens is not None]
    tokens = {"input_tokens": sum(call.input_tokens or 0 for call in paid), "output_tokens": sum(call.output_tokens or 0 for call in paid)}
    started = [node.started_at for node in nodes if node.started_at]
    inputs = {call.node_id: call.prompt for call in trace.calls if call.prompt is not None}
    scores = [{key: score[key] for key in ("name", "value", "source", "dataType")} for score in extra(run)["trace"]["scores"]]
    return (
        structure(traces)
        | tokens
        | {
            "trace_id": run.run_id,
            "types": counted(node.action_kind for node in nodes),
            "levels": counted(log["level"] for log in logged),
            "expanded": len([node for node in nodes if node.node_id in below]),
            "leaves": len([node for node in nodes if node.node_id not in below]),
            "total_tokens": sum(tokens.values()),
            "total_tokens_all_types": sum(tokens.values()),
            "total_cost": sum(call.cost or 0 for call in paid),
            "latency_missing": sum(log["latency"] is None for log in logged),
            "end_time_missing": sum(node.ended_at is None for node in nodes),
            "models": counted(call.model for call in paid),
            "in_start_time_order": started == sorted(started),
            "run_level_scores": scores,
            "trace_latency": run.wall_clock_s,
            "ids_look_like": counted("16 hex" if re.fullmatch("[0-9a-f]{16}", node.node_id) else "other" for node in nodes),
            "input_null": sum(node.node_id not in inputs and extra(node).get("input") is None for node in nodes),
        }
    )


# otel-js-spans


def otel_figures(traces: Sequence[Trace], _path: Path) -> dict[str, Any]:
    nodes, calls = all_nodes(traces), all_calls(traces)
    attributes = {node.node_id: extra(node)["attributes"] for node in nodes}
    model_calls = [call for call in calls if "ai.usage.tokens" not in attributes[str(call.node_id)]]
    # a call takes its two long texts out of the attributes; that of an embedding was a list of texts
    taken = [text for call in calls for text in (call.prompt, call.response) if text is not None]
    kinds = [type(value).__name__ for found in attributes.values() for value in found.values()]
    pairs = [(extra(node)["startTime"], extra(node)["endTime"]) for node in nodes]
    return structure(traces) | {
        "container": "list",
        "duplicate_ids": len(nodes) - len({node.node_id for node in nodes}),
        "names": counted(node.step for node in nodes),
        "gen_ai_input_tokens": sum(call.input_tokens or 0 for call in model_calls),
        "gen_ai_output_tokens": sum(call.output_tokens or 0 for call in model_calls),
        "ai_prompt_tokens": sum(found.get("ai.usage.promptTokens", 0) for found in attributes.values()),
        "spans_with_both": sum({"ai.usage.promptTokens", "gen_ai.usage.input_tokens"} <= found.keys() for found in attributes.values()),
        "embedding_tokens": sum(found.get("ai.usage.tokens", 0) for found in attributes.values()),
        "duration_seconds": spread([end[0] - start[0] + (end[1] - start[1]) / 1e9 for start, end in pairs]),
        "status_codes": counted(extra(node)["status"]["code"] for node in nodes),
        "attribute_value_types": counted([*kinds, *("list" if text.startswith('["') else "str" for text in taken)]),
    }


# inspect-log


def inspect_figures(traces: Sequence[Trace], _path: Path) -> dict[str, Any]:
    own = [inspect_run(trace) for trace in traces]
    figures = structure(traces) | {"per_run": own, "nodes": sum(run["spans"] for run in own), "edges": sum(run["span_edges"] for run in own)}
    if not traces:
        return figures
    log = extra(traces[0].run)
    settings = json.loads(traces[0].run.protocol or "{}")
    return figures | {
        "status": log["evaluation"]["status"],
        "header_status": log["evaluation"]["status"],
        "model": settings["model"],
        "epochs": settings["config"].get("epochs"),
        "header_usage": log["totals"]["stats"]["model_usage"],
    }


def inspect_run(trace: Trace) -> dict[str, Any]:
    run, shape = extra(trace.run), structure([trace])
    events = [*run.get("events", ()), *(event for node in trace.nodes for event in extra(node).get("events", ())), *map(extra, trace.calls)]
    kinds = [event["event"] for event in events] + ["span_begin" for _ in trace.nodes] + ["span_end" for node in trace.nodes if node.ended_at]
    usage = Counter[str]()
    for used in run["model_usage"].values():
        usage.update(used)
    assert trace.run.reported_input_tokens in (usage["input_tokens"], None)
    return {
        "id": trace.run.task_id,
        "epoch": run["epoch"],
        "messages": len(run["messages"]),
        "events": len(kinds),
        "event_types": counted(kinds),
        "spans": shape["nodes"],
        "span_edges": shape["edges"],
        "span_roots": shape["roots"],
        "span_orphans": shape["orphans"],
        "span_max_depth": shape["max_depth"],
        "span_ends": kinds.count("span_end"),
        "scores": {name: score["value"] for name, score in run["scores"].items()},
        "usage": dict(usage),
        "total_time": trace.run.wall_clock_s,
        "error": bool(run.get("error")),
    }


# langgraph-sqlite


def langgraph_figures(traces: Sequence[Trace], _path: Path) -> dict[str, Any]:
    nodes = all_nodes(traces)
    steps = {(trace.run.run_id, node.node_id): extra(node)["metadata"]["step"] for trace in traces for node in trace.nodes}
    below = [children(trace) for trace in traces]
    places = [{node.node_id: place for place, node in enumerate(trace.nodes)} for trace in traces]
    return structure(traces) | {
        "forks": sum(len(found) > 1 for tree in below for found in tree.values()),
        "leaves": len(nodes) - sum(len(tree) for tree in below),
        "checkpoints_per_run": counted(len(trace.nodes) for trace in traces),
        "sources": counted(node.action_kind for node in nodes),
        "steps": counted(steps.values()),
        "depth_equals_step_plus_1": sum(
            depth == steps[trace.run.run_id, name] + 1 for trace in traces for name, depth in depths(trace).items()
        ),
        "checkpoint_ids_shared_between_threads": len(nodes) - len({node.node_id for node in nodes}),
        "writes_rows": sum(len(extra(node).get("writes", ())) for node in nodes),
        "serialisation_types": counted(extra(node)["type"] for node in nodes),
        "row_order_is_tree_order": all(
            places[i][parent] < places[i][node.node_id] for i, trace in enumerate(traces) for node in trace.nodes for parent in node.parent_ids
        ),
    }  # fmt: skip


# swe-agent-traj


def swe_agent_figures(traces: Sequence[Trace], _path: Path) -> dict[str, Any]:
    (trace,) = traces
    run, log, steps = trace.run, extra(trace.run), [extra(node) for node in trace.nodes]
    stats, times = log["info"]["model_stats"], [step["execution_time"] for step in steps if "execution_time" in step]
    texts = [text for node in trace.nodes for text in (node.observation, node.step) if text]
    columns = {"action": "step", "observation": "observation", "state": "state", "thought": "step"}
    known = {key for key, column in columns.items() if any(getattr(node, column) is not None for node in trace.nodes)}
    return structure(traces) | {
        "history_messages": len(log["history"]),
        "history_roles": counted(message["role"] for message in log["history"]),
        "exit_status": log["info"]["exit_status"],
        "has_submission": bool(run.answer),
        "model_stats": stats,
        "tokens": [stats["tokens_sent"], stats["tokens_received"]],
        "cost": stats["instance_cost"] if run.reported_cost in (stats["instance_cost"], None) else run.reported_cost,
        "execution_time_total": sum(times) if times else "not recorded",
        "empty_actions": sum(not node.action_kind for node in trace.nodes),
        "carriage_returns": any(
            "\r" in text for text in [*texts, *(message["content"] for message in log["history"] if isinstance(message["content"], str))]
        ),
        "step_keys": sorted(known | {key for step in steps for key in step} | ({"response"} if trace.calls else set())),
    }


# lats-programming-jsonl


def lats_programming_figures(traces: Sequence[Trace], _path: Path) -> dict[str, Any]:
    attempted = [trace for trace in traces if trace.nodes]
    names = [trace.run.task_id for trace in traces]
    solved = {"right": True, "wrong": False, "unknown": None}
    return {
        "runs": len(traces),
        "runs_with_attempts": len(attempted),
        "runs_first_attempt_only": len(traces) - len(attempted),
        "nodes": len(all_nodes(traces)),
        "edges": "not recorded" if not any(node.parent_ids for node in all_nodes(traces)) else "recorded",
        "attempts_per_run": counted(len(trace.nodes) for trace in attempted),
        "is_solved": counted(solved[trace.run.outcome] for trace in traces),
        "has_solution": sum(trace.run.answer is not None for trace in traces),
        "last_acc": extra(traces[-1].run)["acc"],
        "feedback_lengths_match": sum(all(node.observation for node in trace.nodes) for trace in attempted),
        "reflections_per_run": spread([float(len(extra(trace.run)["reflections"])) for trace in attempted]),
        "last_implementation_is_solution": sum(trace.run.selected_path == (trace.nodes[-1].node_id,) for trace in attempted),
        "distinct_problem_names": len(set(names)),
        "duplicate_implementations": sum(len(trace.nodes) - len({node.step for node in trace.nodes}) for trace in attempted),
        "names_unique": len(set(names)) == len(names),
    }


# lats-log


def lats_figures(traces: Sequence[Trace], _path: Path) -> dict[str, Any]:
    nodes, calls = all_nodes(traces), all_calls(traces)
    logs = [[record.split(" ", 2)[2] for record in extra(trace.run)["log"]] for trace in traces]
    messages = [message for log in logs for message in log]
    judged = [call for call in calls if call.role == "evaluator"]
    values = [float(call.parsed) for call in judged if call.parsed is not None and call.error is None]
    rewards = [float(message.split(":")[1]) for message in messages if message.startswith("reward:")]
    shopping = any(message.startswith("Iteration") for message in messages)
    logged = [float(extra(node)["value"]) for node in nodes]
    results = [message.removeprefix("RESULTS: ") for message in messages if message.startswith("RESULTS")]
    return {
        "text_before_first_stamp": 0 if all(re.match(r"\d{4}-", record) for trace in traces for record in extra(trace.run)["log"]) else 1,
        "runs": len(traces),
        "iterations_logged": sum(message.startswith("Iteration") for message in messages),
        "dfs_calls": [int(depth) for message in messages for depth in re.findall(r"^DFS at node depth (\d+)", message)],
        "nodes": len(nodes),
        "edges": "not recorded" if not any(node.parent_ids for node in nodes) else "recorded",
        "nodes_per_depth": counted(node.depth for node in nodes),
        "logged_node_values": spread(logged),
        "logged_visits_all_zero": {extra(node)["visits"] for node in nodes} == {"0"},
        "evaluator_values": spread(values) if values else {"n": 0},
        "evaluator_unparsed": sum(call.parsed == "-1" for call in judged),
        "environment_rewards": spread(rewards) if rewards else {"n": 0},
        "successes": sum(trace.run.outcome == "right" for trace in traces),
        "results_records": results,
        "prompts": sum(call.role == "proposer" for call in calls),
        "value_prompts": len(judged),
        "truncated_tail": shopping and not any(message.startswith("RESULTS") for message in logs[-1]),
    }


# copra-proof-log


def copra_figures(traces: Sequence[Trace], _path: Path) -> dict[str, Any]:
    runs, results = [trace.run for trace in traces], [extra(trace.run).get("result") for trace in traces]
    blocks = [(run, result) for run, result in zip(runs, results, strict=True) if isinstance(result, dict)]
    verdict = {"right": "SUCCESS", "wrong": "FAILED"}
    return {
        "text_before_first_stamp": 0 if all(run.started_at for run in runs) else 1,
        "non_ascii": any(not (run.question or "").isascii() for run in runs),
        "attempts": len(runs),
        "distinct_attempts": len({run.run_id for run in runs}),
        "lemmas_attempted": len({run.task_id for run in runs}),
        "attempts_by_number": counted(run.run_id.rsplit("/", 1)[1] for run in runs),
        "killed_by_timeout_records": sum(run.stop_reason == "wall_clock" for run in runs),
        "dumped_results": sum(run.ended is True for run in runs),
        "result_blocks": len(blocks),
        "results": counted(verdict[run.outcome] for run, _ in blocks),
        "timeouts": sum(result["IsTimeout"] == "True" for _, result in blocks),
        "steps_used": spread([float(result["StepsUsed"]) for _, result in blocks]),
        "search_time": spread([run.wall_clock_s for run, _ in blocks if run.wall_clock_s is not None]),
        "sentinel_minus_one": counted(
            key for _, result in blocks for key in ("LongestSuccessPath", "NumberOfBacktracks", "PossibleFailedPaths") if result[key].strip() == "-1"
        ),
        "results_by_attempt": counted(
            f"{verdict[run.outcome]} {found[0].replace(chr(39), '').replace(': ', '=')}"
            for run, result in blocks
            if (found := re.search(r"'attempt_idx': \d+", result["AdditionalInfo"]))
        ),
        "lemmas_with_success": len({run.task_id for run in runs if run.outcome == "right"}),
        "edges": "not recorded" if not all_nodes(traces) else "recorded",
    }


FIGURES: dict[str, Figures] = {
    "langfuse-trace": langfuse_figures,
    "otel-js-spans": otel_figures,
    "inspect-log": inspect_figures,
    "langgraph-sqlite": langgraph_figures,
    "swe-agent-traj": swe_agent_figures,
    "lats-programming-jsonl": lats_programming_figures,
    "lats-log": lats_figures,
    "copra-proof-log": copra_figures,
}
"""One entry a format."""

"""Which figures do searches over programs, crosswords, proofs and labelled solutions hold, counted from records? For test_expected_figures_a."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ingest.readers.fields import path_to
from ingest.schema import Fate, Node, Outcome, Stage, Trace
from tests.trace_figures import children, counted, depths, extra, levels, repeats, spread, spread_per_depth, structure

Figures = Callable[[Sequence[Trace], Path], dict[str, Any]]


def longest_text(nodes: Sequence[Node]) -> int:
    """The longest text anywhere in the columns and in ``extra``; of an output the longest line, because the log keeps it line by line."""
    texts: list[Any] = [
        (n.step, (n.observation or "").splitlines(keepends=True), json.loads(n.state or "null"), json.loads(n.score_raw or "null"), extra(n))
        for n in nodes
    ]
    longest = 0
    while texts:
        item = texts.pop()
        longest = max(longest, len(item)) if isinstance(item, str) else longest
        texts += item.values() if isinstance(item, dict) else item if isinstance(item, list | tuple) else []
    return longest


# aide-journal and ai-scientist-v2-journal


def first_value(node: Node) -> float | None:
    """The logged number, or the first of several: what expected.json quotes as an example."""
    value = json.loads(node.score_raw or "null")
    found: Any = value["metric_names"][0]["data"][0]["final_value"] if isinstance(value, dict) else value
    return found if found is None else float(found)


def best(trace: Trace) -> Any:
    scored = [node for node in trace.nodes if node.score is not None]
    if not scored:
        return "no plain number in metric.value"
    node = max(scored, key=lambda node: node.score or 0)
    path = list(path_to(node.node_id, trace.nodes) or ())
    logged = extra(node)
    return {
        "id": node.node_id, "value": json.loads(node.score_raw or ""), "maximize": logged["metric"]["maximize"],
        "step": logged.get("step", node.seq), "path_from_root": path, "path_nodes": len(path),
    }  # fmt: skip


def journal_figures(traces: Sequence[Trace], _path: Path) -> dict[str, Any]:
    (trace,) = traces
    nodes, below, depth = trace.nodes, children(trace), depths(trace)
    logged = {node.node_id: extra(node) for node in nodes}
    kinds = {type(None): "null", dict: "object", float: "number"}
    times = [node.started_at.timestamp() for node in nodes if node.started_at]
    own = [log.get("parent", log.get("parent_id")) for log in logged.values()]
    return structure(traces) | {
        "kind": "journal" if "__version" in extra(trace.run) else "tree_data (positions, no ids)",
        "version": extra(trace.run).get("__version"),
        "duplicate_ids": repeats([node.node_id for node in nodes]),
        "own_parent_field_non_null": sum(parent is not None for parent in own),
        "own_children_non_empty": sum("children" in log for log in logged.values()),
        "node2parent_entries": sum(len(node.parent_ids) for node in nodes),
        "node2parent_unknown": len(extra(trace.run).get("node2parent", {})),
        "expanded": sum(node.fate == Fate.EXPANDED for node in nodes),
        "leaves": sum(node.node_id not in below for node in nodes),
        "pruned": "not recorded" if not any(node.fate == Fate.PRUNED for node in nodes) else "recorded",
        "is_buggy": counted(log.get("is_buggy") for log in logged.values()),
        "metric_value_kinds": counted(kinds[type(json.loads(node.score_raw or "null"))] for node in nodes),
        "scores_per_depth": spread_per_depth((depth[n.node_id], value) for n in nodes if (value := first_value(n)) is not None),
        "score_note": "numbers as found; lower may be better (see metric.maximize)",
        "best": best(trace),
        "steps_in_order": not any("step" in log for log in logged.values()),
        "exc_types": counted(None if node.error == "is_buggy" else node.error for node in nodes),
        "seed_nodes": sum(log.get("is_seed_node") is True for log in logged.values()),
        "seed_agg_nodes": sum(log.get("is_seed_agg_node") is True for log in logged.values()),
        "exec_time_total": sum(call.latency_ms or 0 for call in trace.calls) / 1000,
        "exec_time_missing": len(nodes) - len(trace.calls),
        "ctime_span_seconds": max(times) - min(times) if times else None,
        "nan_or_infinity": {},
        "longest_string": longest_text(nodes),
        "identical_code_nodes": repeats([node.state for node in nodes]),
        "edges_listed": sum(len(node.parent_ids) for node in nodes),
        "nodes_with_two_parents": sum(len(node.parent_ids) > 1 for node in nodes),
        "best_node_positions": [int(trace.run.selected_path[-1])] if trace.run.selected_path else [],
        "parallel_list_lengths": [len(nodes)],
        "metrics_null": sum(node.score_raw is None for node in nodes),
        "completed_stages": extra(trace.run).get("completed_stages"),
    }


# tot-crosswords-dfs


def crosswords_figures(traces: Sequence[Trace], _path: Path) -> dict[str, Any]:
    nodes = [node for trace in traces for node in trace.nodes]
    marks = {name: [[extra(node)["info"][name] for node in trace.nodes] for trace in traces] for name in ("r_word", "r_letter")}
    verdicts = [json.loads(node.score_raw or "") for node in nodes]
    flagged = [node for node, verdict in zip(nodes, verdicts, strict=True) if verdict["impossible"] >= 1]
    capped = [any("cap of the program" in warning for warning in trace.run.warnings) for trace in traces]
    return structure(traces) | {
        "nodes_in_each_run": [len(trace.nodes) for trace in traces],
        "repeated_action_lists": sum(repeats([node.state for node in trace.nodes]) for trace in traces),
        "merge_candidates_same_action_set": sum(repeats([node.state_key for node in trace.nodes]) for trace in traces),
        "flagged_impossible": len(flagged),
        "flagged_impossible_with_children": sum(node.fate == Fate.EXPANDED for node in flagged),
        "expanded": sum(node.fate == Fate.EXPANDED for node in nodes),
        "leaves": sum(node.fate != Fate.EXPANDED for node in nodes),
        "env_step_differs_from_number_of_actions": sum("env_step" in extra(node) for node in nodes),
        "r_word_per_depth": spread_per_depth((node.depth or 0, extra(node)["info"]["r_word"]) for node in nodes),
        "r_letter_per_depth": spread_per_depth((node.depth or 0, extra(node)["info"]["r_letter"]) for node in nodes),
        "evaluator_counts": {key: sum(verdict[key] for verdict in verdicts) for key in ("sure", "maybe", "impossible")},
        "best_r_word_per_run": [max(run) for run in marks["r_word"]],
        "runs_solved_r_word_1": len({row.run_id for trace in traces for row in trace.truth}),
        "runs_at_100_visits_cap": sum(capped),
        "last_visited_r_word": [run[-1] for run in marks["r_word"]],
        "selected_path": "not recorded (the log keeps visits, not the state the program finally returned)"
        if {trace.run.selected_path for trace in traces} == {None}
        else "recorded",
    }


# openevolve-db


def openevolve_figures(traces: Sequence[Trace], path: Path) -> dict[str, Any]:
    (trace,) = traces
    nodes, below, depth = trace.nodes, children(trace), depths(trace)
    logged = {node.node_id: extra(node) for node in nodes}
    islands = {node_id: log["metadata"]["island"] for node_id, log in logged.items()}
    found = [int(log["iteration_found"]) for log in logged.values()]
    scored = [node for node in nodes if node.score is not None]
    top = max(scored, key=lambda node: (node.score or 0, -(node.started_at.timestamp() if node.started_at else 0)))
    metadata = extra(trace.run)
    ids = {node.node_id for node in nodes}
    named = {*metadata.get("archive", []), *(name for island in metadata.get("islands", []) for name in island)}
    return structure(traces) | {
        "program_files": len([file for file in path.rglob("*.json") if file.stem in ids]),
        "file_name_equals_id": all(any(path.rglob(f"{node.node_id}.json")) for node in nodes),
        "orphan_ids": [node.node_id for node in nodes if node.parent_ids and node.parent_ids[0] not in ids],
        "duplicate_ids": repeats([node.node_id for node in nodes]),
        "expanded": sum(node.fate == Fate.EXPANDED for node in nodes),
        "leaves": sum(node.fate != Fate.EXPANDED for node in nodes),
        "max_branching": max(map(len, below.values())),
        "generations": counted(sorted(node.depth or 0 for node in nodes)),
        "generation_differs_from_depth": sum(node.depth != depth[node.node_id] for node in nodes),
        "iteration_found": [min(found), max(found)],
        "scores_per_depth": spread_per_depth((depth[node.node_id], node.score or 0) for node in scored),
        "scores_per_generation": spread_per_depth((node.depth or 0, node.score or 0) for node in scored),
        "without_combined_score": len(nodes) - len(scored),
        "metric_names": sorted({name for log in logged.values() for name in log["metrics"]}),
        "non_number_metrics": counted("bool" for log in logged.values() for value in log["metrics"].values() if isinstance(value, bool)),
        "islands": counted(islands.values()),
        "cross_island_edges": sum(islands[node.node_id] != islands[p] for node in nodes for p in node.parent_ids if p in islands),
        "identical_code": repeats([node.state for node in nodes]),
        "migrants": sum(bool(log["metadata"].get("migrant")) for log in logged.values()),
        "best": {
            "id": top.node_id, "combined_score": top.score, "generation": top.depth, "path_inside_directory": list(path_to(top.node_id, nodes) or ()),
        },
        "prompts_recorded": len({call.call_id.split("/")[0] for call in trace.calls}),
        "artifacts_recorded": sum(node.observation is not None for node in nodes),
        "pruned": "not recorded" if not any(node.fate == Fate.PRUNED for node in nodes) else "recorded",
        "metadata": metadata,
        "metadata_ids_without_file": sorted(named - ids),
    }  # fmt: skip


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


# xot-bfs


def shape_of(result: Any) -> str:
    if isinstance(result, dict):
        return "object of objects" if all(isinstance(one, dict) for one in result.values()) else "object of numbers"
    return f"number {result}"


def result_is_right(result: Any) -> bool:
    parts = result.values() if isinstance(result, dict) else (result,)
    return any((one["r"] if isinstance(one, dict) else one) == 1 for one in parts)


def kept_otherwise(trace: Trace) -> int:
    """Levels that kept other candidates than the best by value, the earlier first, or than the chosen places."""
    return sum(node.fate == Fate.PRUNED and node.pruned_by == Stage.SURVIVED and node.prune_rule is None for node in trace.nodes)


def xot_figures(traces: Sequence[Trace], _path: Path) -> dict[str, Any]:
    nodes = [node for trace in traces for node in trace.nodes]
    results = [check["r"] for trace in traces for check in extra(trace.run)["infos"]]
    runs_right = [any(result_is_right(check["r"]) for check in extra(trace.run)["infos"]) for trace in traces]
    common = {
        "runs": len(traces),
        "nodes": len(nodes),
        "edges": sum(len(node.parent_ids) for node in nodes),
        "infos_entries": len(results),
        "r_shapes": counted(map(shape_of, results)),
        "answers_correct": sum(map(result_is_right, results)),
        "runs_any_correct": sum(runs_right),
        "runs_first_entry_first_r_correct": sum(trace.run.outcome == Outcome.RIGHT for trace in traces),
    }
    if not nodes:
        names = {"model_calls": "model_call", "model_calls_phase1": "model_call_phase1", "model_calls_phase2": "model_call_phase2"}
        calls = {key: sum(extra(trace.run)[name] for trace in traces) for key, name in names.items()}
        answers = sum(len(extra(trace.run)["ys"]) for trace in traces)
        return {**common, **calls, "answers": answers, "kind": "no search recorded"}
    levels_of = [levels(trace) for trace in traces]
    kept = [sum(node.fate != Fate.PRUNED for node in level) for found in levels_of for level in found]
    logged = spread_per_depth((n.depth or 0, float(n.score_raw)) for n in nodes if n.score_raw is not None)
    chosen = any(node.prune_rule == "select" for node in nodes)
    unfit = sum("not among new_ys" in warning for trace in traces for warning in trace.run.warnings)
    return structure(traces) | common | {
        "kind": "breadth-first levels" if all(trace.run.level_by_level for trace in traces) else "mixed",
        "runs_without_any_level": sum(not found for found in levels_of),
        "levels_per_run": counted(sorted(len(found) for found in levels_of)),
        "expanded": sum(node.fate == Fate.EXPANDED for node in nodes),
        "selected_final": sum(node.fate == Fate.TERMINAL for node in nodes),
        "selected_per_level": counted(sorted(kept)),
        "scores_per_depth": "not recorded (selection by index only)" if chosen and not logged else logged,
        "levels_where_kept_differs_from_stable_greedy_or_select": sum(map(kept_otherwise, traces)) + unfit,
        "levels_with_empty_select": sum(count == 0 for count in kept),
        "select_indices_out_of_range": unfit,
        "kept_states_carried_over_unchanged": sum(node.step == "" for node in nodes if node.parent_ids),
        "levels_keeping_a_lower_score_than_a_dropped_one": sum(map(kept_otherwise, traces)),
        "duplicate_texts_within_step": sum(repeats([node.state for node in level]) for found in levels_of for level in found),
        "parent_ambiguous_nodes": sum("parent_ambiguous" in extra(node) for node in nodes),
        "levels_not_extending": sum("extend no recorded" in warning for trace in traces for warning in trace.run.warnings),
        "final_prompt_answers": sum("answer" in extra(node) for node in nodes),
    }  # fmt: skip


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
    "omegaprm-tree": omegaprm_figures,
    "prm800k": prm_figures,
    "math-shepherd": shepherd_figures,
    "swarms-tot": swarms_figures,
    "got-operations": got_figures,
    "mcts-reasoning": mcts_figures,
    "xot-bfs": xot_figures,
    "openevolve-db": openevolve_figures,
    "tot-crosswords-dfs": crosswords_figures,
    "ai-scientist-v2-journal": journal_figures,
    "aide-journal": journal_figures,
}
"""One entry a format: the figures of one file, which is also named, for the few that lie in raw texts."""

"""Which figures do Tree of Thoughts and its children hold: breadth-first levels, samples, crosswords?"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ingest.schema import Fate, Node, Outcome, Stage, Trace
from tests.figures_of.counting import Figures, counted, extra, levels, repeats, spread, spread_per_depth, structure

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


def tot_figures(traces: Sequence[Trace], _path: Path) -> dict[str, Any]:
    own = tree_figures(traces) if traces[0].run.level_by_level else sample_figures(traces)
    return structure(traces) | own | {"usage": usage(traces)}


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


FIGURES: dict[str, Figures] = {
    "tot-bfs": tot_figures,
    "xot-bfs": xot_figures,
    "tot-crosswords-dfs": crosswords_figures,
}
"""One entry a format."""

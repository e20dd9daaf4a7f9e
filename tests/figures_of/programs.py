"""Which figures do searches over programs and designs hold?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ingest.readers.fields import path_to
from ingest.schema import Fate, Node, Trace
from tests.figures_of.counting import Figures, all_calls, all_nodes, children, counted, depths, extra, repeats, spread, spread_per_depth, structure

# aide-journal and ai-scientist-v2-journal


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


# shinka-sqlite


def shinka_figures(traces: Sequence[Trace], _path: Path) -> dict[str, Any]:
    """The public databases hold no program, so that only these figures exist."""
    store = extra(traces[0].run)["metadata_store"] if traces else {}
    empty: dict[str, Any] = {"generations": {}, "scores_per_depth": {}, "correct": {}, "islands": {}}
    counts = dict.fromkeys(
        ("expanded", "leaves", "generation_differs_from_depth", "inspiration_edges", "children_count_mismatch", "identical_code"), 0
    )
    return structure(traces) | counts | empty | {
        "api_cost": sum(call.cost or 0.0 for call in all_calls(traces)),
        "cost_missing": len(all_nodes(traces)) - len(all_calls(traces)),
        "archive_rows": sum(extra(node)["in_archive"] for node in all_nodes(traces)),
        "metadata_store": [[key, store[key]] for key in sorted(store)],
    }  # fmt: skip


# eoh-samples


def eoh_figures(traces: Sequence[Trace], _path: Path) -> dict[str, Any]:
    """Objectives as they were logged; the scores are their negatives."""
    if not traces:
        return {}
    (trace,) = traces
    nodes, objectives = trace.nodes, {node.node_id: -node.score for node in trace.nodes if node.score is not None}
    best = min(objectives, key=lambda name: objectives[name])
    so_far = [min(list(objectives.values())[: at + 1]) for at in range(len(objectives))]
    operators = sorted({node.action_kind or "" for node in nodes})
    found, codes = extra(trace.run), [node.state for node in nodes]
    survived = [node for node in nodes if node.fate == Fate.OPEN]
    generations = {extra(node)["generation"] for node in nodes if "generation" in extra(node)}
    agreeing = [node for node in nodes if extra(node).get("logged_objective") == (node.score_raw or "None")]
    return structure(traces) | {
        "edges": "not recorded" if not any(node.parent_ids for node in nodes) else "recorded",
        "operators": counted(node.action_kind for node in nodes),
        "scored": len(objectives),
        "unscored": sum(node.fate == Fate.UNSCORED for node in nodes),
        "scores": spread(list(objectives.values())),
        "best": {"sample_order": int(best), "objective": objectives[best]},
        "ties_at_best": list(objectives.values()).count(objectives[best]),
        "by_operator": {
            name: spread([objectives[node.node_id] for node in nodes if node.action_kind == name and node.node_id in objectives])
            | {"failed": sum(node.action_kind == name and node.score is None for node in nodes)}
            for name in operators
        },
        "sample_order_is_1_to_n": [node.node_id for node in nodes] == [str(number + 1) for number in range(len(nodes))],
        "identical_code": len(codes) - len(set(codes)),
        "improvements": len(set(so_far)),
        "survived_to_last": {
            "population_file": found.get("population"),
            "population_size": found.get("population_size"),
            "samples_with_that_code": len(survived),
            "population_members_found": len({node.state for node in survived}),
        },
        "log_check": {"samples_in_log": len(agreeing), "agreeing_with_samples": len(agreeing), "generations_in_log": len(generations - {0})},
    }


# adas-archive


def adas_figures(traces: Sequence[Trace], _path: Path) -> dict[str, Any]:
    (trace,) = traces
    logged = [extra(node) for node in trace.nodes]
    scores = [node.score for node in trace.nodes if node.score is not None]
    tests = [log["test_median"] for log in logged if "test_median" in log]
    best = max(range(len(logged)), key=lambda at: trace.nodes[at].score or 0)
    tested = max(range(len(logged)), key=lambda at: logged[at].get("test_median", 0))
    entry = {
        at: {"position": at, "name": logged[at]["name"], "fitness": trace.nodes[at].score, "test_fitness": logged[at]["test_median"]}
        for at in (best, tested)
    }
    return structure(traces) | {
        "edges": "not recorded" if not any(node.parent_ids for node in trace.nodes) else "recorded",
        "generations": counted(log["generation"] for log in logged),
        "generation_types": counted(type(log["generation"]).__name__ for log in logged),
        "fitness_type": "str" if all("Interval" in (node.score_raw or "") for node in trace.nodes) else "other",
        "fitness_unparsed": sum(node.score is None for node in trace.nodes),
        "fitness_median": spread(scores),
        "fitness_interval_width": spread([log["interval"][1] - log["interval"][0] for log in logged]),
        "test_fitness_missing": len(logged) - len(tests),
        "test_fitness_median": spread(tests),
        "best_by_fitness": entry[best],
        "best_by_test": entry[tested],
        "duplicate_names": len(logged) - len({log["name"] for log in logged}),
        "identical_code": len(logged) - len({node.state for node in trace.nodes}),
        "keys": sorted({key for log in logged for key in log if key not in ("interval", "test_median")} | {"code", "thought", "fitness"}),
    }


FIGURES: dict[str, Figures] = {
    "aide-journal": journal_figures,
    "ai-scientist-v2-journal": journal_figures,
    "openevolve-db": openevolve_figures,
    "shinka-sqlite": shinka_figures,
    "eoh-samples": eoh_figures,
    "adas-archive": adas_figures,
}
"""One entry a format."""

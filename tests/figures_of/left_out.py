"""Which figures of the expected.json files are not compared, and why? Format by format, so that no reason covers another format's figure."""

from __future__ import annotations

from typing import Any

_EVERYWHERE = {
    "not_recorded": "words, not a figure; the tests of each reader hold it to them",
    "bytes": "of the file, not of the records; compared with the file by itself",
    "sha256": "of the file, not of the records; compared with the file by itself",
}
_ORACLE = "needs an exact Game of 24 oracle, which a reader does not ask; compared by the tests of attribution"
_OWN_CHECK = "a second count that the program behind expected.json made over raw JSON, to check itself"
_PACKING = "of the file's packing; what was packed is compared"
_RAW_LINES = "counted over the lines of a text log; the runs, nodes and calls that they make are compared"
_NOT_COMPARED: dict[str, dict[str, str]] = {
    "tot-bfs": {
        **dict.fromkeys(("attribution_of_runs_with_no_correct_final", "attribution_run_ids"), _ORACLE),
        **dict.fromkeys(("rank1_wrong_though_a_right_answer_was_kept", "rank1_wrong_run_ids"), _ORACLE),
        **dict.fromkeys(("good_nodes_pruned", "good_nodes_proposed", "outcome_recomputed_disagreements"), _ORACLE),
        "right_states_hit_by_that_leak": _ORACLE + "; that the three are unscored is a test of its own",
    },
    "moatless-tree": dict.fromkeys(("usage_anywhere_in_nodes", "usage_records_anywhere"), _OWN_CHECK),
    "moatless-nodes": {"usage_anywhere_in_nodes": _OWN_CHECK},
    "langfuse-trace": {
        "trace_observations_repeat": "how often the file repeats its list, which is read once; that it is, is tested with the reader",
        "trace_observations_same_ids": "as trace_observations_repeat",
    },
    "inspect-log": {
        **dict.fromkeys(("container", "members", "compression_methods", "duplicate_member_names"), _PACKING),
        **dict.fromkeys(("uncompressed_bytes", "summaries_agree", "version"), _PACKING),
        "nonfinite_literals": "of the text, before it is parsed; that such a file is read is tested by reading it",
    },
    "lats-log": dict.fromkeys(("records", "first_stamp", "last_stamp", "consecutive_identical_records"), _RAW_LINES),
    "copra-proof-log": dict.fromkeys(("records", "levels", "kind", "skipped_records", "end_of_run_summary_present"), _RAW_LINES),
    "lats-programming-jsonl": {
        "acc_is_running": "about a column that is kept as it is",
        "acc_consistent_lines": "a check of the running accuracy against itself, over raw lines",
    },
    "shinka-sqlite": {
        "tables": "of the database; that a copy without its log has none is tested with the reader",
        "journal_mode_byte": "of the database file, which is opened without a journal",
        "note": "words, not a figure",
    },
    "swe-agent-traj": {"state_types": "the two ways of writing one object are read as one"},
}
_POPULATION = dict.fromkeys(("kind", "members", "keys", "objectives"), "the file holds no run to hang it on, and the problem says what it is")
NO_RUN: dict[tuple[str, str], dict[str, str]] = {
    ("inspect-log", "log_with_nan.json"): dict.fromkeys(("status", "model", "epochs", "header_usage"), _POPULATION["kind"]),
    ("eoh-samples", "tsp_construct_class/run_log.txt"): dict.fromkeys(("kind", "lines", "sample_lines", "failed_lines"), _POPULATION["kind"]),
    **{("eoh-samples", f"tsp_construct_class/pops/population_generation_{number}.json"): _POPULATION for number in (0, 1, 10, 20)},
}
"""Logs that hold no run, and what therefore is not compared."""
NO_LOG = {
    ("openevolve-db", "results_v4__debug_trace.jsonl"): "a side log of the loop around the searches: events, no nodes; nobody claims it",
    ("empty-file", "aflow_GSM8K_results.json"): "nothing was recorded; it is called empty",
}
"""Files that no reader claims."""
_SEEN_TWICE = (
    "one call seen by two instrumentations, one observation inside of the other: the outer one's own output holds the provider's usage, "
    "663/225 tokens, which is what the inner one reports; its 1568/423 is an estimate over its text, without a price from the program. "
    "expected.json adds both, so that four calls are counted where two were made"
)
OURS: dict[tuple[str, str], tuple[dict[str, Any], str]] = {
    ("langfuse-trace", "agno-2025-06-11.trace.json"): (
        {
            "input_tokens": 826, "output_tokens": 245, "total_tokens": 1071, "total_tokens_all_types": 1071, "total_cost": 0.000270899999,
            "models": {"gpt-4o-mini": 2},
        },
        _SEEN_TWICE,
    ),
}  # fmt: skip
"""Where our figures differ from expected.json, and the proof that they are right."""


def reasons(folder: str, name: str) -> dict[str, str]:
    """Why figures of a file are not compared, by their names."""
    return _EVERYWHERE | _NOT_COMPARED.get(folder, {}) | NO_RUN.get((folder, name), {})


def all_reasons() -> set[tuple[str, str]]:
    """Every format and figure that has a reason of its own."""
    by_file = {(folder, key) for (folder, _), keys in NO_RUN.items() for key in keys}
    return {(folder, key) for folder, keys in _NOT_COMPARED.items() for key in keys} | by_file

"""Which texts would do something if a page rendered them? And a run that holds them wherever a log can hold text."""

from __future__ import annotations

from typing import Any

HOSTILE = (
    '<img src="http://canary.invalid/a.png" onerror="document.title=1">',
    "![plan](http://canary.invalid/b.png)",
    "[proof](javascript:document.title=2)",
    "It costs $3 now and $4 later, *so* :red[stop] :smile: :material/delete:",
    "</style></script><script>document.title=3</script>",
    "$\\text{a}$ `b` <b>c</b>\n# heading\n- item | cell |",
)


def hostile_lines(strings: tuple[str, ...]) -> list[dict[str, Any]]:
    """A run in which every text that a log can hold is one of the strings."""
    nodes: list[dict[str, Any]] = [{"record": "node", "run_id": "r", "node_id": "root", "parent_ids": [], "step": "start"}]
    for number, text in enumerate(strings):
        nodes.append({
            "record": "node", "run_id": "r", "node_id": f"n{number}", "parent_ids": ["root"], "step": text, "state": {"text": text},
            "observation": text, "score": number / 10, "fate": "pruned", "prune_rule": text, "prune_reason": text, "error": text,
            "evaluator": text, "prompt": text, "response": text, "note": text, "evaluation": {"prompt": text, "response": text},
        })  # fmt: skip
    run = {"record": "run", "run_id": "r", "task_id": strings[0], "question": strings[1], "answer": strings[2], "protocol": {"a": strings[3]}}
    return [run, *nodes, {"record": "run_end", "run_id": "r", "stop_reason": strings[1], "selected_path": ["root", "n0"]}]

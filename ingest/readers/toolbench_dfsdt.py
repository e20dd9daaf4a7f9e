"""ToolBench answer files: a depth-first decision tree, or the chains of its chain-of-thought baseline; one JSON object, one run.

Format: what ToolBench and StableToolBench inference write to ``data/answer``. Nodes have no ids, so this reader invents them: the
root is ``r``, its children ``r.0``, ``r.1``, … by position, theirs ``r.0.0``, …; attempt k of a chain file has ``t<k>.0``, … .
One logical step is two or three nodes (Thought, Action, Action Input). ``Elo`` never changes: it is no score, see ``extra``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.errors import Problem
from ingest.readers import fields
from ingest.readers.fields import Malformed
from ingest.schema import Fate, Node, Run, Stage, StopReason, Trace
from ingest.source import Source

NAME = "toolbench-dfsdt"
PRODUCER = "ToolBench and StableToolBench inference (DFSDT, and its chain-of-thought baseline)"
LOOKS_FOR = "a JSON object with a tree or trys of nodes that have node_type, is_terminal and Elo"
TELLS = {
    "generation": "yes",
    "evaluation": "scores and evaluator",
    "control": "prune rule, and whether the answer is right",
    "spend": "tokens and cost of each node (a run's calls and tokens are there)",
    "replay": "prompts, responses and scores",
    "compare": "whether the answer is right",
}
MAX_LEVELS = 1_000
"""Far above any ``single_chain_max_step``. Ids grow with the depth: deeper nesting is refused instead of filling the memory."""
_COLUMNS = ("children", "node_type", "description", "observation", "pruned")
_ANSWERED = 3


@dataclass(frozen=True, slots=True)
class _Entry:
    """One node as logged, and the place that it has in the file."""

    node_id: str
    parent_id: str | None
    position: int
    raw: dict[str, Any]
    has_children: bool


def sniff(source: Source) -> bool:
    """An object whose nodes carry the producer's three fixed keys."""
    head = source.head()
    keys = fields.keys_in(head)
    return head.lstrip().startswith("{") and {"node_type", "is_terminal", "Elo"} <= keys and bool(keys & {"tree", "trys"})


def read(source: Source) -> Iterator[Trace | Problem]:
    """A Problem for every node that could not be read, then the run."""
    document = source.json()
    try:
        if not isinstance(document, dict):
            raise Malformed("$", f"{fields.kind_of(document)} where an object with tree or trys was expected")
        found = list(_tree(document, source.name) if "tree" in document else _chains(document, source.name))
        yield from (entry for entry in found if isinstance(entry, Problem))
        yield _trace(source.stem, document, [entry for entry in found if isinstance(entry, _Entry)])
    except Malformed as error:
        yield error.problem(source.name, document)
    except RecursionError:
        yield Problem("a value is nested too deeply", f"{source.name}: $", kind="bad_record", rejected=True)


def _tree(document: dict[str, Any], source: str) -> Iterator[_Entry | Problem]:
    """Every node, parents first; what hangs below a node that cannot be read is kept and names it as parent."""
    root = fields.object_at(fields.object_at(document, "tree", "$"), "tree", "$.tree")
    stack: list[tuple[str, str | None, int, Any, str]] = [("r", None, 0, root, "$.tree.tree")]
    while stack:
        node_id, parent_id, position, raw, path = stack.pop()
        if node_id.count(".") >= MAX_LEVELS:
            yield Malformed(path, f"more than {MAX_LEVELS} levels, which no chain of this program reaches").problem(source, raw)
            continue
        children = raw.get("children", []) if isinstance(raw, dict) else []
        if not isinstance(children, list):
            yield Malformed(f"{path}.children", f"{fields.kind_of(children)} where a list was expected").problem(source, children)
            children = []
        yield _entry(node_id, parent_id, position, raw, bool(children), path, source)
        stack.extend(reversed([(f"{node_id}.{i}", node_id, i, child, f"{path}.children[{i}]") for i, child in enumerate(children)]))


def _chains(document: dict[str, Any], source: str) -> Iterator[_Entry | Problem]:
    """The nodes of every attempt; each extends the one before it. The start state is not in such a file."""
    for k, attempt in enumerate(fields.list_at(document, "trys", "$")):
        chain = attempt.get("chain") if isinstance(attempt, dict) else None
        if not isinstance(chain, list):
            yield Malformed(f"$.trys[{k}].chain", f"{fields.kind_of(chain)} where a list was expected").problem(source, attempt)
            continue
        for i, raw in enumerate(chain):
            above = f"t{k}.{i - 1}" if i else None
            yield _entry(f"t{k}.{i}", above, 0 if i else k, raw, i + 1 < len(chain), f"$.trys[{k}].chain[{i}]", source)


def _entry(node_id: str, parent: str | None, position: int, raw: Any, inner: bool, path: str, source: str) -> _Entry | Problem:
    if not isinstance(raw, dict):
        return Malformed(path, f"{fields.kind_of(raw)} where a node was expected").problem(source, raw)
    if not isinstance(raw.get("node_type"), str):
        wrong = f"{fields.kind_of(raw.get('node_type'))} where Thought, Action or Action Input was expected"
        return Malformed(f"{path}.node_type", wrong).problem(source, raw)
    return _Entry(node_id, parent, position, raw, inner)


def _trace(run_id: str, document: dict[str, Any], entries: Sequence[_Entry]) -> Trace:
    answer, caps = (fields.object_or_empty(document, key) for key in ("answer_generation", "forward_args"))
    leaves = [entry for entry in entries if _gave_answer(entry)]
    final = answer.get("final_answer")
    chosen = next((leaf for leaf in leaves if leaf.raw.get("description") == final), next(iter(leaves), None))
    stop = _stop_reason(len(leaves), answer, caps)
    nodes = tuple(_node(run_id, entry, seq, "tree" in document) for seq, entry in enumerate(entries))
    return Trace(
        Run(
            run_id=run_id,
            question=fields.text(answer.get("query")),
            answer=fields.text(final) if chosen is not None else None,
            protocol=fields.json_text(caps, sort_keys=True) if caps else None,
            budget_max_calls=fields.whole(caps.get("max_query_count")),
            stop_reason=stop,
            complete={StopReason.GOAL: True, StopReason.CALL_BUDGET: False}[stop] if stop else None,
            selected_path=fields.path_to(chosen.node_id, nodes) if chosen is not None else None,
            reported_nodes=fields.whole(fields.object_or_empty(document, "tree").get("size")),
            reported_calls=fields.whole(answer.get("query_count")),
            reported_tokens=fields.whole(answer.get("total_tokens")),
            level_by_level=False,
            source_format=NAME,
            warnings=tuple(_warnings(document, chosen)),
            extra=fields.extra_text(_leftovers(document)),
        ),
        nodes,
    )


def _node(run_id: str, entry: _Entry, seq: int, in_tree: bool) -> Node:
    raw, fate = entry.raw, _fate(entry)
    kind, words = raw["node_type"], fields.text(raw.get("description"))
    levels = entry.node_id.count(".")
    return Node(
        run_id=run_id,
        node_id=entry.node_id,
        parent_ids=(entry.parent_id,) if entry.parent_id is not None else (),
        depth=levels if in_tree and raw.get("depth") == levels else None,
        request_index=entry.position,
        seq=seq,
        step=f"{kind}: {words}" if words else kind,
        action_kind="tool" if kind == "Action" else None,
        action_target=words if kind == "Action" else None,
        observation=fields.text(raw.get("observation")),
        fate=fate,
        pruned_by=Stage.SURVIVED if fate is Fate.PRUNED else None,
        extra=fields.extra_text(fields.without(raw, _COLUMNS)),
    )


def _fate(entry: _Entry) -> Fate:
    if entry.raw.get("pruned") is True:
        return Fate.PRUNED
    if _gave_answer(entry):
        return Fate.TERMINAL
    return Fate.EXPANDED if entry.has_children else Fate.OPEN


def _gave_answer(entry: _Entry) -> bool:
    """Whether a chain ended here with an answer. ``is_terminal`` is lost in these logs; chain files have the code alone."""
    raw = entry.raw
    ended = raw.get("finished") is True or raw.get("is_terminal") is True or raw.get("observation_code") == _ANSWERED
    return ended and not entry.has_children and raw.get("pruned") is not True


def _stop_reason(answers: int, answer: dict[str, Any], caps: dict[str, Any]) -> StopReason | None:
    """Enough answers, or the cap on model calls; anything else is not in the log."""
    if answers and answers >= (fields.whole(caps.get("answer")) or 1):
        return StopReason.GOAL
    asked, cap = fields.whole(answer.get("query_count")), fields.whole(caps.get("max_query_count"))
    return StopReason.CALL_BUDGET if asked is not None and cap is not None and asked >= cap else None


def _warnings(document: dict[str, Any], chosen: _Entry | None) -> Iterator[str]:
    yield "win says that an answer was given; whether it is right is not recorded"
    if chosen is None and fields.object_or_empty(document, "answer_generation").get("finish_type") == "give_answer":
        yield "finish_type is give_answer, but no node gave one: it is what the program writes before it looks"
    if "tree" not in document:
        yield "the start state is not in the file: each attempt begins at its first node, and depths count from there"


def _leftovers(document: dict[str, Any]) -> dict[str, Any]:
    """What has no column; a member that is no object stays as it is."""
    rest = fields.without(document, ("trys", "forward_args") if isinstance(document.get("forward_args"), dict) else ("trys",))
    used = {"tree": ("size", "tree"), "answer_generation": ("query", "query_count", "total_tokens")}
    inner = {key: fields.without(rest[key], known) for key, known in used.items() if isinstance(rest.get(key), dict)}
    trys = document.get("trys")
    of_trys = [fields.without(attempt, ("chain",)) for attempt in trys if isinstance(attempt, dict)] if isinstance(trys, list) else []
    return rest | inner | ({"trys": of_trys} if of_trys else {})

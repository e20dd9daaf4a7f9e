"""Depth-first Tree of Thoughts over mini crosswords: one JSON list a file, one list of visited boards a puzzle, in the order of the visits.

Format: what the notebook of princeton-nlp/tree-of-thought-llm writes. A board has no id: its moves are its name here ("h2. motor / h1. tasks"),
its parent is the board without the last move, the empty board is not recorded. ``count`` is what the judge said of the open clues and is no
single number, so there is no score; ``info`` is the comparison with the solution, which the search never saw.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ingest.errors import Problem
from ingest.readers import documents, fields
from ingest.readers.fields import Malformed
from ingest.schema import Fate, Node, Run, ScoreSource, Stage, Tier, Trace, Truth
from ingest.source import Source

NAME = "tot-crosswords-dfs"
PRODUCER = "the crosswords notebook of tree-of-thought-llm: depth-first Tree of Thoughts"
LOOKS_FOR = "a JSON list of lists of visits that have total_step, env_step, actions, info and count"
TELLS = {
    "generation": "prompts, responses, and proposals that were never visited",
    "evaluation": "scores, and the evaluator's prompts and responses (its counts of verdicts are there)",
    "control": "stop reason, selected path, candidates that were never visited",
    "spend": "calls, tokens, cost and time",
    "replay": "prompts, responses and scores",
    "compare": "protocol, and whether the answer is right",
}
RULE = "count.impossible >= 1"
_VISIT = frozenset(("total_step", "env_step", "actions", "info", "count"))
_CAP = 100
_UNKNOWN = "which board the program returned is not recorded, so neither a selected path nor an outcome is"
_COUNTS = "the judge left counts of sure, maybe and impossible (score_raw), which are no single score"
_UNPRUNED = "boards with an impossible clue have children in this file: they were flagged, not pruned"
_AT_CAP = f"it ends at {_CAP} visits, the cap of the program, which the log does not state"


def sniff(source: Source) -> bool:
    """A list of lists of visits with the producer's five keys."""
    head = source.head()
    return re.match(r"\s*\[\s*\[\s*\{", head) is not None and _VISIT <= fields.keys_in(head)


def read(source: Source) -> Iterator[Trace | Problem]:
    """The visits that cannot be read and the run, puzzle by puzzle."""
    puzzles = source.json()
    if not isinstance(puzzles, list) or not puzzles:
        found = "an empty list" if isinstance(puzzles, list) else fields.kind_of(puzzles)
        yield Problem(f"{found} where a list of puzzles was expected", f"{source.name}: $", kind="bad_record", rejected=True)
        return
    pruning = not any(_flagged_parent(visits) for visits in puzzles)
    for at, visits in enumerate(puzzles):
        if not isinstance(visits, list):
            wrong = Malformed(f"$[{at}]", f"{fields.kind_of(visits)} where a list of visits was expected")
            yield wrong.problem(source.name, visits)
            continue
        yield from _puzzle(f"{source.stem}/{at}", visits, f"$[{at}]", pruning, source.name)


def _puzzle(run_id: str, visits: Sequence[Any], path: str, pruning: bool, source: str) -> Iterator[Trace | Problem]:
    ids, parents = documents.Ids(), _parents(visits)
    nodes: list[Node] = []
    for at, visit in enumerate(visits):
        try:
            nodes.append(_node(run_id, at, visit, f"{path}[{at}]", ids, parents, pruning))
        except Malformed as error:
            yield error.problem(source, visit)
        except RecursionError:
            yield Malformed(f"{path}[{at}]", "a value is nested too deeply").problem(source, None)
    warnings = [_COUNTS, _UNKNOWN, *([] if pruning else [_UNPRUNED]), *([_AT_CAP] if len(visits) == _CAP else [])]
    again = sum("#" in node.node_id for node in nodes)
    if again:
        warnings.append(f"{again} visits repeat the moves of an earlier one; each is a node, named with #2, #3, …")
    truth = tuple(
        Truth(run_id=run_id, node_id=node.node_id, viable=True, viable_by="environment", detail="r_word is 1: every word is right")
        for node in nodes
        if node.verified
    )
    yield Trace(Run(run_id=run_id, level_by_level=False, source_format=NAME, warnings=tuple(warnings)), tuple(nodes), (), truth)


def _node(run_id: str, at: int, visit: Any, path: str, ids: documents.Ids, parents: set[tuple[str, ...]], pruning: bool) -> Node:
    if not isinstance(visit, dict):
        raise Malformed(path, f"{fields.kind_of(visit)} where a visit was expected")
    moves = fields.texts_at(visit, "actions", path)
    if not moves:
        raise Malformed(f"{path}.actions", "no move where the path from the empty board was expected")
    pruned = pruning and _flagged(visit) and moves not in parents
    expected = {"total_step": at, "env_step": len(moves)}
    known = ("actions", "count", *(key for key, value in expected.items() if visit.get(key) == value))
    judged = visit.get("count") is not None
    return Node(
        run_id=run_id,
        node_id=ids.of(" / ".join(moves)),
        parent_ids=(" / ".join(moves[:-1]),) if len(moves) > 1 else (),
        depth=len(moves) - 1,
        seq=at,
        step=moves[-1],
        state=fields.json_text(moves),
        state_key=" | ".join(sorted(moves)),
        score_raw=fields.json_text(visit["count"]) if judged else None,
        tier=Tier.JUDGE if judged else None,
        score_source=ScoreSource.MODEL if judged else None,
        fate=Fate.EXPANDED if moves in parents else Fate.PRUNED if pruned else Fate.OPEN,
        pruned_by=Stage.SURVIVED if pruned else None,
        prune_rule=RULE if pruned else None,
        verified=True if fields.number(fields.object_or_empty(visit, "info").get("r_word")) == 1 else None,
        extra=fields.extra_text(fields.without(visit, known)),
    )


def _listed(visits: object) -> list[Any]:
    return visits if isinstance(visits, list) else []


def _moves(visit: object) -> tuple[str, ...]:
    moves = fields.list_or_empty(visit, "actions")
    return tuple(moves) if all(isinstance(move, str) for move in moves) else ()


def _parents(visits: object) -> set[tuple[str, ...]]:
    """Every list of moves that another visit of the puzzle goes on from."""
    return {moves[:-1] for visit in _listed(visits) if len(moves := _moves(visit)) > 1}


def _flagged_parent(visits: object) -> bool:
    parents = _parents(visits)
    return any(_flagged(visit) and _moves(visit) in parents for visit in _listed(visits))


def _flagged(visit: object) -> bool:
    return (fields.number(fields.object_or_empty(visit, "count").get("impossible")) or 0) >= 1

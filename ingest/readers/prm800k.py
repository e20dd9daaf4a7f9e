"""PRM800K: solutions that people labelled step by step, one JSON object a line, one solution a run.

Format: what OpenAI published as PRM800K. Step k offers completions, of which one goes on; where none fitted, the labeller wrote one. Nodes
have no ids: completion j of step k is ``k.j``, the written one ``k.h``; all of them hang from the one that went on at step k - 1. A rating
is a person's word on the step, so it is truth and never a score: 1 and 0 (right, but no progress) are viable, -1 is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.errors import Problem
from ingest.readers import documents, fields
from ingest.readers.fields import Malformed
from ingest.schema import Fate, Node, Outcome, Run, Stage, StopReason, Trace, Truth
from ingest.source import Source

NAME = "prm800k"
PRODUCER = "PRM800K: solutions labelled by people, step by step"
LOOKS_FOR = "lines that are objects with labeler, question and label"
TELLS = {
    "generation": "prompts, responses and the model",
    "evaluation": "scores: the ratings are people's and stand as truth",
    "control": "yes: the labeller chose",
    "spend": "calls, tokens and cost",
    "replay": "prompts, responses and scores",
    "compare": "protocol",
}
RULE = "not chosen by the labeller"
_OUTCOMES = {"solution": Outcome.RIGHT, "found_error": Outcome.WRONG}
_NO_SCORES = "ratings are people's words on a step: they stand as truth (0 counts as viable: right, but no progress), and there are no scores"


def sniff(source: Source) -> bool:
    first = source.first_object()
    return first is not None and {"labeler", "question", "label"} <= first.keys()


def read(source: Source) -> Iterator[Trace | Problem]:
    """One Trace or one Problem a line."""
    yield from documents.run_a_line(source, lambda where, record: [_trace(source.stem, where, record)])


def _trace(stem: str, where: str, record: dict[str, Any]) -> Trace:
    run_id = f"{stem}/{where.rpartition(':')[2]}"
    label, question = fields.object_at(record, "label", "$"), fields.object_or_empty(record, "question")
    steps = fields.list_at(label, "steps", "$.label")
    nodes: list[Node] = []
    truth: list[Truth] = []
    path: list[str] = []
    above: str | None = None
    finish = label.get("finish_reason")
    for at, step in enumerate(steps):
        offered, chosen = _offered(step, f"$.label.steps[{at}]", at)
        goes_on = Fate.EXPANDED if at + 1 < len(steps) else Fate.TERMINAL if finish == "solution" else Fate.OPEN
        for place, (node_id, raw) in enumerate(offered):
            nodes.append(_node(run_id, node_id, above, place, len(nodes), raw, goes_on if node_id == chosen else Fate.PRUNED, at))
            truth += _truth(run_id, node_id, raw)
        path += [chosen] if chosen else []
        above = chosen or f"{at}.none"
    rest = fields.without(record, ("question", "label")) | fields.without(question, ("problem",)) | fields.without(label, ("steps",))
    outcome = _OUTCOMES.get(finish, Outcome.UNKNOWN) if isinstance(finish, str) else Outcome.UNKNOWN
    return Trace(
        Run(
            run_id=run_id,
            question=fields.text(question.get("problem")),
            outcome=outcome,
            outcome_by="label: finish_reason" if outcome != Outcome.UNKNOWN else None,
            stop_reason=StopReason.GOAL if finish == "solution" else None,
            selected_path=tuple(path),
            level_by_level=False,
            source_format=NAME,
            warnings=(_NO_SCORES,),
            extra=fields.extra_text(rest),
        ),
        tuple(nodes),
        (),
        tuple(truth),
    )


def _offered(step: Any, path: str, at: int) -> tuple[list[tuple[str, dict[str, Any]]], str | None]:
    """The completions of a step by id, and the id of the one that goes on."""
    if not isinstance(step, dict):
        raise Malformed(path, f"{fields.kind_of(step)} where a step was expected")
    completions = fields.list_at(step, "completions", path) if step.get("completions") is not None else []
    offered = []
    for place, raw in enumerate(completions):
        if not isinstance(raw, dict):
            raise Malformed(f"{path}.completions[{place}]", f"{fields.kind_of(raw)} where a completion was expected")
        offered.append((f"{at}.{place}", raw))
    written, chosen = step.get("human_completion"), step.get("chosen_completion")
    if isinstance(written, dict):
        offered.append((f"{at}.h", written))
    elif written is not None:
        raise Malformed(f"{path}.human_completion", f"{fields.kind_of(written)} where a completion was expected")
    if chosen is None:
        return offered, f"{at}.h" if written is not None else None
    at_place = fields.whole(chosen)
    if at_place is None or not 0 <= at_place < len(completions):
        raise Malformed(f"{path}.chosen_completion", f"{fields.json_text(chosen)} where a place among {len(completions)} completions was expected")
    return offered, f"{at}.{at_place}"


def _node(run_id: str, node_id: str, above: str | None, place: int, seq: int, raw: dict[str, Any], fate: Fate, depth: int) -> Node:
    left = fate == Fate.PRUNED
    return Node(
        run_id=run_id,
        node_id=node_id,
        parent_ids=(above,) if above is not None else (),
        depth=depth,
        request_index=place,
        seq=seq,
        decision_id=str(depth),
        step=fields.text(raw.get("text")),
        fate=fate,
        pruned_by=Stage.SURVIVED if left else None,
        prune_rule=RULE if left else None,
        extra=fields.extra_text(fields.without(raw, ("text",))),
    )


def _truth(run_id: str, node_id: str, raw: dict[str, Any]) -> list[Truth]:
    rating = fields.whole(raw.get("rating"))
    if rating not in (-1, 0, 1):
        return []
    return [Truth(run_id=run_id, node_id=node_id, viable=rating >= 0, viable_by="label", detail=f"rating {rating}")]

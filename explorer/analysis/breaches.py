"""Can the evidence of a decision be believed? Environments that leaked, judges where a check is claimed, scores that belie their own text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from explorer.analysis.competitors import Field
from explorer.analysis.ruling import Said, quoted, row
from explorer.analysis.search import Candidate, Search
from ingest.schema import ScoreSource, Tier

_STATED = re.compile(
    r"(?:score|rating|value)\s*(?:is|of|[:=])\s*(-?\d+(?:\.\d+)?)(?:\s*(?:/|out of)\s*(\d+(?:\.\d+)?))?(?![\d.]*\d)", re.IGNORECASE
)
_PLAIN = re.compile(r"\s*(-?\d+(?:\.\d+)?)(?:\s*/\s*(\d+(?:\.\d+)?))?\s*")
Stated: TypeAlias = tuple[float, float | None]
"""A number, and out of how much."""
_JUDGED = re.compile(r"^(judge|model|llm|evaluator)\b", re.IGNORECASE)


def judged_outcome(search: Search) -> bool:
    """Whether the outcome of the run rests on a judge alone, although it stands where a verified result is claimed."""
    return search.run["outcome"] in ("right", "wrong") and _JUDGED.match(search.run["outcome_by"] or "") is not None


def cut_short(search: Search, node: Candidate) -> bool:
    """Whether the log ends before it says what became of the node."""
    return search.run["ended"] is False and node.fate is None and not node.n_children


def leaks(search: Search, field: Field) -> list[dict[str, Any]]:
    """Candidates of a decision whose scores were taken in an environment that another branch had changed, one row of evidence each."""
    deciding = (field.node, *field.others)
    left_by = {one.env_checkpoint: one for one in search.nodes if one.env_checkpoint and one.action_effect == "transformational"}
    if not left_by and not any(one.resumed_from for one in deciding):
        return []
    found = []
    for one in deciding:
        parents = [search.nodes[parent] for parent in search.parents(one.preorder)]
        above = {parent.env_checkpoint for parent in parents if parent.env_checkpoint}
        changed = left_by.get(one.resumed_from or "")
        if one.resumed_from and above and one.resumed_from not in above:
            text = f"resumed from {one.resumed_from}, although its parent left {', '.join(sorted(above))}"
            found.append(row("environment", one, text=text))
        elif changed is not None and changed.preorder != one.preorder and changed not in parents:
            found.append(row("environment", one, text=f"resumed from {one.resumed_from}, which {changed.node_id} had changed"))
        elif (shared := left_by.get(one.env_checkpoint or "")) is not None and not _one_line(shared, one):
            found.append(row("environment", one, text=f"shares the environment {one.env_checkpoint} with {shared.node_id}, which had changed it"))
    return found


def claims(field: Field) -> list[dict[str, Any]]:
    """Candidates with a judge's score that stands as a verified result, one row of evidence each."""
    checked = (ScoreSource.VERIFIER, ScoreSource.ENVIRONMENT)
    found = []
    for one in (field.node, *field.others):
        by_judge = one.tier in (Tier.JUDGE, Tier.PROCESS_MODEL) and one.score_source in checked
        by_model = one.tier == Tier.ENVIRONMENT and one.score_source == ScoreSource.MODEL
        if one.score is not None and (by_judge or by_model):
            found.append(row("claim", one, text=f"tier {one.tier}, but given by {one.score_source}"))
    return found


def misparsed(search: Search, field: Field, said: Said) -> tuple[str, list[dict[str, Any]]] | None:
    """Where the node's score contradicts its evaluator's own answer: in words, and the rows; None where it does not, or cannot be seen."""
    node = field.node
    stated = belied(search, node, said)
    if stated is None or node.score is None:
        return None
    stating = [(one, value) for one in field.scored if (value := _stated_of(search, one, said)) is not None]
    belying = [(one, value) for one, value in stating if _contradicts(one, value)]
    swapped = [(one, value) for one, value in belying if one.score == stated[0]]
    if stating and len(belying) == len(stating) and not swapped:
        return None  # no answer in this decision agrees with its score: the scale was changed on purpose
    words = f"the evaluator of {quoted(node)} said {stated[0]:g}, and {node.score:g} was recorded"
    if swapped:
        words += f"; its score stands on {quoted(swapped[0][0])}: the scores are on the wrong siblings"
    shown = [(node, stated), *swapped]
    return words, [row("evaluator's answer", one, stated=value[0], text=_response(said, one)) for one, value in shown]


def belied(search: Search, node: Candidate, said: Said) -> Stated | None:
    """What the evaluator's answer states where the node's score is something else; None where they agree or nothing is stated."""
    stated = _stated_of(search, node, said)
    return stated if stated is not None and node.score is not None and _contradicts(node, stated) else None


def stated_score(calls: Sequence[Mapping[str, Any]], protocol: str | None) -> Stated | None:
    """The score that the one answer of an evaluator states in so many words, and out of how much; None where it states none, or several.

    A number stands alone or after "score", "rating" or "value"; a word is one of the protocol's ``label_values``.
    """
    answers = [call["response"] for call in calls if call["role"] == "evaluator" and call["response"] and not call["error"]]
    if len(answers) != 1:
        return None
    alone = _PLAIN.fullmatch(answers[0])
    found = [alone] if alone else list(_STATED.finditer(answers[0]))
    if len(found) == 1:
        return float(found[0][1]), float(found[0][2]) if found[0][2] else None
    return _label(answers[0], protocol) if not found else None


def _stated_of(search: Search, node: Candidate, said: Said) -> Stated | None:
    return stated_score(said.evaluations.get(node.preorder, ()), search.run["protocol"])


def _label(answer: str, protocol: str | None) -> tuple[float, None] | None:
    settings = json.loads(protocol) if protocol else {}
    labels = settings.get("label_values") if isinstance(settings, dict) else None
    if not isinstance(labels, dict):
        return None
    named = [value for word, value in labels.items() if re.search(rf"\b{re.escape(word)}\b", answer, re.IGNORECASE)]
    return (float(named[0]), None) if len(named) == 1 and isinstance(named[0], (int, float)) else None


def _contradicts(node: Candidate, stated: Stated) -> bool:
    """Whether a score is none of the ways in which the stated number is usually written down."""
    value, out_of = stated
    readings = {value, -value, value / 10, value / 100, *({value / out_of} if out_of else ())}
    return node.score is not None and all(abs(node.score - reading) > 1e-9 for reading in readings)


def _response(said: Said, node: Candidate) -> str | None:
    return next((call["response"] for call in said.evaluations.get(node.preorder, ()) if call["role"] == "evaluator"), None)


def _one_line(one: Candidate, other: Candidate) -> bool:
    """Whether one lies above the other in the tree, or they are the same."""
    first, second = sorted((one, other), key=lambda node: node.preorder)
    return second.preorder < first.preorder + first.subtree_size

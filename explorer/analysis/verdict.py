"""How does a verdict on one run read? The ruling on the loss that got furthest, as a record and as one sentence that can be quoted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from explorer.analysis import breaches, stages
from explorer.analysis.competitors import field_of, final_field
from explorer.analysis.known import Known
from explorer.analysis.ruling import Kind, Ruling, Said, row, unknown
from explorer.analysis.scores import score_text
from explorer.analysis.search import Search
from explorer.analysis.stages import Loss
from explorer.analysis.verdict_table import rule
from ingest.schema import Fate, Stage

INVALID_LABELS = "invalid_labels"
"""Mechanism of a run whose own stage labels violate the order of the stages."""
MOST_ALSO_LOST = 100
"""Further losses that are listed one by one."""
_ALSO = ("node_id", "depth", "lost_at", "verdict", "mechanism", "step", "score", "text")
_SETTLES = "truth of a node: an oracle, a label, a known-good route or a reviewer's mark"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Where the right path of one run was lost, and what says so. The fields are those of ``why --json``, and three for the suite."""

    run_id: str
    outcome: str
    """As logged: right | wrong | unknown."""
    verdict: Kind
    lost_at: str | None
    """The first stage that failed; None where nothing was lost or it cannot be told."""
    mechanism: str | None
    node_id: str | None
    """The node that was lost; for ``not_proposed`` the parent that was expanded."""
    depth: int | None
    """The depth at which the path was lost; for ``not_proposed`` that of the missing child."""
    confidence: str | None
    """established | likely; None for cannot_tell and none."""
    sentence: str
    evidence: tuple[dict[str, Any], ...]
    missing: tuple[str, ...]
    also_lost: tuple[dict[str, Any], ...]
    flags: dict[str, bool | None]
    """The seven stages, monotone; None where it is not known."""
    task_id: str | None = None
    fingerprint: str | None = None
    conflicts: tuple[dict[str, Any], ...] = ()
    """Nodes about which sources disagree, with all that they say."""

    def document(self) -> dict[str, Any]:
        """As ``why --json`` prints it."""
        return asdict(self)


def outcome_of(known: Known) -> str:
    """Whether the run ended right: as checked, else as the truth about its selected answer has it.

    A wrong answer may also follow from a known-good route: then the answer is not the one that the route leads to.
    """
    run = known.search.run
    if run["outcome"] in ("right", "wrong") and not breaches.judged_outcome(known.search):
        return str(run["outcome"])
    if stages.reached_the_answer(known):
        return "right"
    selected = known.search.selected
    if known.matches:
        return "wrong"
    if not selected:
        return "unknown"
    believed = known.beliefs.viable(selected[-1])
    return "unknown" if believed is None else "wrong"


def verdict(known: Known, lost: Sequence[Loss], said: Said) -> Verdict:
    """The verdict on a run whose losses are known. Pure."""
    outcome = outcome_of(known)
    if outcome == "right":
        return _nothing_lost(known)
    if outcome == "unknown":
        return _cannot_tell(known, _no_outcome(known))
    if not lost:
        return _cannot_tell(known, _no_truth(known), Stage.REACHABLE if stages.unsolvable(known) else None)
    return _lost(known, lost, said)


def _lost(known: Known, lost: Sequence[Loss], said: Said) -> Verdict:
    first, ruling = lost[0], rule(known, lost[0], said)
    node = known.search.nodes[first.node] if first.node is not None else None
    unsure = first.doubt is not None or (first.stage == Stage.GENERATED and ruling.verdict == "cannot_tell")
    where = f"the right path was lost at depth {first.depth} by {ruling.verdict}" if ruling.verdict != "cannot_tell" else "it cannot be told"
    sentence = f"{_opening(known)} {where[0].upper()}{where[1:]}: {ruling.words}. ({_footing(known, ruling)})"
    return _verdict(
        known, ruling, sentence, None if unsure else first.stage, node.node_id if node else None, first.depth,
        flags=stages.flags(first.stage, unsure), also_lost=_also_lost(known, lost[1:], said),
    )  # fmt: skip


def _nothing_lost(known: Known) -> Verdict:
    rows = margins(known.search)
    closest = min((one for one in rows if one["margin"] is not None), key=lambda one: one["margin"], default=None)
    words = "no cut was recorded on its way" if closest is None else f"the closest call was at depth {closest['depth']}: {_margin_words(closest)}"
    ruling = Ruling("none", None, words, None, tuple(rows))
    return _verdict(known, ruling, f"Run {_short(known.search)} is right, and nothing was lost: {words}.", None, None, None, stages.flags(None))


def _cannot_tell(known: Known, ruling: Ruling, lost_at: Stage | None = None) -> Verdict:
    labels = stages.imported(known.search.run["stage_labels"])
    if labels is not None and lost_at is None:
        return _by_labels(known, ruling, labels)
    sentence = f"{_opening(known)} It cannot be told where the right path was lost: {ruling.words}."
    return _verdict(known, ruling, sentence, lost_at, None, None, stages.flags(lost_at) if lost_at else stages.unknown_flags() | _root_only(known))


def _by_labels(known: Known, ruling: Ruling, labels: dict[str, Any]) -> Verdict:
    """Where no node tells, the stage labels that the log brings with it name the stage, if they are in order; seldom whose fault it was."""
    said = {"what": "stage labels", **labels}
    if (wrong := stages.wrong_order(labels)) is not None:
        words = f"its stage labels contradict each other: {wrong[0]} holds although {wrong[1]} does not"
        broken = unknown(words, ["stage labels in order"], [said], INVALID_LABELS)
        return _verdict(known, broken, f"{_opening(known)} {words[0].upper()}{words[1:]}.", None, None, None, stages.unknown_flags())
    lost_at = next((stage for stage in stages.STAGES if labels.get(stage) is False), None)
    kinds: dict[Stage, Kind] = {Stage.GENERATED: "generation", Stage.DISTINCT: "control"}
    kind = kinds.get(lost_at, "cannot_tell") if lost_at else "none" if len(labels) == len(stages.STAGES) else "cannot_tell"
    words = f"by the stage labels of the log it was lost at {lost_at}" if lost_at else "by the stage labels of the log nothing was lost"
    told = Ruling(kind, None, words, "likely" if kind in ("generation", "control") else None, (said,), ruling.missing)
    return _verdict(known, told, f"{_opening(known)} {words[0].upper()}{words[1:]}.", lost_at, None, None, stages.unknown_flags() | labels)


def _verdict(
    known: Known, ruling: Ruling, sentence: str, lost_at: Stage | None, node_id: str | None, depth: int | None, flags: dict[str, bool | None],
    also_lost: tuple[dict[str, Any], ...] = (),
) -> Verdict:  # fmt: skip
    run = known.search.run
    return Verdict(
        run_id=run["run_id"], outcome=run["outcome"], verdict=ruling.verdict, lost_at=lost_at, mechanism=ruling.mechanism, node_id=node_id,
        depth=depth, confidence=ruling.confidence, sentence=sentence, evidence=ruling.evidence, missing=ruling.missing, also_lost=also_lost,
        flags=flags, task_id=run["task_id"], fingerprint=run["fingerprint"], conflicts=_conflicts(known),
    )  # fmt: skip


def margins(search: Search) -> list[dict[str, Any]]:
    """For each node of the selected path that was ranked with candidates that were cut, or with other finished ones: by how much it survived."""
    rows = []
    for i in search.selected or ():
        node, field = search.nodes[i], field_of(search, i)
        rivals = [other for other in field.scored if not other.kept]
        if node.fate == Fate.TERMINAL:
            rivals += [other for other in final_field(search, i).scored if other not in rivals]
        best = max(rivals, key=lambda other: other.score or 0.0, default=None)
        if best is None:
            continue
        margin = node.score - best.score if node.score is not None and best.score is not None else None
        tied = sum(other.score == node.score for other in rivals)
        rows.append(row("margin", node, margin=margin, best_rejected=best.node_id, best_rejected_score=best.score, tied=tied, basis=field.basis))
    return rows


def _margin_words(one: dict[str, Any]) -> str:
    if one["margin"] == 0:
        return f"scored {score_text(one['score'])}, as did {one['tied']} that were not followed; the order decided"
    than = "above" if one["margin"] > 0 else "below"
    return f"scored {score_text(one['score'])}, {score_text(abs(one['margin']))} {than} the best one that was not followed"


def _no_outcome(known: Known) -> Ruling:
    if breaches.judged_outcome(known.search):
        run = known.search.run
        claim = {"what": "claim", "outcome": run["outcome"], "outcome_by": run["outcome_by"]}
        words = f"its outcome rests on a judge alone ({run['outcome_by']}) where a verified result is claimed"
        return unknown(words, ["a checked outcome"], [claim], "void")
    missing = ["outcome"] if any(True for _ in known.viable_nodes()) else ["outcome", _SETTLES]
    if known.search.run["ended"] is False:
        return unknown("the log ends before the run does, without an answer", ["the end of the log", *missing], mechanism="void")
    return unknown("the log does not say whether its answer is right", missing)


def _no_truth(known: Known) -> Ruling:
    if stages.unsolvable(known):
        by = known.beliefs.of[known.search.roots[0]]
        return unknown(f"by {_source(by.viable_by, by.detail)}, no right answer can be reached from its root", ["a task that can be solved"])
    if any(True for _ in known.viable_nodes()):
        return unknown("what is known of its nodes and its outcome contradict each other", ["truth that agrees with the outcome"])
    return unknown("of no node is it known that a right answer can be reached from it", [_SETTLES])


def _opening(known: Known) -> str:
    run = known.search.run
    name = f"Run {_short(known.search)}"
    if run["outcome"] == "wrong":
        return f"{name} is wrong."
    if outcome_of(known) == "wrong":
        partial = " and its answer is only the best so far" if run["complete"] is False else ""
        route = "the known-good route" if known.matches else "what is known of its nodes"
        return f"{name} has no recorded outcome{partial}; measured against {route}, it did not reach a right answer."
    return f"{name} has no outcome that counts."


def _short(search: Search) -> str:
    run_id: str = search.run["run_id"]
    question: str | None = search.run["question"]
    name = run_id.rsplit("/", 1)[-1] or run_id
    if not question:
        return name
    text = " ".join(question.split())
    return f"{name} ({text})" if len(text) <= 80 else f"{name} ({text[:79]}…)"


def _footing(known: Known, ruling: Ruling) -> str:
    sources = sorted({_source(b.viable_by, b.detail) for b in known.beliefs.of.values() if b.viable})
    shown = "; ".join(sources[:3]) + ("; …" if len(sources) > 3 else "")
    return f"truth: {shown}" + (f"; {ruling.basis}" if ruling.basis else "")


def _source(viable_by: str, detail: str | None) -> str:
    return f"{viable_by} {detail}" if detail else viable_by


def _also_lost(known: Known, lost: Sequence[Loss], said: Said) -> tuple[dict[str, Any], ...]:
    shown = [_also(known, loss, said) for loss in lost[:MOST_ALSO_LOST]]
    if more := len(lost) - len(shown):
        shown.append(dict.fromkeys(_ALSO) | {"text": f"{more} more, not as far"})
    return tuple(shown)


def _also(known: Known, loss: Loss, said: Said) -> dict[str, Any]:
    ruling = rule(known, loss, said)
    node = known.search.nodes[loss.node] if loss.node is not None else None
    return {
        "node_id": node.node_id if node else None, "depth": loss.depth, "lost_at": str(loss.stage), "verdict": ruling.verdict,
        "mechanism": ruling.mechanism, "step": node.step if node else None, "score": node.score if node else None, "text": ruling.words,
    }  # fmt: skip


def _conflicts(known: Known) -> tuple[dict[str, Any], ...]:
    found = []
    for conflict in known.beliefs.conflicts:
        said = [{"viable": one.viable, "viable_by": one.viable_by, "detail": one.detail} for one in conflict.statements]
        found.append({"node_id": known.search.nodes[conflict.node].node_id, "viable": known.beliefs.viable(conflict.node), "said": said})
    return tuple(found)


def _root_only(known: Known) -> dict[str, bool | None]:
    """What is known of the first stage, where nothing else is."""
    viable = any(known.beliefs.viable(i) for i in known.search.roots)
    return {str(Stage.REACHABLE): True if viable else False if stages.unsolvable(known) else None}



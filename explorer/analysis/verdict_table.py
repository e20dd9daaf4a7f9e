"""Which row of the verdict table applies to a loss? One function a stage; breaches of the evidence come first."""

from __future__ import annotations

import json
import math
from typing import Any

from explorer.analysis import breaches
from explorer.analysis.competitors import BASIS_WORDS, Field, expanded_instead, field_of, final_field, incomparable, recorded_rank
from explorer.analysis.known import Known, differences, representative
from explorer.analysis.proposing import rule_generated
from explorer.analysis.ruling import ESTABLISHED, LIKELY, Kind, Ruling, Said, cap_words, quoted, row, unknown
from explorer.analysis.scores import score_text
from explorer.analysis.search import Candidate
from explorer.analysis.stages import Loss, removed_by_check
from explorer.wording import CAPS
from ingest.schema import Stage

PROPOSED = "not generation: it was proposed"


def rule(known: Known, loss: Loss, said: Said) -> Ruling:
    """The row that applies. Pure: the same log, truth and answers give the same ruling."""
    if loss.stage == Stage.GENERATED or loss.node is None:
        return rule_generated(known, loss, said)
    node = known.search.nodes[loss.node]
    if breaches.cut_short(known.search, node) or (known.search.run["ended"] is False and loss.stage in (Stage.COMPLETED, Stage.VERIFIED)):
        words = f"the log ends before it says what became of {quoted(node)} ({PROPOSED})"
        return unknown(words, ["the end of the log"], [row("log ends", node)], "void")
    if loss.doubt:
        words = f"{quoted(node)} was proposed, and the log does not record whether it was pruned ({PROPOSED})"
        return unknown(words, [loss.doubt], [row("lost", node)])
    if loss.stage == Stage.DISTINCT:
        return _distinct(known, loss.node)
    if loss.stage == Stage.EVALUATED:
        return _evaluated(known, node, said)
    return _compared(known, loss, said)


def field_for(known: Known, loss: Loss) -> Field | None:
    """The candidates that a ruling on this loss compares; None where it compares none."""
    if loss.node is None or loss.stage in (Stage.GENERATED, Stage.DISTINCT, Stage.EVALUATED):
        return None
    if loss.stage == Stage.VERIFIED:
        return final_field(known.search, loss.node)
    return field_of(known.search, loss.node)


def _distinct(known: Known, i: int) -> Ruling:
    search, node = known.search, known.search.nodes[i]
    other = representative(search, i)
    reason = node.prune_reason or node.prune_rule
    lost = row("lost", node, state_key=node.state_key, text=reason)
    if other is None or other == i:
        words = f"{quoted(node)} was proposed and dropped as a duplicate, and no viable copy was kept"
        return Ruling("control", "deduplication", words, ESTABLISHED, (lost,))
    stands = search.nodes[other]
    differ = differences(known.states.get(i), known.states.get(other))
    evidence = (lost, row("stands for it", stands, state_key=stands.state_key, state_difference=differ))
    if known.beliefs.viable(other) is None and not differ:
        what = "whether the node that stands for it is viable" + ("" if differ == [] else ", or the states of both")
        words = f"{quoted(node)} was proposed and merged into {quoted(stands)}, about which nothing is known ({PROPOSED})"
        return unknown(words, [what], evidence)
    words = f"{quoted(node)} was proposed{_scored(node)} and dropped as equal to {quoted(stands)}{_scored(stands)}, which is not viable"
    if known.beliefs.viable(other) is None:
        words = words.removesuffix(", which is not viable")
    if differ:
        words += f"; under one state key their states differ in {', '.join(differ)}"
    return Ruling("control", "deduplication", words, ESTABLISHED, evidence)


def _evaluated(known: Known, node: Candidate, said: Said) -> Ruling:
    calls = [call for call in said.evaluations.get(node.preorder, ()) if call["role"] == "evaluator"]
    remarks = json.loads(node.remarks) if node.remarks else {}
    ruled = remarks.get("unscored_because") if isinstance(remarks, dict) else None
    errors = [str(call["error"]) for call in calls if call["error"]] or ([node.error] if node.error else [])
    answers = [call["response"] for call in calls if call["response"]]
    evidence = (row("lost", node, score_raw=node.score_raw), *(row("evaluator's answer", node, error=c["error"], text=c["response"]) for c in calls))
    if errors:
        words = f"{quoted(node)} was proposed and has no usable score: the evaluator failed ({'; '.join(dict.fromkeys((*errors, *answers)))[:200]})"
        return Ruling("evaluation", "unscored", words, ESTABLISHED, evidence)
    if not ruled and (refused := _refused(known, node)) is not None:
        return unknown(f"{quoted(node)} was proposed, and {refused} ({PROPOSED})", ["a score that can be compared"], evidence, "unscored")
    if not ruled and (answers or node.score_raw is not None):
        shown = node.score_raw if node.score_raw is not None else answers[0]
        words = f"{quoted(node)} was proposed and has no usable score: the evaluator's answer could not be read ({str(shown)[:120]!r})"
        return Ruling("evaluation", "unscored", words, ESTABLISHED, evidence)
    stop = known.search.run["stop_reason"]
    if ruled is None and stop in CAPS:
        words = f"{quoted(node)} was proposed, and a cap fired before it was scored: {cap_words(known.search)} ({PROPOSED})"
        return unknown(words, ["what it would have scored"], evidence, "cap")
    why = f"; the log says: {ruled}" if ruled else ""
    return unknown(f"{quoted(node)} was proposed and never scored{why} ({PROPOSED})", ["what it would have scored"], evidence, "unscored")


def _refused(known: Known, node: Candidate) -> str | None:
    """Why a number that the log holds is no score, in words: its reader could not tell what it means. None where the log holds no number."""
    try:
        value = float(node.score_raw) if node.score_raw is not None else math.nan
    except ValueError:
        return None
    if not math.isfinite(value):
        return None
    reasons = [text for text in known.search.run["warnings"] or () if "score" in text or "direction" in text]
    return f"its logged score of {node.score_raw} counts for nothing" + (f": {reasons[0]}" if reasons else "")


def _compared(known: Known, loss: Loss, said: Said) -> Ruling:
    """Survived, completed, verified: rows that compare the node with its competitors, unless the evidence is void."""
    field = field_for(known, loss)
    assert field is not None
    search, node = known.search, field.node
    broken = breaches.leaks(search, field) + (breaches.claims(field) if loss.stage == Stage.VERIFIED or node.fate == "terminal" else [])
    if broken:
        words = f"the evidence that decided about {quoted(node)} is void: {broken[0]['node_id']} {broken[0]['text']} ({PROPOSED})"
        return unknown(words, ["scores that count"], [row("lost", node), *broken], "void")
    if loss.stage in (Stage.SURVIVED, Stage.COMPLETED) and (wrong := breaches.misparsed(search, field, said)):
        return Ruling("evaluation", "misparsed", wrong[0], ESTABLISHED, (*wrong[1], *_rows(field)), (), BASIS_WORDS[field.basis])
    if loss.stage == Stage.SURVIVED:
        return _survived(known, field)
    return _completed(known, loss) if loss.stage == Stage.COMPLETED else _verified(known, field)


def _survived(known: Known, field: Field) -> Ruling:
    node, worst = field.node, field.worst_kept
    check = removed_by_check(node)
    reason = node.prune_reason or node.prune_rule or "no reason recorded"
    if check == "constraint":
        words = f"{quoted(node)} was proposed and blocked by a check that was wrong about it ({reason})"
        return Ruling("evaluation", "blocked", words, ESTABLISHED, (row("lost", node, violations=node.violations, text=reason),))
    if check == "boundary":
        words = f"{quoted(node)} was proposed and rejected at the action boundary ({reason})"
        return Ruling("control", "boundary", words, ESTABLISHED, (row("lost", node, text=reason),))
    if (unlike := _unlike(field)) is not None:
        return unlike
    if node.score is None or worst is None or worst.score is None:
        return _nothing_kept(known, field, reason)
    if node.score < worst.score:
        words = f"{quoted(node)} was proposed{_with(node)}, below {score_text(worst.score)} of {_worst(field)}; rank {_rank(field)}"
        return _by(field, "evaluation", "underscored", words)
    if node.score > worst.score:
        words = f"{quoted(node)} was proposed{_with(node)}, above {score_text(worst.score)} of {_worst(field)}, and was pruned ({reason})"
        return _by(field, "control", "pruning", words)
    tied = field.tied_kept + field.tied_cut
    words = f"{quoted(node)} was proposed{_with(node)}, equal to {_worst(field)}; "
    if field.all_alike:
        return _by(field, "evaluation", "not_discriminating", words + f"all {tied} scored candidates have that score, and the order decided")
    of = f"{tied} of the {len(field.others) + 1} candidates scored {score_text(node.score)}"
    words += f"{of} ({field.tied_kept} kept, {field.tied_cut} cut) and the order decided"
    return _by(field, "control", "tie_order", words)


def _nothing_kept(known: Known, field: Field, reason: str) -> Ruling:
    """Pruned with no scored competitor kept: a threshold speaks for itself, everything else needs the rule."""
    node = field.node
    settings = json.loads(known.search.run["protocol"] or "{}")
    limits = [settings.get(name) for name in ("prune_threshold", "threshold")] if isinstance(settings, dict) else []
    threshold = next((float(value) for value in limits if isinstance(value, (int, float)) and not isinstance(value, bool)), None)
    if node.score is not None and threshold is not None and node.score < threshold:
        words = f"{quoted(node)} was proposed{_with(node)}, below the threshold of {score_text(threshold)}"
        return Ruling("evaluation", "underscored", words, ESTABLISHED, _rows(field))
    if node.score is not None and node.prune_rule is not None:
        words = f"{quoted(node)} was proposed, scored {score_text(node.score)} and pruned although nothing was kept in its place ({reason})"
        return _by(field, "control", "pruning", words)
    what = "a score" if node.score is None else "prune_rule, or scores of the candidates that were kept"
    words = f"{quoted(node)} was proposed and pruned, and the log holds nothing to compare it with ({PROPOSED})"
    return unknown(words, [what], _rows(field))


def _completed(known: Known, loss: Loss) -> Ruling:
    assert loss.node is not None
    instead, missing = expanded_instead(known.search, loss.node)
    node = instead.node
    scored = [other for other in instead.others if other.score is not None]
    if not instead.others:
        if missing:
            words = f"{quoted(node)} was left open, and the log does not record what was expanded after it ({PROPOSED})"
            return unknown(words, [missing], _rows(instead))
        return _terminated(known, node)
    if (unlike := _unlike(instead)) is not None:
        return unlike
    if node.score is None or len(scored) < len(instead.others):
        words = f"{quoted(node)} was left open; what was expanded instead has no scores to compare ({PROPOSED})"
        return unknown(words, ["score"], _rows(instead))
    not_better = [other for other in scored if other.score is not None and other.score <= node.score]
    if not not_better:
        lowest = min(other.score for other in scored if other.score is not None)
        never = f"{quoted(node)} scored {score_text(node.score)} and was never expanded"
        words = f"{never}: all {len(scored)} expanded instead scored {score_text(lowest)} or more"
        return _by(instead, "evaluation", "underscored", words)
    worst = min(not_better, key=lambda other: (other.score or 0.0, other.step or ""))
    than = "equal to it" if worst.score == node.score else "less"
    words = f"{quoted(node)} scored {score_text(node.score)} and was never expanded: {quoted(worst)} was, with {score_text(worst.score)}, {than}"
    return _by(instead, "control", "allocation", words)


def _terminated(known: Known, node: Candidate) -> Ruling:
    stop = known.search.run["stop_reason"]
    fired = f"the cap {cap_words(known.search)} fired" if stop in CAPS else f"the run stopped: {stop or 'stop reason not recorded'}"
    partial = "; the answer is the best so far, not a finished one" if known.search.run["complete"] is False else ""
    words = f"{quoted(node)} scored {score_text(node.score)} and was still open when {fired}{partial}"
    budgets = {name: limit for name, limit in known.search.run["budgets"].items() if limit is not None}
    evidence = (row("lost", node), {"what": "stop", "stop_reason": stop, "complete": known.search.run["complete"], "budgets": budgets})
    return Ruling("control", "termination", words, ESTABLISHED if stop else LIKELY, evidence, () if stop else ("stop_reason",))


def _verified(known: Known, field: Field) -> Ruling:
    search, node = known.search, field.node
    if not search.selected:
        words = f"{quoted(node)} is right and finished, and the log does not record what was selected ({PROPOSED})"
        return unknown(words, ["selected_path"], _rows(field))
    chosen = search.nodes[search.selected[-1]]
    if (unlike := _unlike(field)) is not None:
        return unlike
    scores = f"{quoted(node)} is right and finished{_scored(node)}; {quoted(chosen)} was selected{_scored(chosen)}"
    evidence = (row("selected", chosen), *_rows(field))
    if field.all_alike:
        words = f"{scores}; all {len(field.scored) + 1} finished candidates have that score"
        return _by(field, "evaluation", "not_discriminating", words, evidence)
    if node.score is None or chosen.score is None:
        return _by(field, "control", "selection", scores, evidence)
    if chosen.score > node.score:
        return _by(field, "evaluation", "underscored", scores, evidence)
    if chosen.score == node.score:
        return _by(field, "control", "tie_order", f"{scores}: equal scores, and the order decided", evidence)
    return _by(field, "control", "selection", scores, evidence)


def _unlike(field: Field) -> Ruling | None:
    """A comparison that does not count, because the scores are not on one scale; a rank in the log decides it all the same."""
    unlike = incomparable(field)
    if not unlike:
        return None
    own, ranks = recorded_rank(field.node), [recorded_rank(other) for other in field.kept]
    if own is not None and ranks and None not in ranks:
        worst = max(rank for rank in ranks if rank is not None)
        words = f"{quoted(field.node)} was ranked {own:g} by the log, and the worst one kept {worst:g}"
        return _by(field, "evaluation", "underscored", words) if own > worst else _by(field, "control", "pruning", words)
    words = f"{quoted(field.node)} was proposed{_scored(field.node)}; the scores are not comparable ({'; '.join(unlike)}) ({PROPOSED})"
    return unknown(words, ["scores of one evaluator and tier, or the rank"], _rows(field))


def _by(field: Field, verdict: Kind, mechanism: str, words: str, evidence: tuple[dict[str, Any], ...] | None = None) -> Ruling:
    confidence = ESTABLISHED if field.recorded else LIKELY
    return Ruling(verdict, mechanism, words, confidence, evidence or _rows(field), (), BASIS_WORDS[field.basis])


def _rows(field: Field) -> tuple[dict[str, Any], ...]:
    """The node, the worst competitor kept, and the cut between them."""
    worst = field.worst_kept
    cut = {
        "what": "cut", "basis": field.basis, "candidates": len(field.others) + 1, "scored": len(field.scored) + (field.node.score is not None),
        "kept": sum(other.kept for other in field.others), "cut_off": worst.score if worst else None, "rank": field.rank,
        "tied_kept": field.tied_kept, "tied_cut": field.tied_cut, "rule": field.node.prune_rule,
    }  # fmt: skip
    return (row("lost", field.node, rank=field.rank), *([row("worst kept", worst)] if worst else []), cut)


def _worst(field: Field) -> str:
    kept = sum(other.kept for other in field.others)
    return f"the worst of the {kept} kept" if kept > 1 else "the one kept"


def _rank(field: Field) -> str:
    return f"{field.rank} of {len(field.scored) + 1}"


def _with(node: Candidate) -> str:
    return f" and scored {score_text(node.score)}"


def _scored(node: Candidate) -> str:
    return f" (scored {score_text(node.score)})" if node.score is not None else ""

"""Was the right next step never proposed, or does the log only not show it?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from explorer.analysis.known import Known
from explorer.analysis.ruling import ESTABLISHED, LIKELY, Ruling, Said, quoted, row, unknown
from explorer.analysis.search import Candidate
from explorer.analysis.stages import Loss
from ingest.schema import StopReason

_LISTED = 20
"""Children that are listed as evidence, or as lacking a label."""


def rule_generated(known: Known, loss: Loss, said: Said) -> Ruling:
    """Generation where truth is complete at the parent and the log holds every proposal; else what is missing to say so."""
    if loss.node is None:
        return unknown("no node of the run is a root", ["the root"])
    parent = known.search.nodes[loss.node]
    children = [known.search.nodes[i] for i in known.search.children(loss.node)]
    evidence = (row("parent", parent, proposals=len(children)), *(_child(known, child) for child in children[:_LISTED]))
    if loss.doubt:
        unlabelled = [known.search.nodes[i] for i in known.open_children(loss.node)]
        names = [f"truth of {child.node_id}" for child in unlabelled[:_LISTED]] + (["…"] if len(unlabelled) > _LISTED else [])
        words = f"{quoted(parent)} is viable and was expanded; whether one of its {len(children)} children is right is not known"
        return unknown(words, names, evidence)
    if (gone := _not_kept(known, loss.node, children)) is not None:
        return unknown(gone, ["step or state_key of every proposal"], evidence)
    lacking, unsure = _log_gaps(known, loss.node, children, said)
    if lacking:
        words = f"{quoted(parent)} is viable and was expanded; none of its {len(children)} recorded children is right, but {lacking[0]}"
        return unknown(words, lacking, evidence)
    mentions = tuple({"what": "mention", **mention} for mention in said.mentions)
    words = f"none of the {len(children)} proposals at {quoted(parent)} leads to a right answer"
    if len(children) == 1:
        words = f"the one proposal at {quoted(parent)} leads to no right answer"
    words += _wanted(known, loss.node)
    if mentions:
        words += f"; its words occur in {len(mentions)} answer{'s' if len(mentions) > 1 else ''}, which is no proposal"
    return Ruling("generation", "not_proposed", words, LIKELY if unsure else ESTABLISHED, (*evidence, *mentions), tuple(unsure))


def missing_step(known: Known, i: int) -> str | None:
    """The text of the step that a known-good route has here and no child is; None where no route ends here."""
    return next((match.rest[0].get("step") for match in known.matches if i in match.last and match.rest), None)


def _wanted(known: Known, i: int) -> str:
    step = missing_step(known, i)
    return f': "{" ".join(step.split())[:120]}" was never proposed there' if step else ""


def _not_kept(known: Known, i: int, children: list[Candidate]) -> str | None:
    """Where a known-good route ends at children whose texts were not kept, in words; truth that was given node by node needs no texts."""
    unreadable = sorted({child for match in known.matches if i in match.last and match.rest for child in match.unreadable})
    if not unreadable or not known.open_children(i):
        return None
    of = f"{len(unreadable)} of the {len(children)}" if len(unreadable) < len(children) else f"the {len(children)}"
    depth = known.search.nodes[unreadable[0]].depth
    return f"the known-good route cannot be followed: the steps of {of} nodes at depth {depth} were not kept"


def _log_gaps(known: Known, i: int, children: list[Candidate], said: Said) -> tuple[list[str], list[str]]:
    """What the log lacks of this expansion: what makes it impossible to say, and what only makes it less than sure."""
    run, lacking, unsure = known.search.run, [], []
    if run["ended"] is False:
        lacking.append("the end of the log is missing")
    indices = [child.request_index for child in children if known.search.nodes[i].preorder == child.parent_preorder]
    recorded = sorted(index for index in indices if index is not None)
    first = recorded[0] if recorded and recorded[0] in (0, 1) else 0
    gaps = sorted(set(range(first, recorded[-1] + 1)) - set(recorded)) if recorded else []
    if gaps:
        lacking.append(f"proposals {', '.join(map(str, gaps[:5]))} are not in the log (request_index)")
    held = _proposed(said.proposals.get(i, ()))
    if held is not None and held > len(children):
        lacking.append(f"the proposer's answer holds {held} proposals and the log {len(children)}")
    if not children:
        unsure.append("children of the node that was expanded")
    elif len(recorded) < len(indices):
        unsure.append("request_index")
    if run["stop_reason"] == StopReason.MAX_NODES and _latest(children) in (_latest(known.search.nodes), None):
        unsure.append("how many proposals were asked for: the cap on nodes fired at this expansion")
    if children and all(child.step is None and child.state_key is None for child in children):
        unsure.append("step or state_key")
    return lacking, unsure


def _latest(nodes: Sequence[Candidate]) -> int | None:
    """The last place in the order of creation; None where it is not recorded."""
    return max((node.seq for node in nodes if node.seq is not None), default=None)


def _proposed(calls: Any) -> int | None:
    """Proposals that were read out of the proposer's answers; None where that was not recorded."""
    counts = []
    for call in calls:
        try:
            parsed = json.loads(call["parsed"]) if call["parsed"] else None
        except ValueError:
            parsed = None
        if isinstance(parsed, list):
            counts.append(len(parsed))
    return sum(counts) if counts else None


def _child(known: Known, child: Candidate) -> dict[str, Any]:
    belief = known.beliefs.of.get(child.preorder)
    return row("proposal", child, viable=belief.viable if belief else None, viable_by=belief.viable_by if belief else None)

"""Who works on an incident in the recorded samples? A proposer, a judge and a counter of evidence, with stated faults; no model is asked.

The proposer names what was changed last four times as readily as anything else, and says the same thing in two ways without noticing.
The judge believes what it proposed: it likes the part that was changed last, whatever was observed. The counter of evidence mixes the
judge's promise, one part, with what the looks showed, three parts. A remedy is rehearsed in a copy of the shop, which is dear.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from explorer.replay.node import Evaluated, Expanded, Proposal, SearchNode, Spend
from sample_traces.record.arithmetic import bill
from sample_traces.record.clock import Clock
from sample_traces.record.incident import LOOKS, PARTS, TROUBLES, Incident, State
from sample_traces.record.plan import Plan
from sample_traces.record.players import Answer, chance

LOOK_COST, LOOK_MS = 0.0003, 400.0
REHEARSAL_COST, REHEARSAL_MS = 0.01, 60_000.0
"""Made-up US dollars and simulated times."""
MOST = 8
"""Proposals in one answer, at most."""


@dataclass(frozen=True, slots=True)
class Routes:
    """Proposes the next steps, and takes the looks: each in a world of its own, because looking changes nothing."""

    plan: Plan
    incident: Incident
    seed: int
    clock: Clock

    def root(self) -> Proposal:
        """The alarm."""
        return _proposal(None, State(), {})

    def most(self, node: SearchNode, width: int) -> Spend:
        return self.plan.most(0)

    def expand(self, node: SearchNode, width: int) -> Expanded:
        asked_for = min(width, MOST)
        prompt = f"{self.incident.question}\nKnown: {node.state.key}\nGive up to {asked_for} next steps, one a line."
        drawn = sorted(self._steps(node.state), key=lambda one: chance(self.seed, prompt, one[1]) ** (1 / one[0]), reverse=True)[:asked_for]
        steps = [step for _, step, _, _ in drawn]
        call = bill(Answer(prompt, "\n".join(f"{at}. {step}" for at, step in enumerate(steps, start=1))), self.clock) | {
            "role": "proposer", "parsed": steps, "seed": self.seed, "model": "responder-program", "template_id": "route",
            **({"extra": {"asked_for": asked_for}} if asked_for < MOST else {}),
        }  # fmt: skip
        looks = [_look(action, state, self.clock) for _, _, state, action in drawn if action["kind"] in (*LOOKS, "narrow")]
        return Expanded([_proposal(step, state, action) for _, step, state, action in drawn], [call, *looks])

    def _steps(self, state: State) -> Iterator[tuple[float, str, State, dict[str, str]]]:
        """Weight, wording, state after it, and action of everything that could come next. Each thing is said in two ways."""
        if state.suspect is None:
            for part in PARTS:
                weight = 4.0 if part == self.incident.salient else 1.0
                yield from _twice(weight, f"suspect the {part}", f"it could be the {part}", State(part), ("suspect", part))
        elif len(state.seen) < 2:
            for look in LOOKS:
                if look not in dict(state.seen):
                    after = self.incident.look(state, look)
                    weight = 3.0 if look == "clock" else 1.0
                    yield from _twice(weight, f"read its {look}", f"check the {look}", after, (look, str(state.suspect)))
        elif state.trouble is None:
            for trouble in TROUBLES:
                weight = 2.0 if trouble == self.incident.trouble else 1.0
                yield from _twice(weight, f"assume {trouble}", f"test for {trouble}", self.incident.narrow(state, trouble), ("narrow", trouble))
        else:
            for remedy, weight, words in (("remedy", 3.0, f"fix {state.trouble}"), ("restart", 1.0, "restart everything")):
                after = State(state.suspect, state.seen, state.trouble, state.trouble_fits, remedy)
                yield weight, f"{words} in a rehearsal", after, {"kind": remedy, "target": str(state.suspect), "effect": "transformational"}


@dataclass(frozen=True, slots=True)
class Belief:
    """Scores unfinished states, and has a finished one rehearsed. With ``evidence`` it counts what was observed; else it only believes."""

    plan: Plan
    incident: Incident
    seed: int
    clock: Clock
    evidence: bool

    def wants(self, node: SearchNode) -> bool:
        return node.terminal or self.plan.evaluates == "all"

    def most(self, node: SearchNode) -> Spend:
        return self.plan.most(2 if node.terminal else 1)

    def evaluate(self, node: SearchNode) -> Evaluated:
        return self._rehearse(node.state) if node.terminal else self._score(node.state)

    def _rehearse(self, state: State) -> Evaluated:
        solved = self.incident.solved(state)
        call = {
            "role": "verifier", "prompt": f"rehearse: {state.key}", "response": "payments work" if solved else "payments fail", "parsed": solved,
            "input_tokens": 0, "output_tokens": 0, "cost": REHEARSAL_COST, **self.clock.call(REHEARSAL_MS),
        }  # fmt: skip
        record = {"score_raw": str(call["response"]), "tier": "environment", "score_source": "environment", "evaluator": "rehearsal"}
        return Evaluated(float(solved), [call], verified=solved, record=record)

    def _score(self, state: State) -> Evaluated:
        prompt = f"{self.incident.question}\nKnown: {state.key}\nHow promising is it, from 0 to 1?"
        liked = 0.5 if state.suspect == self.incident.salient else 0.3
        promise = round(liked + 0.5 * chance(self.seed, prompt, "promise"), 2)
        call = bill(Answer(prompt, f"score: {promise}"), self.clock) | {
            "role": "evaluator", "parsed": promise, "seed": self.seed, "model": "belief-program", "template_id": "promise",
        }  # fmt: skip
        if not self.evidence:
            return Evaluated(promise, [call], record={"promise": promise, "tier": "judge", "score_source": "model", "evaluator": "belief-program"})
        fits, misfits = state.evidence
        progress = fits / (fits + misfits) if fits + misfits else 0.5
        score = round(0.25 * promise + 0.75 * progress, 4)
        record = {"promise": promise, "progress": progress, "tier": "domain_signal", "score_source": "model", "evaluator": "evidence counter"}
        return Evaluated(score, [call], uncertainty=round(1 - abs(2 * progress - 1), 4), record=record)


def _twice(weight: float, one: str, other: str, state: State, target: tuple[str, str]) -> Iterator[tuple[float, str, State, dict[str, str]]]:
    action = {"kind": target[0], "target": target[1], "effect": "informational"}
    yield weight / 2, one, state, action
    yield weight / 2, other, state, action


def _look(action: dict[str, str], state: State, clock: Clock) -> dict[str, Any]:
    fits = state.trouble_fits if action["kind"] == "narrow" else dict(state.seen)[action["kind"]]
    return {
        "role": "tool", "prompt": f"{action['kind']}: {action['target']}", "response": "it fits" if fits else "it does not fit",
        "input_tokens": 0, "output_tokens": 0, "cost": LOOK_COST, **clock.call(LOOK_MS),
    }  # fmt: skip


def _proposal(step: str | None, state: State, action: dict[str, str]) -> Proposal:
    fits, misfits = state.evidence
    record: dict[str, Any] = {"state_key": state.key, "state": state.record()}
    if action:
        record |= {"action_kind": action["kind"], "action_target": action["target"], "action_effect": action["effect"],
                   "observation": f"{fits} fit, {misfits} do not"}  # fmt: skip
    finished = state.remedy is not None
    return Proposal(step, state, finished, record | ({"extra": {"finished": True}} if finished else {}))

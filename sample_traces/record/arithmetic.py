"""How do the two programs stand behind the search loop? Expansion and evaluation of a Game of 24, with their calls and their bills."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from explorer.replay.node import Evaluated, Expanded, Proposal, SearchNode, Spend
from sample_traces.record import puzzle
from sample_traces.record.clock import Clock
from sample_traces.record.plan import Plan
from sample_traces.record.players import LABELS, Answer, Judge, Proposer

CHECK_MS = 2.0
"""Simulated time of one exact check."""
NUMBERS_LEFT = "numbers left, by size"
HIGHEST_LEFT = "how many numbers are left, and the largest of them"
STATE_KEYS: dict[str, Callable[[puzzle.State], str]] = {
    NUMBERS_LEFT: puzzle.state_key,
    HIGHEST_LEFT: lambda state: f"{len(state)} numbers up to {max(number.value for number in state)}",
}
"""The second key is unsound on purpose: it leaves out what can still matter."""


@dataclass(frozen=True, slots=True)
class Moves:
    """Asks the proposer for moves."""

    plan: Plan
    proposer: Proposer
    clock: Clock

    def root(self, question: str) -> Proposal:
        """The puzzle itself."""
        return self._proposal(None, puzzle.start(question))

    def most(self, node: SearchNode, width: int) -> Spend:
        return self.plan.most(0)

    def expand(self, node: SearchNode, width: int) -> Expanded:
        asked_for = width if width < self.proposer.lists else None
        answer = self.proposer.ask(node.state, asked_for)
        steps = self.proposer.parse(answer.response or "")
        call = bill(answer, self.clock) | {
            "role": "proposer", "parsed": steps, "seed": self.proposer.seed, "model": "proposer-program", "template_id": "propose",
            "template_version": "1", **({"extra": {"asked_for": asked_for}} if asked_for else {}),
        }  # fmt: skip
        return Expanded([self._proposal(step, puzzle.after(node.state, step)) for step in steps], [call])

    def _proposal(self, step: str | None, state: puzzle.State) -> Proposal:
        left = [str(number.value) for number in state]
        record: dict[str, Any] = {
            "state_key": STATE_KEYS[self.plan.state_key or NUMBERS_LEFT](state),
            "state": {"left": left, "made": [number.expression for number in state]},
        }
        terminal = len(state) == 1
        return Proposal(step, state, terminal, record | ({"extra": {"finished": True}} if terminal else {}))


@dataclass(frozen=True, slots=True)
class Scores:
    """Asks the judge about unfinished states, and checks finished ones by exact arithmetic, or asks the judge about them too."""

    plan: Plan
    question: str
    judge: Judge
    clock: Clock
    samples: int = 2
    checks: bool = True
    """False: nobody checks finished states, the judge scores them too."""
    most_number: int | None = None
    """A rule of thumb that is wrong at times: a state with a larger number counts as a violation."""

    def wants(self, node: SearchNode) -> bool:
        return node.terminal or self.plan.evaluates == "all"

    def most(self, node: SearchNode) -> Spend:
        return self.plan.most(2 if node.terminal and self.checks else 1)

    def evaluate(self, node: SearchNode) -> Evaluated:
        return self._check(node) if node.terminal and self.checks else self._score(node)

    def _check(self, node: SearchNode) -> Evaluated:
        number = node.state[0]
        right = puzzle.is_right(self.question, number.expression)
        call = {
            "role": "verifier", "prompt": f"{number.expression} = 24?", "response": "yes" if right else f"no: {number.value}", "parsed": right,
            "cost": 0, "input_tokens": 0, "output_tokens": 0, **self.clock.call(CHECK_MS),
        }  # fmt: skip
        record = {"score_raw": "yes" if right else "no", "tier": "environment", "score_source": "verifier", "evaluator": "exact arithmetic"}
        return Evaluated(float(right), [call], verified=right, record=record)

    def _score(self, node: SearchNode) -> Evaluated:
        calls, labels = [], []
        for sample in range(self.samples):
            answer = self.judge.ask(node.state, sample)
            label = None if answer.response is None else self.judge.parse(answer.response)
            calls.append(bill(answer, self.clock) | {
                "role": "evaluator", "parsed": label, "error": answer.error, "seed": self.judge.sample_seed(sample), "model": "judge-program",
                "template_id": "judge", "template_version": "1",
            })  # fmt: skip
            if label is not None:
                labels.append(label)
        if not labels:
            return Evaluated(None, calls, error="the judge answered none of its samples")
        shares = [labels.count(label) / len(labels) for label in set(labels)]
        record = {"score_raw": " ".join(labels), "tier": "judge", "score_source": "model", "evaluator": "judge-program"}
        score = sum(LABELS[label] for label in labels) / len(labels)
        return Evaluated(score, calls, violations=self._violations(node.state), uncertainty=round(1 - max(shares), 6), record=record)

    def _violations(self, state: puzzle.State) -> int:
        return 0 if self.most_number is None else sum(number.value > Fraction(self.most_number) for number in state)


def bill(answer: Answer, clock: Clock) -> dict[str, Any]:
    """The fields of a call that follow from its answer."""
    return {
        "prompt": answer.prompt, "response": answer.response, "input_tokens": answer.input_tokens, "output_tokens": answer.output_tokens,
        "cost": answer.cost, **clock.call(answer.latency_ms),
    }  # fmt: skip

"""Who proposes and who judges in the recorded samples? Two small programs whose faults are stated and seeded; no model is asked.

Both are pure functions of prompt and seed: the same request gets the same answer in every recording. Their tokens are counted
as a quarter of the characters, rounded down, their prices are made up, and their latencies follow from the length of the answer.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from fractions import Fraction

from sample_traces.record.puzzle import State, moves, solvable, state_key, step_text

INPUT_PRICE, OUTPUT_PRICE = 1e-6, 4e-6
"""Made-up US dollars a token."""
LABELS = {"sure": 1.0, "likely": 0.5, "impossible": 0.0}
"""What one sample of the judge is worth; a score is the mean over the samples."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One response and its bill."""

    prompt: str
    response: str | None
    """None where the program failed."""
    error: str | None = None

    @property
    def input_tokens(self) -> int:
        return len(self.prompt) // 4

    @property
    def output_tokens(self) -> int | None:
        return None if self.response is None else len(self.response) // 4

    @property
    def cost(self) -> float | None:
        """Not known for a failed call: nobody sent a bill."""
        if self.output_tokens is None:
            return None
        return round(self.input_tokens * INPUT_PRICE + self.output_tokens * OUTPUT_PRICE, 9)

    @property
    def latency_ms(self) -> float:
        return 3000.0 if self.output_tokens is None else 120.0 + 8 * self.output_tokens


@dataclass(frozen=True, slots=True)
class Proposer:
    """Lists whole-number moves in an order of its own. It forgets some pairs of numbers, and stops after ``lists`` moves."""

    seed: int
    forgets: float
    """Share of the pairs that it does not think of."""
    lists: int

    def ask(self, state: State, width: int | None = None) -> Answer:
        """One numbered line a move, at most ``width`` of them."""
        numbers, most = state_key(state), min(self.lists, width or self.lists)
        request = f"Join two of them with + - * or /. List up to {most} different next steps, one a line."
        prompt = f"Numbers left: {numbers}\n{request}"
        known = []
        for a, sign, b, result in moves(state):
            pair = " ".join(sorted([str(a.value), str(b.value)]))
            if result.denominator == 1 and chance(self.seed, prompt, "forget", pair) >= self.forgets:
                known.append(step_text(state, a, sign, b, result))
        listed = sorted(dict.fromkeys(known), key=lambda step: chance(self.seed, prompt, "order", step))[:most]
        return Answer(prompt, "\n".join(f"{number}. {step}" for number, step in enumerate(listed, start=1)))

    @staticmethod
    def parse(response: str) -> list[str]:
        """The steps of a response, in its order."""
        return [line.partition(". ")[2] for line in response.splitlines() if ". " in line]


@dataclass(frozen=True, slots=True)
class Judge:
    """Says sure, likely or impossible. It knows the truth, is often unsure of three numbers or more, and is sometimes wrong."""

    seed: int
    errs: float
    """Share of the samples that say the opposite of what is true."""
    fails: float
    """Share of the prompts that it does not answer at all."""
    unsure: float = 0.4
    """Share of the samples, where three numbers or more are left, that say ``likely`` whatever is true."""
    shouts: float = 0.0
    """Share of the prompts answered in capitals. The program that reads the answers then takes every label for ``impossible``."""

    def ask(self, state: State, sample: int) -> Answer:
        """One sample; several samples of one state can differ."""
        numbers = state_key(state)
        question = "Can they make 24? Name what you see, then answer with one word: sure, likely or impossible."
        prompt = f"Numbers left: {numbers}\n{question}"
        if chance(self.seed, prompt, "fail") < self.fails:
            return Answer(prompt, None, "no answer within 3 s (the judge program failed on purpose)")
        label = self._label(prompt, solvable(state), len(state), sample)
        total = sum((number.value for number in state), Fraction(0))
        if chance(self.seed, prompt, "shout") < self.shouts:
            label = label.upper()
        return Answer(prompt, f"{len(state)} numbers, their sum is {total}.\n{label}")

    def sample_seed(self, sample: int) -> int:
        """The seed that decides this sample."""
        return self.seed * 100 + sample

    @staticmethod
    def parse(response: str) -> str:
        """The label of a response: its last line. One that is not known counts as ``impossible``."""
        label = response.splitlines()[-1]
        return label if label in LABELS else "impossible"

    def _label(self, prompt: str, reachable: bool, numbers: int, sample: int) -> str:
        seed = self.sample_seed(sample)
        if chance(seed, prompt, "err") < self.errs:
            return "impossible" if reachable else "sure"
        unsure = numbers > 2 and chance(seed, prompt, "unsure") < self.unsure
        return "likely" if unsure else "sure" if reachable else "impossible"


def chance(seed: int, *parts: str) -> float:
    """A number in [0, 1) that depends on nothing but its arguments."""
    digest = hashlib.sha256("\n".join([str(seed), *parts]).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48

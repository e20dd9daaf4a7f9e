"""Who mends the shop in the recorded repair? A proposer of small edits with stated faults, and the tests themselves as the evaluator.

The proposer looks at the file that the failing tests name, and only a trace shows it the others; its edits are one replacement each, from a
short list that knows nothing of the faults; it forgets one edit in ten. What it proposes is made in a work tree of its own, from
the checkpoint of the node that is expanded. The tests are run there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from explorer.replay.node import Evaluated, Expanded, Proposal, SearchNode, Spend
from sample_traces.record.arithmetic import bill
from sample_traces.record.clock import Clock
from sample_traces.record.plan import Plan
from sample_traces.record.players import Answer, chance
from sample_traces.record.worktree import SHOP, Repository, report, run_tests

TESTS, ACCEPTANCE = "test_cart", "test_acceptance"
OBVIOUS = "cart.py"
"""The file that the failing tests name."""
TRACE, HAND_IN = f"trace which files the failing tests run through {OBVIOUS}", "hand it in"
REPLACEMENTS = ((" > ", " >= "), (" + ", " - "), (" - ", " + "), ('"0.10"', '"0.1"'), ("_DOWN", "_UP"), ("_DOWN", "_HALF_UP"), ('"0.01"', '"0.1"'))
TEST_MS, TEST_COST, TRACE_MS = 900.0, 0.0005, 1_500.0
MOST = 6
"""Proposals in one answer, at most."""
FORGETS = 0.1


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement on one line."""

    file: str
    line: int
    old: str
    new: str

    @property
    def step(self) -> str:
        return f"{self.file}:{self.line}: {self.old.strip()} becomes {self.new.strip()}"

    def make(self, tree: Path) -> None:
        """Make it in a work tree."""
        lines = (tree / self.file).read_text("utf-8").splitlines(keepends=True)
        lines[self.line - 1] = lines[self.line - 1].replace(self.old, self.new, 1)
        (tree / self.file).write_text("".join(lines), "utf-8")


@dataclass(frozen=True, slots=True)
class Branch:
    """A world: the commit that it stands on, what was traced, and how its tests stand."""

    checkpoint: str
    contents: str
    """Hash of the files alone."""
    traced: bool = False
    edited: tuple[Edit, ...] = ()
    folder: str = ""
    """Of its work tree, while there is one."""
    handed_in: bool = False

    @property
    def steps(self) -> tuple[str, ...]:
        """Its edits, in words."""
        return tuple(edit.step for edit in self.edited)


@dataclass(frozen=True, slots=True)
class Patches:
    """Proposes a trace, edits, or to hand in what passes its tests."""

    plan: Plan
    repository: Repository
    seed: int
    clock: Clock

    def root(self) -> Proposal:
        """The shop as it is."""
        return _proposal(None, Branch(self.repository.head(), self._contents(self.repository.main)), {})

    def most(self, node: SearchNode, width: int) -> Spend:
        return self.plan.most(0)

    def expand(self, node: SearchNode, width: int) -> Expanded:
        branch: Branch = node.state
        asked_for = min(width, MOST)
        prompt = f"Tests fail in {OBVIOUS}. Edited: {', '.join(branch.steps) or 'nothing'}. {'Traced. ' * branch.traced}Up to {asked_for} next steps?"
        if passes(node):
            steps: list[Edit | str] = [HAND_IN]
        else:
            steps = sorted(self._steps(branch), key=lambda step: chance(self.seed, prompt, "order", _words(step)))[:asked_for]
        words = [_words(step) for step in steps]
        call = bill(Answer(prompt, "\n".join(f"{at}. {step}" for at, step in enumerate(words, start=1))), self.clock) | {
            "role": "proposer", "parsed": words, "seed": self.seed, "model": "mender-program", "template_id": "repair", "template_version": "1",
            **({"extra": {"asked_for": asked_for}} if asked_for < MOST else {}),
        }  # fmt: skip
        children = [self._made(branch, step, f"{node.node_id}.{index}".replace(".", "-")) for index, step in enumerate(steps)]
        return Expanded(children, [call, *(_tracing(self.clock) for step in steps if step == TRACE)])

    def _steps(self, branch: Branch) -> Iterator[Edit | str]:
        if not branch.traced:
            yield TRACE
        text = self.repository.show(branch.checkpoint, OBVIOUS)
        for file in (OBVIOUS, *(_reached(text) if branch.traced else ())):
            for edit in edits(file, self.repository.show(branch.checkpoint, file)):
                if chance(self.seed, "forget", edit.step) >= FORGETS:
                    yield edit

    def _made(self, branch: Branch, step: Edit | str, name: str) -> Proposal:
        """The branch after a step, in a work tree of its own that starts from the checkpoint of the branch."""
        tree = self.repository.branch(name, branch.checkpoint)
        if isinstance(step, Edit):
            step.make(tree)
            checkpoint = self.repository.commit(tree, f"{name}: {step.step}")
            after = Branch(checkpoint, self._contents(tree), branch.traced, (*branch.edited, step), str(tree))
        else:
            after = replace(branch, traced=True, folder=str(tree), handed_in=step == HAND_IN)
        return _proposal(step, after, {"env_checkpoint": after.checkpoint, "resumed_from": branch.checkpoint})

    def _contents(self, tree: Path) -> str:
        return self.repository.git("rev-parse", "HEAD^{tree}", at=tree)


@dataclass(frozen=True, slots=True)
class Tests:
    """Runs the tests of a branch: what they fixed is progress, what they newly broke are regressions."""

    plan: Plan
    repository: Repository
    clock: Clock
    before: dict[str, bool]
    """How the tests stood before the search."""

    def wants(self, node: SearchNode) -> bool:
        return True

    def most(self, node: SearchNode) -> Spend:
        return self.plan.most(2 if node.terminal else 1)

    def evaluate(self, node: SearchNode) -> Evaluated:
        branch, tree = node.state, Path(node.state.folder)
        modules = (TESTS, ACCEPTANCE) if branch.handed_in else (TESTS,)
        now = run_tests(tree, modules)
        self.repository.drop(tree)
        fixed, broken = gains(self.before, now)
        right = bool(now) and all(now.values()) and not broken
        call = {
            "role": "verifier" if branch.handed_in else "tool", "prompt": f"python -m unittest {' '.join(modules)}",
            "response": report(now),
            "parsed": f"{fixed:g} fixed, {broken} broken", "input_tokens": 0, "output_tokens": 0, "cost": TEST_COST, **self.clock.call(TEST_MS),
        }  # fmt: skip
        score = float(right) if branch.handed_in else round(fixed - 0.5 * broken + 0.1 * branch.traced, 4)
        record = {"progress": fixed, "regressions": broken, "tier": "environment", "score_source": "environment", "evaluator": "unittest",
                  "observation": str(call["parsed"])}  # fmt: skip
        return Evaluated(score, [call], verified=right if branch.handed_in else None, record=record)


def edits(file: str, text: str) -> Iterator[Edit]:
    """Every single replacement in a file: the short list in programs, another rate in data."""
    for number, line in enumerate(text.splitlines(), start=1):
        if file.endswith(".py"):
            yield from (Edit(file, number, old, new) for old, new in REPLACEMENTS if old in line)
        for rate in re.findall(r'"(0\.\d+)"', line) if file.endswith(".json") else ():
            yield from (Edit(file, number, rate, other) for other in ("0.07", "0.20", "0.21") if other != rate)


def gains(before: dict[str, bool], now: dict[str, bool]) -> tuple[float, int]:
    """The share of the failing tests that pass now, and how many that passed do not."""
    failing = [name for name, passed in before.items() if not passed]
    broken = sum(passed and not now.get(name, False) for name, passed in before.items())
    return sum(now.get(name, False) for name in failing) / len(failing), broken


def passes(node: SearchNode) -> bool:
    """Whether all tests that the search may run pass at this node."""
    found = node.evaluated.record if node.evaluated else {}
    return found.get("progress") == 1 and found.get("regressions") == 0


def _reached(text: str) -> list[str]:
    """The files that a program names: what it imports from, and the data that it reads."""
    named = re.findall(r'^from (\w+) import|"(\w+\.json)"', text, flags=re.MULTILINE)
    return [data or f"{module}.py" for module, data in named if data or (SHOP / f"{module}.py").exists()]


def _tracing(clock: Clock) -> dict[str, Any]:
    """The call that a trace is."""
    return {"role": "tool", "prompt": TRACE, "input_tokens": 0, "output_tokens": 0, "cost": TEST_COST, **clock.call(TRACE_MS)}


def _words(step: Edit | str) -> str:
    return step if isinstance(step, str) else step.step


def _proposal(step: Edit | str | None, branch: Branch, places: dict[str, Any]) -> Proposal:
    record: dict[str, Any] = {
        "state_key": f"{branch.contents[:12]}{' traced' * branch.traced}{' handed in' * branch.handed_in}",
        "state": {"edited": list(branch.steps), "traced": branch.traced}, "env_checkpoint": branch.checkpoint, **places,
    }  # fmt: skip
    if isinstance(step, Edit):
        record |= {"action_kind": "edit", "action_target": step.file, "action_effect": "transformational"}
    elif step is not None:
        record |= {"action_kind": "hand in" if branch.handed_in else "trace", "action_target": OBVIOUS, "action_effect": "informational"}
    more = {"extra": {"finished": True}} if branch.handed_in else {}
    return Proposal(None if step is None else _words(step), branch, branch.handed_in, record | more)

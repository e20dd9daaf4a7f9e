"""How does a search mend a small shop whose tests fail, where the file that they name is not the cause?

    python -m sample_traces.record.repair FOLDER

A search tries edits, each in a git work tree of its own, and runs the tests there for real; what it hands in passes further tests that it
had not seen. A second run then commits the winner: checked, previewed in a work tree, checked again, and executed once. In a third the right edit is
refused by the checks. Times are simulated and dates fixed, so that recording again gives the same bytes although the tests really ran.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import timedelta
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from explorer.replay.boundary import Accepted, Boundary, Check, Decision, Rejected, Widths
from explorer.replay.caps import Caps
from explorer.replay.commit import search_then_commit
from explorer.replay.journal import Recording
from explorer.replay.loop import Result
from explorer.replay.node import Evaluated, Expanded, Proposal, SearchNode
from explorer.replay.policies import by_order
from ingest.recorder import Recorder, RunRecorder
from sample_traces.record.clock import FIRST_START, Clock
from sample_traces.record.mender import ACCEPTANCE, TEST_MS, TESTS, Edit, Patches, Tests, edits, gains
from sample_traces.record.plan import Plan
from sample_traces.record.players import chance
from sample_traces.record.worktree import SHOP, Repository, read_report, report, run_tests

QUESTION = "Tests of the shop fail in cart.py: make them pass, and break nothing."
SEED = 1
PLAN = Plan(
    search="best_first", width=4, state_key="files by their git tree, traced, handed in", most_calls=(2, 1, 1),
    caps=Caps(max_depth=6, max_nodes=60),
)  # fmt: skip
WIDTHS = Widths(base=2, extra=3)
MENDED = Edit("money.py", 11, "_DOWN", "_HALF_UP")
"""One of the two faults; the third run starts where it is mended."""


@dataclass(frozen=True, slots=True)
class Patch:
    """One action on the real shop: some edits, made on one commit."""

    on: str
    edits: tuple[Edit, ...]

    @property
    def step(self) -> str:
        return "; ".join(edit.step for edit in self.edits)


def look_for_a_patch(repository: Repository, recorder: Recorder, clock: Clock) -> Result:
    """The search."""
    fields = PLAN.run_fields(proposer="mender-program 1", evaluator="unittest", isolation="a git work tree a node", seed=SEED)
    run = recorder.run("repair-search", task_id="repair shop", question=QUESTION, **fields)
    patches = Patches(PLAN, repository, SEED, clock)
    tests = Tests(PLAN, repository, clock, run_tests(repository.main, [TESTS]))
    policies = PLAN.policies(patches, tests, lambda node: node.proposal.record["state_key"])
    return PLAN.run(patches.root(), policies, Recording(run, _checked, clock), clock)


def commit_the_best(found: Result, repository: Repository, recorder: Recorder, clock: Clock) -> None:
    """What was handed in, and the two best that were not, before the boundary; one of them is committed to ``main``."""
    base = repository.head()
    rivals = by_order(node for node in found.tree.nodes if node.state.edited and not node.terminal and node.score is not None)[:2]
    patches = [Patch(base, node.state.edited) for node in (found.selected, *rivals)]
    run = _opened(recorder, "repair-commit", "repair shop", clock)
    _commit(patches[:1] + [one for one in patches[1:] if one.edits != patches[0].edits], (), repository, run, clock)


def commit_past_the_boundary(repository: Repository, recorder: Recorder, clock: Clock) -> None:
    """Every edit of the data and of what is rounded, but the data may not be changed, and the fault is there."""
    tree = repository.branch("mended", repository.head())
    MENDED.make(tree)
    repository.fast_forward(repository.commit(tree, MENDED.step), repository.head())
    repository.drop(tree)
    base = repository.head()
    tried = [Patch(base, (edit,)) for file in ("cart.py", "rates.json") for edit in edits(file, repository.show(base, file))]
    run = _opened(recorder, "repair-lost_by_boundary", "repair rates", clock)
    _commit(sorted(tried, key=lambda patch: chance(SEED, "order", patch.step)), ("rates.json",), repository, run, clock)


@dataclass(frozen=True, slots=True)
class _Counter:
    """What stands between some patches and ``main``."""

    repository: Repository
    clock: Clock
    waiting: Iterator[Patch]
    locked: Sequence[str]
    before: dict[str, bool]
    """How the tests stand on ``main``."""

    def propose(self, _node: SearchNode, width: int) -> Expanded:
        return Expanded([_proposal(patch) for patch in islice(self.waiting, width)])

    def prepare(self, patch: Patch) -> Decision:
        refused = next((edit.file for edit in patch.edits if edit.file in self.locked), None)
        if refused is not None:
            return Rejected(Check.AUTHORISE, f"{refused} is made by another program and may not be changed by hand")
        if self.repository.head() != patch.on:
            return Rejected(Check.PRECONDITION, f"main is no longer at {patch.on[:12]}")
        return Accepted(patch)

    def preview(self, patch: Patch) -> str:
        tree = self._branch(patch, "preview")
        now = run_tests(tree, [TESTS])
        self.repository.drop(tree)
        self.clock.call(TEST_MS)
        return report(now)

    def evaluate(self, _patch: Patch, seen: str) -> Evaluated:
        fixed, broken = gains(self.before, read_report(seen))
        record = {"progress": fixed, "regressions": broken, "tier": "environment", "score_source": "environment", "evaluator": "unittest"}
        return Evaluated(fixed, violations=broken, record=record)

    def execute(self, patch: Patch) -> str:
        tree = self._branch(patch, "commit")
        checkpoint = self.repository.commit(tree, patch.step)
        self.repository.drop(tree)
        self.repository.fast_forward(checkpoint, patch.on)
        return f"main went from {patch.on[:12]} to {checkpoint[:12]}"

    def _branch(self, patch: Patch, name: str) -> Path:
        tree = self.repository.branch(name, patch.on)
        for edit in patch.edits:
            edit.make(tree)
        return tree


def _commit(patches: Sequence[Patch], locked: Sequence[str], repository: Repository, run: RunRecorder, clock: Clock) -> None:
    """Put the patches before the boundary, and write the run's end: do all tests pass on ``main`` now?"""
    counter = _Counter(repository, clock, iter(patches), locked, run_tests(repository.main, [TESTS]))
    boundary = Boundary(
        counter.propose, counter.prepare, counter.evaluate, counter.execute, vote=lambda patch: patch.step, preview=counter.preview
    )
    start = Proposal(None, None, record={"env_checkpoint": repository.head(), "state": {"edits": []}})
    done = search_then_commit(start, boundary, WIDTHS, run, clock=clock)
    now = run_tests(repository.main, (TESTS, ACCEPTANCE))
    right = bool(now) and all(now.values())
    run.end(
        outcome="right" if right else "wrong", outcome_by="unittest on main", stop_reason="goal" if right else "policy_stop", complete=True,
        depth_reached=1, selected_path=[done.parent.node_id, *([done.executed.node_id] if done.executed else [])],
        answer=done.executed.proposal.step if done.executed else None, reported_nodes=1 + len(done.candidates),
    )  # fmt: skip


def record_all(folder: Path) -> list[Path]:
    """All three runs: the search and its commit in one file, the one that was lost at the boundary in another."""
    with _recorder(folder / "repair.jsonl", 0) as (repository, recorder, clock):
        found = look_for_a_patch(repository, recorder, clock)
        commit_the_best(found, repository, recorder, clock)
    with _recorder(folder / "lost_by_boundary.jsonl", 1) as (repository, recorder, clock):
        commit_past_the_boundary(repository, recorder, clock)
    return [folder / "repair.jsonl", folder / "lost_by_boundary.jsonl"]


@contextmanager
def _recorder(path: Path, hour: int) -> Iterator[tuple[Repository, Recorder, Clock]]:
    path.unlink(missing_ok=True)
    clock = Clock(FIRST_START + timedelta(hours=hour))
    with TemporaryDirectory() as scratch, Recorder(path, clock=clock) as recorder:
        yield Repository.of(SHOP, Path(scratch)), recorder, clock


def _opened(recorder: Recorder, name: str, task: str, clock: Clock) -> RunRecorder:
    protocol = {"search": "search_then_commit", **asdict(WIDTHS), "isolation": "a git work tree a preview", "proposer": "mender-program 1"}
    return recorder.run(name, task_id=task, question=QUESTION, protocol=protocol, level_by_level=True, started_at=clock())


def _proposal(patch: Patch) -> Proposal:
    files = " ".join(dict.fromkeys(edit.file for edit in patch.edits))
    return Proposal(patch.step, patch, record={
        "state": {"edits": [edit.step for edit in patch.edits]}, "state_key": patch.step, "action_kind": "commit", "action_target": files,
        "action_effect": "transformational", "resumed_from": patch.on,
    })  # fmt: skip


def _checked(node: SearchNode | None) -> dict[str, Any]:
    right = bool(node and node.verified)
    by = "unittest, with tests that the search did not see" if node and node.terminal else "unittest: nothing was handed in"
    return {"outcome": "right" if right else "wrong", "outcome_by": by, "answer": node.state.checkpoint if node and node.terminal else None}


def main(arguments: Sequence[str]) -> int:
    """The command line: one folder to write into."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.stderr.write("usage: python -m sample_traces.record.repair FOLDER\n")
        return 2
    record_all(Path(arguments[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

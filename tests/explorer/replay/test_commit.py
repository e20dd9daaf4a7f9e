"""Is an action executed at most once, after a re-check that said yes, after the last score, and does the log show that?"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysis import known, stages
from explorer.replay.boundary import Accepted, Boundary, Check, Decision, Rejected, Widths
from explorer.replay.commit import Commit, search_then_commit
from explorer.replay.node import Evaluated, Expanded, Proposal, SearchNode
from ingest.errors import TraceError
from ingest.recorder import Recorder
from ingest.schema import Fate, Stage, Truth
from ingest.store import Store
from tests.explorer.replay.worlds import noon
from tests.logs import load, rows
from tests.native_log import lines

START = Proposal(None, "till")


@dataclass
class Till:
    """Refunds, of which exactly one may be paid. Proposals are texts such as ``refund 5``; each name's answers come one after the other."""

    proposals: str
    """Separated by commas, in the order in which they are given out."""
    scores: dict[str, float | None] = field(default_factory=dict)
    rejects: dict[str, list[Decision | Exception | object]] = field(default_factory=dict)
    """What prepare answers for a proposal, time after time; where the list is at its end, yes."""
    breaks: tuple[str, ...] = ()
    """What raises an error: preview, evaluate, execute."""
    events: list[str] = field(default_factory=list)
    given: int = 0

    def boundary(self, **others: Any) -> Boundary:
        own: dict[str, Any] = {"evaluate": self.evaluate, "execute": self.execute, "vote": str, "preview": self.preview}
        return Boundary(self.propose, self.prepare, **(own | others))

    def propose(self, node: SearchNode, width: int) -> Expanded:
        self.events.append(f"propose {width}")
        listed = [name.strip() for name in self.proposals.split(",")][self.given : self.given + width]
        self.given += width
        call = {"role": "proposer", "prompt": f"{width} refunds", "response": ", ".join(listed)}
        return Expanded([Proposal(name, name) for name in listed], [call])

    def prepare(self, raw: str) -> Any:
        self.events.append(f"prepare {raw}")
        answers = self.rejects.get(raw, [])
        answer = answers.pop(0) if answers else Accepted(raw, {"action_kind": "refund", "action_effect": "transformational"})
        if isinstance(answer, Exception):
            raise answer
        return answer

    def preview(self, action: str) -> str:
        self.events.append(f"preview {action}")
        self._break("preview")
        return f"would {action}"

    def evaluate(self, action: str, seen: object) -> Evaluated:
        self.events.append(f"score {action}")
        self._break("evaluate")
        return Evaluated(self.scores.get(action, 0.5), [{"role": "evaluator", "prompt": f"{seen}?", "response": "fine"}])

    def execute(self, action: str) -> str:
        self.events.append(f"execute {action}")
        self._break("execute")
        return f"did {action}"

    def _break(self, what: str) -> None:
        if what in self.breaks:
            raise RuntimeError(f"{what} is broken")


NO_SIGNATURE = Rejected(Check.AUTHORISE, "nobody signed")
ONCE = Widths(base=2, extra=0)


def fates(commit: Commit) -> list[tuple[str, str, str | None, str | None]]:
    return [(node.state, str(node.fate), node.prune_rule, node.prune_reason) for node in commit.candidates]


def test_the_best_is_prepared_again_and_executed() -> None:
    till = Till("a, b", {"a": 0.4, "b": 0.9})
    commit = search_then_commit(START, till.boundary(), ONCE)
    assert till.events == [
        "propose 2", "prepare a", "preview a", "score a", "prepare b", "preview b", "score b", "prepare b", "execute b",
    ]  # fmt: skip
    assert (commit.executed, commit.observation, commit.error) == (commit.candidates[1], "did b", None)
    assert fates(commit) == [
        ("a", "pruned", "commit", "rank 2 of 2; one action is executed, and it was 0.1"), ("b", "terminal", None, None),
    ]  # fmt: skip


def test_where_the_best_is_rejected_at_the_re_check_the_next_one_is_tried() -> None:
    till = Till("a, b, c", {"a": 0.4, "b": 0.9, "c": 0.1}, {"b": [Accepted("b"), NO_SIGNATURE]})
    commit = search_then_commit(START, till.boundary(), Widths(base=3, extra=0))
    assert till.events[-3:] == ["prepare b", "prepare a", "execute a"]
    assert fates(commit) == [
        ("a", "terminal", None, None),
        ("b", "pruned", "boundary", "rejected at the re-check right before execution: authorise: nobody signed"),
        ("c", "pruned", "commit", "rank 3 of 3; one action is executed, and it was 0.0"),
    ]


def test_what_is_rejected_at_prepare_is_neither_previewed_nor_scored_and_says_at_which_check() -> None:
    checks = ("parse", "validate", "authorise", "precondition")
    till = Till("a, b, c, d", rejects={name: [Rejected(Check(check), "no")] for name, check in zip("abcd", checks, strict=True)})
    commit = search_then_commit(START, till.boundary(), Widths(base=4, extra=0))
    assert till.events == ["propose 4", "prepare a", "prepare b", "prepare c", "prepare d"]
    assert [(node.pruned_by, node.prune_rule, node.prune_reason) for node in commit.candidates] == [
        (Stage.SURVIVED, "boundary", f"rejected at prepare: {check}: no") for check in checks
    ]
    assert (commit.executed, commit.observation, commit.error) == (None, None, None)


@pytest.mark.parametrize("answer", [RuntimeError("no such table"), None, True, "yes"])
def test_a_check_that_fails_or_gives_no_clear_yes_is_a_no(answer: object) -> None:
    till = Till("a, b", rejects={"a": [answer], "b": [Accepted("b"), answer]})
    commit = search_then_commit(START, till.boundary(), ONCE)
    assert commit.executed is None
    assert [node.prune_rule for node in commit.candidates] == ["boundary", "boundary"]
    words = "RuntimeError: no such table" if isinstance(answer, Exception) else f"prepare returned {type(answer).__name__}"
    assert commit.candidates[0].prune_reason == f"rejected at prepare: failed: {words}"


def test_an_action_that_is_another_one_at_the_re_check_is_not_executed() -> None:
    till = Till("refund 5, refund 3", {"refund 5": 0.9}, {"refund 5": [Accepted("refund 5"), Accepted("refund 5000")]})
    commit = search_then_commit(START, till.boundary(), ONCE)
    assert commit.observation == "did refund 3"
    assert commit.candidates[0].prune_reason == (
        "rejected at the re-check right before execution: validate: it is another action now than the one that was scored"
    )


def test_an_execution_that_fails_is_recorded_and_nothing_else_is_executed() -> None:
    till = Till("a, b", {"a": 0.9}, breaks=("execute",))
    commit = search_then_commit(START, till.boundary(), ONCE)
    assert [event for event in till.events if event.startswith("execute")] == ["execute a"]
    assert (commit.executed, commit.error) == (commit.candidates[0], "RuntimeError: execute is broken")
    assert fates(commit)[0] == ("a", "terminal", None, None)


def test_what_was_observed_is_recorded_as_text_whatever_it_is(tmp_path: Path) -> None:
    with Recorder(tmp_path / "log", clock=noon) as recorder:
        commit = search_then_commit(START, Till("a").boundary(execute=lambda action: {"paid": 5}), Widths(base=1), recorder.run("r"), clock=noon)
    assert commit.observation == "{'paid': 5}"
    assert [line["observation"] for line in lines(tmp_path / "log") if "observation" in line] == ["{'paid': 5}"]


def test_more_proposals_than_were_asked_for_are_not_considered() -> None:
    till = Till("a")
    boundary = till.boundary()
    generous = replace(boundary, propose=lambda node, width: Expanded([Proposal(name, name) for name in "abc"]))
    assert fates(search_then_commit(START, generous, ONCE))[2] == ("c", "pruned", "width", "proposal 3 of 3; 2 were asked for")
    assert "prepare c" not in till.events


@pytest.mark.parametrize("what", ["preview", "evaluate"])
def test_a_candidate_that_could_not_be_previewed_or_scored_is_not_executed(what: str) -> None:
    till = Till("a, b", breaks=(what,))
    commit = search_then_commit(START, till.boundary(), ONCE)
    assert commit.executed is None
    assert [(node.fate, node.score, "is broken" in str(node.error)) for node in commit.candidates] == [(Fate.UNSCORED, None, True)] * 2


def test_a_broken_constraint_is_not_executed_even_where_nothing_else_is_left() -> None:
    till = Till("a")
    boundary = till.boundary(evaluate=lambda action, seen: Evaluated(0.9, violations=1))
    commit = search_then_commit(START, boundary, Widths(base=1, extra=0))
    assert (commit.executed, commit.candidates[0].prune_rule) == (None, "constraint")


def test_without_a_safe_preview_the_prepared_action_is_scored() -> None:
    till = Till("a")
    boundary = till.boundary(preview=None, evaluate=lambda action, seen: Evaluated(0.5 if seen is None else None))
    assert search_then_commit(START, boundary, Widths(base=1)).observation == "did a"
    assert till.events == ["propose 1", "prepare a", "prepare a", "execute a"]


def test_too_few_that_passed_ask_for_more_once() -> None:
    till = Till("a, b, c, d, e, f", rejects={name: [NO_SIGNATURE] for name in "bcdef"})
    commit = search_then_commit(START, till.boundary())
    assert [event for event in till.events if event.startswith("propose")] == ["propose 2", "propose 3"]
    assert commit.widened == ("1 of 2 passed the checks",)
    assert [node.node_id for node in commit.candidates] == ["0.0", "0.1", "0.2", "0.3", "0.4"]


def letter(action: str) -> str:
    return action[0]


@pytest.mark.parametrize(
    ("proposals", "widths", "reasons"),
    [
        ("a1, a2", Widths(2, 3), ()),
        ("a1, b1", Widths(2, 3), ("vote entropy 1, over 0.35",)),
        ("a1, b1", Widths(2, 0), ()),
        ("a1, a2", Widths(2, 3, floor=2), ("1 of at least 2 alternatives",)),
        ("a1, a2, a3, b1", Widths(4, 3, entropy=0.9, margin=0.6), ("top-two margin 0.5, under 0.6",)),
    ],
)
def test_divided_votes_and_too_few_alternatives_ask_for_more_and_agreement_does_not(proposals: str, widths: Widths, reasons: tuple[str, ...]) -> None:
    assert search_then_commit(START, Till(proposals).boundary(vote=letter), widths).widened == reasons


def test_one_candidate_left_of_several_is_not_recorded_as_agreement(tmp_path: Path) -> None:
    def root(till: Till, name: str) -> dict[str, Any]:
        with Recorder(tmp_path / name, clock=noon) as recorder:
            search_then_commit(START, till.boundary(vote=letter), ONCE, recorder.run("r"), clock=noon)
        return next(line for line in lines(tmp_path / name) if "standing" in line)

    alone, agreed = root(Till("a1, b1", rejects={"b1": [NO_SIGNATURE]}), "alone"), root(Till("a1, a2"), "agreed")
    assert (alone["votes"], alone["standing"], "vote_entropy" in alone) == (1, "only one vote left", False)
    assert (agreed["standing"], agreed["vote_entropy"], agreed["top_two_margin"]) == ("several votes agree", 0.0, 1.0)


def test_a_second_boundary_goes_on_from_the_action_that_was_executed(tmp_path: Path) -> None:
    with Recorder(tmp_path / "log", clock=noon) as recorder:
        run = recorder.run("r")
        first = search_then_commit(START, Till("a, b", {"b": 0.9}).boundary(), ONCE, run, clock=noon)
        second = search_then_commit(first, Till("c, d").boundary(), ONCE, run, clock=noon)
        run.end(outcome="right", selected_path=[node.node_id for node in second.executed.path] if second.executed else [])
    assert [(node.node_id, node.depth, node.seq, node.decision_id) for node in second.candidates] == [
        ("0.1.0", 2, 3, "commit at 0.1"), ("0.1.1", 2, 4, "commit at 0.1"),
    ]  # fmt: skip
    (report,) = load(tmp_path / "store", tmp_path / "log")
    assert report.problems == []
    kept = rows(tmp_path / "store", "select node_id, fate, expanded_seq from nodes where fate in ('expanded', 'terminal') order by 1")
    assert kept == [("0", "expanded", 0), ("0.1", "expanded", 1), ("0.1.0", "terminal", None)]


def test_nothing_can_go_on_from_a_boundary_where_nothing_was_executed() -> None:
    first = search_then_commit(START, Till("a", rejects={"a": [NO_SIGNATURE]}).boundary(), ONCE)
    with pytest.raises(TraceError, match="nothing was executed at node 0, so there is no state to go on from"):
        search_then_commit(first, Till("b").boundary())


def test_the_log_holds_every_check_with_its_place_in_the_course_of_events(tmp_path: Path) -> None:
    till = Till("a, b", {"a": 0.9}, {"b": [NO_SIGNATURE]})
    with Recorder(tmp_path / "log", clock=noon) as recorder:
        search_then_commit(START, till.boundary(), ONCE, recorder.run("r"), clock=noon)
    found = lines(tmp_path / "log")
    assert [(one["boundary_order"], one["node_id"], one["boundary"]) for one in events(found)] == [
        (1, "0.0", "prepare"), (2, "0.0", "preview"), (3, "0.0", "score"), (4, "0.1", "prepare"), (5, "0.0", "recheck"), (6, "0.0", "execute"),
    ]  # fmt: skip
    assert events(found)[3] == {
        "node_id": "0.1", "boundary": "prepare", "boundary_order": 4, "accepted": False, "check": "authorise", "reason": "nobody signed",
    }  # fmt: skip
    assert [line.get("response") for line in found if line.get("call_id") == "0.0:tool:3"] == [None, "did a"]


def test_an_execution_that_the_program_did_not_survive_has_left_its_line(tmp_path: Path) -> None:
    def pulls_the_plug(action: str) -> str:
        raise KeyboardInterrupt

    with Recorder(tmp_path / "log", clock=noon) as recorder, pytest.raises(KeyboardInterrupt):
        search_then_commit(START, Till("a").boundary(execute=pulls_the_plug), Widths(base=1), recorder.run("r"), clock=noon)
    assert events(lines(tmp_path / "log"))[-1]["boundary"] == "execute"


def test_a_viable_action_that_was_rejected_is_lost_at_the_boundary(tmp_path: Path) -> None:
    with Recorder(tmp_path / "log", clock=noon) as recorder:
        run = recorder.run("r")
        commit = search_then_commit(START, Till("a, b", rejects={"a": [NO_SIGNATURE]}).boundary(), ONCE, run, clock=noon)
        run.end(outcome="wrong", selected_path=["0", commit.executed.node_id] if commit.executed else [])
    load(tmp_path / "store", tmp_path / "log")
    one = known.of_run(Store(tmp_path / "store"), "r", known.Marks((Truth(run_id="r", node_id="0.0", viable=True, viable_by="reviewer"),)))
    (loss,) = stages.losses(one)
    assert loss.node is not None
    node = one.search.nodes[loss.node]
    assert (node.node_id, loss.stage, stages.removed_by_check(node)) == ("0.0", Stage.SURVIVED, "boundary")
    assert stages.removed_by_check(one.search.nodes[one.search.place["0.1"]]) is None


@pytest.mark.parametrize("widths", [{"base": 0}, {"floor": 0}, {"extra": -1}, {"entropy": float("nan")}, {"margin": float("nan")}])
def test_widths_under_what_makes_sense_are_refused(widths: dict[str, Any]) -> None:
    with pytest.raises(TraceError, match=r"expected 1 or more|a width from 0 up and two numbers are needed"):
        Widths(**widths)


ANSWERS: list[Callable[[str], Any]] = [
    Accepted, Accepted, Accepted, lambda raw: NO_SIGNATURE, lambda raw: RuntimeError("broken"), lambda raw: None, lambda raw: Accepted(raw + "!"),
]  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(
    st.integers(0, 10**6), st.integers(1, 6), st.builds(Widths, st.integers(1, 3), st.integers(0, 3), floor=st.integers(1, 3)),
    st.sets(st.sampled_from(["preview", "evaluate", "execute"]), max_size=1),
)  # fmt: skip
def test_whatever_the_checks_say_at_most_one_action_is_executed_right_after_its_re_check_and_after_the_last_score(
    seed: int, count: int, widths: Widths, breaks: set[str]
) -> None:
    rng = random.Random(seed)
    names = [f"{rng.choice('abc')}{index}" for index in range(count)]
    rejects = {name: [rng.choice(ANSWERS)(name) for _ in range(2)] for name in names}
    answers = {name: list(given) for name, given in rejects.items()}
    scores = {name + end: rng.choice([None, float("nan"), 0.1, 0.5, 0.5]) for name in names for end in ("", "!")}
    till = Till(", ".join(names), scores, rejects, tuple(breaks))
    with tempfile.TemporaryDirectory() as folder:
        with Recorder(Path(folder) / "log", clock=noon) as recorder:
            commit = search_then_commit(START, till.boundary(vote=letter), widths, recorder.run("r"), clock=noon)
        log = lines(Path(folder) / "log")
    executed = [place for place, event in enumerate(till.events) if event.startswith("execute")]
    assert len(executed) == (commit.executed is not None) <= 1
    if commit.executed is not None:
        name = commit.executed.state
        first, again = answers[name]
        assert isinstance(again, Accepted) and first == again
        assert till.events[executed[0] - 1 :] == [f"prepare {name}", f"execute {again.action}"]
        assert till.events.count(f"prepare {name}") == 2 and f"score {again.action}" in till.events
        assert commit.executed.score in (0.1, 0.5)
    assert [node.fate for node in commit.candidates].count(Fate.TERMINAL) == len(executed)
    assert all(node.fate is not None for node in commit.candidates) and len(commit.candidates) <= widths.base + widths.extra
    assert [node.node_id for node in commit.candidates] == [f"0.{index}" for index in range(len(commit.candidates))]
    assert executed_once(log) == len(executed)


def executed_once(log: list[dict[str, Any]]) -> int:
    """The audit over the log alone: how many actions were executed; each after its own re-check said yes, and that after the last score."""
    course = events(log)
    assert [one["boundary_order"] for one in course] == list(range(1, len(course) + 1))
    executed = [one for one in course if one["boundary"] == "execute"]
    for one in executed:
        before = one["boundary_order"] - 1
        assert course[before - 1] == {"node_id": one["node_id"], "boundary": "recheck", "boundary_order": before, "accepted": True}
        assert all(other["boundary_order"] < before for other in course if other["boundary"] == "score")
    assert len(executed) <= 1
    return len(executed)


def events(log: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What happened at the boundary, in the order of the log."""
    found = [{"node_id": line["node_id"], **(line if "boundary_order" in line else line.get("parsed", {}))} for line in log if "node_id" in line]
    wanted = ("node_id", "boundary", "boundary_order", "accepted", "check", "reason")
    return [{"boundary": "score"} | {key: one[key] for key in wanted if key in one} for one in found if "boundary_order" in one]

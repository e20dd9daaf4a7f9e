"""What do several policies make of the same recorded runs? Right answers against spend, one point a policy, without a model call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from explorer.analysis.known import NO_MARKS, Marks
from explorer.analysis.search import without_collector
from explorer.replay.changes import changed, keys
from explorer.replay.difference import Difference, differences
from explorer.replay.outcome import Outcome, of_record, of_replay
from explorer.replay.record import Paid, records
from explorer.replay.settings import Refused
from explorer.replay.what_if import Replay, checked, replay, together
from ingest.store import Store

Changes = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Point:
    """One policy over all runs."""

    policy: Mapping[str, Any]
    """The settings that all runs have in common."""
    runs: int
    right_kept: int
    """Runs in which a right answer is among those kept at the end."""
    right_selected: int
    """Runs in which it is the selected one."""
    upper_right_kept: int
    """The same if all that the record does not hold had gone well."""
    upper_right_selected: int
    paid: Paid
    """A lower bound where runs are past the horizon."""
    runs_past_horizon: int
    expansions: tuple[int, int] = (0, 0)
    """Those that the policies asked for and the record holds, and all that they asked for."""

    def document(self) -> dict[str, Any]:
        """As ``replay --json`` prints it."""
        counts = ("runs", "right_kept", "right_selected", "upper_right_kept", "upper_right_selected")
        return {
            "policy": dict(self.policy), **{name: getattr(self, name) for name in counts}, **self.paid.document(),
            "runs_past_horizon": self.runs_past_horizon,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tried:
    """One run: as recorded, and under each policy in turn; or the reason why it cannot be asked."""

    run_id: str
    recorded: Outcome | None = None
    outcomes: tuple[Outcome, ...] = ()
    refused: str | None = None
    """Why it cannot be asked, a sentence without its subject, the run."""
    fingerprint: str | None = None
    assumed: tuple[str, ...] = ()
    """What had to be concluded about the run's own policy."""


@dataclass(frozen=True, slots=True)
class Swept:
    """All runs together."""

    points: tuple[Point, ...]
    recorded: Point
    tried: tuple[Tried, ...] = field(repr=False)

    @property
    def refused(self) -> dict[str, list[str]]:
        """Why runs cannot be asked, with these runs."""
        found: dict[str, list[str]] = {}
        for one in self.tried:
            if one.refused is not None:
                found.setdefault(one.refused, []).append(one.run_id)
        return found

    @property
    def assumed(self) -> tuple[str, ...]:
        """What had to be concluded about the policies of runs, each sentence once."""
        return tuple(dict.fromkeys(sentence for one in self.tried for sentence in one.assumed))

    def document(self) -> dict[str, Any]:
        """``{"points", "recorded"}`` as ``replay --sweep --json`` prints it."""
        return {"points": [point.document() for point in self.points], "recorded": self.recorded.document()}


def tries(store: Store, run_ids: Sequence[str] | None, policies: Sequence[Changes], marks: Marks = NO_MARKS) -> Iterator[Tried]:
    """Each of these runs (None: all) under each policy, in order of the run ids; its own policy is checked first."""
    return (one for one, _ in _tries(store, run_ids, policies, marks))


def with_differences(
    store: Store, run_ids: Sequence[str] | None, changes: Changes, marks: Marks = NO_MARKS
) -> Iterator[tuple[Tried, tuple[Difference, ...]]]:
    """Each of these runs under one policy, with the nodes that it treats otherwise; none where the run cannot be asked."""
    for one, again in _tries(store, run_ids, [changes], marks):
        yield one, tuple(difference for replayed in again for difference in differences(replayed))


def _tries(store: Store, run_ids: Sequence[str] | None, policies: Sequence[Changes], marks: Marks) -> Iterator[tuple[Tried, tuple[Replay, ...]]]:
    for record in records(store, run_ids, marks, keys(*policies)):
        if isinstance(record, Refused):
            yield Tried(record.run_id, refused=record.why), ()
            continue
        told: dict[str, Any] = {"fingerprint": record.search.run["fingerprint"], "assumed": record.settings.assumed}
        try:
            with without_collector():
                checked(record)
                again = tuple(replay(record, changed(record, changes)) for changes in policies)
                one = Tried(record.run_id, of_record(record), tuple(map(of_replay, again)), **told)
        except Refused as refused:
            one, again = Tried(record.run_id, refused=refused.why, **told), ()
        yield one, again


def swept(tried: Iterable[Tried], policies: int) -> Swept:
    """The points of so many policies, over the runs that could be asked."""
    found = tuple(tried)
    asked = [one for one in found if one.recorded is not None]
    points = tuple(_point([one.outcomes[at] for one in asked]) for at in range(policies))
    return Swept(points, _point([one.recorded for one in asked if one.recorded is not None]), found)


def _point(outcomes: Sequence[Outcome]) -> Point:
    first = outcomes[0].policy if outcomes else {}
    common = {name: value for name, value in first.items() if all(name in one.policy and one.policy[name] == value for one in outcomes)}
    return Point(
        common, len(outcomes), sum(one.right_kept for one in outcomes), sum(one.right_selected for one in outcomes),
        sum(one.upper_right_kept for one in outcomes), sum(one.upper_right_selected for one in outcomes), paid_by_all([one.paid for one in outcomes]),
        sum(one.past_horizon for one in outcomes),
        (sum(one.expansions for one in outcomes), sum(one.expansions + len(one.horizon) for one in outcomes)),
    )  # fmt: skip


def paid_by_all(parts: Sequence[Paid]) -> Paid:
    """The sum over runs. Tokens and cost only where every run that made calls recorded them: the sum over some runs is no sum over all."""
    total = together(list(parts))
    asked = [part for part in parts if any(calls != 0 for calls in part.roles.values())]
    tokens = None if any(part.tokens is None for part in asked) else total.tokens
    return replace(total, tokens=tokens, cost=None if any(part.cost is None for part in asked) else total.cost)

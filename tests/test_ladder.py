"""Does each step up from one trajectory to a full search earn its place, and does what is printed about it stand in the README?"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import replace

import pytest

from explorer.replay.journal import Silent
from ingest.schema import Node, Run
from sample_traces.record import deepening, ladder
from sample_traces.record.clock import FIRST_START, Clock
from sample_traces.record.incident import DEPTH, LOOKS, PARTS, TROUBLES, Incident, State, oracle
from sample_traces.record.ladder import RUNGS, Row
from sample_traces.record.responder import LOOK_COST
from tests.test_samples import PROJECT, README, TRAP, Log


def row(*solved: bool, cost: float = 0.5) -> Row:
    return Row("x", solved, 1.0, 1.0, cost)


@pytest.mark.parametrize("command", ["ladder", "deepening"])
def test_the_command_prints_the_table_that_stands_in_the_readme(command: str) -> None:
    module = f"sample_traces.record.{command}"
    printed = subprocess.run([sys.executable, "-m", module], cwd=PROJECT, check=True, capture_output=True, text=True).stdout
    table = "".join(f"    {line}\n" for line in printed.splitlines())
    for readme in (README, (PROJECT / "README.md").read_text("utf-8"))[: 2 if command == "ladder" else 1]:
        assert table in readme
        assert f"`python -m {module}`" in readme
    assert subprocess.run([sys.executable, "-m", module, "--help"], cwd=PROJECT, check=False, capture_output=True).returncode == 2


def test_cost_per_verified_success_is_the_whole_bill_over_the_successes() -> None:
    assert row(True, False, False, True).cost_per_success == 1.0
    assert row(True, cost=0.25).cost_per_success == 0.25
    assert row(False, False).cost_per_success == math.inf


def test_a_row_earns_its_place_by_what_it_solves_beyond_chance() -> None:
    below, better = row(*[False] * 6), row(*[True] * 5, False)
    assert better.against(below) == (5, 0)
    assert better.earned(below), "five to none by chance: 1 in 32"
    assert not row(*[True] * 4, False, False).earned(below), "four to none by chance: 1 in 16"
    assert not below.earned(better)
    assert not below.earned(below)


def test_every_row_differs_from_the_one_above_it_in_what_its_title_says() -> None:
    def settings(rung: ladder.Rung) -> dict[str, object]:
        protocol = dict(rung.plan.run_fields()["protocol"])
        return {name: value for name, value in protocol.items() if name not in ("state_key", "most_calls")} | {"evidence": rung.evidence}

    changed = [
        {name for name in one.keys() | other.keys() if one.get(name) != other.get(name)}
        for one, other in zip(map(settings, RUNGS), map(settings, RUNGS[1:]), strict=False)
    ]
    assert changed == [
        {"count"},
        {"search", "count", "width", "pruning", "beam_width", "termination", "evaluates"},
        {"evidence"},
        {"search", "pruning", "beam_width", "extra_width", "uncertainty_threshold", "width_floor"},
        {"dedup"},
    ]
    assert len({rung.plan.caps for rung in RUNGS}) == 1, "one envelope for all"


def test_no_run_costs_more_than_the_envelope_but_by_its_last_call() -> None:
    for rung in RUNGS:
        for number in range(12):
            cost = ladder.run(rung, number, Silent(), Clock(FIRST_START)).spent.cost
            assert cost is not None and cost < 0.09 + 0.01 + 8 * LOOK_COST


def test_the_salient_part_is_innocent_and_its_clock_fits() -> None:
    for number in range(100):
        incident = Incident(number)
        assert incident.cause in PARTS and incident.salient in PARTS and incident.cause != incident.salient
        assert incident.look(State(incident.salient), "clock").evidence == (1, 0)


def test_later_evidence_separates_the_salient_part_from_the_cause() -> None:
    def fits(part_of: str, look: str) -> int:
        return sum(Incident(n).look(State(getattr(Incident(n), part_of)), look).evidence == (1, 0) for n in range(400))

    assert [fits("salient", look) < 120 and fits("cause", look) > 320 for look in LOOKS] == [False, True, True]


def test_the_order_of_looking_does_not_matter_to_the_state() -> None:
    incident, state = Incident(3), State(PARTS[0])
    one = incident.look(incident.look(state, "clock"), "log")
    other = incident.look(incident.look(state, "log"), "clock")
    assert one == other and one.key == other.key
    assert incident.look(state, "clock").key != one.key


def test_the_oracle_follows_the_cause_the_trouble_and_the_remedy() -> None:
    incident, run = Incident(5), Run(run_id="r", task_id="incident 5")

    def ask(state: State) -> bool | None:
        return oracle(run, Node(run_id="r", node_id="0", state=json.dumps(state.record())))

    right = State(incident.cause, trouble=incident.trouble, remedy="remedy")
    assert incident.solved(right) and ask(right) is True
    assert ask(State()) is True and ask(State(incident.cause)) is True
    assert ask(State(incident.salient)) is False
    assert ask(replace(right, remedy="restart")) is False
    assert ask(replace(right, trouble=next(one for one in TROUBLES if one != incident.trouble))) is False
    assert oracle(Run(run_id="r", task_id="game24 4 6"), Node(run_id="r", node_id="0", state="{}")) is None


def test_the_recorded_rows_are_the_runs_that_the_table_counts() -> None:
    for rung in RUNGS:
        log = Log(TRAP / f"{rung.name}.jsonl")
        result = ladder.run(rung, ladder.SHOWN, Silent(), Clock(FIRST_START))
        assert (log.end["stop_reason"], log.end["reported_calls"], log.end["selected_path"][-1]) == (
            result.stop_reason, result.spent.calls, result.selected.node_id,
        )  # fmt: skip
        assert log.end["depth_reached"] <= DEPTH


def test_the_measured_cost_of_deepening_lies_near_the_estimate() -> None:
    assert [(one.depth, one.estimate, abs(one.ratio - one.estimate) < 0.15) for one in deepening.measure()] == [(3, 2.0, True), (5, 3.0, True)]

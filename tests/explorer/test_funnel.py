"""The suite: how far runs get, and the five figures with their counts and intervals."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.analysis import attribution, funnel, suite_reading
from explorer.analysis.funnel import Lost, Share, suite, wilson
from explorer.analysis.stages import STAGES, flags, unknown_flags, wrong_order
from explorer.analysis.verdict import Verdict
from ingest.schema import Run, Stage, Trace
from tests.stores import store_of


def trial(run_id: str, lost_at: Stage | None, verdict: str = "control", fingerprint: str | None = None, known: bool = True) -> Verdict:
    """A run that was lost at a stage."""
    return Verdict(
        run_id=run_id, outcome="wrong", verdict="none" if lost_at is None and known else verdict, lost_at=lost_at, mechanism=None, node_id=None,  # type: ignore[arg-type] # a word of the vocabulary
        depth=None, confidence=None, sentence="", evidence=(), missing=(), also_lost=(), flags=flags(lost_at) if known else unknown_flags(),
        fingerprint=fingerprint,
    )  # fmt: skip


def test_no_runs_leave_every_figure_undefined_and_none_zero() -> None:
    empty = suite([])
    for name in funnel.METRICS:
        share: Share = getattr(empty, name)
        assert (share.numerator, share.denominator) == (0, 0) and math.isnan(share.value) and all(map(math.isnan, share.interval))
    assert [step.runs for step in empty.funnel] == [0] * 7


def test_a_single_right_run_reaches_every_stage() -> None:
    one = suite([trial("a", None)])
    assert [step.runs for step in one.funnel] == [1] * 7
    assert (one.selected_success.value, one.search_gap.value, one.pruning_regret.value) == (1.0, 0.0, 0.0)


def test_six_runs_worked_by_hand() -> None:
    runs = [trial("ok", None), *(trial(stage, stage) for stage in (Stage.GENERATED, Stage.SURVIVED, Stage.SURVIVED, Stage.COMPLETED, Stage.VERIFIED))]
    found = suite(runs)
    assert (found.oracle_generated_success, found.selected_success, found.search_gap) == (Share(5, 6), Share(1, 6), Share(4, 6))
    assert (found.pruning_regret, found.allocation_regret) == (Share(2, 5), Share(1, 5))
    assert [(step.stage, step.runs, step.lost) for step in found.funnel] == [
        ("reachable", 6, 0), ("generated", 5, 1), ("distinct", 5, 0), ("evaluated", 5, 0), ("survived", 3, 2), ("completed", 2, 1),
        ("verified", 1, 1),
    ]  # fmt: skip


def test_identity_what_is_lost_at_each_stage_makes_up_the_gap() -> None:
    found = suite([trial(str(i), stage) for i, stage in enumerate((None, None, *STAGES))])
    assert sum(step.lost for step in found.funnel) == found.counted - found.selected_success.numerator
    share = found.oracle_generated_success.value - found.selected_success.value
    assert math.isclose(found.search_gap.value, share)


def test_a_run_that_cannot_be_told_stays_out_of_every_figure_and_is_listed() -> None:
    found = suite([trial("a", None), trial("b", None, known=False, verdict="cannot_tell"), trial("c", Stage.REACHABLE)])
    assert (found.runs, found.counted, found.left_out, found.not_solvable) == (3, 1, ("b",), ("c",))
    assert found.oracle_generated_success == Share(1, 1)


def test_each_protocol_has_figures_of_its_own() -> None:
    found = funnel.by_fingerprint([trial("a", None, fingerprint="f1"), trial("b", Stage.SURVIVED, fingerprint="f2"), trial("c", None)])
    shares = [(one.fingerprint, one.runs, one.selected_success) for one in found]
    assert shares == [("f1", 1, Share(1, 1)), ("f2", 1, Share(0, 1)), (None, 1, Share(1, 1))]


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"), [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0), (6, 7, 0.4869, 0.9743)]
)
def test_wilsons_interval_agrees_with_published_values(hits: int, of: int, low: float, high: float) -> None:
    assert wilson(hits, of) == pytest.approx((low, high), abs=1e-4)


def test_losses_are_gathered_by_depth_verdict_and_mechanism() -> None:
    assert suite([trial("a", Stage.SURVIVED), trial("b", Stage.SURVIVED), trial("c", None)]).lost == (Lost(None, "control", None, ("a", "b")),)


# stage labels that a log brings with it


def labelled(run_id: str, **labels: bool) -> Trace:
    return Trace(Run(run_id=run_id, outcome="wrong", outcome_by="check", extra=json.dumps(labels)))


def from_labels(folder: Path, **labels: bool) -> Iterator[Verdict]:
    return attribution.of_runs(store_of(folder, labelled("run", **labels)))


ORDERED = {"reachable": True, "generated": True, "distinct": True, "evaluated": True, "survived": False, "completed": False, "verified": False}


def test_labels_in_order_count_where_no_node_tells(tmp_path: Path) -> None:
    (verdict,) = from_labels(tmp_path, **ORDERED)
    assert (verdict.lost_at, verdict.verdict, verdict.flags) == ("survived", "cannot_tell", ORDERED)
    assert suite([verdict]).pruning_regret == Share(1, 1)


def test_labels_that_say_never_generated_are_generation(tmp_path: Path) -> None:
    (verdict,) = from_labels(tmp_path, **dict.fromkeys(ORDERED, False) | {"reachable": True})
    assert (verdict.lost_at, verdict.verdict, verdict.confidence) == ("generated", "generation", "likely")


def test_labels_that_violate_the_order_are_an_error_that_names_the_run(tmp_path: Path) -> None:
    (verdict,) = from_labels(tmp_path, **ORDERED | {"evaluated": False, "completed": True})
    found = suite([verdict])
    assert found.counted == 0
    assert found.errors == ("run: Run run is wrong. Its stage labels contradict each other: completed holds although evaluated does not.",)


def test_the_first_violation_is_named() -> None:
    assert wrong_order(ORDERED) is None
    assert wrong_order(ORDERED | {"verified": True}) == (Stage.VERIFIED, Stage.SURVIVED)


# the tables beneath the charts


def test_the_stages_and_losses_stand_in_tables_with_their_counts() -> None:
    found = suite([trial("a", None), trial("b", Stage.SURVIVED), trial("c", Stage.SURVIVED), trial("d", None, known=False, verdict="cannot_tell")])
    survived = suite_reading.stages(found).to_pylist()[4]
    assert (survived["stage"], survived["passed"], survived["of"], survived["share"], survived["lost_here"]) == ("survived", 1, 3, 1 / 3, 2)
    assert suite_reading.losses(found).to_pylist() == [
        {"depth": None, "verdict": "cannot_tell", "mechanism": None, "runs": 1}, {"depth": None, "verdict": "control", "mechanism": None, "runs": 2},
    ]  # fmt: skip
    assert [row["share"] for row in suite_reading.stages(suite([])).to_pylist()] == [None] * 7

"""What-if: a run's own policy reproduces it exactly, another one does what a search under it would have done, and the record has an end."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from explorer.replay.caps import Caps
from explorer.replay.difference import NOT_MADE, Difference, differences
from explorer.replay.outcome import of_record, of_replay
from explorer.replay.record import Record, records
from explorer.replay.settings import Refused
from explorer.replay.what_if import Replay, checked, first_difference, replay
from ingest.pipeline import ingest
from ingest.schema import Trace, Truth
from ingest.store import Store
from tests.explorer.replay.recordings import METHODS, caps_of, live, recorded
from tests.stores import store_of, tree

PROJECT = Path(__file__).parents[3]
SAMPLES = sorted((PROJECT / "sample_traces" / "native").rglob("*.jsonl"))
BEAM = {"search": "beam", "beam_width": 1, "pruning": ["beam_width"], "termination": "exhaustion"}
GOLD = """
    0      fate=expanded expanded_seq=0
      0.0  score=0.9 fate=expanded expanded_seq=1
        0.0.0 score=0.5 fate=terminal
        0.0.1 score=0.4 fate=pruned pruned_by=survived prune_rule=beam_width
      0.1  score=0.8 fate=pruned pruned_by=survived prune_rule=beam_width
"""


def drawn(folder: Path, drawing: str, protocol: dict[str, Any] | None = None, truth: tuple[Truth, ...] = (), **run: Any) -> Record | Refused:
    """The record of one run that is drawn as text; it followed a beam of width 1 unless told otherwise."""
    trace = tree(drawing, truth=truth, protocol=json.dumps(BEAM if protocol is None else protocol), **run)
    return only(store_of(folder, trace))


def only(store: Store) -> Record | Refused:
    (found,) = records(store)
    return found


def usable(found: Record | Refused) -> Record:
    assert isinstance(found, Record), found
    return found


def as_made(again: Replay) -> list[tuple[Any, ...]]:
    """Every node with all that the search decided about it."""
    return [
        (node.node_id, node.fate, node.pruned_by, node.prune_rule, node.merged_into and node.merged_into.node_id, node.expanded_seq)
        for node in again.result.tree.nodes
    ]


# its own policy


def test_every_method_under_every_cap_is_reproduced_exactly(tmp_path: Path) -> None:
    runs = [
        (f"{name} {cap} {seed} {at_once}", name, seed, caps, at_once)
        for seed in (0,)
        for name in METHODS
        for cap, caps in caps_of(seed, name).items()
        for at_once in (1, 3)
    ]
    found = list(records(recorded(tmp_path, runs)))
    assert len(found) == len(runs)
    assert {record.run_id: difference for record in map(usable, found) if (difference := first_difference(record))} == {}


def test_every_sample_of_this_project_is_reproduced_or_refused_for_a_reason_in_its_name(tmp_path: Path) -> None:
    ingest(tmp_path, [str(path) for path in SAMPLES])
    refused = []
    for found in records(Store(tmp_path)):
        if isinstance(found, Refused):
            refused.append(str(found))
        else:
            assert first_difference(found) is None, found.run_id
    assert [sentence for sentence in refused if "searched by 'search_then_commit'" not in sentence] == [
        "run 'game24-died' has no end in its log: it is running or died, so there is no finished search to replay"
    ]


def test_its_own_policy_costs_what_all_recorded_calls_cost(tmp_path: Path) -> None:
    store = recorded(tmp_path, [(name, name, 1, Caps(max_depth=3), 1) for name in METHODS])
    for record in map(usable, records(store)):
        sql = "select count(*) as calls, sum(input_tokens + output_tokens)::bigint as tokens, sum(cost) as cost from calls where run_id = $run_id"
        (spent,) = store.query(sql, run_id=record.run_id).to_pylist()
        paid = of_replay(replay(record, record.settings)).paid
        assert (sum(count or 0 for count in paid.roles.values()), paid.tokens) == (spent["calls"], spent["tokens"])
        assert paid.cost == pytest.approx(spent["cost"])
        assert of_record(record).paid.document() == paid.document()


def test_a_store_without_texts_answers_the_same(tmp_path: Path) -> None:
    store = recorded(tmp_path, [("run", "beam", 3, Caps(), 1)], payloads="none")
    assert store.query("select count(*) as n from texts")["n"].to_pylist() == [0]
    assert first_difference(usable(only(store))) is None


def test_a_record_that_does_not_follow_its_policy_is_refused_with_the_first_difference(tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        checked(usable(drawn(tmp_path, GOLD.replace("0.0  score=0.9", "0.0  score=0.7"))))
    assert str(refused.value) == (
        "run 'run' does not follow its own policy: node 0.0 is expanded in the record, and pruned by beam_width when replayed"
    )


def test_a_record_that_selects_another_path_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"the record selects 0\.1, and the replay 0\.0\.0"):
        checked(usable(drawn(tmp_path, GOLD, selected_path=("0", "0.1"))))


def test_a_record_that_stops_for_another_reason_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="the record stops by max_depth, and the replay by frontier_exhausted"):
        checked(usable(drawn(tmp_path, GOLD, stop_reason="max_depth")))


@pytest.mark.parametrize(
    ("drawing", "protocol", "run", "sentence"),
    [
        (GOLD, None, {"ended": False}, "has no end in its log: it is running or died, so there is no finished search to replay"),
        ("root fate=expanded\n  a fate=terminal", None, {}, "recorded no scores, so there is nothing to rank its candidates by"),
        (GOLD, {}, {}, "does not record how it searched (search, beam width, tie-break), so no policy can be compared with its own"),
        (GOLD, {"search": "by hand"}, {},
         "searched by 'by hand', which this loop does not replay; it replays beam, breadth_first, best_first, depth_first, mcts, best_of"),
        (GOLD, {**BEAM, "beam_width": "wide"}, {}, "has a protocol whose beam_width is 'wide', expected a whole number"),
        (GOLD, {**BEAM, "tie_break": "random"}, {}, "has a protocol whose tie_break is 'random', expected order, diverse or random:SEED"),
        (GOLD + "    s fate=terminal score=1", None, {}, "has 2 starts, and a search that can be replayed has one"),
        (GOLD, {"method_select": "sample"}, {"level_by_level": True}, "chose what to keep by drawing lots, which no replay repeats"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_said_in_one_sentence(
    tmp_path: Path, drawing: str, protocol: dict[str, Any] | None, run: dict[str, Any], sentence: str
) -> None:
    assert str(drawn(tmp_path, drawing, protocol, **run)) == f"run 'run' {sentence}"


def test_a_run_of_one_node_is_a_search_too(tmp_path: Path) -> None:
    record = usable(drawn(tmp_path, "0 fate=open", {**BEAM}, budget_max_depth=0, stop_reason="max_depth", selected_path=("0",)))
    assert first_difference(record) is None
    now = of_replay(replay(record, record.settings))
    assert (now.right_kept, now.upper_right_kept, now.paid.roles, now.horizon) == (False, False, {}, ())


# another policy


def test_a_policy_does_over_a_full_record_what_it_does_for_real(tmp_path: Path) -> None:
    """The record is a breadth-first search that kept everything, so that other policies find all that they ask for, or say that they do not."""
    names, seeds = ("beam", "chance", "breadth_first", "best_first", "depth_first", "majority"), range(8)
    runs = [(f"{name} {seed}", name, seed, Caps(), 1) for name in names for seed in seeds]
    found = {record.run_id: record for record in map(usable, records(recorded(tmp_path, runs)))}
    compared = Counter[str]()
    for name in names:
        for seed in seeds:
            again, real = replay(found[f"breadth_first {seed}"], found[f"{name} {seed}"].settings), live(name, seed)
            if again.past_horizon:
                continue  # from there on it is not known what a search would have done
            assert as_made(again) == as_made(replace(again, result=real))
            assert (again.result.selected.node_id, again.result.stop_reason) == (real.selected.node_id, real.stop_reason)
            assert (again.result.spent.calls, again.result.spent.tokens) == (real.spent.calls, real.spent.tokens)
            compared[name] += 1
    assert min(compared[name] for name in names) >= 2, compared


def test_a_wider_beam_asks_for_what_the_record_does_not_hold(tmp_path: Path) -> None:
    record = usable(drawn(tmp_path, GOLD, selected_path=("0", "0.0", "0.0.0")))
    now = of_replay(replay(record, replace(record.settings, beam_width=2)))
    assert now.horizon == ("0.1", "0.0.1")
    assert now.paid.document() == {"calls_by_role": {"evaluator": None, "proposer": 4}, "tokens": None, "cost": None}
    assert now.path == ("0", "0.0", "0.0.0")


def test_nodes_that_are_kept_or_cut_otherwise_are_named_with_the_reason(tmp_path: Path) -> None:
    record = usable(drawn(tmp_path, GOLD))
    found = differences(replay(record, replace(record.settings, threshold=0.95, pruning=("threshold", "beam_width"))))
    cut = {"was_kept": True, "is_kept": False}
    assert found[:2] == (
        Difference("0.0", 1, "0.0", 0.9, None, "expanded", "pruned", "score 0.9 is under the threshold 0.95", **cut),
        Difference("0.0.0", 2, "0.0.0", 0.5, None, "terminal", NOT_MADE, None, **cut),
    )
    assert [(node.node_id, node.now, node.kept, node.cut) for node in found[2:]] == [("0.0.1", NOT_MADE, False, False)]


def right(run_id: str = "run", **nodes: bool) -> tuple[Truth, ...]:
    return tuple(Truth(run_id=run_id, node_id=name.replace("_", ".").strip("n"), viable=is_so, viable_by="oracle") for name, is_so in nodes.items())


@pytest.mark.parametrize(
    ("truth", "kept", "selected"),
    [
        (right(n0_1=True, n0_0_0=False, n0_0_1=False), (False, True), (False, True)),
        (right(n0_1=False, n0_0_0=False, n0_0_1=False), (False, False), (False, False)),
        (right(n0_0_0=True, n0_1=False, n0_0_1=False), (True, True), (True, True)),
        (right(n0_0_0=False), (False, True), (False, True)),
        ((), (False, True), (False, True)),
    ],
    ids=["it may lie past the horizon", "nothing past it can be right", "right already", "nothing is known of what lies past it", "nothing is known"],
)  # fmt: skip
def test_bounds_rest_on_what_is_known_past_the_horizon(
    tmp_path: Path, truth: tuple[Truth, ...], kept: tuple[bool, bool], selected: tuple[bool, bool]
) -> None:
    record = usable(drawn(tmp_path, GOLD, truth=truth))
    now = of_replay(replay(record, replace(record.settings, beam_width=2)))
    assert (now.right_kept, now.upper_right_kept) == kept
    assert (now.right_selected, now.upper_right_selected) == selected


def test_a_viable_path_that_gets_further_than_before_is_seen(tmp_path: Path) -> None:
    drawing = GOLD.replace("0.0.1 score=0.4", "0.0.1 score=0.4 verified=true")
    record = usable(drawn(tmp_path, drawing))
    assert first_difference(record) is None
    assert (of_record(record).viable_depth, of_record(record).right_kept) == (1, False)
    now = of_replay(replay(record, replace(record.settings, beam_width=2)))
    assert (now.viable_depth, now.right_kept, now.right_selected) == (2, True, True)


# the copies of a Tree of Thoughts log


LEVELS = """
    r       fate=expanded
      r.0   step=a score=2 fate=expanded expanded_seq=1
        r.0.0 step=x score=1 fate=terminal
        r.0.1 step=z score=3 fate=terminal
      r.1   step=b score=5 fate=expanded expanded_seq=0
        r.1.0 step=y score=2 fate=pruned
      r.2   step=b score_raw="0" fate=pruned pruned_by=distinct merged_into=r.1
"""


def test_a_log_that_names_no_search_is_taken_level_by_level_and_says_so(tmp_path: Path) -> None:
    record = usable(drawn(tmp_path, LEVELS, {}, level_by_level=True))
    assert record.settings.document() == {
        "search": "beam", "pruning": ["beam_width"], "beam_width": 2, "tie_break": "order", "dedup": "off", "joins": False, "select": "best",
        "termination": "exhaustion", "evaluates": "all", "at_once": 1,
    }  # fmt: skip
    assert record.settings.assumed[0] == (
        "the log names no search: taken as level by level, the best 2 of a depth go on (the most that any depth kept), equal scores in the order "
        "of the log"
    )


def test_a_copy_counts_nothing_beside_its_first_copy_and_has_its_value_where_that_is_gone(tmp_path: Path) -> None:
    record = usable(drawn(tmp_path, LEVELS, {}, level_by_level=True))
    scores = {node.node_id: node.score for node in replay(record, record.settings).result.tree.nodes}
    assert (scores["r.1"], scores["r.2"]) == (5.0, 0.0)
    assert Counter(record.copies) == Counter({record.search.place["r.2"]: record.search.place["r.1"]})


def test_the_last_depth_of_such_a_log_is_finished_whatever_was_kept_of_it(tmp_path: Path) -> None:
    record = usable(drawn(tmp_path, LEVELS, {}, level_by_level=True))
    again = replay(record, replace(record.settings, beam_width=1))
    assert ([node.node_id for node in again.result.tree.finished], again.horizon) == (["r.1.0"], [])


# choices


def test_the_verifier_chooses_among_what_is_known_to_be_right(tmp_path: Path) -> None:
    drawing = GOLD.replace("0.0.1 score=0.4 fate=pruned pruned_by=survived prune_rule=beam_width", "0.0.1 score=0.4 fate=terminal")
    protocol = {**BEAM, "beam_width": 2}
    trace: Trace = tree(drawing, truth=right(n0_0_1=True), protocol=json.dumps(protocol))
    record = usable(only(store_of(tmp_path, trace)))
    chosen = {how: of_replay(replay(record, replace(record.settings, select=how))) for how in ("best", "verifier")}
    assert {how: (now.path and now.path[-1], now.right_selected) for how, now in chosen.items()} == {
        "best": ("0.0.0", False), "verifier": ("0.0.1", True)
    }  # fmt: skip


def test_a_call_cap_holds_on_a_log_without_calls_by_counting_expansions(tmp_path: Path) -> None:
    record = usable(drawn(tmp_path, GOLD))
    now = of_replay(replay(record, replace(record.settings, max_calls=1)))
    assert (now.stop_reason, now.paid.roles) == ("call_budget", {"evaluator": None, "proposer": 1})


def test_what_a_cap_kept_from_being_judged_lies_past_the_horizon_without_the_cap(tmp_path: Path) -> None:
    record = usable(only(recorded(tmp_path, [("run", "beam", 0, Caps(max_calls=9), 1)])))
    now = of_replay(replay(record, replace(record.settings, max_calls=None)))
    assert record.search.run["stop_reason"] == "call_budget"
    assert now.past_horizon
    assert set(now.unjudged) | set(now.horizon)

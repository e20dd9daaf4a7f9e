"""How are candidates ordered, which of two equal states is better, and which answer is chosen in the end?"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.replay.node import SearchNode, Spend, Tree
from explorer.replay.policies import ByChance, Majority, at_least_one, best, better_evidence, by_order, diverse, verified_only
from ingest.errors import TraceError
from tests.explorer.replay.worlds import ids, judged

ROOT = judged("0", None)
LEFT, RIGHT = judged("0.0", 0.5, ROOT), judged("0.1", 0.5, ROOT)


def candidates(*scored: tuple[str, float | None], parent: SearchNode = ROOT) -> list[SearchNode]:
    return [judged(name, score, parent, seq=number) for number, (name, score) in enumerate(scored)]


def finished(*nodes: SearchNode) -> Tree:
    return Tree(nodes=[ROOT, *nodes], finished=list(nodes))


def test_by_order_puts_the_best_first_and_equal_ones_in_order_of_creation() -> None:
    assert ids(by_order(reversed(candidates(("a", 0.5), ("b", None), ("c", 0.5), ("d", 0.9))))) == ["d", "a", "c", "b"]
    assert by_order([]) == []


def test_by_chance_depends_on_seed_and_ids_alone_and_never_puts_a_worse_one_first() -> None:
    some = candidates(*((name, 0.5) for name in "abcdefgh"), ("best", 0.9))
    orders = {seed: ids(ByChance(seed)(some)) for seed in range(5)}
    assert all(order[0] == "best" and ids(ByChance(seed)(reversed(some))) == order for seed, order in orders.items())
    assert len({tuple(order) for order in orders.values()}) == 5


def test_by_chance_gives_every_candidate_the_first_place_now_and_then() -> None:
    some = candidates(*((name, 0.5) for name in "abcd"))
    firsts = [ids(ByChance(seed)(some))[0] for seed in range(200)]
    assert all(30 <= firsts.count(name) <= 70 for name in "abcd")


def test_diverse_serves_in_turn_the_parents_of_equal_candidates() -> None:
    children = [judged(f"l{n}", 0.5, LEFT, seq=n) for n in range(3)] + [judged(f"r{n}", 0.5, RIGHT, seq=3 + n) for n in range(2)]
    assert ids(diverse(children)) == ["l0", "r0", "l1", "r1", "l2"]


def test_diverse_counts_the_places_that_a_parent_got_by_better_scores() -> None:
    children = [judged("l0", 0.9, LEFT, seq=0), judged("l1", 0.5, LEFT, seq=1), judged("r0", 0.5, RIGHT, seq=2), judged("l2", 0.1, LEFT, seq=3)]
    assert ids(diverse(children)) == ["l0", "r0", "l1", "l2"]
    assert diverse([]) == []


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from([None, 0.25, 0.5]), st.booleans()), max_size=20))
def test_every_order_holds_the_same_candidates_and_no_score_before_a_better_one(scored: list[tuple[float | None, bool]]) -> None:
    nodes = [judged(str(n), score, LEFT if left else RIGHT, seq=n) for n, (score, left) in enumerate(scored)]
    scores = [node.score for node in by_order(nodes)]
    for order in (by_order, ByChance(1), diverse):
        assert set(order(nodes)) == set(nodes) and [node.score for node in order(nodes)] == scores


def test_of_two_equal_states_the_better_score_wins_then_the_cheaper_way_then_the_first() -> None:
    old, new = judged("old", 0.5), judged("new", 0.5)
    old.path_spend, new.path_spend = Spend(3, 10, 0.5), Spend(4, 10, 0.25)
    assert better_evidence(new, old) and not better_evidence(old, new)
    assert better_evidence(judged("better", 0.6), new) and not better_evidence(judged("blocked", 0.9, violations=1), new)
    assert not better_evidence(judged("twin", 0.5), judged("first", 0.5))


def test_where_a_cost_is_not_known_fewer_calls_are_cheaper() -> None:
    old, new = judged("old", 0.5), judged("new", 0.5)
    old.path_spend, new.path_spend = Spend(3, 10, None), Spend(2, 99, 9.0)
    assert better_evidence(new, old) and not better_evidence(old, new)


def test_an_answer_that_passed_its_check_is_chosen_before_all_that_did_not() -> None:
    tree = finished(judged("high", 0.9, ROOT, verified=False), judged("passed", 0.1, ROOT, verified=True))
    chosen = best(tree, by_order)
    assert chosen is not None and chosen.node_id == "passed"
    assert best(finished(), by_order) is None


def test_verified_only_chooses_nothing_where_no_answer_passed() -> None:
    assert verified_only(finished(judged("high", 0.9, ROOT, verified=False), judged("unchecked", 0.9, ROOT)), by_order) is None
    one = verified_only(finished(judged("a", 0.1, ROOT, verified=True, seq=1), judged("b", 0.4, ROOT, verified=True, seq=2)), by_order)
    assert one is not None and one.node_id == "b"


def test_the_majority_chooses_the_answer_given_most_often_and_of_its_nodes_the_best() -> None:
    choose = Majority(lambda node: node.node_id[0])
    tree = finished(*candidates(("x1", 0.9), ("y1", 0.2), ("y2", 0.4), ("z1", 0.8)))
    chosen = choose(tree, by_order)
    assert chosen is not None and chosen.node_id == "y2"
    tied = choose(finished(*candidates(("y1", 0.2), ("x1", 0.9), ("y2", 0.4), ("x2", 0.1))), by_order)
    assert tied is not None and tied.node_id == "x1"
    assert choose(finished(), by_order) is None


@pytest.mark.parametrize("count", [0, -3])
def test_a_policy_with_nothing_to_do_is_refused(count: int) -> None:
    with pytest.raises(TraceError, match=f"the beam width is {count}, expected 1 or more"):
        at_least_one("the beam width", count)

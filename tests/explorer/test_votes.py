"""How much do votes disagree, and was there anyone to disagree?"""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysis.votes import Standing, Votes, standing, top_two_margin, vote_entropy


@pytest.mark.parametrize(
    ("votes", "entropy", "margin", "rests_on"),
    [
        ({"read": 8, "search": 1, "run": 1}, 0.5817, 0.7, Standing.DIVIDED),  # -(0.8 ln 0.8 + 2 * 0.1 ln 0.1) / ln 3
        ({"read": 4, "search": 3, "run": 3}, 0.9912, 0.1, Standing.DIVIDED),
        ({"read": 2, "search": 2}, 1.0, 0.0, Standing.DIVIDED),
        ({"read": 10}, 0.0, 1.0, Standing.AGREED),
        ({"read": 10, "search": 0}, 0.0, 1.0, Standing.AGREED),
        ({"read": 1}, math.nan, math.nan, Standing.ONLY_ONE),
        ({}, math.nan, math.nan, Standing.NONE),
    ],
)
def test_disagreement_by_hand_and_one_vote_that_is_left_alone_agrees_with_nobody(
    votes: Votes, entropy: float, margin: float, rests_on: Standing
) -> None:
    assert vote_entropy(votes) == pytest.approx(entropy, abs=5e-5, nan_ok=True)
    assert top_two_margin(votes) == pytest.approx(margin, nan_ok=True)
    assert standing(votes) is rests_on


@settings(deadline=None)
@given(st.dictionaries(st.integers(0, 9), st.integers(0, 50), max_size=6))
def test_both_are_shares_and_name_and_order_of_the_alternatives_do_not_matter(votes: dict[int, int]) -> None:
    turned = {-name: votes[name] for name in reversed(votes)}
    for measure in (vote_entropy, top_two_margin):
        found = measure(votes)
        assert math.isnan(found) if sum(votes.values()) < 2 else -1e-12 <= found <= 1 + 1e-12
        assert measure(turned) == pytest.approx(found, nan_ok=True)

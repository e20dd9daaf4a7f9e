"""Which settings does the name of a Tree of Thoughts log carry, and which names carry none?"""

from __future__ import annotations

import json
from typing import Any

import pytest

from ingest.readers.tot_bfs_name import protocol_of

BEAM = {
    "backend": "gpt-9", "temperature": 0.7, "method_generate": "propose", "n_generate_sample": 1, "method_evaluate": "value",
    "n_evaluate_sample": 3, "method_select": "greedy", "n_select_sample": 5,
}  # fmt: skip
VOTES = {
    "task": "text", "backend": "gpt-9", "temperature": 1.0, "method_generate": "sample", "n_generate_sample": 5,
    "method_evaluate": "vote", "method_select": "greedy", "n_select_sample": 1,
}  # fmt: skip
BEST_OF = {"task": "game24", "backend": "gpt-9", "method_generate": "naive", "prompt_sample": "cot", "n_generate_sample": 100}


@pytest.mark.parametrize(
    ("stem", "protocol"),
    [
        ("gpt-9_0.7_propose1_value3_greedy5_start900_end1000", {**BEAM, "task_start_index": 900, "task_end_index": 1000}),
        ("gpt-9_0.7_propose1_value3_greedy5", BEAM),
        ("text_gpt-9_1.0_sample5_vote_greedy1", VOTES),
        ("game24_gpt-9_naive_cot_sample_100", BEST_OF),
    ],
)
def test_a_name_of_the_producers_pattern_holds_the_settings_under_its_own_words(stem: str, protocol: dict[str, Any]) -> None:
    assert json.loads(protocol_of(stem) or "") == protocol


@pytest.mark.parametrize("stem", ["monday", "greedy5", "gpt-9_0.7", "gpt-9_0.7_propose1_value3_greedy5_copy", ""])
def test_any_other_name_holds_none(stem: str) -> None:
    assert protocol_of(stem) is None

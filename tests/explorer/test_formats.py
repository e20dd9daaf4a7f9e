"""Is the README's table of formats what the readers say, and is what they say true of real logs?"""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.commands.formats import QUESTIONS, in_a_word
from ingest.pipeline import ingest
from ingest.readers import READERS
from ingest.store import Store
from tests.formats_table import README, written
from tests.logs import PROJECT, SHARED
from tests.measured_tells import GRADES, measured

SAMPLES, TRACES = PROJECT / "sample_traces", SHARED / "real_traces"
TRUE_OF = {"yes": {"yes"}, "if logged": {"yes"}, "partly": {"partly", "yes"}, "no": {"no"}}
"""What is measured where a word is true: it never promises more than some log shows, and never says no where one shows something."""


def test_the_table_in_the_readme_is_what_the_readers_say() -> None:
    assert README.read_text("utf-8") == written(), "python -m tests.formats_table writes it anew"


@pytest.mark.parametrize(
    ("question", "answer", "word"),
    [
        ("control", "yes", "yes"),
        ("control", "yes: the labeller chose", "yes"),
        ("replay", "yes, where prompts are kept", "if logged"),
        ("generation", "prompts and responses", "partly"),
        ("generation", "parents, depths, prompts and responses", "no"),
        ("generation", "alternatives (an agent run: its siblings are steps)", "no"),
        ("generation", "prompts and responses (a fork shows alternatives)", "partly"),
        ("evaluation", "evaluator's prompts and responses (scores are there)", "partly"),
        ("evaluation", "a single score, evaluator's prompts and responses", "no"),
        ("control", "fates, prune reasons, selected path", "no"),
        ("control", "prune reasons, stop reason, selected path", "partly"),
        ("spend", "tokens and cost of each node (a run's totals are there)", "partly"),
        ("spend", "tokens, cost and calls", "no"),
        ("replay", "prompts and responses (what-if over the recorded scores works)", "partly"),
        ("replay", "scores", "partly"),
        ("replay", "prompts, responses and scores", "no"),
    ],
)
def test_what_is_missing_makes_the_word(question: str, answer: str, word: str) -> None:
    assert in_a_word(question, answer) == word


@pytest.mark.skipif(not TRACES.is_dir(), reason="the folder of real traces does not stand beside the project")
def test_every_word_of_the_table_is_true_of_the_real_logs_and_the_samples(tmp_path: Path) -> None:
    samples = [str(folder) for folder in sorted(SAMPLES.iterdir()) if folder.is_dir() and folder.name not in ("broken", "record")]
    ingest(tmp_path, [str(TRACES), *samples])
    found = measured(Store(tmp_path))
    assert found.keys() == {reader.NAME for reader in READERS}
    untrue = {}
    for reader in READERS:
        for question in QUESTIONS:
            word = in_a_word(question, reader.TELLS[question])
            allowed = TRUE_OF[word] | ({"partly"} if "agent run" in reader.TELLS[question] else set())  # its siblings are steps, no alternatives
            if found[reader.NAME][question] not in allowed:
                untrue[reader.NAME, question] = (word, found[reader.NAME][question], reader.TELLS[question])
    assert untrue == {}


def test_nothing_can_be_told_of_an_empty_store(tmp_path: Path) -> None:
    assert measured(Store(tmp_path)) == {}
    assert GRADES == ("no", "partly", "yes")

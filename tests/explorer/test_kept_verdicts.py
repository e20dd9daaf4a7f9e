"""When one run has grown, is only that run judged again?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from explorer.analysis import attribution, run_states
from explorer.analysis.verdict import Verdict
from explorer.views.parts import judged
from ingest.store import Store
from tests.stores import store_of, tree


def test_only_runs_about_which_something_changed_are_judged_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = store_of(tmp_path / "store", *(tree("root\n  a score=0.5", run_id=run, outcome="wrong") for run in "abc"))
    asked: list[Sequence[str] | None] = []
    real = attribution.of_runs

    def of_runs(store: Store, run_ids: Sequence[str] | None = None) -> Iterator[Verdict]:
        asked.append(run_ids)
        return real(store, run_ids)

    monkeypatch.setattr(attribution, "of_runs", of_runs)
    states = run_states.of_all(store)
    kept: dict[str, tuple[str, Verdict]] = {}
    first = list(judged._all_verdicts(store, states, kept))
    again = list(judged._all_verdicts(store, {**states, "b": "another"}, kept))
    last = list(judged._all_verdicts(store, {**states, "b": "another"}, kept))
    assert asked == [None, ["b"]]
    assert [one.run_id for one in first] == ["a", "b", "c"]
    assert first == again == last

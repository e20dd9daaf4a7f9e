"""Does what is remembered of a run stay valid exactly as long as nothing that tells about it changes?"""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.analysis import run_states
from ingest import watch
from ingest.judgements import add_routes, add_truth
from ingest.schema import Truth
from ingest.store import Store
from ingest.watch import Watch
from tests.logs import write_log


def test_a_run_changes_with_its_rows_its_task_the_truth_and_the_routes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "SEARCH_S", 0.0)
    monkeypatch.setattr(watch, "SEARCH_REST", 0)
    runs = ({"record": "run", "run_id": run, "task_id": task} for run, task in (("grows", "t"), ("mate", "t"), ("other", "u"), ("alone", None)))
    log = write_log(tmp_path / "log", *runs)
    follower = Watch(tmp_path / "store", [str(log)])
    follower.look()
    store = Store(tmp_path / "store")
    before = run_states.of_all(store)
    with log.open("a") as file:
        file.write('{"run_id": "grows", "node_id": "a"}\n')
    follower.look()
    after = run_states.of_all(store)
    assert {run for run in before if before[run] != after[run]} == {"grows", "mate"}
    add_truth(store.folder, [Truth(run_id="grows", node_id="a", viable=True, viable_by="oracle")], ["grows"], "oracle", "o")
    judged = run_states.of_all(store)
    add_routes(store.folder, [{"run_id": "other", "route": [{"step": "x"}]}])
    assert all(len({after[run], judged[run], run_states.of_all(store)[run]}) == 3 for run in before)
    assert run_states.of_all(Store(tmp_path / "nothing")) == {}

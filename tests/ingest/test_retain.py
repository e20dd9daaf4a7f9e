"""Runs and texts leave every file of a store, and the rest stays as it was."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from explorer.commands import main
from ingest import pipeline, retain
from ingest.recorder import Recorder
from ingest.store import STORED, Store
from tests.stores import store_of, tree


def load(folder: Path) -> Store:
    """Two logs of two runs each, every text with its run's name in it."""
    for log in ("one", "two"):
        said = {run: f"text of {log}-{run}" for run in "ab"}
        lines = [
            {"record": "node", "run_id": f"{log}-{run}", "node_id": "n", "prompt": text, "input_tokens": 5, "chat": text}
            for run, text in said.items()
        ]
        (folder / f"{log}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        pipeline.ingest(folder / "store", [str(folder / f"{log}.jsonl")])
    return Store(folder / "store")


def contents(folder: Path) -> str:
    store = Store(folder)
    return json.dumps({table: store.query(f"select * from {table}").to_pylist() for table in STORED}, default=str)


def test_a_forgotten_run_is_in_no_file(tmp_path: Path) -> None:
    store = load(tmp_path)
    assert retain.forget(tmp_path / "store", ["one-a", "nobody"]) == ["one-a"]
    assert store.query("select run_id from runs order by run_id")["run_id"].to_pylist() == ["one-b", "two-a", "two-b"]
    assert "one-a" not in contents(tmp_path / "store")
    assert "text of one-b" in contents(tmp_path / "store")


def test_a_forgotten_run_stays_away_while_its_log_does_not_change(tmp_path: Path) -> None:
    load(tmp_path)
    retain.forget(tmp_path / "store", ["one-a"])
    (report,) = pipeline.ingest(tmp_path / "store", [str(tmp_path / "one.jsonl")])
    assert report.status == "unchanged"
    assert "one-a" not in contents(tmp_path / "store")


def test_dropped_texts_leave_the_figures(tmp_path: Path) -> None:
    store = load(tmp_path)
    before = store.query("select run_id, node_id, input_tokens, prompt_hash from calls order by all").to_pylist()
    assert retain.drop_texts(tmp_path / "store", ["two-b"]) == ["two-b"]
    assert store.query("select run_id from texts order by run_id")["run_id"].to_pylist() == ["one-a", "one-b", "two-a"]
    assert store.query("select run_id, node_id, input_tokens, prompt_hash from calls order by all").to_pylist() == before
    assert "text of two-b" not in contents(tmp_path / "store")
    assert "text of two-a" in contents(tmp_path / "store")


def test_the_judgements_about_a_forgotten_run_go_with_it(tmp_path: Path) -> None:
    from ingest.judgements import add_truth
    from ingest.schema import Truth

    store = store_of(tmp_path, tree("root", run_id="a"), tree("root", run_id="b"))
    add_truth(tmp_path, [Truth(run_id=run, node_id="root", viable=True, viable_by="oracle") for run in "ab"], ["a", "b"], "oracle", "x")
    retain.forget(tmp_path, ["a"])
    assert store.query("select run_id from truth")["run_id"].to_pylist() == ["b"]


def test_the_reviews_of_a_forgotten_run_go_with_it(tmp_path: Path) -> None:
    load(tmp_path)
    (tmp_path / "store" / "reviews").mkdir()
    file = tmp_path / "store" / "reviews" / "ab.jsonl"
    file.write_text('{"run_id": "one-a", "note": "x"}\n{"run_id": "one-b", "note": "y"}\n{"torn')
    retain.forget(tmp_path / "store", ["one-a"])
    assert file.read_text() == '{"run_id": "one-b", "note": "y"}\n{"torn'


def test_nothing_to_drop_changes_nothing(tmp_path: Path) -> None:
    load(tmp_path)
    before = contents(tmp_path / "store")
    assert retain.forget(tmp_path / "store", []) == []
    assert contents(tmp_path / "store") == before


def test_texts_go_when_the_window_that_their_recorder_set_is_over_whatever_their_age(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Recorder(tmp_path / "log", retain_days=30) as recorder:
        for name, age in (("old", 31), ("young", 29)):
            run = recorder.run(name, started_at=datetime.now(UTC) - timedelta(days=age))
            run.call("0", role="proposer", prompt=f"text of {name}")
    with Recorder(tmp_path / "log") as recorder:
        recorder.run("no window", started_at=datetime(2020, 1, 5, tzinfo=UTC)).call("0", role="proposer", prompt="text of no window")
    pipeline.ingest(tmp_path / "store", [str(tmp_path / "log")])
    assert main(["retain", "--json", "--store", str(tmp_path / "store")]) == 0
    assert json.loads(capsys.readouterr().out) == {"dropped": ["old"], "undated": [], "before": None, "window_over": ["old"]}
    left = contents(tmp_path / "store")
    assert [f"text of {name}" in left for name in ("old", "young", "no window")] == [False, True, True]
    assert main(["retain", "--days", "1", "--store", str(tmp_path / "store")]) == 0
    assert "text of" not in contents(tmp_path / "store")


def test_the_commands_say_what_they_did(tmp_path: Path, capsys: object) -> None:
    load(tmp_path)
    store = ["--store", str(tmp_path / "store")]
    assert main(["forget", "one-a", *store]) == 0
    assert main(["retain", "--days", "30", *store]) == 0
    assert "text of one-b" in contents(tmp_path / "store")  # it records no time
    assert main(["retain", "--days", "30", "--undated", *store]) == 0
    assert "text of" not in contents(tmp_path / "store")
    assert main(["forget", "nobody", *store]) == 1

"""``branchlight replay``: what it prints, and how it says what cannot be asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.commands import main
from explorer.replay.caps import Caps
from ingest.pipeline import ingest
from tests.explorer.replay.recordings import recorded

SAMPLES = Path(__file__).parents[2] / "sample_traces"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    recorded(tmp_path, [("log/one", "beam", 0, Caps(), 1), ("log/two", "beam", 1, Caps(), 1)])
    return tmp_path / "store"


def test_a_sweep_prints_points_and_the_record(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "--store", str(store), "--sweep", "beam-width=1..3", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert list(document) == ["points", "recorded"]
    assert [point["policy"]["beam_width"] for point in document["points"]] == [1, 2, 3]
    assert document["points"][2] == document["recorded"]


def test_one_policy_prints_each_run_beside_its_record(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "two", "--store", str(store), "--beam-width", "1", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    (run,) = document["runs"]
    assert (run["run_id"], run["policy"]["beam_width"], run["recorded"]["policy"]["beam_width"]) == ("log/two", 1, 3)
    assert run["cut"]
    assert document["points"][0]["runs"] == 1


def test_a_reader_of_the_terminal_sees_nodes_points_and_what_the_horizon_means(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "one", "--store", str(store), "--beam-width", "8"]) == 0
    out = capsys.readouterr().out
    assert "log/one: selects " in out
    assert "past the horizon: it would expand " in out
    assert "beam_width 8" in out
    assert "tokens and cost are then lower bounds" in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--beam-width", "0"], "argument --beam-width: '0' was given, a whole number from 1 up is expected"),
        (["--max-tokens", "-5"], "argument --max-tokens: '-5' was given, a whole number from 0 up is expected"),
        (["--sweep", "depth=1..3"], "argument --sweep: 'depth=1..3' was given, SETTING=FROM..TO or SETTING=A,B,C is expected"),
    ],
)
def test_wrong_usage_is_status_2_with_one_sentence(
    store: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["replay", "--store", str(store), *arguments])
    assert ended.value.code == 2
    assert sentence in capsys.readouterr().err


def test_a_run_that_cannot_be_asked_is_said_on_stderr_with_status_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ingest(tmp_path, [str(SAMPLES / "native" / "1" / "died.jsonl")])
    assert main(["replay", "--store", str(tmp_path), "--json"]) == 1
    said = capsys.readouterr()
    assert json.loads(said.out)["refused"][0]["why"].startswith("has no end in its log")
    assert said.err.strip() == "run 'game24-died' has no end in its log: it is running or died, so there is no finished search to replay"


def test_an_empty_store_says_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "--store", str(tmp_path)]) == 0
    assert "holds no runs; load some with: branchlight ingest LOGS" in capsys.readouterr().out

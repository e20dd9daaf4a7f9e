"""``branchlight reviews``: what it prints, exports and ends with, on reviews, on none, and on a torn file."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

from explorer import review_tables, reviews
from explorer.commands import main
from ingest.store import Store
from tests.stores import store_of, tree


@pytest.fixture
def store(tmp_path: Path) -> Store:
    drawing = "root fate=expanded\n  kept score=0.9 fate=terminal\n  cut score=0.2 fate=pruned"
    drawn = tree(drawing, outcome="wrong", selected_path=("root", "kept"))
    made = store_of(tmp_path / "store", drawn)
    about = {"run_id": "run", "node_id": "cut"}
    reviews.add(made, {**about, "kind": "mark", "mark": "not_right", "reviewer": "AB"})
    reviews.add(made, {**about, "kind": "mark", "mark": "right", "reviewer": "AB"})
    note = {"note": 'a "quoted"\nnote', "evidence": ["cut", "kept"]}
    reviews.add(made, {**about, **note, "kind": "verdict", "verdict": "evaluation", "reviewer": "AB"})
    reviews.add(made, {**about, "kind": "verdict", "verdict": "control", "reviewer": "CD"})
    return made


def test_what_counts_now_is_printed_and_with_all_every_line(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reviews", "--store", str(store.folder)]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["reviewer", "AB", "AB", "CD"]
    assert main(["reviews", "--all", "--json", "--store", str(store.folder)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [(line["reviewer"], line["mark"], line["verdict"]) for line in document["reviews"]] == [
        ("AB", "not_right", None), ("AB", "right", None), ("AB", None, "evaluation"), ("CD", None, "control"),
    ]  # fmt: skip
    assert document["problems"] == []


def test_agreement_compares_with_the_verdict_that_the_marks_give(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reviews", "--agreement", "--json", "--store", str(store.folder)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [(pair["one"], pair["other"], pair["runs"], pair["agreed"]) for pair in document["pairs"]] == [
        ("computed", "AB", 1, 1), ("computed", "CD", 1, 0), ("AB", "CD", 1, 0),
    ]  # fmt: skip
    assert document["pairs"][0]["kappa"] is None, "undefined, not 1: with one run chance alone agrees"
    assert document["disagreements"] == [{"run_id": "run", "verdicts": {"computed": "evaluation", "AB": "evaluation", "CD": "control"}}]
    assert main(["reviews", "--agreement", "--store", str(store.folder)]) == 0
    assert [line.split() for line in capsys.readouterr().out.splitlines()][-2:] == [
        ["run_id", "verdicts"], ["run", '{"computed":', '"evaluation",', '"AB":', '"evaluation",', '"CD":', '"control"}'],
    ]  # fmt: skip


def test_every_format_holds_the_same_lines(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in review_tables.FORMATS:
        assert main(["reviews", "--export", str(tmp_path / f"out.{name}"), "--store", str(store.folder)]) == 0
    as_json = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert pq.read_table(tmp_path / "out.parquet").to_pylist() == as_json
    options = {"parse_options": pa_csv.ParseOptions(newlines_in_values=True), "convert_options": pa_csv.ConvertOptions(strings_can_be_null=True)}
    rows = pa_csv.read_csv(tmp_path / "out.csv", **options).to_pylist()
    assert [(row["note"], json.loads(row["evidence"])) for row in rows] == [(line["note"], line["evidence"]) for line in as_json]
    assert [row["id"] for row in rows] == [line["id"] for line in as_json]


def test_an_unknown_format_is_refused_with_those_that_exist(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reviews", "--export", str(tmp_path / "out.xlsx"), "--store", str(store.folder)]) == 1
    assert "Known: csv, json, parquet." in capsys.readouterr().err
    assert not (tmp_path / "out.xlsx").exists()


def test_a_torn_line_ends_it_with_status_1_and_the_rest_is_printed(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    path = reviews.file_of(store.folder, "CD")
    path.write_bytes(path.read_bytes() + b'{"id": ')
    assert main(["reviews", "--store", str(store.folder)]) == 1
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 4
    assert f"{path}:2: this line is not a whole JSON object" in captured.err


def test_a_store_without_reviews_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reviews", "--store", str(tmp_path / "nothing")]) == 0
    assert main(["reviews", "--agreement", "--store", str(tmp_path / "nothing")]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"nobody has reviewed a run of {tmp_path / 'nothing'} yet", "no reviewer has recorded a verdict on a run yet",
    ]  # fmt: skip


def test_why_counts_the_marks_of_reviewers_as_truth(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", "run", "--json", "--store", str(store.folder)]) == 0
    (found,) = json.loads(capsys.readouterr().out)["runs"]
    assert (found["verdict"], found["node_id"]) == ("evaluation", "cut")
    assert "reviewer AB" in found["sentence"]
    path = reviews.file_of(store.folder, "CD")
    path.write_bytes(path.read_bytes() + b"{")
    assert main(["why", "run", "--store", str(store.folder)]) == 1

"""Secrets never reach the disk, wherever they stand in a log."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ingest import pipeline
from ingest.errors import Problem, TraceError
from ingest.redact import MARK, Redactor, read_rules
from ingest.store import STORED, Store

PROJECT = Path(__file__).parents[2]
SECRET = "sk-PLANTEDPLANTEDPLANTED0001"
SAMPLES = sorted(p for p in (PROJECT / "sample_traces").rglob("*.json*") if "broken" not in p.parts)
SHARED = PROJECT.parent / "shared" / "cases" / "c20-secrets-before-disk"


def redactor(rules: str = "builtin") -> Redactor:
    return Redactor(read_rules(rules))


def everything(folder: Path) -> str:
    """All that the store says, and the bytes of every file in it."""
    store = Store(folder)
    said = "".join(json.dumps(store.query(f"select * from {table}").to_pylist(), default=str) for table in STORED)
    return said + "".join(path.read_bytes().decode("latin-1") for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("use sk-abcdefghijklmnop1234 now", f"use {MARK} now"),
        ("AKIAABCDEFGHIJKLMNOP", MARK),
        ("Authorization: Bearer abcdefghijkl.mnop", f"Authorization: Bearer {MARK}"),
        ("password: hunter2-x, then", f"password: {MARK}, then"),
        ("mail a.b+c@example.org.", f"mail {MARK}."),
        ("call +49 170 1234567 or (555) 123-4567", f"call {MARK} or {MARK}"),
        ("4 10 11 12 (left: 1 2 11) 1234567890", "4 10 11 12 (left: 1 2 11) 1234567890"),
        ("", ""),
    ],
)
def test_a_secret_goes_as_a_whole_and_the_rest_stays(text: str, clean: str) -> None:
    assert redactor().text(text) == clean


def test_ids_that_differ_stay_different() -> None:
    found = redactor()
    ids = ["a@example.org", "b@example.org", "n1", "a@example.org"]
    assert [found.identifier(one) for one in ids] == [MARK, "[redacted 2]", "n1", MARK]


def test_rules_of_ones_own_come_first_and_fields_go_whole(tmp_path: Path) -> None:
    (tmp_path / "rules").write_text("# ours\nproject-[0-9]+\nfield state\n")
    clean = redactor(str(tmp_path / "rules")).value({"step": "project-7 begins", "state": {"a": 1}, "depth": 3})
    assert clean == {"step": f"{MARK} begins", "state": MARK, "depth": 3}


def test_a_rule_that_is_no_pattern_names_its_line(tmp_path: Path) -> None:
    (tmp_path / "rules").write_text("fine\n(\n")
    with pytest.raises(TraceError, match="rules:2"):
        read_rules(str(tmp_path / "rules"))


def test_the_place_of_a_problem_is_clean_and_the_name_of_the_log_stays() -> None:
    problem = Problem("no number", f"a@example.org.json: $.{SECRET}.score", f"Ask a@example.org about {SECRET}.")
    found = redactor().problem(problem, "a@example.org.json")
    assert (found.where, found.hint) == (f"a@example.org.json: $.{MARK}.score", f"Ask {MARK} about {MARK}.")


@pytest.mark.parametrize("sample", SAMPLES[:3], ids=lambda path: path.stem)
def test_a_log_without_secrets_reads_the_same_with_redaction(sample: Path, tmp_path: Path) -> None:
    pipeline.ingest(tmp_path / "plain", [str(sample)])
    pipeline.ingest(tmp_path / "redacted", [str(sample)], redactor=redactor())
    rows = [Store(tmp_path / name).query("select * exclude (extra, state) from nodes order by all").to_pylist() for name in ("plain", "redacted")]
    assert rows[0] == rows[1]


def test_a_log_that_was_loaded_plainly_is_replaced_when_redaction_is_asked_for(tmp_path: Path) -> None:
    log = tmp_path / "a.jsonl"
    log.write_text(json.dumps({"run_id": "r", "node_id": "n", "prompt": SECRET}) + "\n")
    assert pipeline.ingest(tmp_path / "store", [str(log)])[0].status == "loaded"
    assert pipeline.ingest(tmp_path / "store", [str(log)], redactor=redactor())[0].status == "replaced"
    assert pipeline.ingest(tmp_path / "store", [str(log)], redactor=redactor())[0].status == "unchanged"
    assert SECRET not in everything(tmp_path / "store")


def test_the_policy_keeps_the_texts_of_the_runs_that_it_names(tmp_path: Path) -> None:
    log = tmp_path / "a.jsonl"
    lines = [{"record": "node", "run_id": run, "node_id": "n", "prompt": f"p{run}", "response": f"r{run}", "input_tokens": 3} for run in "abc"]
    ends = [{"record": "run_end", "run_id": run, "outcome": outcome} for run, outcome in (("a", "right"), ("b", "wrong"))]
    log.write_text("".join(json.dumps(line) + "\n" for line in [*lines, *ends]))
    kept = {}
    for policy in ("all", "failed", "none", "sample:0", "sample:1"):
        pipeline.ingest(tmp_path / policy, [str(log)], payloads=policy)
        store = Store(tmp_path / policy)
        kept[policy] = "".join(store.query("select distinct run_id from texts order by run_id")["run_id"].to_pylist())
        assert store.query("select sum(input_tokens)::int as n, count(prompt_hash) as h from calls").to_pylist() == [{"n": 9, "h": 3}]
    assert kept == {"all": "abc", "failed": "bc", "none": "", "sample:0": "", "sample:1": "abc"}


def test_a_wrong_policy_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="expected all, failed, none or sample:RATE"):
        pipeline.ingest(tmp_path, ["x"], payloads="some")


@pytest.mark.skipif(not SHARED.exists(), reason="needs the shared folder beside the repository")
def test_the_secrets_of_the_shared_case_are_nowhere_in_store_and_output(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "explorer", "ingest", "--store", str(tmp_path / "store"), "--redact", str(SHARED / "patterns.txt")]
    done = subprocess.run([*command, str(SHARED / "nodes.ndjson")], cwd=PROJECT, capture_output=True, text=True, check=False)
    secrets = (SHARED / "secrets.txt").read_text().split()
    found = everything(tmp_path / "store") + done.stdout + done.stderr
    assert (done.returncode, [secret for secret in secrets if secret in found]) == (1, [])
    assert "nodes.ndjson:4" in done.stderr
    (row,) = Store(tmp_path / "store").query(
        "select t.text, (select count(*) from nodes)::int as nodes from calls c join texts t on t.hash = c.prompt_hash where c.node_id = 'n0'"
    ).to_pylist()
    assert row == {"text": "Use the key [redacted] to call the service", "nodes": 3}

"""A bad log never breaks a reader, and nothing is lost in silence. A few hundred mutated logs; ``python -m tests.bench.mutations`` tries 10,000."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ingest.errors import Problem
from ingest.readers import READERS, Reader, math_shepherd, moatless_nodes
from ingest.schema import Trace
from ingest.source import Source
from tests.mutate.accounts import account, before, lost
from tests.mutate.changes import KINDS, Change, change, syntax
from tests.mutate.specimens import TRACES, Specimen, specimens
from tests.mutate.trial import trial

A_FORMAT = 15
"""Mutated logs of each format."""
STEPS = "Question {0}? Step 1: one {1}\nStep 2: two {2}"
LINES = "".join(
    json.dumps({"input": STEPS.format(number, "ки", "ки"), "label": STEPS.format(number, "+", "-"), "task": "t"}) + "\n" for number in range(3)
).encode()


@pytest.mark.parametrize("format_name", [reader.NAME for reader in READERS])
def test_mutated_logs_break_no_reader_and_lose_nothing_in_silence(format_name: str) -> None:
    tally = trial(specimens(format_name), A_FORMAT)
    assert [str(failure) for failure in (*tally.crashes, *tally.losses)] == []
    assert tally.logs == A_FORMAT


def test_the_same_seed_gives_the_same_log_and_every_kind_of_change_is_tried() -> None:
    (specimen, *_) = specimens("moatless-nodes", real=False)
    changes = [change(specimen.files, f"{specimen.name}:{number}") for number in range(40)]
    assert changes == [change(specimen.files, f"{specimen.name}:{number}") for number in range(40)]
    assert {done.kind for done in changes} == set(KINDS)
    assert sum(done.files != specimen.files for done in changes) >= 35  # a line may change places with itself


@pytest.mark.skipif(not TRACES.is_dir(), reason="the folder of real traces does not stand beside the project")
def test_every_format_with_real_logs_is_mutated_there_too() -> None:
    real = {reader.NAME for reader in READERS if (TRACES / reader.NAME).is_dir()}
    assert {name for name in real if any(one.name.startswith("real_traces") for one in specimens(name))} == real


# What would a careless reader look like? Each of these loses something in silence, and is caught.


def careless(reader: Any, forget: Any) -> Reader | Any:
    """The reader, but for what ``forget`` makes of its items."""

    def read(source: Source) -> Iterator[Trace | Problem]:
        yield from forget(list(reader.read(source)))

    return SimpleNamespace(NAME=reader.NAME, sniff=reader.sniff, read=read)


def found(reader: Any, specimen: Specimen, done: Change, folder: Path) -> list[str]:
    """What the account says of one change."""
    for name, files in (("was", specimen.files), ("now", done.files), ("without", done.without or {})):
        for file, data in files.items():
            (folder / name / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / name / file).write_bytes(data)
    was = before(reader, specimen.files, folder / "was" / specimen.main)
    without = account(reader, folder / "without" / specimen.main) if done.without else None
    return lost(was, account(reader, folder / "now" / specimen.main), done, without)


def lines(data: bytes = LINES) -> Specimen:
    return Specimen("math-shepherd", "lines", "log.jsonl", {"log.jsonl": data})


def test_a_line_that_gives_neither_record_nor_problem_is_a_loss(tmp_path: Path) -> None:
    done = Change("cut", "", {"log.jsonl": LINES[:-20]}, takes=True, without=None)
    silent = careless(math_shepherd, lambda items: [item for item in items if isinstance(item, Trace)])
    assert found(math_shepherd, lines(), done, tmp_path / "a") == []
    assert found(silent, lines(), done, tmp_path / "b") == ["3 lines, 2 runs, 0 problems"]


def flat(document: Any) -> Specimen:
    return Specimen("moatless-nodes", "flat", "log.json", {"log.json": json.dumps(document).encode()})


def moatless() -> Any:
    (specimen, *_) = specimens("moatless-nodes", real=False)
    return json.loads(specimen.files[specimen.main])


def test_a_node_that_is_dropped_because_a_value_is_strange_is_a_loss(tmp_path: Path) -> None:
    document = moatless()
    wrong = document | {"nodes": [*document["nodes"][:-1], document["nodes"][-1] | {"node_id": None}]}
    done = Change("type", "", flat(wrong).files, takes=False, without=None)
    silent = careless(moatless_nodes, lambda items: [item for item in items if isinstance(item, Trace)])
    count = len(document["nodes"])
    assert found(moatless_nodes, flat(document), done, tmp_path / "a") == []
    assert found(silent, flat(document), done, tmp_path / "b")[0] == f"{count} nodes before, {count - 1} after, no problem"


def test_a_record_that_stands_twice_and_comes_out_once_is_a_loss(tmp_path: Path) -> None:
    document = moatless()
    nodes = document["nodes"]
    twice, without = (flat(document | {"nodes": some}).files for some in ([*nodes, nodes[-1]], nodes[:-1]))
    done = Change("twice", "", twice, takes=False, without=without)
    silent = careless(moatless_nodes, lambda items: [item for item in items if isinstance(item, Trace)])
    assert found(moatless_nodes, flat(document), done, tmp_path / "a") == []
    assert found(silent, flat(document), done, tmp_path / "b") == [f"{len(nodes)} nodes before, {len(nodes)} after, no problem"]


def test_a_text_that_the_log_holds_and_no_record_does_is_a_loss(tmp_path: Path) -> None:
    document = moatless()
    done = Change("swapped", "", flat(document | {"note": 1}).files, takes=True, without=None)
    forgetful = careless(moatless_nodes, lambda items: items)
    assert found(forgetful, flat(document), done, tmp_path / "a") == []
    state = {"calls": 0}

    def once(items: list[Any]) -> list[Any]:
        state["calls"] += 1
        return items if state["calls"] == 1 else [Trace(item.run, item.nodes[:-1], ()) if isinstance(item, Trace) else item for item in items]

    assert any("nodes[]" in what for what in found(careless(moatless_nodes, once), flat(document), done, tmp_path / "b"))


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.json", b"[1]", "document"), ("a.jsonl", b"{}\n", "lines"), ("a.log", b"2024 x", "text"), ("a", b"PK\3\4", "zip"),
        ("a", b"SQLite format 3\0", "sqlite"),
    ],
)  # fmt: skip
def test_a_log_is_changed_as_what_it_is(name: str, data: bytes, kind: str) -> None:
    assert syntax(name, data) == kind

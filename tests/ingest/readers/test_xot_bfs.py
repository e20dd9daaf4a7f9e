"""Are the three kinds of Everything-of-Thoughts logs read: chosen by values, chosen by places from 1, and answers without a search?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.readers import tot_bfs
from ingest.readers import xot_bfs as reader
from ingest.source import Source
from tests.foreign_log import SAMPLES, document, extra, never_breaks, one, problems, traces

FOLDER = SAMPLES / "xot-bfs"
TOT, GOT, XOT = (next((FOLDER / name).glob("*.json")) for name in ("tot", "got", "xot"))


def test_candidates_hang_from_the_kept_text_that_they_extend() -> None:
    trace = one(reader, Source(TOT))
    assert [(n.node_id, n.parent_ids, n.score, n.fate) for n in trace.nodes] == [
        ("r", (), None, "expanded"),
        ("r.0", ("r",), 1.0, "expanded"), ("r.1", ("r",), 20.0, "expanded"), ("r.2", ("r",), 0.001, "pruned"), ("r.3", ("r",), None, "pruned"),
        ("r.1.0", ("r.1",), 0.001, "terminal"), ("r.0.0", ("r.0",), 1.0, "terminal"),
    ]  # fmt: skip
    assert (trace.nodes[4].pruned_by, trace.nodes[4].merged_into, trace.nodes[4].score_raw) == ("distinct", "r.0", "0")


def test_answers_are_no_nodes_but_stand_with_their_thought_and_its_result() -> None:
    trace = one(reader, Source(TOT))
    assert {n.node_id: (n.verified, extra(n).get("answer")) for n in trace.nodes if n.fate == "terminal"} == {
        "r.0.0": (False, "Answer: (1 + 2 + 3) * 12 = 72\n"), "r.1.0": (True, "Answer: 12 * 2 * (3 - 2) = 24\n"),
    }  # fmt: skip
    run = trace.run
    assert (run.outcome, run.outcome_by, run.answer, run.selected_path) == (
        "wrong", "log: infos[0].r", "Answer: (1 + 2 + 3) * 12 = 72\n", ("r", "r.0", "r.0.0"),
    )  # fmt: skip


def test_places_count_from_1_and_a_file_that_chooses_by_them_has_no_scores() -> None:
    trace = one(reader, Source(GOT))
    assert [(n.node_id, n.score, n.score_raw, n.error, n.fate, n.prune_rule) for n in trace.nodes[1:]] == [
        ("r.0", None, None, None, "pruned", "select"), ("r.1", None, None, None, "terminal", None), ("r.2", None, None, None, "terminal", None),
    ]  # fmt: skip
    assert "candidates were chosen by a model's list of places (select): there are no scores" in trace.run.warnings
    assert extra(trace.run)["steps"]["0"] == {"select": [2, 3]}


def test_of_several_answers_in_one_text_the_first_decides_the_outcome_and_any_verifies_the_thought() -> None:
    trace = one(reader, Source(GOT))
    assert (trace.run.outcome, trace.run.outcome_by) == ("wrong", "log: infos[0].r.r0")
    assert [n.verified for n in trace.nodes[2:]] == [True, None]


def test_a_record_without_a_search_has_an_answer_and_no_nodes() -> None:
    first, second = traces(reader, Source(XOT))
    assert (first.nodes, first.run.answer, first.run.outcome, second.run.outcome) == ((), "Answer 1: 12 + 12", "right", "wrong")
    assert (extra(first.run)["model_call"], first.run.reported_calls) == (9, None)
    assert "this record holds answers and no search: there is nothing to draw" in first.run.warnings


def test_the_protocol_is_what_the_file_name_says() -> None:
    assert json.loads(one(reader, Source(TOT)).run.protocol or "") == {
        "task": "game24", "backend": "toy-model", "temperature": 0.0, "method": "tot", "propose": 1, "value": 1, "greedy": 2, "start": 0, "end": 1,
        "laststep": 1,
    }  # fmt: skip


def test_without_a_name_of_the_pattern_there_is_no_protocol(tmp_path: Path) -> None:
    assert one(reader, document(tmp_path, json.loads(TOT.read_bytes()), "monday.json")).run.protocol is None


def test_results_that_do_not_fit_the_kept_thoughts_are_not_taken(tmp_path: Path) -> None:
    (record,) = json.loads(TOT.read_bytes())
    trace = one(reader, document(tmp_path, [{**record, "infos": record["infos"][:1]}]))
    assert {n.verified for n in trace.nodes} == {None}
    assert "answers, results and kept thoughts differ in number: no result was taken" in trace.run.warnings


@pytest.mark.parametrize("content", [{}, [], "x", None, [3], [{"idx": None, "ys": []}], [{"idx": 1, "ys": 3}]])
def test_a_document_of_another_shape_is_one_problem(tmp_path: Path, content: Any) -> None:
    assert len(problems(reader, document(tmp_path, content))) == 1


@pytest.mark.parametrize("sample", [TOT, GOT, XOT], ids=lambda path: path.parent.name)
def test_no_change_of_a_single_value_breaks_the_reader(tmp_path: Path, sample: Path) -> None:
    never_breaks(reader, tmp_path, json.loads(sample.read_bytes()))


def test_logs_of_the_program_that_it_forked_are_not_claimed_and_its_own_not_by_that() -> None:
    assert [(reader.sniff(Source(path)), tot_bfs.sniff(Source(path))) for path in (TOT, GOT, XOT)] == [(True, False)] * 3
    others = list((SAMPLES / "tot-bfs").rglob("*.json"))
    assert [reader.sniff(Source(path)) for path in others] == [False] * len(others)

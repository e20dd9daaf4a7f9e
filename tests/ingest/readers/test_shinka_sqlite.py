"""Are ShinkaEvolve databases read as programs below their parents, with inspirations, checks, archive and costs?"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from ingest.readers import shinka_sqlite
from ingest.schema import Trace
from ingest.source import Source
from tests.databases import shinka
from tests.foreign import SAMPLES, extra, one, split, storable

SAMPLE = SAMPLES / "shinka-sqlite" / "evolution" / "four_programs.sqlite"


def sample() -> Trace:
    return one(shinka_sqlite, Source(SAMPLE))


def changed(folder: Path, *statements: str) -> Source:
    path = shinka(folder / "a.sqlite")
    with closing(sqlite3.connect(path)) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()
    return Source(path)


def test_the_sample_is_what_the_script_makes(tmp_path: Path) -> None:
    (tmp_path / "evolution").mkdir()
    assert one(shinka_sqlite, Source(shinka(tmp_path / "evolution" / "four_programs.sqlite"))) == sample()


def test_the_first_parent_is_the_parent_and_inspirations_come_after_it() -> None:
    assert [(node.node_id, node.parent_ids, node.seq) for node in sample().nodes] == [
        ("p0", (), 0), ("p1", ("p0",), 1), ("p2", ("p1", "p0"), 2), ("p3", ("p0",), 3),
    ]  # fmt: skip


def test_score_and_check_stand_apart() -> None:
    assert [(node.score, node.verified, node.score_source, node.step) for node in sample().nodes] == [
        (1.0, True, "verifier", "seed"), (2.5, True, "verifier", "faster"), (3.0, True, "verifier", "both"), (0.0, False, "verifier", "broken"),
    ]  # fmt: skip


def test_children_make_a_program_expanded_and_the_archive_keeps_one_open() -> None:
    assert [node.fate for node in sample().nodes] == ["expanded", "expanded", "open", None]
    assert [extra(node)["in_archive"] for node in sample().nodes] == [False, True, True, False]


def test_the_generation_is_no_depth_and_the_time_is_utc() -> None:
    node = sample().nodes[2]
    assert (node.depth, extra(node)["generation"], node.started_at) == (None, 4, datetime.fromtimestamp(1.7e9 + 4, UTC))


def test_each_cost_is_a_call_of_its_role() -> None:
    assert [(call.call_id, call.role, call.cost, call.model, call.input_tokens) for call in sample().calls] == [
        ("p0/api_costs", "proposer", 0.0, None, None),
        ("p1/api_costs", "proposer", 0.25, "toy", None),
        ("p1/embed_cost", "tool", 0.01, None, None),
        ("p2/api_costs", "proposer", 0.5, None, None),
        ("p2/novelty_cost", "evaluator", 0.125, None, None),
    ]


def test_the_selected_path_leads_to_the_best_program() -> None:
    assert (sample().run.run_id, sample().run.selected_path) == ("evolution/four_programs", ("p0", "p1", "p2"))
    assert extra(sample().run)["metadata_store"]["last_iteration"] == "4"


def test_a_run_that_stored_no_program_is_a_run_without_nodes(tmp_path: Path) -> None:
    trace = one(shinka_sqlite, changed(tmp_path, "delete from programs"))
    said = ("no program was stored", "the archive names 2 program(s) that are not stored")
    assert (trace.nodes, trace.run.selected_path, trace.run.warnings) == ((), None, said)


def test_a_copy_without_its_log_says_that_the_rows_are_missing(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.execute("create table programs (id)")
        database.execute("drop table programs")
        database.commit()
    assert shinka_sqlite.sniff(Source(path))
    ((problem,), found) = split(shinka_sqlite, Source(path))
    assert (problem.kind, problem.rejected, found) == ("empty", False, [])
    assert "-wal file" in problem.message


def test_strange_values_in_the_columns_break_nothing(tmp_path: Path) -> None:
    source = changed(
        tmp_path,
        "update programs set metadata = 'no JSON', combined_score = 'high', correct = 'yes', timestamp = 1e300 where id = 'p1'",
        "update programs set archive_inspiration_ids = '{', top_k_inspiration_ids = '[1, null, {}]', code = x'ff00' where id = 'p2'",
        "update programs set id = null where id = 'p3'",
    )
    problems, (trace,) = split(shinka_sqlite, source)
    assert [problem.message for problem in problems] == ["a program without an id"]
    assert [(node.node_id, node.score, node.verified, node.parent_ids) for node in trace.nodes] == [
        ("p0", 1.0, True, ()), ("p1", None, None, ("p0",)), ("p2", 3.0, True, ("p1", "1")),
    ]  # fmt: skip
    storable(trace)

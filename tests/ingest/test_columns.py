"""Do the tables have the columns of the records, in types that any tool reads?"""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime

import duckdb
import pyarrow as pa
import pytest

from ingest import columns
from ingest.schema import Call, Node, Run, Truth
from ingest.store import STORED

RECORDS = [(Node, columns.NODES), (Call, columns.CALLS), (Run, columns.RUNS), (Truth, columns.TRUTH)]
PLAIN = {pa.string(), pa.int64(), pa.float64(), pa.bool_(), pa.timestamp("us", tz="UTC"), pa.list_(pa.string())}


@pytest.mark.parametrize(("record", "schema"), RECORDS, ids=lambda value: getattr(value, "__name__", ""))
def test_a_table_has_one_column_a_field_in_the_same_order(record: type, schema: pa.Schema) -> None:
    names = ["pass" if field.name == "pass_bound" else field.name for field in dataclasses.fields(record)]
    assert schema.names == names


def test_every_stored_column_has_a_plain_type() -> None:
    assert {kind for schema in STORED.values() for kind in schema.types} <= PLAIN


def test_no_table_on_disk_holds_a_text_that_belongs_to_texts() -> None:
    assert {"prompt", "response"} & set(STORED["calls"].names) == set()


def test_the_sql_types_are_those_of_the_arrow_types() -> None:
    with duckdb.connect(":memory:") as con:
        con.execute("set timezone = 'UTC'")
        for schema in STORED.values():
            con.execute(f"create or replace table t ({columns.sql_columns(schema)})")
            assert con.sql("select * from t").to_arrow_table().schema.types == schema.types


def test_records_become_rows_in_order_with_null_for_what_is_not_recorded() -> None:
    at = datetime(2026, 3, 1, 10, tzinfo=UTC)
    nodes = [Node(run_id="r", node_id="b", score=0.0, started_at=at, pass_bound=3), Node(run_id="r", node_id="a", parent_ids=("b", "c"))]
    table = columns.table_of(nodes, columns.NODES)
    assert table.schema == columns.NODES
    assert table.select(["node_id", "parent_ids", "pass", "score", "started_at", "verified"]).to_pylist() == [
        {"node_id": "b", "parent_ids": [], "pass": 3, "score": 0.0, "started_at": at, "verified": None},
        {"node_id": "a", "parent_ids": ["b", "c"], "pass": None, "score": None, "started_at": None, "verified": None},
    ]


def test_no_records_become_an_empty_table_with_all_columns() -> None:
    assert columns.table_of([], columns.RUNS) == columns.RUNS.empty_table()


def test_half_of_a_surrogate_pair_becomes_a_replacement_character_and_a_whole_one_stays() -> None:
    nodes = [Node(run_id="r", node_id="a", step="x\ud83d", parent_ids=("\ud83d\ude00", "p")), Node(run_id="r", node_id="b", step="\U0001f600")]
    table = columns.table_of(nodes, columns.NODES)
    assert table["step"].to_pylist() == ["x\ufffd", "\U0001f600"]
    assert table["parent_ids"].to_pylist() == [["\U0001f600", "p"], []]

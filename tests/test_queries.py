"""Every query answers with exactly the columns that its header lists, on a run, on an unknown run and on an empty store."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from explorer import queries
from ingest.errors import TraceError
from ingest.schema import Call, Truth
from ingest.store import Store
from tests.stores import store_of, tree

SAMPLE: dict[str, Any] = {
    "hashes": ["x"],
    "parent_id": "root",
    "run_id": "run",
    "only_runs": ["run"],
    "node_id": "good",
    "inspected": "good",
    "node_ids": ["good", "bad"],
    "anchors": ["good"],
    "pinned": ["bad"],
    "scope": "level",
    "top": 10,
    "per_fate": 10,
    "limit": 100,
    "siblings": 10,
    "children": 10,
    "most": 10,
    "rows": 10,
    "start": 0,
    "needle": "good",
    "max_cells": 100,
    "max_columns": 10,
    "leaf_from": None,
    "leaf_to": None,
    "depth_from": None,
    "depth_to": None,
    "first_run": "run",
    "last_run": "run",
    "node_runs": ["run", "run"],
    "nodes": ["good", "bad"],
    "path": "$.step",
}
"""A value for every parameter of every query; a new parameter needs its line here."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    drawn = tree(
        """
        root fate=expanded
          good score=0.9 fate=pruned prune_rule=beam_width pruned_by=survived
          bad  score=0.4 fate=terminal
        """,
        calls=(Call(run_id="run", call_id="c", node_id="good", role="evaluator", response="fine\nsure", cost=0.5),),
        truth=(Truth(run_id="run", node_id="good", viable=True, viable_by="label"),),
        selected_path=("root", "bad"),
    )
    return store_of(tmp_path_factory.mktemp("store"), drawn)


def parameters(name: str) -> dict[str, Any]:
    """The sample values of the parameters that a query names outside its comments and its texts."""
    code = re.sub(r"--[^\n]*|'[^']*'", "", queries.text(name))
    return {parameter: SAMPLE[parameter] for parameter in re.findall(r"\$(\w+)", code)}


@pytest.mark.parametrize("name", queries.names())
def test_a_query_returns_the_columns_that_its_header_lists(store: Store, name: str) -> None:
    assert tuple(queries.run(store, name, **parameters(name)).column_names) == queries.columns_documented(name)


@pytest.mark.parametrize("name", queries.names())
def test_a_query_answers_on_an_empty_store(tmp_path: Path, name: str) -> None:
    table = queries.run(Store(tmp_path / "nothing"), name, **parameters(name))
    assert tuple(table.column_names) == queries.columns_documented(name)


@pytest.mark.parametrize("name", queries.names())
def test_a_query_opens_with_its_question_and_follows_the_rules(name: str) -> None:
    text = queries.text(name)
    code = re.sub(r"--[^\n]*", "", text)
    assert re.match(r"-- \S[^\n]*\?", text), "the first line is a question"
    assert not re.search(r"select \*|group by \d|order by \d", code)
    assert len(queries.columns_documented(name)) == len(set(queries.columns_documented(name))) > 0


def test_an_unknown_query_is_named_together_with_those_that_exist() -> None:
    with pytest.raises(TraceError, match=r"no query named 'spend'"):
        queries.text("spend")

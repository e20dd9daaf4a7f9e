"""Does the code keep the shape that CONTRIBUTING.md and the README describe?"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.commands import COMMANDS
from ingest.readers import READERS

PROJECT = Path(__file__).parents[1]
MODULES = sorted(path for folder in ("explorer", "ingest", "sample_traces/record") for path in (PROJECT / folder).rglob("*.py"))
README = (PROJECT / "README.md").read_text("utf-8")


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PROJECT)))
def test_a_module_is_short_and_opens_with_what_it_is_for(path: Path) -> None:
    source = path.read_text("utf-8")
    assert len(source.splitlines()) <= 300
    assert ast.get_docstring(ast.parse(source))
    too_long = {f.name: f.end_lineno - f.lineno + 1 for f in functions(path) if f.end_lineno and f.end_lineno - f.lineno + 1 > 40}
    assert too_long == {}


def test_no_module_is_named_after_nothing() -> None:
    assert [path for path in MODULES if path.stem in {"utils", "helpers", "common", "misc"}] == []


def test_no_folder_named_pages_stands_beside_the_app() -> None:
    assert not (PROJECT / "explorer" / "pages").exists()


def test_the_top_level_holds_what_was_agreed() -> None:
    agreed = {
        "pyproject.toml", "explorer", "ingest", "sample_traces", "tests", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "Makefile",
        "constraints.txt",
    }  # fmt: skip
    ignored = {"build", "dist", "bench.json"}
    found = {path.name for path in PROJECT.iterdir() if not path.name.startswith(".") and not path.name.endswith(".egg-info")} - ignored
    assert found == agreed


def test_the_readme_lists_every_command() -> None:
    listed = re.findall(r"^\| `branchlight ([\w-]+)", README, re.MULTILINE)
    assert listed == [command.__name__.rpartition(".")[2].replace("_", "-") for command in COMMANDS]


def test_the_readme_lists_every_format() -> None:
    table = README.split("## Formats")[1].split("##")[0]
    assert re.findall(r"^\| `([\w-]+)`", table, re.MULTILINE) == [reader.NAME for reader in READERS]


def test_the_readme_gives_a_reason_for_every_library() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    named = {re.split(r"[<>=]", item)[0] for item in project["dependencies"]}
    table = README.split("## Libraries")[1].split("##")[0]
    assert set(re.findall(r"^\| (\w+) \|", table, re.MULTILINE)) - {"library"} == named
    developing = {re.split(r"[<>=]", item)[0] for item in project["optional-dependencies"]["dev"]}
    assert developing <= set(re.findall(r"[\w-]+", table))


def test_every_library_is_pinned() -> None:
    pinned = {line.split("==")[0].lower() for line in (PROJECT / "constraints.txt").read_text("utf-8").split()}
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = {re.split(r"[<>=]", item)[0] for item in [*project["dependencies"], *project["optional-dependencies"]["dev"]]}
    assert needed <= pinned


def test_the_code_in_the_readme_records_a_run_that_loads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ingest.pipeline import ingest
    from ingest.store import Store

    own_loop, our_loop, _ = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(own_loop.strip().splitlines()) < 20 and len(our_loop.strip().splitlines()) < 20
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(compile(own_loop, "README.md", "exec"), names)
    exec(compile(our_loop, "README.md", "exec"), names)
    assert [(report.status, report.problems) for report in ingest(tmp_path / "store", ["logs"])] == [("loaded", [])] * 2
    rows = Store(tmp_path / "store").query("select nodes, calls, input_tokens, outcome, selected_path from runs order by nodes").to_pylist()
    assert rows == [
        {"nodes": 2, "calls": 2, "input_tokens": 300, "outcome": "wrong", "selected_path": ["0", "0.0"]},
        {"nodes": 10, "calls": 3, "input_tokens": None, "outcome": "right", "selected_path": ["0", "0.2", "0.2.2"]},
    ]

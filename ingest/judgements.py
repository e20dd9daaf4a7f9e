"""How does truth that is given after the ingest reach the store? Oracles' answers as rows of ``truth``, known-good routes in the manifest.

Nodes are never rewritten. Asking the same oracle again replaces what it said before about the same runs, and a run that is loaded
anew loses what was said about it; routes stay, because they name steps, not nodes.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ingest import commit
from ingest.columns import TRUTH, table_of
from ingest.errors import Problem, TraceError
from ingest.schema import Truth
from ingest.store import read_manifest

_SHAPE = 'expected {"run_id" or "task_id": …, "route": [{"step" or "state_key": …}, …]}, or a list of such objects'


def add_truth(folder: Path, rows: Iterable[Truth], runs: Sequence[str], viable_by: str, detail: str) -> None:
    """Make these rows visible in place of what the same source and detail said about ``runs`` before.

    Raises TraceError when the store cannot be written.
    """
    with commit.writing(folder):
        manifest = read_manifest(folder)
        old = commit.read_truth(folder, manifest)
        of_runs = pc.is_in(old["run_id"], pa.array(sorted(runs), pa.string()))
        same = pc.and_(pc.equal(old["viable_by"], viable_by), pc.fill_null(pc.equal(old["detail"], detail), False))
        kept = old.filter(pc.invert(pc.and_(of_runs, same)))
        batch = commit.write_truth(folder, manifest, pa.concat_tables([kept, table_of(rows, TRUTH)]))
        commit.publish(folder, dataclasses.replace(manifest, truth=batch))
        commit.remove_invisible(folder)


def add_routes(folder: Path, routes: Sequence[Mapping[str, Any]]) -> None:
    """Keep these known-good routes, in place of all that were given before for the same run and task ids.

    Raises TraceError when the store cannot be written.
    """
    with commit.writing(folder):
        manifest = read_manifest(folder)
        new = {_key(route) for route in routes}
        kept = [route for route in manifest.routes if _key(route) not in new]
        ordered = sorted((*kept, *map(dict, routes)), key=lambda route: json.dumps(route, sort_keys=True))
        commit.publish(folder, dataclasses.replace(manifest, routes=tuple(ordered)))


def read_routes(path: Path) -> tuple[list[dict[str, Any]], list[Problem]]:
    """The routes of a ``known_good.json`` and what was wrong with it: one object or a list of them, a bad one is named and left out.

    Raises TraceError when the file cannot be read as JSON.
    """
    try:
        document = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise TraceError(f"the known-good routes cannot be read: {error.strerror or error}", str(path)) from None
    except (ValueError, RecursionError) as error:
        raise TraceError(f"the known-good routes are not JSON: {error}", str(path), _SHAPE) from None
    listed = document.get("routes", [document]) if isinstance(document, dict) else document
    if not isinstance(listed, list):
        raise TraceError("the known-good routes are neither an object nor a list", str(path), _SHAPE)
    routes: list[dict[str, Any]] = []
    problems: list[Problem] = []
    for at, item in enumerate(listed):
        wrong = _wrong(item)
        if wrong:
            problems.append(Problem(f"a known-good route {wrong}", f"{path}: $[{at}]", _SHAPE, kind="known_good", rejected=True))
        else:
            routes.append(_clean(item))
    return routes, problems


def _key(route: Mapping[str, Any]) -> tuple[Any, Any]:
    return route.get("run_id"), route.get("task_id")


def _wrong(item: Any) -> str | None:
    """What is wrong with one route, in words that follow "a known-good route"; None for a good one."""
    if not isinstance(item, dict):
        return f"is {type(item).__name__}, expected an object"
    if not any(_is_id(item.get(name)) for name in ("run_id", "task_id")):
        return "names neither a run_id nor a task_id"
    route = item.get("route")
    if not isinstance(route, list) or not route:
        return "has no list 'route' with at least one element"
    names = ("step", "state_key")
    bad = [at for at, step in enumerate(route) if not isinstance(step, dict) or not any(isinstance(step.get(name), str) for name in names)]
    return f"has no step and no state_key in element {bad[0]}" if bad else None


def _is_id(value: Any) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _clean(item: Mapping[str, Any]) -> dict[str, Any]:
    names = {name: str(item[name]) for name in ("run_id", "task_id") if _is_id(item.get(name))}
    route = [{k: element[k] for k in ("step", "state_key") if isinstance(element.get(k), str)} for element in item["route"]]
    return {**names, "route": route}

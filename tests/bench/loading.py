"""How fast is a native log loaded? Against the yardstick: DuckDB's own read_json with explicit columns, written as Parquet (zstd)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.bench.generate import write
from tests.bench.measure import Line, alternately

YARDSTICK = """
def work(log, folder):
    import duckdb, json, pathlib
    pathlib.Path(folder).mkdir(exist_ok=True)
    kinds = {float: "DOUBLE", int: "BIGINT", list: "VARCHAR[]", dict: "JSON"}
    first = json.loads(open(log).readline())
    columns = {key: kinds.get(type(value), "VARCHAR") for key, value in first.items()}
    source = f"read_json('{log}', format = 'newline_delimited', columns = {columns})"
    duckdb.execute(f"copy (select * from {source}) to '{folder}/yardstick.parquet' (format parquet, compression zstd)")
"""

INGEST = """
def work(log, folder):
    import pathlib, shutil
    from ingest.pipeline import ingest
    shutil.rmtree(folder, ignore_errors=True)
    reports = ingest(pathlib.Path(folder), [log])
    assert [r.status for r in reports] == ["loaded"], reports
"""


def lines(folder: Path, nodes: int, shapes: tuple[str, ...], repeats: int) -> Iterator[Line]:
    """For each shape: the ratio to the yardstick (limit 4) and the peak memory (limit 3 GB)."""
    for shape in shapes:
        log = write(shape, nodes, folder / f"{shape}-{nodes}.jsonl")
        yardstick, ours = alternately(repeats, (YARDSTICK, str(log), str(folder / "yardstick")), (INGEST, str(log), str(folder / "store")))
        name = f"{nodes:,} nodes of native log ({shape}, {log.stat().st_size / 1e9:.2f} GB)"
        note = f"{ours.seconds:.1f} s against {yardstick.seconds:.1f} s"
        yield Line(f"load {name}", ours.seconds / yardstick.seconds, "x COPY", 4, note)
        yield Line(f"peak memory, {name}", ours.peak_mb / 1000, "GB", 3, f"the COPY takes {yardstick.peak_mb / 1000:.2f}")


def by_turns(folder: Path, nodes: int, repeats: int) -> Iterator[Line]:
    """The peak memory for a log with several lines a node, as a recorder writes it (limit 1 GB); beside it the COPY of the same in one line each."""
    inline = write("runs60", nodes, folder / f"runs60-{nodes}.jsonl")
    log = write("runs60", nodes, folder / f"by-turns-{nodes}.jsonl", by_turns=True)
    yardstick, ours = alternately(repeats, (YARDSTICK, str(inline), str(folder / "yardstick")), (INGEST, str(log), str(folder / "store")))
    name = f"{nodes:,} nodes in four lines each ({log.stat().st_size / 1e9:.2f} GB)"
    note = f"{ours.seconds:.1f} s against {yardstick.seconds:.1f} s of the COPY with one line a node"
    yield Line(f"peak memory, {name}", ours.peak_mb / 1000, "GB", 1, note)

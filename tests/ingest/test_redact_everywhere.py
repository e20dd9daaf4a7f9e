"""Is a secret anywhere in the store, wherever it stood in a log of any format? Every text and every key of every sample carries one."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from ingest.jobs import Report
from ingest.pipeline import ingest
from ingest.readers import READERS, native
from ingest.redact import Redactor, read_rules
from tests.mutate.native_lines import renamed
from tests.mutate.planting import EVERYWHERE, Planting, every_place
from tests.mutate.specimens import Specimen, specimens

SMALL = 20_000
"""Bytes of a sample that is small enough to be loaded once for each of its places."""
SECRET = "sk-PLANTEDPLANTEDPLANTED0001"
def everything(folder: Path) -> str:
    """Every column of every Parquet file, decoded, what the file says of itself, and the bytes of all files."""
    said = ""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        said += path.read_bytes().decode("latin-1")
        if path.suffix == ".parquet":
            table = pq.read_table(path)
            said += repr(table.schema) + repr(table.to_pydict())
    return said


def plant(folder: Path, specimen: Specimen, place: str) -> str:
    """Write the log with the secret there, its runs under names of their own; the path that is to be loaded."""
    files = Planting(SECRET, place).files(specimen.files)
    for file, data in (renamed(files, int(folder.name)) if specimen.format == native.NAME else files).items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data + (f'{{"torn": "{SECRET}'.encode() if file.endswith(".jsonl") else b""))
    return str(folder / specimen.main)


@pytest.mark.parametrize("format_name", [reader.NAME for reader in READERS])
def test_a_secret_in_a_text_or_key_of_a_log_is_nowhere_in_the_store(format_name: str, tmp_path: Path) -> None:
    """In all of them at once in every sample; and in one place after the other, because a reader refuses a log in which every word is another one."""
    samples = specimens(format_name, real=False)
    paths = [plant(tmp_path / str(at), specimen, EVERYWHERE) for at, specimen in enumerate(samples)]
    small = min(samples, key=lambda specimen: (sum(map(len, specimen.files.values())) > SMALL, -len(every_place(specimen.files))))
    ones = [plant(tmp_path / str(100 + at), small, place) for at, place in enumerate(every_place(small.files))]
    assert all(SECRET.encode() in b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file()) for folder in tmp_path.iterdir())
    as_format = format_name if small.main in small.files else None  # a folder is recognised, not named
    reports = load(tmp_path / "named", [*paths, *ones], as_format)
    assert SECRET not in everything(tmp_path / "named") + repr(reports)
    read = [report for report in reports if report.source in ones and (report.counts.get("runs") or report.counts.get("nodes"))]
    assert len(read) > len(ones) / 2
    recognised = load(tmp_path / "recognised", paths, None)
    assert SECRET not in everything(tmp_path / "recognised") + repr(recognised)


def load(store: Path, paths: list[str], format_name: str | None) -> list[Report]:
    return ingest(store, paths, format_name, redactor=Redactor(read_rules("builtin")))

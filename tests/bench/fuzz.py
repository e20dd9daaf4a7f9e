"""Does a reader survive bytes that nobody wrote? Coverage-guided fuzzing of one reader, from its samples on.

    python -m tests.bench.fuzz tot-bfs 60      # a minute; a log that breaks the reader stays in build/fuzz/tot-bfs/

Needs atheris (Linux): ``pip install -c constraints.txt -e '.[fuzz]'``. Half of the new inputs are bytes changed at random, half are logs changed
as ``tests/mutate`` changes them. A log that is a folder is left to the mutations.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import sys
from pathlib import Path
from typing import Any


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("format")
    parser.add_argument("seconds", type=int)
    args = parser.parse_args()
    try:
        atheris: Any = importlib.import_module("atheris")
    except ImportError:
        print("atheris is not installed: pip install -c constraints.txt -e '.[fuzz]'", file=sys.stderr)
        return 2
    with atheris.instrument_imports(include=["ingest.readers", "ingest.source"]):
        importlib.import_module("ingest.readers")
    fuzz(atheris, args.format, args.seconds)
    return 0


def fuzz(atheris: Any, format_name: str, seconds: int) -> None:
    """Never returns: libFuzzer ends the process, with a status other than 0 when something was raised that is no TraceError."""
    from ingest.errors import TraceError
    from ingest.source import Source
    from tests.mutate.changes import change
    from tests.mutate.specimens import specimens
    from tests.mutate.trial import READER

    folder, reader = Path("build") / "fuzz" / format_name, READER[format_name]
    seeds = [specimen for specimen in specimens(format_name) if specimen.main in specimen.files]
    if not seeds or not hasattr(reader, "read"):
        raise SystemExit(f"logs of {format_name} are folders or read in bulk: python -m tests.bench.mutations changes them, too")
    log = folder / Path(seeds[0].main).name
    (folder / "corpus").mkdir(parents=True, exist_ok=True)
    for at, specimen in enumerate(seeds):
        (folder / "corpus" / f"seed-{at}").write_bytes(specimen.files[specimen.main])

    def survives(data: bytes) -> None:
        log.write_bytes(data)
        with contextlib.suppress(TraceError):
            reader.sniff(Source(log))
            for _ in reader.read(Source(log)):
                pass

    def changed(data: bytes, size: int, seed: int) -> bytes:
        if seed % 2 and data:
            with contextlib.suppress(Exception):  # what is no longer a document or a database cannot be taken apart
                return change({log.name: data}, str(seed)).files[log.name][:size]
        return bytes(atheris.Mutate(data, size))

    options = [f"-max_total_time={seconds}", f"-artifact_prefix={folder}/", str(folder / "corpus")]
    atheris.Setup([sys.argv[0], *options], survives, custom_mutator=changed)
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())

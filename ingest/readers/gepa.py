"""GEPA: prompts and programs that evolve by reflection; the result of a run as one JSON document, or a run folder with its two JSON files.

Format: ``GEPAResult.to_dict()`` of gepa-ai/gepa 0.1.4 (validation schema 2) and of earlier versions, whose scores of validation instances are
lists; ``DspyGEPAResult.to_dict()`` of DSPy 3.4; ``candidates.json`` and ``run_log.json``, which a run of gepa 0.1.4 leaves in its folder beside a
pickle. Nodes have the ids that ``parents`` uses: the position among the candidates, which is the order of their discovery. Several parents are
a merge; the first one counts as primary. The score is the mean over the validation set. A candidate of a result without children that is still
best on some instance may be chosen again: it is open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ingest.errors import Problem, TraceError
from ingest.readers import documents, fields
from ingest.readers.gepa_result import candidates, trace_of
from ingest.readers.gepa_run_folder import FILES, folder_trace
from ingest.schema import Trace
from ingest.source import Source

NAME = "gepa"
PRODUCER = "GEPA: results of the optimizer, also of the one in DSPy, and its run folders"
LOOKS_FOR = "a JSON object with candidates, parents, val_aggregate_scores and discovery_eval_counts; a folder with candidates.json and run_log.json"
TELLS = {
    "generation": "prompts and responses; of a result the rejected proposals, of a run folder their texts",
    "evaluation": "evaluator's responses; of a run folder the scores of the validation set (a result has them by instance)",
    "control": "stop reason; of a result what was pruned, of a run folder the selected candidate",
    "spend": "calls, tokens, cost and time (evaluations up to each discovery are there)",
    "replay": "prompts and responses",
    "compare": "protocol, whether the answer is right",
}
_KEYS = {"candidates", "parents", "val_aggregate_scores", "discovery_eval_counts"}


def sniff(source: Source) -> bool:
    """An object with the lists of a result. Candidates are long texts and come first: the other keys may stand far behind the head."""
    if source.path.is_dir():
        return sniff_folder(source.path)
    head = source.head()
    if not head.lstrip().startswith("{"):
        return False
    if _KEYS <= fields.keys_in(head):
        return True
    if re.match(r'\s*\{\s*"candidates"\s*:\s*\[\s*\{', head) is None:
        return False
    try:
        return _KEYS <= {key for _, line in source.lines() for key in fields.keys_in(line.decode("utf-8", "replace"))}
    except TraceError:
        return False


def sniff_folder(path: Path) -> bool:
    """Whether a folder holds both JSON files of a run."""
    begins = (r"\s*\[\s*\{", r'\s*\[\s*\{\s*"i"\s*:')
    try:
        files = [path / name for name in FILES]
        return all(file.is_file() for file in files) and all(re.match(begin, Source(file).head()) for begin, file in zip(begins, files, strict=True))
    except (OSError, TraceError):
        return False


def read(source: Source) -> Iterator[Trace | Problem]:
    """A Problem for everything that could not be read, then the run."""
    if source.path.is_dir():
        yield from folder_trace(NAME, source)
        return
    yield from documents.one_run(
        source,
        "an object with candidates and their parents",
        lambda document: candidates(document, source.name),
        lambda document, found: trace_of(NAME, source.place, document, found),
    )

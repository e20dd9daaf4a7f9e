"""Which program wrote this log? The readers, one module a format; content decides, never the file name."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Protocol, cast

from ingest.errors import Problem, TraceError
from ingest.readers import (
    adas_archive,
    ai_scientist_v2_journal,
    aide_journal,
    copra_proof_log,
    eoh_samples,
    gepa,
    got_operations,
    inspect_log,
    langfuse_trace,
    langgraph_sqlite,
    lats_log,
    lats_programming_jsonl,
    llm_reasoners_treelog,
    math_shepherd,
    mcts_reasoning,
    moatless_nodes,
    moatless_transitions,
    moatless_tree,
    native,
    omegaprm_tree,
    openevolve_db,
    otel_js_spans,
    otlp_json,
    prm800k,
    shinka_sqlite,
    swarms_tot,
    swe_agent_traj,
    toolbench_dfsdt,
    tot_bfs,
    tot_crosswords_dfs,
    xot_bfs,
)
from ingest.schema import Trace
from ingest.source import Source


class Reader(Protocol):
    """One format. A reader knows the format and the schema, nothing else; it never invents a value."""

    NAME: str
    """Lower case with hyphens, as the user types it after ``--format``."""
    PRODUCER: str
    """The program that writes such logs, in a few words."""
    LOOKS_FOR: str
    """What ``sniff`` looks for, in words; shown when no reader claims a file."""
    TELLS: dict[str, str]
    """For each of generation, evaluation, control, spend, replay, compare: "yes", or the fields that are missing."""

    @staticmethod
    def sniff(source: Source) -> bool:
        """Whether the content is of this format; looks at the head only and never raises."""

    # A reader whose log is a whole folder also has ``sniff_folder(path: Path) -> bool``; its source is then the folder.

    @staticmethod
    def read(source: Source) -> Iterator[Trace | Problem]:
        """Every run of the file, and a Problem for everything that could not be read, in file order."""


READERS: tuple[Reader, ...] = cast(
    "tuple[Reader, ...]",
    (
        native,
        tot_bfs,
        toolbench_dfsdt,
        aide_journal,
        ai_scientist_v2_journal,
        tot_crosswords_dfs,
        openevolve_db,
        xot_bfs,
        mcts_reasoning,
        omegaprm_tree,
        prm800k,
        got_operations,
        swarms_tot,
        math_shepherd,
        moatless_tree,
        moatless_nodes,
        moatless_transitions,
        langfuse_trace,
        otel_js_spans,
        otlp_json,
        inspect_log,
        lats_programming_jsonl,
        swe_agent_traj,
        adas_archive,
        lats_log,
        copra_proof_log,
        shinka_sqlite,
        langgraph_sqlite,
        eoh_samples,
        llm_reasoners_treelog,
        gepa,
    ),
)


def all_readers() -> tuple[Reader, ...]:
    """Ours, then those that other packages bring by the entry point group ``branchlight.readers``."""
    others = [cast("Reader", entry.load()) for entry in entry_points(group="branchlight.readers")]
    return READERS + tuple(others)


def reads_folder(path: Path) -> bool:
    """Whether a reader claims a folder as one log, so that its files are no logs of their own."""
    return any(reader.sniff_folder(path) for reader in all_readers() if hasattr(reader, "sniff_folder"))


def claimed_by(source: Source) -> list[Reader]:
    """Every reader that recognises the content; a folder is content only for readers of folders."""
    readers = [reader for reader in all_readers() if hasattr(reader, "sniff_folder") or not source.path.is_dir()]
    return [reader for reader in readers if reader.sniff(source)]


def find_reader(source: Source, name: str | None = None) -> Reader:
    """The one reader that claims the source, or the named one.

    Raises TraceError when none or several claim it, or when the name is unknown.
    """
    readers = all_readers()
    if name is not None:
        for reader in readers:
            if reader.NAME == name:
                return reader
        raise TraceError(f"no format is named {name!r}", hint="Known: " + ", ".join(r.NAME for r in readers) + ".")
    if not source.path.is_dir() and not source.head().strip():
        raise TraceError("the file is empty", source.name, "Nothing was recorded here; the program may have died before it wrote.", "empty")
    claims = claimed_by(source)
    if len(claims) == 1:
        return claims[0]
    if claims:
        names = " and ".join(r.NAME for r in claims)
        raise TraceError(f"{names} both claim this file", source.name, "Choose one with --format.")
    looked = "; ".join(f"{r.NAME}: {r.LOOKS_FOR}" for r in readers)
    hint = f"Looked for {looked}. Name one with --format if it is one of these."
    raise TraceError("no reader knows this format", source.name, hint, "unknown_format")

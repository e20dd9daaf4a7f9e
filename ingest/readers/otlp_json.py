"""OTLP JSON: OpenTelemetry traces as one ``resourceSpans`` document, or one such document a line, as the collector's file exporter writes them.

Format: the JSON encoding of the OTLP specification 1.x (opentelemetry-proto, docs/specification.md and examples/trace.json) and the OTLP file
exporter. Attributes: GenAI conventions up to 1.37 (``gen_ai.*``, the names before 1.27 and the events too), OpenInference (``llm.*``,
``input.value``) and the Vercel AI SDK. Batches, lines and the files of one flat folder may share traces: the spans of a trace are united. A
trace without ``search.*`` attributes is an agent run: each span is a node, and nothing has a fate. With them it is the run of a search: the
published set stands in ``otlp_search_attributes``, and ``search.node_id`` on a span or event makes a node.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ingest.errors import Problem, TraceError
from ingest.readers.fields import Malformed
from ingest.readers.otel_run import Span, agent_run, counted, wrapped_names
from ingest.readers.otlp_documents import SPANS, files_of, found_in, signal
from ingest.readers.otlp_places import Placed, is_search, runs_in
from ingest.readers.otlp_search import search_run
from ingest.schema import Trace
from ingest.source import Source

NAME = "otlp-json"
PRODUCER = "OpenTelemetry traces in OTLP JSON, with search.* attributes or of agents"
LOOKS_FOR = "a JSON object with resourceSpans, one such object a line, or a folder with such files alone"
TELLS = {
    "generation": "yes, where search.* attributes are set (an agent run has no alternatives)",
    "evaluation": "yes, where search.score is set",
    "control": "yes, where search.fate and pruning rules are set",
    "spend": "yes, where spans report tokens (cost only where they report it)",
    "replay": "yes, where prompts, responses and scores are set",
    "compare": "yes, where search.protocol and search.outcome are set",
}


def sniff(source: Source) -> bool:
    """A document or a first line with spans, or a folder of them."""
    return sniff_folder(source.path) if source.path.is_dir() else signal(source) == SPANS


def sniff_folder(path: Path) -> bool:
    """Whether a folder holds several such files and nothing but OTLP, as a file exporter leaves it that begins new files."""
    found = 0
    try:
        for file in files_of(path):
            kind = signal(Source(file)) if file.is_file() else None
            if kind is None:
                return False
            found += kind == SPANS
    except (OSError, TraceError):
        return False
    return found > 1


def read(source: Source) -> Iterator[Trace | Problem]:
    """A Problem for everything that could not be read, then the searches and the agent runs, each in the order of their first spans."""
    traces: dict[str, dict[str, Span]] = {}
    resources: dict[str, list[dict[str, Any]]] = {}
    twice: dict[str, int] = {}
    for item in found_in(source):
        span = item if isinstance(item, Problem) else item.found.span
        if isinstance(item, Problem) or isinstance(span, Problem | Malformed):
            yield item if isinstance(item, Problem) else item.problem()
            continue
        known = traces.setdefault(span.trace_id, {}).setdefault(span.span_id, span)
        if known is not span and known == span:
            twice[span.trace_id] = twice.get(span.trace_id, 0) + 1
        elif known is not span:
            yield item.problem(f"span {span.span_id} stands in the log before and says something else")
        seen = resources.setdefault(span.trace_id, [])
        seen.extend([item.found.resource] if item.found.resource and item.found.resource not in seen else [])
    if not traces:
        yield Problem("no span could be read here", source.name, "Were all of them left out by the sampler?", kind="empty")
    yield from _runs(traces, resources, twice)


def _runs(traces: dict[str, dict[str, Span]], resources: dict[str, list[dict[str, Any]]], twice: dict[str, int]) -> Iterator[Trace]:
    wrapped = wrapped_names(span for by_id in traces.values() for span in by_id.values())
    runs: dict[str, list[Placed]] = {}
    for by_id in traces.values():
        found = list(by_id.values())
        for run_id, placed in runs_in(found, counted(found, wrapped)).items():
            runs.setdefault(run_id, []).extend(placed)
    agents = {run_id: placed for run_id, placed in runs.items() if not is_search(placed)}
    by_trace: dict[str, list[Placed]] = {}
    for one in (one for placed in agents.values() for one in placed):
        by_trace.setdefault(one.span.trace_id, []).append(one)
    for run_id, placed in {run_id: placed for run_id, placed in runs.items() if run_id not in agents}.items():
        ids = list(dict.fromkeys(one.span.trace_id for one in placed))
        yield search_run(NAME, run_id, placed, _twice(sum(twice.get(trace_id, 0) for trace_id in ids)), _around(ids, resources))
    for trace_id, placed in by_trace.items():
        spans = [one.span for one in placed]
        yield agent_run(NAME, trace_id, spans, placed[0].count, _twice(twice.get(trace_id, 0)), _around([trace_id], resources))


def _twice(count: int) -> tuple[str, ...]:
    return (f"spans that stand in the log again, word for word, and are counted once: {count}",) if count else ()


def _around(trace_ids: list[str], resources: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    found = [resource for trace_id in trace_ids for resource in resources.get(trace_id, ())]
    return {"resources": [resource for at, resource in enumerate(found) if resource not in found[:at]]} if found else {}

"""Which run does a span belong to, and which node does it work on? By its ``search.*`` attributes or those around it. For ``otlp_json`` only."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.readers import fields, spans
from ingest.readers.otel_run import Counted, Span
from ingest.readers.otlp_search_attributes import NODE_ID, RUN_ID, Said, id_in, said_by


@dataclass(frozen=True, slots=True)
class Placed:
    """A span of a run, the node that it works on ("" for none), what it says, and what was counted in its trace."""

    span: Span
    node_id: str
    said: Said
    count: Counted

    @property
    def names_node(self) -> bool:
        return id_in(self.span.attributes, NODE_ID) is not None


def is_search(placed: Sequence[Placed]) -> bool:
    """Whether a span of a run, or an event, names a node."""
    return any(id_in(known, NODE_ID) for one in placed for known in (one.span.attributes, *events_of(one.span)))


def runs_in(found: Sequence[Span], count: Counted) -> dict[str, list[Placed]]:
    """The spans of one trace by the run that they name, or that the nearest span around them names, or all others, or by the trace."""
    parents = {span.span_id: span.parent_id for span in found}
    run_ids, node_ids = ({span.span_id: name for span in found if (name := id_in(span.attributes, key))} for key in (RUN_ID, NODE_ID))
    named = set(run_ids.values())
    otherwise = next(iter(named)) if len(named) == 1 else found[0].trace_id
    runs: dict[str, list[Placed]] = {}
    for span in found:
        around = [span.span_id, *spans.ancestors(span.span_id, parents)]
        run_id = next((run_ids[one] for one in around if one in run_ids), otherwise)
        outside = next((at for at, one in enumerate(around) if run_ids.get(one, run_id) != run_id), len(around))
        node_id = next((node_ids[one] for one in around[:outside] if one in node_ids), "")
        said = said_by(span.attributes, node_id != "")
        asked = {span.span_id} if "role" in said.call and span.span_id not in count.warnings else set()
        own = dataclasses.replace(count, calls=count.calls | asked) if asked else count
        runs.setdefault(run_id, []).append(Placed(span, node_id, said, own))
    return runs


def events_of(span: Span) -> Iterator[dict[str, Any]]:
    """The attributes of each event."""
    return (fields.object_or_empty(event, "attributes") for event in span.events)

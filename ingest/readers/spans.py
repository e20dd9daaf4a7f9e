"""Which spans of a trace are paid calls, and which repeat what the spans below them already say? For readers of observability exports.

Agent frameworks write the sum of a loop on its outer span, and two instrumentations of one client write one call twice, one span inside of
the other. So of spans that report tokens or a price, those are counted below which no other one reports any; the others are roll-ups.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Usage:
    """What one span reports. None is not reported."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None

    def __bool__(self) -> bool:
        return bool(self.input_tokens or self.output_tokens or self.cost)


def roll_ups(parents: Mapping[str, str | None], usage: Mapping[str, Usage]) -> dict[str, str]:
    """Spans that repeat, each with what it claims and what the counted spans below it add up to, in words."""
    above_others = {above for span_id, own in usage.items() if own for above in ancestors(span_id, parents)}
    below: dict[str, list[Usage]] = {span_id: [] for span_id, own in usage.items() if own and span_id in above_others}
    for span_id, own in usage.items():
        for above in ancestors(span_id, parents) if own and span_id not in below else ():
            if above in below:
                below[above].append(own)
    return {span_id: _in_words(usage[span_id], counted) for span_id, counted in below.items()}


def ancestors(span_id: str, parents: Mapping[str, str | None]) -> Iterator[str]:
    """The spans above one, nearest first, as far as they are known; in a circle each of them once."""
    seen = {span_id}
    above = parents.get(span_id)
    while above is not None and above not in seen:
        yield above
        seen.add(above)
        above = parents.get(above)


def _in_words(own: Usage, below: list[Usage]) -> str:
    tokens = sum(usage.input_tokens or 0 for usage in below), sum(usage.output_tokens or 0 for usage in below)
    gap = (own.input_tokens or 0) - tokens[0], (own.output_tokens or 0) - tokens[1]
    said = f"claims {own.input_tokens or 0}/{own.output_tokens or 0} tokens in/out, the calls below it add up to {tokens[0]}/{tokens[1]}"
    return said + (f": {gap[0]}/{gap[1]} are in no logged call" if max(gap) > 0 else "")


def order(started: Sequence[datetime | None]) -> dict[int, int]:
    """Place of each span in the order of their starts; their order in the file where one has no time."""
    known = [time for time in started if time is not None]
    places = sorted(range(len(known)), key=lambda at: (known[at], at)) if len(known) == len(started) else range(len(started))
    return {at: place for place, at in enumerate(places)}


def warnings(found: Mapping[str, str], names: Mapping[str, str | None]) -> list[str]:
    """One line for each roll-up."""
    return [f"span {names.get(span_id) or span_id} ({span_id}) is a roll-up, not counted: it {said}" for span_id, said in found.items()]

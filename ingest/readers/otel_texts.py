"""What was asked and answered in a span: one attribute, many, or its events? For OpenTelemetry readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.readers import fields
from ingest.readers.otel_attributes import first_name

_FLAT = {
    "prompt": ("gen_ai.prompt.", "llm.input_messages.", "llm.prompts."),
    "response": ("gen_ai.completion.", "llm.output_messages."),
}
"""Lists of messages, one attribute for each member of each message: ``llm.input_messages.0.message.role``."""
_IN_EVENTS = {"prompt": ("gen_ai.input.messages", "gen_ai.prompt"), "response": ("gen_ai.output.messages", "gen_ai.completion")}
_MESSAGES = {
    "prompt": ("gen_ai.system.message", "gen_ai.user.message", "gen_ai.assistant.message", "gen_ai.tool.message"),
    "response": ("gen_ai.choice",),
}
"""Events of the GenAI conventions before 1.37 that are one message each."""


@dataclass(frozen=True, slots=True)
class Texts:
    """What was asked and answered, and where it was taken from; everything else stays with the node, beside what was made of it."""

    prompt: str | None
    response: str | None
    names: frozenset[str]
    """The attributes that were taken."""
    events: list[dict[str, Any]] | None
    """The events without what was taken out of them; None where nothing was."""


def texts_of(attributes: Mapping[str, Any], events: Sequence[dict[str, Any]] = ()) -> Texts:
    """Prompt and response: of one attribute, else of a list of messages in many, else of events."""
    found: dict[str, str | None] = {}
    names: set[str] = set()
    rest = list(events)
    for what, flat in _FLAT.items():
        name = first_name(attributes, what)
        prefix = next((prefix for prefix in flat if _members(attributes, prefix)), None)
        if name is not None:
            found[what] = fields.text(attributes[name])
            names.add(name)
        elif prefix is not None:
            found[what] = fields.json_text(_messages(attributes, prefix))
            names.update(_members(attributes, prefix))
        else:
            found[what], rest = _out_of_events(what, rest)
    return Texts(found["prompt"], found["response"], frozenset(names), rest if rest != list(events) else None)


def _members(attributes: Mapping[str, Any], prefix: str) -> dict[str, tuple[str, str]]:
    """The attributes of such a list: the place of the message, and the member of it."""
    parts = {name: name.removeprefix(prefix).partition(".") for name in attributes if name.startswith(prefix)}
    return {name: (place, member) for name, (place, _, member) in parts.items() if place.isdecimal()}


def _messages(attributes: Mapping[str, Any], prefix: str) -> list[dict[str, Any]]:
    listed: dict[str, dict[str, Any]] = {}
    for name, (place, member) in _members(attributes, prefix).items():
        listed.setdefault(place, {})[member] = attributes[name]
    return [listed[place] for place in sorted(listed, key=lambda place: (len(place), place))]


def _out_of_events(what: str, events: list[dict[str, Any]]) -> tuple[str | None, list[dict[str, Any]]]:
    """The text, and the events without it: the value of the one event that holds it all, else all messages as a JSON list."""
    for at, event in enumerate(events):
        known = fields.object_or_empty(event, "attributes")
        name = next((name for name in _IN_EVENTS[what] if known.get(name) is not None), None)
        if name is not None:
            return fields.text(known[name]), [*events[:at], event | {"attributes": fields.without(known, (name,))}, *events[at + 1 :]]
    kinds = _MESSAGES[what]
    said = [{"event": event["name"], **fields.object_or_empty(event, "attributes")} for event in events if event.get("name") in kinds]
    rest = [event | {"attributes": {}} if event.get("name") in kinds else event for event in events]
    return fields.json_text(said) if said else None, rest

"""Which attribute of a span says what? GenAI conventions, OpenInference and the Vercel AI SDK, most precise first. For OpenTelemetry readers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ingest.readers import fields
from ingest.readers.spans import Usage

_NAMES: dict[str, tuple[str, ...]] = {
    "kind": ("openinference.span.kind", "gen_ai.operation.name", "ai.operationId"),
    "input_tokens": (
        "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt", "ai.usage.inputTokens", "ai.usage.promptTokens",
        "ai.usage.tokens",
    ),
    "output_tokens": (
        "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion", "ai.usage.outputTokens",
        "ai.usage.completionTokens",
    ),
    "cached_tokens": (
        "gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cached_input_tokens", "llm.token_count.prompt_details.cache_read",
        "ai.usage.cachedInputTokens",
    ),
    "cost": ("gen_ai.usage.cost", "llm.cost.total"),
    "model": ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "ai.response.model", "ai.model.id"),
    "temperature": ("gen_ai.request.temperature", "ai.settings.temperature"),
    "top_p": ("gen_ai.request.top_p", "ai.settings.topP"),
    "max_output_tokens": ("gen_ai.request.max_tokens", "ai.settings.maxOutputTokens"),
    "seed": ("gen_ai.request.seed", "ai.settings.seed"),
    "prompt": ("gen_ai.input.messages", "gen_ai.prompt", "input.value", "ai.prompt.messages", "ai.prompt", "ai.toolCall.args", "ai.values"),
    "response": (
        "gen_ai.output.messages", "gen_ai.completion", "output.value", "ai.response.text", "ai.response.object", "ai.response.toolCalls",
        "ai.toolCall.result",
    ),
}  # fmt: skip
_TOOLS = {"TOOL", "execute_tool", "ai.toolCall"}


def first(attributes: Mapping[str, Any], what: str, as_text: bool = True) -> Any:
    """The most precise attribute that is there, as a text unless told otherwise; None where there is none."""
    value = next((attributes[name] for name in _NAMES[what] if attributes.get(name) is not None), None)
    return fields.text(value) if as_text else value


def texts_of_call(attributes: Mapping[str, Any]) -> set[str]:
    """The long texts that a call takes over; every other attribute stays with the node, where it can be compared with what was made of it."""
    found = (next((name for name in _NAMES[what] if attributes.get(name) is not None), None) for what in ("prompt", "response"))
    return {name for name in found if name is not None}


def usage_of(attributes: Mapping[str, Any]) -> Usage:
    """Tokens and price as this span reports them, for itself or for what lies below it."""
    tokens = [fields.whole(first(attributes, what, as_text=False)) for what in ("input_tokens", "output_tokens")]
    return Usage(tokens[0], tokens[1], fields.number(first(attributes, "cost", as_text=False)))


def is_tool(attributes: Mapping[str, Any]) -> bool:
    """Whether the span ran a tool."""
    return any(fields.text(attributes.get(name)) in _TOOLS for name in _NAMES["kind"])

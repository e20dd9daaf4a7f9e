"""Which attribute of a span says what? GenAI conventions, OpenInference and the Vercel AI SDK, most precise first. For OpenTelemetry readers."""

from __future__ import annotations

import json
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
        "gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cached_input_tokens", "gen_ai.usage.cache_read_input_tokens",
        "llm.token_count.prompt_details.cache_read", "ai.usage.cachedInputTokens",
    ),
    "cost": ("gen_ai.usage.cost", "llm.cost.total"),
    "model": ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "ai.response.model", "ai.model.id"),
    "temperature": ("gen_ai.request.temperature", "ai.settings.temperature"),
    "top_p": ("gen_ai.request.top_p", "ai.settings.topP"),
    "max_output_tokens": ("gen_ai.request.max_tokens", "ai.settings.maxOutputTokens"),
    "seed": ("gen_ai.request.seed", "ai.settings.seed"),
    "prompt": (
        "gen_ai.input.messages", "gen_ai.prompt", "gen_ai.tool.call.arguments", "input.value", "ai.prompt.messages", "ai.prompt", "ai.toolCall.args",
        "ai.values",
    ),
    "response": (
        "gen_ai.output.messages", "gen_ai.completion", "gen_ai.tool.call.result", "output.value", "ai.response.text", "ai.response.object",
        "ai.response.toolCalls", "ai.toolCall.result",
    ),
}  # fmt: skip
_TOOLS = {"TOOL", "execute_tool", "ai.toolCall"}
_MODELS = {"LLM", "EMBEDDING", "chat", "text_completion", "generate_content", "embeddings"}
_PARAMETERS = {"temperature": "temperature", "top_p": "top_p", "max_tokens": "max_output_tokens", "seed": "seed"}
"""What OpenInference writes as JSON in ``llm.invocation_parameters``."""


def first(attributes: Mapping[str, Any], what: str, as_text: bool = True) -> Any:
    """The most precise attribute that is there, as a text unless told otherwise; None where there is none."""
    name = first_name(attributes, what)
    value = attributes[name] if name is not None else None
    return fields.text(value) if as_text else value


def first_name(attributes: Mapping[str, Any], what: str) -> str | None:
    """Which attribute that is."""
    return next((name for name in _NAMES[what] if attributes.get(name) is not None), None)


def setting(attributes: Mapping[str, Any], what: str) -> Any:
    """A setting of the request, of its own attribute or of all parameters together."""
    if (name := first_name(attributes, what)) is not None:
        return attributes[name]
    try:
        given = json.loads(attributes.get("llm.invocation_parameters", ""))
    except (TypeError, ValueError, RecursionError):
        return None
    return next((given[key] for key, column in _PARAMETERS.items() if column == what and key in given), None) if isinstance(given, dict) else None


def usage_of(attributes: Mapping[str, Any]) -> Usage:
    """Tokens and price as this span reports them, for itself or for what lies below it."""
    tokens = [fields.whole(first(attributes, what, as_text=False)) for what in ("input_tokens", "output_tokens")]
    return Usage(tokens[0], tokens[1], fields.number(first(attributes, "cost", as_text=False)))


def is_tool(attributes: Mapping[str, Any]) -> bool:
    """Whether the span ran a tool."""
    return any(fields.text(attributes.get(name)) in _TOOLS for name in _NAMES["kind"])


def asks_model(attributes: Mapping[str, Any]) -> bool:
    """Whether the span asked a model, whatever it says of tokens."""
    return any(fields.text(attributes.get(name)) in _MODELS for name in _NAMES["kind"])

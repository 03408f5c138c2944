"""Formats of messages: each module reads and writes one of them, `blocks.py` has their common parts."""

from __future__ import annotations

from satchel.plugin_api import Later

MESSAGE_FORMATS = (
    Later("anthropic", "satchel_plugins.formats.anthropic:Anthropic"),
    Later("ollama", "satchel_plugins.formats.ollama:Ollama"),
    Later("openai", "satchel_plugins.formats.openai:OpenAi"),
    Later("responses", "satchel_plugins.formats.responses:Responses"),
)

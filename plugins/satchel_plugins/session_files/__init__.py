"""Session files of agents: each module reads and writes those of one; `records.py` is for all of them."""

from __future__ import annotations

from satchel.plugin_api import Later

SESSION_FILES = (
    Later("claude-code", "satchel_plugins.session_files.claude_code:ClaudeCode"),
    Later("codex", "satchel_plugins.session_files.codex:Codex"),
    Later("pi", "satchel_plugins.session_files.pi:Pi"),
    Later("openhands", "satchel_plugins.session_files.openhands:OpenHands"),
    Later("opencode", "satchel_plugins.session_files.opencode:OpenCode"),
    Later("gemini", "satchel_plugins.session_files.gemini:Gemini"),
    Later("qwen", "satchel_plugins.session_files.qwen:Qwen"),
    Later("copilot", "satchel_plugins.session_files.copilot:Copilot"),
    Later("kimi", "satchel_plugins.session_files.kimi:Kimi"),
    Later("cursor", "satchel_plugins.session_files.cursor:Cursor"),
)

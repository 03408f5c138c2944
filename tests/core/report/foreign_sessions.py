"""Session files as Claude Code, Codex and pi write them, each with a compaction and calls side by side."""

from __future__ import annotations

import json
from typing import Any

SOURCE = "def login(name):\n    return bool(name)\n" * 60


def as_lines(*lines: dict[str, Any]) -> bytes:
    """Return JSON Lines."""
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def _claude(number: int, parent: int, role: str, content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": role, "content": content, **more.pop("message", {})}
    return {
        "type": role, "uuid": f"u{number}", "parentUuid": f"u{parent}" if parent else None,
        "sessionId": "s", "isSidechain": False, "message": message,
        "timestamp": f"2026-11-20T10:{number:02}:00.000Z", **more,
    }  # fmt: skip


def _answer(name: str, read: int) -> dict[str, Any]:
    usage = {"input_tokens": 10, "cache_read_input_tokens": read, "cache_creation_input_tokens": 90}
    return {"id": name, "model": "claude-sonnet-4-20250514", "usage": usage}


def claude() -> bytes:
    """Return a session of Claude Code: calls side by side, a branch that was left, a helper."""

    def use(at: int) -> dict[str, Any]:
        return {"type": "tool_use", "id": f"t{at}", "name": "Read", "input": {"file_path": f"/r/{at}.py"}}

    def result(at: int) -> list[dict[str, Any]]:
        return [{"type": "tool_result", "tool_use_id": f"t{at}", "content": SOURCE}]

    return as_lines(
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
        _claude(1, 0, "user", "fix the login"),
        _claude(2, 1, "assistant", [use(1)], message=_answer("a", 0)),
        _claude(3, 2, "assistant", [use(2)], message=_answer("a", 0)),
        _claude(4, 2, "user", result(1)),
        _claude(5, 3, "user", result(2)),
        _claude(6, 5, "assistant", [{"type": "text", "text": "left"}], message=_answer("x", 5)),
        _claude(7, 1, "user", "a helper is asked", isSidechain=True),
        _claude(8, 5, "assistant", [{"type": "text", "text": "it is fixed"}], message=_answer("b", 900)),
        {
            "type": "system", "subtype": "compact_boundary", "uuid": "u9", "parentUuid": None,
            "logicalParentUuid": "u8", "compactMetadata": {"trigger": "auto", "preTokens": 155_000},
            "timestamp": "2026-11-20T10:09:00.000Z",
        },
        _claude(10, 9, "user", "This session goes on: the login was fixed.", isCompactSummary=True),
        _claude(11, 10, "user", "and now the logout"),
        _claude(12, 11, "assistant", [{"type": "text", "text": "looking"}], message=_answer("c", 300)),
    )  # fmt: skip


def codex() -> bytes:
    """Return a session of Codex with a compaction that tells what replaced the history."""

    def item(**payload: Any) -> dict[str, Any]:
        return {"timestamp": "2026-11-20T10:00:00.000Z", "type": "response_item", "payload": payload}

    def message(role: str, text: str) -> dict[str, Any]:
        return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}

    last = {"input_tokens": 1_000, "cached_input_tokens": 800, "output_tokens": 9}
    info = {"last_token_usage": last, "model_context_window": 272_000}
    return as_lines(
        {"type": "session_meta", "payload": {"id": "s", "cwd": "/r", "instructions": "You are Codex."}},
        {"type": "turn_context", "payload": {"model": "gpt-5-codex"}},
        item(**message("user", "fix the login")),
        item(type="reasoning", summary=[], encrypted_content="gAAA"),
        item(type="function_call", name="shell", arguments='{"command": ["cat", "a.py"]}', call_id="c"),
        item(type="function_call_output", call_id="c", output=SOURCE),
        item(type="ghost_snapshot", ghost_commit={"id": "1"}),
        item(**message("assistant", "it is fixed")),
        {"type": "event_msg", "payload": {"type": "token_count", "info": info}},
        {
            "type": "compacted",
            "payload": {"message": "fixed", "replacement_history": [message("user", "summary")]},
        },
        item(**message("user", "and now the logout")),
    )


def pi() -> bytes:
    """Return a session of pi: a branch that was left, and a compaction that keeps the newest entries."""

    def entry(number: int, parent: int, **more: Any) -> dict[str, Any]:
        above = f"e{parent}" if parent else None
        return {
            "type": "message",
            "id": f"e{number}",
            "parentId": above,
            "timestamp": 1_764_000_000_000,
            **more,
        }

    usage = {"input": 100, "output": 5, "cacheRead": 300, "cacheWrite": 0}
    call = {"type": "toolCall", "id": "c", "name": "read", "arguments": {"path": "a.py"}}
    text = {"type": "text", "text": "let me see"}
    answer = {"role": "assistant", "content": [text, call], "usage": usage, "model": "claude-opus-4"}
    result = {"role": "toolResult", "toolCallId": "c", "content": [{"type": "text", "text": SOURCE}]}
    return as_lines(
        {"type": "session", "version": 3, "id": "s", "cwd": "/r", "timestamp": "2026-11-20T10:00:00.000Z"},
        entry(1, 0, message={"role": "user", "content": "fix the login"}),
        entry(2, 1, message=answer),
        entry(3, 2, message=result),
        entry(4, 3, message={"role": "assistant", "content": [{"type": "text", "text": "left"}]}),
        entry(5, 3, message={"role": "assistant", "content": [{"type": "text", "text": "fixed"}]}),
        {
            "type": "compaction", "id": "e6", "parentId": "e5", "summary": "the login was fixed",
            "firstKeptEntryId": "e5", "tokensBefore": 5_000,
        },
        entry(7, 6, message={"role": "user", "content": "and now the logout"}),
    )  # fmt: skip

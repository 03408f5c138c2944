"""Texts that try to run something in a page, and documents that hold them in every place."""

from __future__ import annotations

from typing import Any

PAYLOADS = (
    "<script>document.title='ran'</script>",
    "</style><script>document.title='ran'</script><style>",
    "</title><script>document.title='ran'</script>",
    "</pre><img src=x onerror=\"document.title='ran'\">",
    "\" onmouseover=\"document.title='ran'\" x=\"",
    "' autofocus onfocus='document.title=1",
    "<svg onload=document.title='ran'><a xlink:href=javascript:alert(1)>x</a></svg>",
    "javascript:document.title='ran'",
    "<base href=https://attacker.invalid/><meta http-equiv=refresh content=0;url=https://attacker.invalid>",
    "{{ 7 * 7 }}{% for x in ().__class__.__bases__ %}{{ x }}{% endfor %}",
    "<!--<script>", "]]><![CDATA[<script>", "&#60;script&#62;",
    "<style>@import 'https://attacker.invalid/a.css'</style>",
    "\u202egnp.exe\u202c \u200b\x1b[31m\x00\ud800",
)  # fmt: skip
ALL = "\n".join(PAYLOADS)


def hostile_pack() -> dict[str, Any]:
    """Return a pack's JSON with all payloads in every text of it."""
    item = {
        "pointer": f"satchel://file/{ALL}", "path": ALL, "title": ALL, "kind": ALL, "provider": ALL,
        "level": ALL, "tokens": 40, "salience": 7e9, "scores": {ALL: 0.9, "lexical": 0.5},
        "trusted": False, "text": ALL,
    }  # fmt: skip
    left = {"pointer": ALL, "path": ALL, "reason": ALL, "tokens": 3, "salience": 0.2}
    problem = {"plugin": ALL, "distribution": ALL, "stage": ALL, "error": ALL}
    return {
        "schema": 1, "task": ALL, "budget": 100, "tokens": 45, "exact": True, "tokenizer": ALL, "text": ALL,
        "items": [item], "left_out": [left], "left_out_counts": [{"folder": ALL, "reason": ALL, "count": 2}],
        "redacted": {ALL: 1}, "problems": [problem],
    }  # fmt: skip


def hostile_messages() -> dict[str, Any]:
    """Return a request with all payloads in its tools, calls, results and texts."""
    call = {"id": "c1", "type": "function", "function": {"name": ALL, "arguments": '{"path": "<script>"}'}}
    read = {
        "id": "c2",
        "type": "function",
        "function": {"name": "read_file", "arguments": '{"path": "<b onclick=1>"}'},
    }
    return {
        "model": ALL,
        "tools": [{"type": "function", "function": {"name": ALL, "description": ALL}}],
        "messages": [
            {"role": "system", "content": ALL},
            {"role": "user", "content": ALL},
            {"role": "assistant", "content": ALL, "tool_calls": [call, read]},
            {"role": "tool", "tool_call_id": "c1", "content": ALL},
            {"role": "tool", "tool_call_id": "c2", "content": ALL},
            {"role": "user", "content": [{"type": "text", "text": ALL}]},
        ],
    }


def hostile_output() -> dict[str, Any]:
    """Return a squeezed output's JSON with all payloads in every text of it."""
    return {
        "schema": 1, "exit_code": 1, "tokens": 90, "text": f"{ALL}\n[… lines 3-9]\n{ALL}\n", "lines": 40,
        "pointer": ALL, "gaps": [{"lines": [3, 9], "pointer": ALL}], "problems": [ALL],
    }  # fmt: skip

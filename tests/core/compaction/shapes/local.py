"""Odd conversations as Ollama has them."""

from __future__ import annotations

from .parts import LAST, LONG, Json, nested


def asked(*arguments: Json, **more: Json) -> Json:
    """Return a message of the model's that calls a tool with each of the arguments."""
    calls = [{"function": {"name": "f", "arguments": one}} for one in arguments]
    return {"role": "assistant", "content": "", "tool_calls": calls, **more}


def told(said: str = LONG) -> Json:
    """Return a result."""
    return {"role": "tool", "tool_name": "f", "content": said}


_STEPS = {
    "calls without ids": [asked({"a": LONG}), told(), asked({"a": 1}), told()],
    "100 parallel calls": [asked(*({"i": at} for at in range(100))), *(told(LONG[:400]) for _ in range(100))],
    "a call alone": [asked({"a": LONG})],
    "results alone": [told(), {"role": "tool", "content": LONG}],
    "arguments that are not objects": [asked('{"a": 1}', None, nested(100_000)), told()],
    "calls that are junk": [
        {"role": "assistant", "content": "", "tool_calls": [{"function": None}, {}, 5]},
        told(),
    ],
    "ids all the same": [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "x", "function": {"name": "f", "arguments": {}}}],
        },
        {**told(), "tool_call_id": "x"},
    ],
    "thoughts": [
        {"role": "assistant", "content": LONG, "thinking": LONG},
        {"role": "assistant", "thinking": 5},
    ],
    "images": [{"role": "user", "content": "hi", "images": ["A" * 9_000]}],
    "images that are junk": [
        {"role": "user", "content": "x", "images": "AAAA"},
        {"role": "user", "content": "x", "images": [5, None]},
    ],
    "a content of parts": [{"role": "user", "content": [{"type": "text", "text": LONG}]}],
}
_BEGUN = [{"role": "system", "content": "be careful"}, {"role": "user", "content": "fix src/app.py"}]
LOCAL = {
    name: {"model": "m", "messages": [*_BEGUN, *steps, {"role": "assistant", "content": LONG}, LAST]}
    for name, steps in _STEPS.items()
}

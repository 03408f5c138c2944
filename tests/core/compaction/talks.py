"""A conversation with an agent for tests, in the format of OpenAI."""

from __future__ import annotations

import json
from typing import Any


def step(number: int, lines: int = 40) -> list[dict[str, Any]]:
    """Return a call and its result."""
    arguments = json.dumps({"path": f"src/part_{number}.py"})
    call = {"id": f"c{number}", "type": "function", "function": {"name": "read", "arguments": arguments}}
    said = "\n".join(f"def load_{number}_{line}(): return {number * line}" for line in range(lines))
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": said},
    ]


def talk(steps: int = 20, asked: str = "fix load_3_7 in src/part_3.py") -> list[dict[str, Any]]:
    """Return a system message, a request, and steps of an agent."""
    start: list[dict[str, Any]] = [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": asked},
    ]
    return start + [message for number in range(steps) for message in step(number)]

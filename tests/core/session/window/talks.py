"""Talk of a person and an agent."""

from __future__ import annotations

import json
from collections.abc import Callable

from satchel import Session, SessionWindow

WORDS = "the guard polls the server and tells what changed in the window of the model "
Make = Callable[..., SessionWindow]


def talk(session: Session, turns: int, *, words: int = 4) -> None:
    """Let a person and an agent talk."""
    for turn in range(turns):
        session.add({"role": "user", "content": f"turn {turn}: {WORDS * words}"})
        function = {"name": "read_file", "arguments": json.dumps({"path": "src/polling.py"})}
        call = {"id": f"c{turn}", "type": "function", "function": function}
        session.add({"role": "assistant", "content": None, "tool_calls": [call]})
        session.add({"role": "tool", "tool_call_id": f"c{turn}", "content": WORDS * words})
        session.add({"role": "assistant", "content": f"answer {turn}"})

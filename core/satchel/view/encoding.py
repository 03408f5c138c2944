"""JSON that is valid UTF-8 whatever it holds, with nothing hidden in it."""

from __future__ import annotations

import json

from satchel.showing.hidden import escaped_for_json


def json_text(value: object) -> str:
    """Return indented JSON with a line end; keys keep their order, hidden characters are escaped."""
    return escaped_for_json(json.dumps(value, ensure_ascii=False, indent=2, default=str)) + "\n"

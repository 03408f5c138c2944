"""JSON that is valid UTF-8 whatever it holds."""

from __future__ import annotations

import json
import re

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def json_text(value: object) -> str:
    """Return indented JSON with a line end; keys keep their order, lone surrogates are escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=2, default=str)
    return _LONE_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"

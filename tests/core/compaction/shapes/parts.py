"""What the odd conversations of all formats are made of."""

from __future__ import annotations

from typing import Any

LONG = "line src/app.py load_user 4711 KeyError\n" * 60
"""Some 900 tokens."""
IMAGE = "data:image/png;base64," + "A" * 40_000
LAST = {"role": "user", "content": "and now?"}
Json = Any


def nested(depth: int) -> Json:
    """Return a list in a list in a list."""
    value: Json = "leaf"
    for _ in range(depth):
        value = [value]
    return value

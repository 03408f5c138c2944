"""Events as lines of JSON, for `--events FILE` and for commands that watch."""

from __future__ import annotations

import json

import attrs

from satchel.events import Event
from satchel.showing.hidden import escaped_for_json


def event_line(event: Event) -> str:
    """Return one line: the event's name and its fields."""
    fields = attrs.asdict(event, recurse=False)
    shown = {key: value._asdict() if hasattr(value, "_asdict") else value for key, value in fields.items()}
    text = json.dumps({"event": type(event).__name__, **shown}, ensure_ascii=False, default=str)
    return escaped_for_json(text) + "\n"

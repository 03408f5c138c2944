"""Events as lines of JSON, for `--events FILE` and for commands that watch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import attrs

from satchel.escaping import escaped_for_json
from satchel.events import Event


def event_line(event: Event, *, at: float | None = None) -> str:
    """Return one line: the event's name, the time where it is given, and its fields without secrets."""
    fields: Mapping[str, Any] = attrs.asdict(event, recurse=False)
    shown = {key: _shown(value) for key, value in fields.items()}
    head: dict[str, Any] = {"event": type(event).__name__}
    if at is not None:
        head["time"] = round(at, 3)
    text = json.dumps({**head, **shown}, ensure_ascii=False, default=str)
    return escaped_for_json(text) + "\n"


def _shown(value: Any) -> Any:
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {_shown(str(key)): _shown(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_shown(inner) for inner in value]
    if value is None or isinstance(value, bool | int | float):
        return value
    from satchel.redaction.scanning import without_secrets

    return without_secrets(str(value))

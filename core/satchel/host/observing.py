"""Send events to observers: plugins, the caller, and a file of JSON Lines."""

from __future__ import annotations

import copy
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from satchel.errors import SatchelError
from satchel.escaping import escape_for_json
from satchel.host import Host, PluginKind
from satchel.host.calling import Call
from satchel.open_flags import NON_BLOCKING
from satchel.paths import absolute

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.events import Event
    from satchel.interfaces import Observer


def event_line(event: Event, *, at: float | None = None) -> str:
    """Return one line: the event's name, the time if given, and its fields without secrets."""
    fields: Mapping[str, Any] = attrs.asdict(event, recurse=False)
    shown = {key: _to_json(value) for key, value in fields.items()}
    head: dict[str, Any] = {"event": type(event).__name__}
    if at is not None:
        head["time"] = round(at, 3)
    text = json.dumps({**head, **shown}, ensure_ascii=False, default=str)
    return escape_for_json(text) + "\n"


def _to_json(value: Any) -> Any:
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {_to_json(str(key)): _to_json(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_to_json(inner) for inner in value]
    if value is None or isinstance(value, bool | int | float):
        return value
    from satchel.redaction.scanning import redact_secrets

    return redact_secrets(str(value))


_WRITE = os.O_WRONLY | os.O_APPEND | os.O_CREAT | NON_BLOCKING
"""Writing to a pipe without a reader fails instead of waiting."""


def announce(
    host: Host | None,
    events: Sequence[Event],
    observe: Callable[[Event], None] | None = None,
    *,
    config: Config | None = None,
) -> None:
    """Send the events to the caller's function and to the host's observers, made with their settings."""
    if observe is not None:
        _observe(observe, events)
    if host is not None and events and host.loaded(PluginKind.OBSERVER):
        tell(host, events, config)


def tell(host: Host, events: Sequence[Event], config: Config | None = None) -> None:
    """Send copies of the events to every observer, in order; one that fails misses the remaining events.

    Raises ConfigError if the configuration has a wrong setting of an observer.
    """
    kind = PluginKind.OBSERVER
    tables = config.plugins.get(kind.value, {}) if config is not None else {}
    observers = host.make_all(kind, tables, config.places(kind.value) if config is not None else {})
    host.calls.call_all(
        [
            Call(loaded, partial(_observe, observer), (tuple(map(copy.copy, events)),), "observe", lend=False)
            for loaded, observer in observers
        ]
    )


def _observe(observer: Observer, events: Sequence[Event]) -> None:
    for event in events:
        observer(event)


class EventFile:
    """Appends events to a file, one JSON object per line; several processes may share the file.

    Args:
        path: the file; its content is kept.
        clock: seconds since the epoch.

    Raises:
        SatchelError: the file can't be written.
    """

    def __init__(self, path: str | Path, *, clock: Callable[[], float] = time.time) -> None:
        self.path, self._clock = absolute(path), clock
        self._write(b"")

    def __call__(self, event: Event) -> None:
        """Write one event."""
        self._write(event_line(event, at=self._clock()).encode("utf-8", "replace"))

    def _write(self, line: bytes) -> None:
        try:
            number = os.open(self.path, _WRITE, 0o600)
            try:
                if hasattr(os, "set_blocking"):
                    os.set_blocking(number, True)
                os.write(number, line)
            finally:
                os.close(number)
        except OSError as error:
            raise SatchelError(
                f"{self.path}: events can't be written: {error.strerror}; name another file with --events"
            ) from error

"""Tell observers what happened in a run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from satchel.events import Event
from satchel.host import Host, Kind
from satchel.host.calling import Call
from satchel.interfaces import Observer


def tell(host: Host, events: Sequence[Event]) -> None:
    """Hand the events to every observer, in order; one that fails misses the rest of its events."""
    observers = host.make_all(Kind.OBSERVER, {})
    host.calls.call_all(
        [
            Call(loaded, partial(_observe, observer), (tuple(events),), "observe")
            for loaded, observer in observers
        ]
    )


def _observe(observer: Observer, events: Sequence[Event]) -> None:
    for event in events:
        observer(event)

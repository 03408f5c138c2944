"""Snapshots: a session in a file of its own, verified when it was written and again before it is used."""

from __future__ import annotations

from satchel.session.snapshots.files import Snapshot, listed
from satchel.session.snapshots.restoring import Restored, rebuild, restore
from satchel.session.snapshots.taking import KEPT, THRESHOLD, at_threshold, before_emergency, take

__all__ = [
    "KEPT",
    "THRESHOLD",
    "Restored",
    "Snapshot",
    "at_threshold",
    "before_emergency",
    "listed",
    "rebuild",
    "restore",
    "take",
]
